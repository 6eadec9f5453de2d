// SPDX-License-Identifier: Apache-2.0
// Resources that share memory. What was written last has contents, and what shares its memory has lost them:
// an image takes the memory when it leaves the layout UNDEFINED, too. Buffers see the same bytes, whoever of
// them wrote.
#include <algorithm>
#include <type_traits>

#include "format/unverified.h"
#include "layer/checkpoints/resources.h"

namespace rondo::layer {

namespace {

// Blobs of buffers: what did not change is not stored again.
constexpr VkDeviceSize kPiece = 256 * 1024;

}  // namespace

void Resources::find_overlaps(const Bound& bound, Place& place) {
  const auto is_drivers_own = [&](VkBuffer buffer) {
    const auto found = buffers_.find(buffer);
    return found != buffers_.end() && found->second.drivers_own;
  };
  std::vector<Bound>& all = bound_[place.memory];
  for (const Bound& other : all) {
    const Bytes at{std::max(bound.at.from, other.at.from), std::min(bound.at.to, other.at.to)};
    if (at.from >= at.to || (other.image == bound.image && other.buffer == bound.buffer)) continue;
    const bool buffers = bound.buffer != VK_NULL_HANDLE && other.buffer != VK_NULL_HANDLE;
    if (buffers && !is_drivers_own(bound.buffer) && !is_drivers_own(other.buffer)) continue;
    const Overlap overlap{other.image, other.buffer, at};
    if (Place* const theirs = place_of(overlap); theirs != nullptr)
      theirs->overlaps.push_back({bound.image, bound.buffer, at});
    place.overlaps.push_back(overlap);
  }
  all.push_back(bound);
}

Resources::Place* Resources::place_of(const Overlap& overlap) {
  if (const auto found = images_.find(overlap.image); found != images_.end()) return &found->second.place;
  if (const auto found = buffers_.find(overlap.buffer); found != buffers_.end()) return &found->second.place;
  return nullptr;
}

template <class Resource>
void Resources::drop_overlaps(Resource resource, Place& place) {
  const auto is_it = [&](const auto& one) {
    if constexpr (std::is_same_v<Resource, VkImage>)
      return one.image == resource;
    else
      return one.buffer == resource;
  };
  for (const Overlap& overlap : place.overlaps)
    if (Place* const theirs = place_of(overlap); theirs != nullptr) std::erase_if(theirs->overlaps, is_it);
  if (const auto bound = bound_.find(place.memory); bound != bound_.end()) std::erase_if(bound->second, is_it);
}
template void Resources::drop_overlaps(VkImage image, Place& place);
template void Resources::drop_overlaps(VkBuffer buffer, Place& place);

// Something was written there, of the memory. Out of order: it may have been written before what shares it.
void Resources::overwrite(const Place& place, Bytes at, bool in_order) {
  for (const Overlap& overlap : place.overlaps) {
    const Bytes both{std::max(at.from, overlap.at.from), std::min(at.to, overlap.at.to)};
    if (both.from >= both.to) continue;
    if (const auto image = images_.find(overlap.image); image != images_.end())
      for (Subresource& part : image->second.parts) {
        part.lost = true;
        part.uncertain |= !in_order;
      }
    if (const auto buffer = buffers_.find(overlap.buffer); buffer != buffers_.end()) {
      const VkDeviceSize begin = buffer->second.place.offset;
      lose(buffer->second.lost, {both.from - begin, both.to - begin});
    }
  }
}

void Resources::lose(std::vector<Bytes>& lost, Bytes bytes) {
  const auto first = std::partition_point(lost.begin(), lost.end(), [&](const Bytes& b) { return b.to < bytes.from; });
  auto last = first;
  for (; last != lost.end() && last->from <= bytes.to; ++last)
    bytes = {std::min(bytes.from, last->from), std::max(bytes.to, last->to)};
  lost.insert(lost.erase(first, last), bytes);
}

void Resources::take_back(std::vector<Bytes>& lost, Bytes bytes) {
  std::vector<Bytes> left;
  for (const Bytes& b : lost) {
    if (b.from < std::min(b.to, bytes.from)) left.push_back({b.from, std::min(b.to, bytes.from)});
    if (std::max(b.from, bytes.to) < b.to) left.push_back({std::max(b.from, bytes.to), b.to});
  }
  lost = std::move(left);
}

// Why a part that has contents cannot be read for what shares its memory; null: it can. A device may change
// an image's memory to read it (it unpacks what it had packed), and shaders may have put something else
// there.
const char* Resources::why_shared(const Image& image) const {
  if (shares_drivers_own(image.place, {0, VK_WHOLE_SIZE})) return text_of(Unverified::drivers_own);
  if (in_this_process_) return nullptr;
  for (const Overlap& overlap : image.place.overlaps)
    if (const auto buffer = buffers_.find(overlap.buffer); buffer != buffers_.end() && buffer->second.storage)
      return text_of(Unverified::buffer_shared);
  return nullptr;
}

bool Resources::shares_drivers_own(const Place& place, Bytes at) const {
  return std::any_of(place.overlaps.begin(), place.overlaps.end(), [&](const Overlap& overlap) {
    const auto buffer = buffers_.find(overlap.buffer);
    return buffer != buffers_.end() && buffer->second.drivers_own && at.from < overlap.at.to && overlap.at.from < at.to;
  });
}

// What is not lost. Whether shaders have written what an image took from their buffer, no call says; what is
// written by commands alone has no contents there.
void Resources::list_pieces(const Part& like, VkBuffer handle, const Buffer& buffer, std::vector<Part>& parts) const {
  const auto add = [&](Bytes bytes, const char* why) {
    Part part = like;
    part.source = gpu::BufferSource{handle, bytes.from, bytes.to - bytes.from};
    part.from = buffer.place.offset + bytes.from;
    part.to = buffer.place.offset + bytes.to;
    if (why == nullptr && shares_drivers_own(buffer.place, {part.from, part.to}))
      why = text_of(Unverified::drivers_own);
    if (why != nullptr) part.unreadable = why;
    parts.push_back(part);
  };
  if (!like.unreadable.empty()) return add({0, buffer.size}, nullptr);
  VkDeviceSize at = 0;
  const auto add_until = [&](VkDeviceSize to) {
    for (; at < to; at = std::min(to, (at / kPiece + 1) * kPiece))
      add({at, std::min(to, (at / kPiece + 1) * kPiece)}, nullptr);
  };
  for (const Bytes& lost : buffer.lost) {
    add_until(lost.from);
    if (buffer.storage) add(lost, text_of(Unverified::image_shared));
    at = std::max(at, lost.to);
  }
  add_until(buffer.size);
}

}  // namespace rondo::layer
