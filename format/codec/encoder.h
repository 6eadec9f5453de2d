// SPDX-License-Identifier: Apache-2.0
// Native call parameters to payload bytes, by the tables of schema.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "format/codec/schema.h"
#include "format/digest.h"
#include "format/vulkan.h"

namespace rondo::codec {

// What encoding needs to know of earlier calls, kept by the layer
// (irregular-commands.md 1, 6). Called on the recording thread.
class EncodeContext {
 public:
  virtual ~EncodeContext() = default;
  virtual bool is_secondary(std::uint64_t command_buffer) = 0;
  struct SubpassUse {
    bool known = false, color = false, depth_stencil = false;
  };
  virtual SubpassUse subpass_use(std::uint64_t render_pass, std::uint32_t subpass) = 0;
  // What an update through this template reads from pData; null if unknown.
  struct TemplateEntry {
    std::uint32_t type = 0;    // VkDescriptorType
    std::uint32_t count = 0;   // descriptors; bytes of an inline uniform block
    std::uint64_t offset = 0;  // bytes
    std::uint64_t stride = 0;
  };
  using TemplateLayout = std::shared_ptr<const std::vector<TemplateEntry>>;
  virtual TemplateLayout template_layout(std::uint64_t update_template) = 0;
  // Bytes of the program's memory that a copy between it and an image touches, in
  // rows of the caller's; nothing if that cannot be known.
  struct HostRegion {
    std::uint64_t image = 0;
    bool as_it_lies = false;  // whole subresources, in the driver's own layout
    std::uint32_t row_length = 0, image_height = 0;
    VkImageSubresourceLayers layers{};
    VkExtent3D extent{};
  };
  virtual std::optional<std::uint64_t> host_texels(const HostRegion&) { return std::nullopt; }
  // Data longer than kInlineBytes: make it part of the capture.
  virtual void add_blob(const Digest& digest, std::span<const std::byte> bytes) = 0;
  // One is written in a pNext chain: the id that the file has for it.
  virtual std::uint16_t note_structure(StructId id) = 0;
};

// A growable byte buffer that never shrinks: one a thread, reused.
class Buffer {
 public:
  void clear() { size_ = 0; }
  std::byte* extend(std::size_t bytes) {
    if (size_ + bytes > storage_.size()) grow(bytes);
    std::byte* p = storage_.data() + size_;
    size_ += bytes;
    return p;
  }
  std::span<const std::byte> bytes() const { return {storage_.data(), size_}; }

 private:
  void grow(std::size_t bytes) { storage_.resize((size_ + bytes) * 2); }
  std::vector<std::byte> storage_ = std::vector<std::byte>(4096);
  std::size_t size_ = 0;
};

struct EncodeResult {
  // Empty, or why this call cannot be recorded: names command, member and sType.
  std::string error;
};

// Appends the payload of `command` whose parameters are in `args` (the
// generated args_<name>). `outputs_valid` false (the call failed): output
// parameters are written as null. Pointers that the specification says to
// ignore are not followed.
EncodeResult encode(Buffer& out, EncodeContext& context, CommandId command, const void* args,
                    bool outputs_valid = true);

}  // namespace rondo::codec
