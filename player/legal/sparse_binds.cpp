// SPDX-License-Identifier: Apache-2.0
// Binds of sparse resources: what they name is there and large enough. Whether the device's pages are as the
// capture's is asked once, in front of everything (player/plan/sparse.h, place_memory.cpp).
#include <algorithm>
#include <array>
#include <numeric>
#include <span>

#include "player/legal/validity.h"

namespace rondo::player::validity {

namespace {

Wrong not_sparse(Validity& v, ObjectId id) { return "binds pages of " + v.name(id) + ", which is not sparse"; }

// `bytes`: from that place on, at least.
Wrong check_memory(Validity& v, ObjectId id, VkDeviceSize offset, VkDeviceSize bytes) {
  const Memory* memory = v.memories.find(id);
  if (memory == nullptr) return {};
  if (memory->only_for != ObjectId::null)
    return "binds pages to " + v.name(id) + ", which is dedicated to " + v.name(memory->only_for);
  if (!within(offset, bytes, memory->bytes))
    return "binds " + span_text(offset, bytes) + " of " + v.name(id) + ", which has " + std::to_string(memory->bytes);
  return {};
}

Wrong by_bytes(Validity& v, const Call& c, ObjectId id, std::uint32_t count, const VkSparseMemoryBind* binds,
               Place place) {
  SparseUse& use = v.sparse[id];
  v.work.use(id, place);
  for (const VkSparseMemoryBind& bind : std::span(binds, count)) {
    if (bind.size == 0 || bind.resourceOffset > UINT64_MAX - bind.size) return "binds no bytes of " + v.name(id);
    use.end = std::max(use.end, bind.resourceOffset + bind.size);
    use.places |= bind.resourceOffset;
    const ObjectId memory = c.id(&bind.memory);
    if (memory == ObjectId::null) continue;
    if (Wrong w = check_memory(v, memory, bind.memoryOffset, bind.size); !w.empty()) return w;
    use.places |= bind.memoryOffset;
    use.memories.insert(memory);
    v.work.use(memory, place);
  }
  return {};
}

Wrong by_tiles(Validity& v, const Call& c, ObjectId id, const Image& image, std::uint32_t count,
               const VkSparseImageMemoryBind* binds, Place place) {
  SparseUse& use = v.sparse[id];
  v.work.use(id, place);
  for (const VkSparseImageMemoryBind& bind : std::span(binds, count)) {
    const VkImageSubresource& part = bind.subresource;
    if (part.mipLevel >= image.mips || part.arrayLayer >= image.layers)
      return "binds mip " + std::to_string(part.mipLevel) + " of layer " + std::to_string(part.arrayLayer) + " of " +
             v.name(id);
    const VkExtent3D whole = mip_extent(image, part.mipLevel);
    const std::array<std::uint32_t, 3> all{whole.width, whole.height, whole.depth},
        extent{bind.extent.width, bind.extent.height, bind.extent.depth};
    const std::array<std::int32_t, 3> offset{bind.offset.x, bind.offset.y, bind.offset.z};
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto from = static_cast<std::uint32_t>(offset[i]);
      if (offset[i] < 0 || extent[i] == 0 || !within(from, extent[i], all[i]))
        return "binds texels that " + v.name(id) + " does not have";
      use.tiles[i] = std::gcd(use.tiles[i], from);
      if (from + extent[i] != all[i]) use.tiles[i] = std::gcd(use.tiles[i], extent[i]);
    }
    use.mips = std::max(use.mips, part.mipLevel + 1);
    use.aspects |= part.aspectMask;
    const ObjectId memory = c.id(&bind.memory);
    if (memory == ObjectId::null) continue;
    if (Wrong w = check_memory(v, memory, bind.memoryOffset, 1); !w.empty()) return w;
    use.places |= bind.memoryOffset;
    use.memories.insert(memory);
    v.work.use(memory, place);
    const Memory* known = v.memories.find(memory);
    const VkDeviceSize left = known == nullptr ? 0 : known->bytes - bind.memoryOffset;
    const auto [room, added] = use.room.try_emplace(extent, left);
    room->second = std::min(room->second, left);
  }
  return {};
}

}  // namespace

Wrong bind_sparse(Validity& v, const Call& c, const VkBindSparseInfo& batch, Place place) {
  for (const VkSparseBufferMemoryBindInfo& info : std::span(batch.pBufferBinds, batch.bufferBindCount)) {
    const ObjectId id = c.id(&info.buffer);
    const Buffer* buffer = v.buffers.find(id);
    if (buffer == nullptr || !buffer->sparse) return not_sparse(v, id);
    if (Wrong w = by_bytes(v, c, id, info.bindCount, info.pBinds, place); !w.empty()) return w;
  }
  for (const VkSparseImageOpaqueMemoryBindInfo& info : std::span(batch.pImageOpaqueBinds, batch.imageOpaqueBindCount)) {
    const ObjectId id = c.id(&info.image);
    const Image* image = v.image(id);
    if (image == nullptr || (image->flags & VK_IMAGE_CREATE_SPARSE_BINDING_BIT) == 0) return not_sparse(v, id);
    if (Wrong w = by_bytes(v, c, id, info.bindCount, info.pBinds, place); !w.empty()) return w;
  }
  for (const VkSparseImageMemoryBindInfo& info : std::span(batch.pImageBinds, batch.imageBindCount)) {
    const ObjectId id = c.id(&info.image);
    const Image* image = v.image(id);
    if (image == nullptr || (image->flags & VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT) == 0) return not_sparse(v, id);
    if (Wrong w = by_tiles(v, c, id, *image, info.bindCount, info.pBinds, place); !w.empty()) return w;
  }
  return {};
}

}  // namespace rondo::player::validity
