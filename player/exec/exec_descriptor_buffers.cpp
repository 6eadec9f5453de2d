// SPDX-License-Identifier: Apache-2.0
// Descriptors in buffers (VK_EXT_descriptor_buffer): the program asks for their
// bytes and puts them where it likes, by host writes, copies and updates.
#include <algorithm>
#include <cstring>
#include <optional>
#include <string>

#include "generated/args.h"
#include "player/run/run.h"

namespace rondo::player {

namespace {

// Bytes of a descriptor of this type, with and without robust access to buffers.
struct Sizes {
  std::size_t plain = 0, robust = 0;
};

Sizes sizes_of(const VkPhysicalDeviceDescriptorBufferPropertiesEXT& p, VkDescriptorType type) {
  switch (type) {
    case VK_DESCRIPTOR_TYPE_SAMPLER:
      return {p.samplerDescriptorSize, p.samplerDescriptorSize};
    case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
      return {p.combinedImageSamplerDescriptorSize, p.combinedImageSamplerDescriptorSize};
    case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
      return {p.sampledImageDescriptorSize, p.sampledImageDescriptorSize};
    case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
      return {p.storageImageDescriptorSize, p.storageImageDescriptorSize};
    case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
      return {p.uniformTexelBufferDescriptorSize, p.robustUniformTexelBufferDescriptorSize};
    case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
      return {p.storageTexelBufferDescriptorSize, p.robustStorageTexelBufferDescriptorSize};
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
      return {p.uniformBufferDescriptorSize, p.robustUniformBufferDescriptorSize};
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
      return {p.storageBufferDescriptorSize, p.robustStorageBufferDescriptorSize};
    case VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT:
      return {p.inputAttachmentDescriptorSize, p.inputAttachmentDescriptorSize};
    case VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR:
      return {p.accelerationStructureDescriptorSize, p.accelerationStructureDescriptorSize};
    default:
      return {};
  }
}

// What lies in the mapping, in whole descriptors around a range of it: a copy,
// for the device may read the rest meanwhile.
struct Window {
  VkDeviceSize from = 0;
  std::vector<std::byte> before, bytes;
};
Window window_around(const MemoryState& memory, VkDeviceSize at, VkDeviceSize bytes, const Substitutes& substitutes) {
  const VkDeviceSize around = substitutes.longest();
  Window w;
  w.from = (at - std::min(at, around)) / Substitutes::kAlignment * Substitutes::kAlignment;
  const VkDeviceSize to = std::min(memory.bytes, at + bytes + around);
  w.before.assign(memory.mapped + w.from, memory.mapped + to);
  w.bytes = w.before;
  return w;
}

// Only what is new: the device may be writing beside it.
void put_back(const MemoryState& memory, const Window& window) {
  std::byte* const there = memory.mapped + window.from;
  const std::vector<std::byte>& before = window.before;
  for (std::size_t i = 0; i < window.bytes.size();) {
    if (before[i] == window.bytes[i]) {
      ++i;
      continue;
    }
    std::size_t end = i + 1;
    while (end < window.bytes.size() && before[end] != window.bytes[end]) ++end;
    std::memcpy(there + i, window.bytes.data() + i, end - i);
    i = end;
  }
}

// What was put for these bytes becomes what stands for them now.
Result<void> replace_placed(Run& run, const Op& op, std::span<const std::byte> captured,
                            std::span<const std::byte> here) {
  Substitutes& substitutes = run.substitutes();
  const std::span<const std::byte> known = substitutes.here_of(captured);
  const std::vector<std::byte> before(known.begin(), known.end());
  const std::vector<Substitutes::Place> places = substitutes.places_of(captured);
  substitutes.learn(captured, here);
  for (const Substitutes::Place& place : places) {
    const MemoryState& memory = run.memory_at(place.memory);
    if (memory.mapped == nullptr || place.offset + before.size() > memory.bytes) continue;
    if (std::memcmp(memory.mapped + place.offset, before.data(), before.size()) != 0) continue;
    put_back(memory, {place.offset, before, {here.begin(), here.end()}});
    if (!memory.coherent) RONDO_TRY(flush_mapped(run, op, memory, place.offset, before.size()));
  }
  return {};
}

// What needed no substitute, wherever it lies.
Result<void> replace_everywhere(Run& run, const Op& op, std::span<const std::byte> captured,
                                std::span<const std::byte> here) {
  Substitutes& substitutes = run.substitutes();
  std::vector<std::optional<Window>> all(run.plan().memories.size());
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    const MemoryState& memory = run.memory_at(i);
    if (memory.mapped == nullptr) continue;
    all[i] = window_around(memory, 0, memory.bytes, substitutes);
    substitutes.put_captured(all[i]->bytes, {i, 0});
  }
  substitutes.learn(captured, here);
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    if (!all[i]) continue;
    substitutes.put_here(all[i]->bytes, {i, 0});
    const MemoryState& memory = run.memory_at(i);
    put_back(memory, *all[i]);
    if (!memory.coherent) RONDO_TRY(flush_mapped(run, op, memory, 0, memory.bytes));
  }
  return {};
}

// The same captured bytes stand for other ones from now on, also where they were written before.
Result<void> learn_again(Run& run, const Op& op, std::span<const std::byte> captured, std::span<const std::byte> here) {
  if (run.substitutes().here_of(captured).empty()) return replace_everywhere(run, op, captured, here);
  return replace_placed(run, op, captured, here);
}

