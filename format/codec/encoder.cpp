// SPDX-License-Identifier: Apache-2.0
#include "format/codec/encoder.h"

#include <algorithm>

#include "format/codec/rules.h"
#include "format/codec/shapes.h"
#include "format/codec/template_data.h"

namespace rondo::codec {
namespace {

// Where the entry's last descriptor ends in the native data.
std::size_t template_end(const EncodeContext::TemplateEntry& entry) {
  const TemplateItem item = template_item(entry.type);
  if (item == TemplateItem::bytes) return entry.offset + entry.count;
  return entry.offset + (entry.count - std::size_t{1}) * entry.stride + item_bytes(item);
}

// The loader's own links, and VkLayerSettingsCreateInfoEXT (1.3.274), which older
// headers lack: meant for layers, no driver's business, and not recorded.
bool is_for_layers(VkStructureType type) {
  constexpr auto kLayerSettings = static_cast<VkStructureType>(1000496000);
  return type == VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO || type == VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO ||
         type == kLayerSettings;
}

class Encoder {
 public:
  Encoder(Buffer& out, EncodeContext& context, const CommandInfo& command, const void* args, bool outputs)
      : out_(out), context_(context), command_(command), rules_(context, command.id, args), outputs_(outputs) {}

  bool structure(const StructInfo& type, const std::byte* base, bool in_chain, int depth);
  EncodeResult result() && { return {std::move(error_)}; }

 private:
  bool field(const StructInfo& type, const Field& f, const std::byte* base, int depth);
  bool element(const Field& f, const std::byte* at, const std::byte* owner, int depth);
  bool elements(const Field& f, const std::byte* at, std::size_t count, const std::byte* owner, int depth);
  bool many(const StructInfo& type, const Field& f, const std::byte* at, const std::byte* base, int depth);
  bool many_pointers(const Field& f, const std::byte* at, const std::byte* base, int depth);
  bool chain(const StructInfo& type, const void* next, int depth);
  bool template_data(const Field& f, const std::byte* at, const std::byte* base, int depth);
  void data(const Field& f, const std::byte* at, std::size_t bytes);
  void string(const char* text);
  std::size_t count(const Field& f, const std::byte* base);
  // The pointer that a field holds, null where it must not be followed.
  const std::byte* pointer(const Field& f, const std::byte* base);

  void put(const void* from, std::size_t bytes) { std::memcpy(out_.extend(bytes), from, bytes); }
  template <class T>
  void put(T value) {
    put(&value, sizeof value);
  }
  bool refuse(std::string message) {
    error_ = std::string(command_.name) + ": " + std::move(message);
    return false;
  }

