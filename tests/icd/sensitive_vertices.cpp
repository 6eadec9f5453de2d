// SPDX-License-Identifier: Apache-2.0
// Only what a draw fetches is read: next to it the host may be writing already.
#include <algorithm>
#include <cstring>

#include "tests/icd/access.h"
#include "tests/icd/pipeline_uses.h"
#include "tests/icd/sensitive.h"
#include "tests/icd/tables.h"

namespace fake {
namespace {

struct Fetch {
  VkDeviceSize stride = 0;
  bool per_instance = false;
  std::uint32_t divisor = 1;
  VkDeviceSize element = 0;  // bytes from an element's begin to the end of its last attribute
};

VkDeviceSize attribute_end(std::uint32_t offset, VkFormat format) {
  const tables::FormatInfo* known = tables::find_format(format);
  return offset + (known == nullptr ? VkDeviceSize{0} : VkDeviceSize{known->block_bytes});
}

// By binding number.
std::map<std::uint32_t, Fetch> fetches(const CommandState& state) {
  std::map<std::uint32_t, Fetch> all;
  if (!state.vertex_bindings.empty()) {
    for (const auto& b : state.vertex_bindings)
      all[b.binding] = {b.stride, b.inputRate == VK_VERTEX_INPUT_RATE_INSTANCE, b.divisor, 0};
    for (const auto& a : state.vertex_attributes)
      all[a.binding].element = std::max(all[a.binding].element, attribute_end(a.offset, a.format));
  } else if (state.graphics.pipeline != nullptr && state.graphics.pipeline->uses != nullptr) {
    const PipelineUses& uses = *state.graphics.pipeline->uses;
    for (const auto& b : uses.vertex_bindings)
      all[b.binding] = {b.stride, b.inputRate == VK_VERTEX_INPUT_RATE_INSTANCE, 1, 0};
    for (const auto& a : uses.vertex_attributes)
      all[a.binding].element = std::max(all[a.binding].element, attribute_end(a.offset, a.format));
  }
  for (auto& [binding, fetch] : all)
    if (const auto bound = state.vertex_buffers.find(binding);
        bound != state.vertex_buffers.end() && bound->second.stride)
      fetch.stride = *bound->second.stride;
  return all;
}

void fold_range(const BoundBuffer& bound, VkDeviceSize first, VkDeviceSize last, Hash& hash) {
  if (bound.buffer == nullptr || bound.buffer->data() == nullptr) return;
  const VkDeviceSize begin = std::min(bound.offset + first, bound.end());
  const VkDeviceSize end = std::min(bound.offset + last, bound.end());
  if (begin < end) hash.bytes(bound.buffer->data() + begin, static_cast<std::size_t>(end - begin));
}

// Of elements [first, first + count).
void fold_elements(const BoundBuffer& bound, const Fetch& fetch, std::uint64_t first, std::uint64_t count, Hash& hash) {
  if (count != 0) fold_range(bound, first * fetch.stride, (first + count - 1) * fetch.stride + fetch.element, hash);
}

std::uint32_t index_bytes(VkIndexType type) {
  switch (type) {
    case VK_INDEX_TYPE_UINT8_EXT:
      return 1;
    case VK_INDEX_TYPE_UINT16:
      return 2;
    default:
      return 4;
  }
}

}  // namespace

void fold_vertices(Execution& execution, const DrawRange& range, Hash& hash) {
  const CommandState& state = execution.state();
  for (const auto& [binding, fetch] : fetches(state)) {
    const auto bound = state.vertex_buffers.find(binding);
    if (bound == state.vertex_buffers.end()) continue;
    if (!fetch.per_instance) {
      fold_elements(bound->second, fetch, range.first_vertex, range.vertices, hash);
    } else {
      const std::uint64_t used = fetch.divisor == 0
                                     ? std::min(range.instances, 1u)
                                     : (range.instances + fetch.divisor - std::uint64_t{1}) / fetch.divisor;
      fold_elements(bound->second, fetch, range.first_instance, used, hash);
    }
  }
}

void fold_indexed(Execution& execution, const IndexedRange& range, Hash& hash) {
  const CommandState& state = execution.state();
  const BoundBuffer& bound = state.index_buffer;
  if (bound.buffer == nullptr || bound.buffer->data() == nullptr || range.indices == 0) return;
  const std::uint32_t bytes = index_bytes(state.index_type);
  const VkDeviceSize first = bound.offset + VkDeviceSize{range.first_index} * bytes;
  const VkDeviceSize last = std::min(first + VkDeviceSize{range.indices} * bytes, bound.end());
  std::int64_t low = INT64_MAX, high = INT64_MIN;
  const std::uint32_t restart = bytes == 4 ? UINT32_MAX : (1u << (8 * bytes)) - 1;
  for (VkDeviceSize at = first; at + bytes <= last; at += bytes) {
    std::uint32_t index = 0;
    std::memcpy(&index, bound.buffer->data() + at, bytes);
    hash.value(index);
    if (index == restart) continue;
    low = std::min(low, std::int64_t{index} + range.vertex_offset);
    high = std::max(high, std::int64_t{index} + range.vertex_offset);
  }
  if (low > high || high < 0) return;
  low = std::max<std::int64_t>(low, 0);
  fold_vertices(
      execution,
      {static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(std::min<std::int64_t>(high - low + 1, UINT32_MAX)),
       range.first_instance, range.instances},
      hash);
}

void write_feedback(Execution& execution, std::uint64_t vertices, std::uint64_t seed) {
  CommandState& state = execution.state();
  if (!state.feedback) return;
  constexpr VkDeviceSize kBytesOfVertex = 16;
  for (auto& [binding, bound] : state.feedback_buffers) {
    VkDeviceSize& written = state.feedback_bytes[binding];
    const VkDeviceSize begin = std::min(bound.offset + written, bound.end());
    const VkDeviceSize bytes = std::min(vertices, (bound.end() - begin) / kBytesOfVertex) * kBytesOfVertex;
    if (bound.buffer == nullptr || bound.buffer->data() == nullptr) continue;
    Hash place(seed);
    place.value(binding);
    fill_pattern(bound.buffer->data() + begin, static_cast<std::size_t>(bytes), place.digest());
    written += bytes;
  }
}

}  // namespace fake