Result<void> get_descriptor(Run& run, const Op& op, std::byte* args) {
  auto& a = as<args_vkGetDescriptorEXT>(args);
  if (a.pDescriptor == nullptr)
    return tl::unexpected<Error>(run.refuse(op, Status::unreadable, "the captured descriptor is missing"));
  const LiveDevice& target = run.targets()[run.device(op).index];
  const Sizes sizes = sizes_of(target.descriptor_buffers, a.pDescriptorInfo->type);
  if (a.dataSize != sizes.plain && a.dataSize != sizes.robust)
    return tl::unexpected<Error>(run.refuse(op, Status::device,
                                            "such a descriptor has " + std::to_string(sizes.plain) +
                                                " bytes here and " + std::to_string(a.dataSize) +
                                                " in the capture: what the program stored of it would lie elsewhere"));
  const std::span captured(static_cast<const std::byte*>(a.pDescriptor), a.dataSize);
  std::vector<std::byte>& bytes = run.output_buffer();
  bytes.resize(std::max({bytes.size(), sizes.plain, sizes.robust}));
  // Drivers may leave bytes as they were: the program's.
  std::copy(captured.begin(), captured.end(), bytes.begin());
  a.pDescriptor = bytes.data();
  RONDO_TRY(run.call_checked(op, args));
  const std::span<const std::byte> here = std::span(bytes).first(a.dataSize);
  Substitutes& substitutes = run.substitutes();
  if (captured.size() < Substitutes::kLeast && !std::equal(captured.begin(), captured.end(), here.begin()))
    return tl::unexpected<Error>(run.refuse(op, Status::device,
                                            "the descriptor of " + std::to_string(captured.size()) +
                                                " bytes is another one here than in the capture, and too "
                                                "short to be found where the program stored it"));
  if (substitutes.changes(captured, here)) return learn_again(run, op, captured, here);
  substitutes.learn(captured, here);
  return {};
}

// A size or an offset of the layout, which the program wrote descriptors by.
Result<void> get_layout_bytes(Run& run, const Op& op, std::byte* args, VkDeviceSize* out, const char* what) {
  if (out == nullptr)
    return tl::unexpected<Error>(run.refuse(op, Status::unreadable, "its captured answer is missing"));
  const VkDeviceSize captured = *out;
  RONDO_TRY(run.call_checked(op, args));
  if (*out == captured) return {};
  return tl::unexpected<Error>(
      run.refuse(op, Status::device,
                 std::string(what) + " is " + std::to_string(*out) + " here and " + std::to_string(captured) +
                     " in the capture: what the program stored of descriptors would lie elsewhere"));
}

Result<void> get_layout_size(Run& run, const Op& op, std::byte* args) {
  return get_layout_bytes(run, op, args, as<args_vkGetDescriptorSetLayoutSizeEXT>(args).pLayoutSizeInBytes,
                          "the size of the layout");
}

Result<void> get_binding_offset(Run& run, const Op& op, std::byte* args) {
  return get_layout_bytes(run, op, args, as<args_vkGetDescriptorSetLayoutBindingOffsetEXT>(args).pOffset,
                          "the offset of the binding");
}

Result<void> update_buffer(Run& run, const Op& op, std::byte* args) {
  auto& a = as<args_vkCmdUpdateBuffer>(args);
  if (!run.substitutes().empty()) {
    std::vector<std::byte>& bytes = run.output_buffer();
    bytes.resize(std::max<std::size_t>(bytes.size(), a.dataSize));
    std::memcpy(bytes.data(), a.pData, a.dataSize);
    run.substitutes().put_here(std::span(bytes).first(a.dataSize));
    a.pData = bytes.data();
  }
  return run.call_checked(op, args);
}

}  // namespace

void write_substituted(Run& run, std::uint32_t place, VkDeviceSize to, std::span<const std::byte> data) {
  const MemoryState& memory = run.memory_at(place);
  Substitutes& substitutes = run.substitutes();
  Window window = window_around(memory, to, data.size(), substitutes);
  substitutes.put_captured(window.bytes, {place, window.from});
  std::copy(data.begin(), data.end(), window.bytes.begin() + static_cast<std::ptrdiff_t>(to - window.from));
  substitutes.put_here(window.bytes, {place, window.from});
  put_back(memory, window);
}

void read_captured(Run& run, std::uint32_t place, VkDeviceSize from, std::span<std::byte> bytes) {
  const MemoryState& memory = run.memory_at(place);
  if (run.substitutes().empty()) {
    std::memcpy(bytes.data(), memory.mapped + from, bytes.size());
    return;
  }
  Window window = window_around(memory, from, bytes.size(), run.substitutes());
  run.substitutes().put_captured(window.bytes, {place, window.from});
  std::memcpy(bytes.data(), window.bytes.data() + (from - window.from), bytes.size());
}

void add_descriptor_buffer_executors(std::vector<Executor>& table) {
  const auto add = [&](CommandId id, Executor executor) { table[static_cast<std::size_t>(id)] = executor; };
  add(CommandId::vkGetDescriptorEXT, get_descriptor);
  add(CommandId::vkGetDescriptorSetLayoutSizeEXT, get_layout_size);
  add(CommandId::vkGetDescriptorSetLayoutBindingOffsetEXT, get_binding_offset);
  add(CommandId::vkCmdUpdateBuffer, update_buffer);
}

}  // namespace rondo::player