  Buffer& out_;
  EncodeContext& context_;
  const CommandInfo& command_;
  Rules rules_;
  bool outputs_;
  std::string error_;
};

bool Encoder::structure(const StructInfo& type, const std::byte* base, bool in_chain, int depth) {
  if (depth > kMaxDepth) return refuse(std::string(type.name) + " is nested too deeply to be recorded");
  for (const Field& f : type.fields) {
    switch (f.shape) {
      case Shape::stype:
      case Shape::dropped:
        break;
      case Shape::value:
        if (f.rule == RuleId::none && f.element != Element::structure && f.element != Element::union_type) {
          put(base + f.offset, f.size);
          break;
        }
        if (!field(type, f, base, depth)) return false;
        break;
      case Shape::pnext:
        if (in_chain) break;
        [[fallthrough]];
      default:
        if (!field(type, f, base, depth)) return false;
    }
  }
  return true;
}

const std::byte* Encoder::pointer(const Field& f, const std::byte* base) {
  if ((f.flags & kOutput) != 0 && !outputs_) return nullptr;
  // The rule is asked even for null pointers: it may prepare later ones.
  if (f.rule != RuleId::none && !rules_.applies(f, base)) return nullptr;
  return load<const std::byte*>(base + f.offset);
}

bool Encoder::field(const StructInfo& type, const Field& f, const std::byte* base, int depth) {
  const std::byte* at = base + f.offset;
  switch (f.shape) {
    case Shape::value:
      if (f.element == Element::handle && f.rule != RuleId::none && !rules_.applies(f, base)) {
        put(std::uint64_t{0});
        return true;
      }
      return element(f, at, base, depth);
    case Shape::array: {
      if (f.rule == RuleId::counted || f.rule == RuleId::counted_heaps) {
        static constexpr std::byte nothing[64]{};
        const std::size_t valid = std::min<std::size_t>(load<std::uint32_t>(base + f.selector), f.count.constant);
        if (!elements(f, at, valid, base, depth)) return false;
        for (std::size_t i = valid; i < f.count.constant; ++i)
          if (!elements(f, nothing, 1, base, depth)) return false;
        return true;
      }
      return elements(f, at, f.count.constant, base, depth);
    }
    case Shape::text: {
      const auto* text = reinterpret_cast<const char*>(at);
      const std::size_t length = strnlen(text, f.count.constant);
      put(static_cast<std::uint32_t>(length));
      put(text, length);
      return true;
    }
    case Shape::one: {
      const std::byte* target = pointer(f, base);
      put(static_cast<std::uint8_t>(target != nullptr));
      return target == nullptr || element(f, target, base, depth);
    }
    case Shape::many:
      return many(type, f, pointer(f, base), base, depth);
    case Shape::string:
      string(reinterpret_cast<const char*>(pointer(f, base)));
      return true;
    case Shape::strings: {
      const std::byte* list = pointer(f, base);
      if (list == nullptr) {
        put(kNull);
        return true;
      }
      const std::size_t n = count(f, base);
      put(static_cast<std::uint32_t>(n));
      for (std::size_t i = 0; i < n; ++i) string(load<const char*>(list + i * sizeof(char*)));
      return true;
    }
    case Shape::many_pointers:
      return many_pointers(f, pointer(f, base), base, depth);
    case Shape::pnext:
      return chain(type, pointer(f, base), depth);
    case Shape::stype:
    case Shape::dropped:
      return true;
  }
  return true;
}

bool Encoder::element(const Field& f, const std::byte* at, const std::byte* owner, int depth) {
  switch (f.element) {
    case Element::structure: {
      const StructInfo& type = info(static_cast<StructId>(f.type));
      if (type.flat) {
        put(at, type.size);
        return true;
      }
      return structure(type, at, false, depth + 1);
    }
    case Element::union_type: {
      const std::uint32_t selector = f.selector == kNoSelector ? 0 : load<std::uint32_t>(owner + f.selector);
      const UnionForm form = union_form(f, selector);
      if (form.member != nullptr) return field(info(static_cast<StructId>(f.type)), *form.member, at, depth + 1);
      if (form.raw) put(at, f.size);
      return true;
    }
    case Element::opaque:
      return true;
    default:
      put(at, f.size);
      return true;
  }
}

bool Encoder::elements(const Field& f, const std::byte* at, std::size_t count, const std::byte* owner, int depth) {
  const bool copied =
      f.element == Element::structure ? info(static_cast<StructId>(f.type)).flat : f.element != Element::union_type;
  if (copied) {
    put(at, count * f.size);
    return true;
  }
  for (std::size_t i = 0; i < count; ++i)
    if (!element(f, at + i * f.size, owner, depth)) return false;
  return true;
}

bool Encoder::many(const StructInfo& type, const Field& f, const std::byte* at, const std::byte* base, int depth) {
  if (f.rule == RuleId::template_data) return template_data(f, at, base, depth);
  if (is_data(f)) {
    if (at == nullptr) {
      put(kDataNull);
      return true;
    }
    if (f.rule == RuleId::host_texels) {
      const auto bytes = rules_.host_texels(base);
      if (!bytes) return refuse(std::string(f.name) + ": how much of it the copy touches is not known");
      data(f, at, static_cast<std::size_t>(*bytes));
      return true;
    }
    data(f, at, count(f, base) * f.size);
    return true;
  }
  if (at == nullptr) {
    put(kNull);
    return true;
  }
  const std::size_t n = count(f, base);
  if (n >= kNull) return refuse(std::string(type.name) + "." + f.name + " has too many elements");
  put(static_cast<std::uint32_t>(n));
  if (f.rule != RuleId::strided) return elements(f, at, n, base, depth);
  const auto stride = load<std::uint32_t>(base + f.selector);
  put(stride);
  for (std::size_t i = 0; i < n; ++i)
    if (!element(f, at + i * stride, base, depth)) return false;
  return true;
}

bool Encoder::many_pointers(const Field& f, const std::byte* at, const std::byte* base, int depth) {
  if (at == nullptr) {
    put(kNull);
    return true;
  }
  const std::size_t n = count(f, base);
  put(static_cast<std::uint32_t>(n));
  for (std::size_t i = 0; i < n; ++i) {
    const auto* target = load<const std::byte*>(at + i * sizeof(void*));
    if (f.rule == RuleId::build_ranges) {
      const std::size_t inner = target == nullptr ? kNull : rules_.inner_count(i);
      put(static_cast<std::uint32_t>(inner));
      if (target != nullptr && !elements(f, target, inner, base, depth)) return false;
      continue;
    }
    put(static_cast<std::uint8_t>(target != nullptr));
    if (target != nullptr && !element(f, target, base, depth)) return false;
  }
  return true;
}

bool Encoder::chain(const StructInfo& type, const void* next, int depth) {
  int length = 0;
  for (auto* s = static_cast<const VkBaseInStructure*>(next); s != nullptr; s = s->pNext) {
    if (is_for_layers(s->sType)) continue;
    const auto stype = static_cast<std::uint32_t>(s->sType);
    const StructId id = structure_by_stype(stype);
    const StructInfo& link = info(id);
    if (id == StructId::none || link.size == 0) {
      const auto name = enumerant_name(EnumId::VkStructureType, s->sType);
      return refuse("the pNext chain of " + std::string(type.name) + " holds a structure of sType " +
                    std::to_string(stype) + (name.empty() ? "" : " (" + std::string(name) + ")") +
                    ", which Rondo does not know and so cannot record");
    }
    if (++length > kMaxChain) return refuse("the pNext chain of " + std::string(type.name) + " does not end");
    put(context_.note_structure(id));
    if (!structure(link, reinterpret_cast<const std::byte*>(s), true, depth + 1)) return false;
  }
  put(std::uint16_t{0});
  return true;
}

bool Encoder::template_data(const Field& f, const std::byte* at, const std::byte* base, int depth) {
  if (at == nullptr) {
    put(kNull);
    return true;
  }
  const auto layout = rules_.template_layout(base);
  if (layout == nullptr)
    return refuse(std::string(f.name) + " cannot be read: the creation of its template was not seen");
  std::size_t bytes = 0;
  for (const auto& entry : *layout)
    if (entry.count != 0) bytes = std::max<std::size_t>(bytes, template_end(entry));
  put(static_cast<std::uint32_t>(layout->size()));
  put(static_cast<std::uint32_t>(bytes));
  for (const auto& entry : *layout) {
    const TemplateItem item = template_item(entry.type);
    if (item == TemplateItem::unknown)
      return refuse(std::string(f.name) + " has descriptors of the unknown type " + std::to_string(entry.type));
    put(entry.type);
    put(entry.count);
    put(entry.offset);
    put(entry.stride);
    const std::byte* items = at + entry.offset;
    if (item == TemplateItem::bytes) {
      put(items, entry.count);
      continue;
    }
    rules_.set_descriptor_type(entry.type);
    for (std::uint32_t i = 0; i < entry.count; ++i) {
      const std::byte* one = items + i * entry.stride;
      if (item == TemplateItem::image) {
        if (!structure(info(StructId::VkDescriptorImageInfo), one, false, depth + 1)) return false;
      } else if (item == TemplateItem::buffer) {
        if (!structure(info(StructId::VkDescriptorBufferInfo), one, false, depth + 1)) return false;
      } else {
        put(one, sizeof(std::uint64_t));
      }
    }
  }
  return true;
}

void Encoder::data(const Field& f, const std::byte* at, std::size_t bytes) {
  // Scalars that mean something to another device must stay where they can be patched.
  if (bytes <= kInlineBytes || f.semantic != Semantic::none) {
    put(kDataInline);
    put(static_cast<std::uint64_t>(bytes));
    put(at, bytes);
    return;
  }
  const std::span<const std::byte> content(at, bytes);
  const Digest digest = digest_of(content);
  context_.add_blob(digest, content);
  put(kDataBlob);
  put(static_cast<std::uint64_t>(bytes));
  put(digest.low);
  put(digest.high);
}

void Encoder::string(const char* text) {
  if (text == nullptr) {
    put(kNull);
    return;
  }
  const std::size_t length = std::strlen(text);
  put(static_cast<std::uint32_t>(length));
  put(text, length);
}

std::size_t Encoder::count(const Field& f, const std::byte* base) {
  const Count& c = f.count;
  std::uint64_t value = 0;
  switch (c.kind) {
    case CountKind::none:
      return 1;
    case CountKind::constant:
      return c.constant;
    case CountKind::member:
      value = load_unsigned(base + c.a, c.a_size);
      break;
    case CountKind::dereferenced: {
      const auto* target = load<const std::byte*>(base + c.a);
      value = target == nullptr ? 0 : load_unsigned(target, c.a_size);
      break;
    }
    case CountKind::path: {
      const auto* target = load<const std::byte*>(base + c.a);
      value = target == nullptr ? 0 : load_unsigned(target + c.b, c.b_size);
      break;
    }
    case CountKind::rule:  // of template data and texels, which do not ask
      return 0;
  }
  return static_cast<std::size_t>((value + c.constant) / c.divisor);
}

}  // namespace

EncodeResult encode(Buffer& out, EncodeContext& context, CommandId command, const void* args, bool outputs_valid) {
  const CommandInfo& row = info(command);
  if (row.args == StructId::none) return {std::string(row.name) + ": this build cannot record it"};
  // What is numbered before the driver has no outputs yet.
  Encoder encoder(out, context, row, args, outputs_valid && row.numbering == Numbering::after);
  encoder.structure(info(row.args), static_cast<const std::byte*>(args), false, 0);
  return std::move(encoder).result();
}

}  // namespace rondo::codec
