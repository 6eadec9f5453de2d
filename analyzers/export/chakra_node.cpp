// SPDX-License-Identifier: Apache-2.0
#include "analyzers/export/chakra_node.h"

#include <algorithm>
#include <protozero/pbf_writer.hpp>

#include "analyzers/text/json.h"
#include "analyzers/text/text.h"

namespace rondo::analyzers {

namespace {

// et_def.proto of schema "1.0.0".
namespace head_field {
constexpr protozero::pbf_tag_type version = 1, attributes = 2;
}
namespace node_field {
constexpr protozero::pbf_tag_type id = 1, name = 2, type = 3, control = 4, data = 5, start_micros = 6,
                                  duration_micros = 7, inputs = 8, outputs = 9, attributes = 10;
}
namespace tensors_field {
constexpr protozero::pbf_tag_type values = 1, shapes = 2, types = 3;
}
namespace attribute_field {
constexpr protozero::pbf_tag_type name = 1, int64 = 9, uint64 = 13, boolean = 27, string = 29, string_list = 30;
}
constexpr protozero::pbf_tag_type kListValues = 1;
constexpr std::int32_t kCompNode = 4;

// Of protobuf a string is UTF-8, and readers refuse others.
std::string utf8(std::string_view in) { return printable(in); }

class Attributes {
 public:
  Attributes(protozero::pbf_writer& message, protozero::pbf_tag_type field) : message_(message), field_(field) {}

  void boolean(std::string_view name, bool value) {
    write(name, [&](auto& one) { one.add_bool(attribute_field::boolean, value); });
  }
  void int64(std::string_view name, std::uint64_t value) {
    const auto most = static_cast<std::uint64_t>(INT64_MAX);
    write(name,
          [&](auto& one) { one.add_int64(attribute_field::int64, static_cast<std::int64_t>(std::min(value, most))); });
  }
  void uint64(std::string_view name, std::uint64_t value) {
    write(name, [&](auto& one) { one.add_uint64(attribute_field::uint64, value); });
  }
  void string(std::string_view name, std::string_view value) {
    write(name, [&](auto& one) { one.add_string(attribute_field::string, utf8(value)); });
  }
  // [name, bytes, name, bytes, …]: what the memory tracker of ASTRA-sim reads.
  void tensors(std::string_view name, std::span<const ChakraTensor> tensors) {
    write(name, [&](auto& one) {
      list_.clear();
      protozero::pbf_writer list(list_);
      for (const ChakraTensor& tensor : tensors) {
        list.add_string(kListValues, tensor.name);
        list.add_string(kListValues, std::to_string(tensor.bytes));
      }
      one.add_message(attribute_field::string_list, list_);  // an empty one, too
    });
  }

 private:
  template <class Fill>
  void write(std::string_view name, const Fill& fill) {
    bytes_.clear();
    protozero::pbf_writer one(bytes_);
    one.add_string(attribute_field::name, name.data(), name.size());
    fill(one);
    message_.add_message(field_, bytes_);
  }
  protozero::pbf_writer& message_;
  const protozero::pbf_tag_type field_;
  std::string bytes_, list_;
};

// As PyTorch's execution traces have them: a list of [tensor, storage, offset, elements, bytes of one, device].
void add_tensors(protozero::pbf_writer& message, protozero::pbf_tag_type field, std::span<const ChakraTensor> tensors,
                 std::uint64_t device) {
  std::string values = "[", shapes = "[", types = "[";
  for (const ChakraTensor& one : tensors) {
    const char* const between = &one == tensors.data() ? "" : ",";
    append(values, "{}[{},{},0,{},1,\"vk:{}\"]", between, one.id, one.storage, one.bytes, device);
    append(shapes, "{}[{}]", between, one.bytes);
    append(types, "{}\"{}\"", between, one.is_image ? "Image" : "Buffer");
  }
  std::string bytes;
  protozero::pbf_writer list(bytes);
  list.add_string(tensors_field::values, values + "]");
  list.add_string(tensors_field::shapes, shapes + "]");
  list.add_string(tensors_field::types, types + "]");
  message.add_message(field, bytes);
}

void append_message(std::string& out, const std::string& message) {
  protozero::add_varint_to_buffer(&out, message.size());
  out += message;
}

}  // namespace

void append_chakra_head(std::string& out, std::span<const std::pair<std::string_view, std::string>> attributes) {
  std::string message;
  protozero::pbf_writer head(message);
  head.add_string(head_field::version, "1.0.0");
  Attributes all(head, head_field::attributes);
  for (const auto& [name, value] : attributes) all.string(name, value);
  append_message(out, message);
}

void append_chakra_node(std::string& out, const ChakraNode& node) {
  std::string message;
  protozero::pbf_writer to(message);
  to.add_uint64(node_field::id, node.id);
  to.add_string(node_field::name, utf8(node.name));
  to.add_enum(node_field::type, kCompNode);
  to.add_packed_uint64(node_field::control, node.control.begin(), node.control.end());
  to.add_packed_uint64(node_field::data, node.data.begin(), node.data.end());
  if (node.start_ns >= 1000) to.add_uint64(node_field::start_micros, node.start_ns / 1000);
  // 0 counts as a nanosecond. What is measured is at least a microsecond; duration_ns says what it is.
  const std::uint64_t micros = (node.duration_ns + 500) / 1000;
  if (!node.is_join && (node.has_duration || !node.is_cpu))
    to.add_uint64(node_field::duration_micros, std::max<std::uint64_t>(1, micros));
  add_tensors(to, node_field::inputs, node.inputs, node.device);
  add_tensors(to, node_field::outputs, node.outputs, node.device);
  Attributes attributes(to, node_field::attributes);
  attributes.boolean("is_cpu_op", node.is_cpu);
  attributes.int64("num_ops", node.ops);
  attributes.uint64("tensor_size", node.tensor_bytes);
  attributes.int64("stream", node.stream);
  attributes.int64("device", node.device);
  attributes.tensors("inputs", node.inputs);
  attributes.tensors("outputs", node.outputs);
  if (node.more_tensors != 0) attributes.uint64("vk_more_tensors", node.more_tensors);
  if (node.has_duration) attributes.uint64("duration_ns", node.duration_ns);
  if (node.record) attributes.uint64("vk_record", *node.record);
  if (node.submit) attributes.uint64("vk_submit", *node.submit);
  if (!node.pipeline.empty()) attributes.string("vk_pipeline", node.pipeline);
  if (!node.labels.empty()) attributes.string("vk_labels", node.labels);
  append_message(out, message);
}

}  // namespace rondo::analyzers
