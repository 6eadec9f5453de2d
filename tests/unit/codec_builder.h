// SPDX-License-Identifier: Apache-2.0
// Random native parameters for any command, built from its rows, and the other
// things that tests of the codec share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "format/codec/decoder.h"
#include "format/codec/encoder.h"
#include "format/codec/printer.h"
#include "format/codec/schema.h"
#include "format/vulkan.h"

namespace rondo::test {

// A zeroed structure with its type.
template <class T>
T titled(VkStructureType type, const void* next = nullptr) {
  T structure{};
  structure.sType = type;
  structure.pNext = const_cast<void*>(next);
  return structure;
}

// Keeps what encode() asks to keep.
class FakeContext : public codec::EncodeContext {
 public:
  bool is_secondary(std::uint64_t) override { return secondary; }
  SubpassUse subpass_use(std::uint64_t, std::uint32_t) override { return subpass; }
  TemplateLayout template_layout(std::uint64_t) override { return layout; }
  std::optional<std::uint64_t> host_texels(const HostRegion&) override { return kTemplateBytes; }
  void add_blob(const Digest& digest, std::span<const std::byte> bytes) override {
    blobs[digest].assign(bytes.begin(), bytes.end());
  }
  std::uint16_t note_structure(StructId id) override {
    noted.push_back(id);
    return static_cast<std::uint16_t>(id);
  }

  bool secondary = false;
  SubpassUse subpass{true, true, true};
  // One entry of each kind; strides larger than the item. 116 bytes.
  TemplateLayout layout = std::make_shared<std::vector<TemplateEntry>>(
      std::vector<TemplateEntry>{{VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 2, 0, 32},
                                 {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, 64, 24},
                                 {VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, 1, 92, 8},
                                 {VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, 16, 100, 0}});
  static constexpr std::size_t kTemplateBytes = 116;
  std::map<Digest, std::vector<std::byte>> blobs;
  std::vector<StructId> noted;
};

// The dictionary that this build writes.
std::vector<DictionaryRow> own_dictionary();
const codec::IdMap& own_ids();

// Turns a lowered block into one that can be called with: pointers made real,
// blobs from `blobs`. Returns the args structure.
const void* relocate(codec::Lowered& lowered, const std::map<Digest, std::vector<std::byte>>& blobs);

// Native parameters that are valid as far as the tables know: counts and arrays
// agree, chains end, every pointer that is not null is good. Owns the memory.
class NativeBuilder {
 public:
  explicit NativeBuilder(std::uint64_t seed) : random_(seed) {}
  const void* build(CommandId command);

 private:
  using Counts = std::map<std::uint16_t, std::size_t>;
  void fill(const codec::StructInfo& type, std::byte* base, int depth);
  void choose_counts(const codec::StructInfo& type, std::byte* base, int depth);
  void field(const codec::StructInfo& type, const codec::Field& f, std::byte* base, int depth);
  void element(const codec::Field& f, std::byte* at, std::byte* owner, int depth);
  void* chain(int depth);
  std::size_t native_count(const codec::Field& f, const std::byte* base);
  std::byte* allocate(std::size_t bytes);
  void scribble(std::byte* at, std::size_t bytes);
  char* string();
  std::uint64_t below(std::uint64_t n) { return std::uniform_int_distribution<std::uint64_t>(0, n - 1)(random_); }
  bool sometimes(unsigned one_in) { return below(one_in) == 0; }

  std::mt19937_64 random_;
  std::vector<std::unique_ptr<std::byte[]>> memory_;
};

// Collects what print() says as one line of text, and its handles.
class TextSink : public codec::ValueSink {
 public:
  struct Handle {
    HandleType type;
    std::uint64_t captured;
    std::uint32_t index;
  };
  void begin_structure(std::string_view type) override { add(std::string(type) + "{"); }
  void end_structure() override { text += "} "; }
  void begin_array() override { add("["); }
  void end_array() override { text += "] "; }
  void key(std::string_view name) override { text += std::string(name) + "="; }
  void null() override { add("null"); }
  void unsigned_value(std::uint64_t v) override { add(std::to_string(v)); }
  void signed_value(std::int64_t v) override { add(std::to_string(v)); }
  void floating_value(double v, bool) override { add(std::to_string(v)); }
  void boolean(bool v) override { add(v ? "true" : "false"); }
  void enumerant(std::string_view name, std::int64_t v) override {
    add(name.empty() ? std::to_string(v) : std::string(name));
  }
  void flags(EnumId, std::uint64_t v) override { add("flags:" + std::to_string(v)); }
  void handle(HandleType type, std::uint64_t captured, std::uint32_t index) override {
    handles.push_back({type, captured, index});
    add("#" + std::to_string(index));
  }
  void string(std::string_view v) override { add("'" + std::string(v) + "'"); }
  void bytes(const Digest& digest, std::uint64_t length) override {
    add("blob:" + to_string(digest) + ":" + std::to_string(length));
  }

  std::string text;
  std::vector<Handle> handles;

 private:
  void add(const std::string& what) { text += what + " "; }
};

}  // namespace rondo::test
