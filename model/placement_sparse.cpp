// SPDX-License-Identifier: Apache-2.0
// Sparse buffers and images: what is bound where. Specification: "Sparse Resources".
#include <algorithm>
#include <bit>
#include <utility>

#include "format/check.h"
#include "generated/args.h"
#include "model/gpu/texels.h"
#include "model/placement.h"

namespace rondo::model {

namespace {

constexpr std::uint64_t kMostBlockBytes = std::uint64_t{1} << 30;  // drivers have 65,536

std::uint64_t divide_up(std::uint64_t value, std::uint64_t unit) { return value / unit + (value % unit != 0 ? 1 : 0); }

// How many of `extent` texels from `offset` on are in an image that has `all` of them.
std::uint32_t clip(std::int32_t offset, std::uint32_t extent, std::uint32_t all) {
  const auto from = static_cast<std::uint32_t>(offset);
  return from < all ? std::min(extent, all - from) : 0;
}

bool covers(std::int32_t offset, std::uint32_t extent, std::int32_t inner, std::uint32_t inner_extent) {
  return offset <= inner && std::int64_t{inner} + inner_extent <= std::int64_t{offset} + extent;
}

}  // namespace

Pieces::Map::const_iterator Pieces::first_over(std::uint64_t begin) const {
  auto at = pieces_.upper_bound(begin);
  if (at != pieces_.begin() && std::prev(at)->second.end > begin) --at;
  return at;
}

void Pieces::put(const Piece& piece) {
  RONDO_CHECK(piece.begin < piece.end && piece.memory != ObjectId::null);
  const auto next = pieces_.lower_bound(piece.begin);
  RONDO_CHECK(next == pieces_.end() || piece.end <= next->second.begin);
  RONDO_CHECK(next == pieces_.begin() || std::prev(next)->second.end <= piece.begin);
  pieces_.emplace_hint(next, piece.begin, piece);
}

void Placement::take_grids(CommandId command, const Call& c) {
  switch (command) {
    case CommandId::vkGetImageSparseMemoryRequirements: {
      const auto& args = c.as<args_vkGetImageSparseMemoryRequirements>();
      if (args.pSparseMemoryRequirementCount == nullptr) return;
      for (const auto& told : array(args.pSparseMemoryRequirements, *args.pSparseMemoryRequirementCount))
        take_grid(c.id(&args.image), told.formatProperties);
      return;
    }
    case CommandId::vkGetImageSparseMemoryRequirements2: {
      const auto& args = c.as<args_vkGetImageSparseMemoryRequirements2>();
      if (args.pInfo == nullptr || args.pSparseMemoryRequirementCount == nullptr) return;
      for (const auto& told : array(args.pSparseMemoryRequirements, *args.pSparseMemoryRequirementCount))
        take_grid(c.id(&args.pInfo->image), told.memoryRequirements.formatProperties);
      return;
    }
    default:
      return;
  }
}

void Placement::take_grid(ObjectId id, const VkSparseImageFormatProperties& told) {
  Resource* const image = resources_.find(id);
  if (image == nullptr || image->sparse == nullptr) return;
  // Rows are counted in the blocks that were told first.
  for (const Grid& known : image->sparse->grids)
    if ((known.aspects & told.aspectMask) != 0) return;
  const VkExtent3D& texels = told.imageGranularity;
  if (told.aspectMask == 0 || texels.width == 0 || texels.height == 0 || texels.depth == 0) return;
  Grid grid{told.aspectMask, texels, 0};
  if (std::has_single_bit(told.aspectMask)) {
    const gpu::Block block = gpu::block_of(image->format, told.aspectMask);
    const auto blocks = static_cast<unsigned __int128>(divide_up(texels.width, block.width)) *
                        divide_up(texels.height, block.height) * texels.depth;
    // Each extent is below 2^32, and texels and samples are few: this does not overflow.
    const auto all = blocks * block.bytes * image->samples;
    if (all <= kMostBlockBytes) grid.bytes = static_cast<std::uint64_t>(all);
  }
  image->sparse->grids.push_back(grid);
}

const Placement::Grid* Placement::find_grid(const Sparse& sparse, VkImageAspectFlags aspect) {
  for (const Grid& grid : sparse.grids)
    if (grid.aspects == aspect && grid.bytes != 0) return &grid;
  return nullptr;
}

void Placement::take_sparse_binds(const Call& c) {
  const auto& args = c.as<args_vkQueueBindSparse>();
  for (const VkBindSparseInfo& batch : array(args.pBindInfo, args.bindInfoCount)) {
    for (const VkSparseBufferMemoryBindInfo& info : array(batch.pBufferBinds, batch.bufferBindCount)) {
      const ObjectId id = c.id(&info.buffer);
      for (const VkSparseMemoryBind& one : array(info.pBinds, info.bindCount)) bind_bytes(id, one, c.id(&one.memory));
    }
    for (const VkSparseImageOpaqueMemoryBindInfo& info : array(batch.pImageOpaqueBinds, batch.imageOpaqueBindCount)) {
      const ObjectId id = c.id(&info.image);
      for (const VkSparseMemoryBind& one : array(info.pBinds, info.bindCount)) bind_bytes(id, one, c.id(&one.memory));
    }
    for (const VkSparseImageMemoryBindInfo& info : array(batch.pImageBinds, batch.imageBindCount)) {
      const ObjectId id = c.id(&info.image);
      for (const VkSparseImageMemoryBind& one : array(info.pBinds, info.bindCount))
        bind_region(id, one, c.id(&one.memory));
    }
  }
}

void Placement::bind_bytes(ObjectId id, const VkSparseMemoryBind& bind, ObjectId memory) {
  Resource* const resource = resources_.find(id);
  if (resource == nullptr || resource->sparse == nullptr) return;
  Sparse& sparse = *resource->sparse;
  const bool is_metadata = resource->is_image && (bind.flags & VK_SPARSE_MEMORY_BIND_METADATA_BIT) != 0;
  Pieces& pieces = is_metadata ? sparse.metadata : sparse.pages;
  const std::uint64_t begin = bind.resourceOffset;
  std::uint64_t size = std::min(bind.size, UINT64_MAX - begin);
  cut(id, sparse, pieces, begin, begin + size);
  const MemoryUse* const use = memories_.find(memory);
  if (use == nullptr || bind.memoryOffset >= use->size) return;
  size = std::min(size, use->size - bind.memoryOffset);
  if (size != 0 && hold(id, sparse, {memory, bind.memoryOffset, size}, begin))
    pieces.put({begin, begin + size, memory, bind.memoryOffset});
}

void Placement::bind_region(ObjectId id, const VkSparseImageMemoryBind& bind, ObjectId memory) {
  Resource* const image = resources_.find(id);
  if (image == nullptr || !image->has_regions) return;
  const Subresource of{bind.subresource.aspectMask, bind.subresource.mipLevel, bind.subresource.arrayLayer};
  const VkOffset3D& at = bind.offset;
  if (of.mip >= image->mips || of.layer >= image->layers || at.x < 0 || at.y < 0 || at.z < 0) return;
  const VkExtent3D all = gpu::part_extent(image->format, of.aspect, image->extent, of.mip);
  const VkExtent3D extent{clip(at.x, bind.extent.width, all.width), clip(at.y, bind.extent.height, all.height),
                          clip(at.z, bind.extent.depth, all.depth)};
  if (extent.width == 0 || extent.height == 0 || extent.depth == 0) return;

  Sparse& sparse = *image->sparse;
  const MemoryUse* const use = memories_.find(memory);
  const std::uint64_t room = use != nullptr && bind.memoryOffset < use->size ? use->size - bind.memoryOffset : 0;
  const Range where{memory, bind.memoryOffset, room};
  const Region region{of, at, extent, where};
  drop_regions(id, sparse, region);
  const Grid* const grid = find_grid(sparse, of.aspect);
  if (grid == nullptr) return bind_unknown(id, sparse, region);
  const auto first = [](std::int32_t from, std::uint32_t unit) { return static_cast<std::uint64_t>(from) / unit; };
  const auto last = [](std::int32_t from, std::uint32_t count, std::uint32_t unit) {
    return divide_up(static_cast<std::uint64_t>(from) + count, unit);
  };
  const VkExtent3D& unit = grid->texels;
  const Box box{first(at.x, unit.width),
                first(at.y, unit.height),
                first(at.z, unit.depth),
                last(at.x, extent.width, unit.width),
                last(at.y, extent.height, unit.height),
                last(at.z, extent.depth, unit.depth)};
  if (cut_rows(id, sparse, of, box, grid->bytes)) put_rows(id, sparse, of, box, grid->bytes, where);
}

void Placement::drop_regions(ObjectId id, Sparse& sparse, const Region& covering) {
  std::erase_if(sparse.regions, [&](const Region& old) {
    const VkOffset3D &to = covering.corner, &from = old.corner;
    if (old.of != covering.of || !covers(to.x, covering.extent.width, from.x, old.extent.width) ||
        !covers(to.y, covering.extent.height, from.y, old.extent.height) ||
        !covers(to.z, covering.extent.depth, from.z, old.extent.depth))
      return false;
    release(id, sparse, old.where, 0);
    return true;
  });
}

void Placement::bind_unknown(ObjectId id, Sparse& sparse, const Region& region) {
  if (region.where.size == 0) return;
  if (sparse.regions.size() >= limits_.regions)
    too_many_ = true;
  else if (hold(id, sparse, region.where, 0))
    sparse.regions.push_back(region);
}

bool Placement::count_step() {
  if (steps_ >= limits_.steps) {
    too_many_ = true;
    return false;
  }
  ++steps_;
  return true;
}

// False: there were too many steps.
bool Placement::cut_rows(ObjectId id, Sparse& sparse, const Subresource& of, const Box& box,
                         std::uint64_t block_bytes) {
  for (auto row = sparse.rows.lower_bound({of, box.z, box.y}); row != sparse.rows.end() && row->first.of == of;) {
    if (!count_step()) return false;
    const std::uint64_t z = row->first.z, y = row->first.y;
    if (z >= box.z_end) break;
    if (y < box.y || y >= box.y_end) {
      row = sparse.rows.lower_bound({of, y < box.y ? z : z + 1, box.y});
      continue;
    }
    cut(id, sparse, row->second, box.x * block_bytes, box.x_end * block_bytes);
    row = row->second.empty() ? sparse.rows.erase(row) : std::next(row);
  }
  return true;
}

// The blocks of a region lie one after the other: along x, then along y, then along z.
void Placement::put_rows(ObjectId id, Sparse& sparse, const Subresource& of, const Box& box, std::uint64_t block_bytes,
                         const Range& where) {
  const std::uint64_t row_bytes = (box.x_end - box.x) * block_bytes;
  std::uint64_t offset = where.offset, room = where.size;
  for (std::uint64_t z = box.z; z < box.z_end; ++z)
    for (std::uint64_t y = box.y; y < box.y_end; ++y) {
      if (room == 0 || !count_step()) return;
      const std::uint64_t begin = box.x * block_bytes, size = std::min(row_bytes, room);
      if (!hold(id, sparse, {where.memory, offset, size}, begin)) return;
      sparse.rows[{of, z, y}].put({begin, begin + size, where.memory, offset});
      offset += size;
      room -= size;
    }
}

void Placement::cut(ObjectId id, Sparse& sparse, Pieces& pieces, std::uint64_t begin, std::uint64_t end) {
  pieces.cut(
      begin, end,
      [&](const Pieces::Piece& rest) {
        return hold(id, sparse, {rest.memory, rest.offset, rest.size()}, rest.begin);
      },
      [&](const Pieces::Piece& gone) {
        release(id, sparse, {gone.memory, gone.offset, gone.size()}, gone.begin);
      });
}

bool Placement::hold(ObjectId id, Sparse& sparse, const Range& where, std::uint64_t at) {
  if (pieces_ >= limits_.pieces) {
    too_many_ = true;
    return false;
  }
  ++pieces_;
  ++sparse.memories[where.memory];
  link(where.memory, {where.offset, where.offset + where.size, id, at});
  return true;
}

void Placement::release(ObjectId id, Sparse& sparse, const Range& where, std::uint64_t at) {
  const auto pieces = sparse.memories.find(where.memory);
  RONDO_CHECK(pieces != sparse.memories.end() && pieces->second > 0 && pieces_ > 0);
  --pieces_;
  if (--pieces->second == 0) sparse.memories.erase(pieces);
  unlink(where.memory, {where.offset, where.offset + where.size, id, at});
}

void Placement::release_all(ObjectId id, Sparse& sparse) {
  cut(id, sparse, sparse.pages, 0, UINT64_MAX);
  cut(id, sparse, sparse.metadata, 0, UINT64_MAX);
  for (auto& [row, pieces] : sparse.rows) cut(id, sparse, pieces, 0, UINT64_MAX);
  for (const Region& region : sparse.regions) release(id, sparse, region.where, 0);
  RONDO_CHECK(sparse.memories.empty());
}

std::vector<Placement::SparsePiece> Placement::pieces_of(ObjectId id) const {
  std::vector<SparsePiece> all;
  const Resource* const resource = resources_.find(id);
  if (resource == nullptr || resource->sparse == nullptr) return all;
  const Sparse& sparse = *resource->sparse;
  const auto add_bytes = [&](const Pieces& pieces, bool is_metadata) {
    pieces.each_over(0, UINT64_MAX, [&](const Pieces::Piece& piece) {
      SparsePiece& one = all.emplace_back();
      one.at = piece.begin;
      one.is_metadata = is_metadata;
      one.where = {piece.memory, piece.offset, piece.size()};
      return true;
    });
  };
  add_bytes(sparse.pages, false);
  add_bytes(sparse.metadata, true);
  for (const auto& [placed, pieces] : sparse.rows) {
    const Row& row = placed;  // a lambda of Clang 14 takes no name of a structured binding
    const Grid* const grid = find_grid(sparse, row.of.aspect);
    RONDO_CHECK(grid != nullptr);
    const VkExtent3D image = gpu::part_extent(resource->format, row.of.aspect, resource->extent, row.of.mip);
    pieces.each_over(0, UINT64_MAX, [&](const Pieces::Piece& piece) {
      SparsePiece& one = all.emplace_back();
      one.part = {row.of.aspect, row.of.mip, row.of.layer};
      one.corner = {static_cast<std::int32_t>(piece.begin / grid->bytes * grid->texels.width),
                    static_cast<std::int32_t>(row.y * grid->texels.height),
                    static_cast<std::int32_t>(row.z * grid->texels.depth)};
      const auto width = std::min(divide_up(piece.size(), grid->bytes) * grid->texels.width, std::uint64_t{UINT32_MAX});
      one.extent = {clip(one.corner.x, static_cast<std::uint32_t>(width), image.width),
                    clip(one.corner.y, grid->texels.height, image.height),
                    clip(one.corner.z, grid->texels.depth, image.depth)};
      one.where = {piece.memory, piece.offset, piece.size()};
      return true;
    });
  }
  for (const Region& region : sparse.regions) {
    SparsePiece& one = all.emplace_back();
    one.part = {region.of.aspect, region.of.mip, region.of.layer};
    one.corner = region.corner;
    one.extent = region.extent;
    one.where = region.where;
    one.is_size_known = false;
  }
  return all;
}

bool Placement::add_pieces(const Pieces& pieces, std::uint64_t begin, std::uint64_t size, Bytes& bytes) const {
  const std::uint64_t end = end_of(begin, size);
  return begin >= end || pieces.each_over(begin, end, [&](const Pieces::Piece& piece) {
    const std::uint64_t from = std::max(begin, piece.begin), to = std::min(end, piece.end);
    RONDO_CHECK(from < to);
    bytes.ranges.push_back({piece.memory, piece.offset + (from - piece.begin), to - from});
    return bytes.ranges.size() < limits_.ranges;
  });
}

bool Placement::add_regions(const Sparse& sparse, const VkImageSubresourceRange& part, VkImageAspectFlags aspects,
                            Bytes& bytes) const {
  const auto is_of = [](std::uint32_t one, std::uint32_t base, std::uint32_t count) {
    return one >= base && one - base < count;
  };
  for (const Region& region : sparse.regions)
    if ((region.of.aspect & aspects) != 0 && is_of(region.of.mip, part.baseMipLevel, part.levelCount) &&
        is_of(region.of.layer, part.baseArrayLayer, part.layerCount))
      bytes.ranges.push_back(region.where);
  for (; aspects != 0; aspects &= aspects - 1) {
    const VkImageAspectFlags aspect = aspects & ~(aspects - 1);
    auto row = sparse.rows.lower_bound({{aspect, part.baseMipLevel, part.baseArrayLayer}, 0, 0});
    while (row != sparse.rows.end() && row->first.of.aspect == aspect) {
      const Subresource of = row->first.of;
      if (!is_of(of.mip, part.baseMipLevel, part.levelCount)) break;
      if (is_of(of.layer, part.baseArrayLayer, part.layerCount)) {
        if (!add_pieces(row->second, 0, UINT64_MAX, bytes)) return false;
        ++row;
        continue;
      }
      // The first layer that is meant is in this mip, or in the next one.
      const std::uint32_t mip = of.layer < part.baseArrayLayer ? of.mip : of.mip + 1;
      row = sparse.rows.lower_bound({{aspect, mip, part.baseArrayLayer}, 0, 0});
    }
  }
  return true;
}

void Placement::add_memories(const Sparse& sparse, Bytes& bytes) const {
  bytes.ranges.clear();
  bytes.whole = true;
  for (const auto& [id, pieces] : sparse.memories) {
    const MemoryUse* const memory = memories_.find(id);
    RONDO_CHECK(memory != nullptr && pieces > 0);
    bytes.ranges.push_back({id, 0, memory->size});
  }
}

void Placement::check() {
  std::map<ObjectId, RangeIndex> expected;
  std::size_t pieces = 0;
  resources_.each([&](ObjectId id, const Resource& resource) {
    for (const Part& part : resource.parts)
      if (part.size != 0) expected[part.memory].add({part.offset, part.offset + part.size, id, 0});
    if (resource.sparse != nullptr) pieces += check_sparse(id, *resource.sparse, expected);
    resource.structures.each_over(0, UINT64_MAX, [&](const Entry& entry) {
      const Structure* const structure = structures_.find(entry.object);
      RONDO_CHECK(structure != nullptr && structure->buffer == id && structure->offset == entry.begin);
    });
  });
  RONDO_CHECK(pieces == pieces_);
  for (const auto& [id, index] : expected) RONDO_CHECK(memories_.find(id) != nullptr);
  memories_.each([&](ObjectId id, const MemoryUse& memory) {
    RONDO_CHECK(!memory.is_freed || !memory.placed.empty());
    RONDO_CHECK(expected[id].size() == memory.placed.size());
    memory.placed.each_over(0, UINT64_MAX, [&](const Entry& entry) {
      RONDO_CHECK(entry.end <= memory.size);
      RONDO_CHECK(expected[id].count(entry) == memory.placed.count(entry));
    });
  });
}

std::size_t Placement::check_sparse(ObjectId id, const Sparse& sparse, std::map<ObjectId, RangeIndex>& expected) {
  std::map<ObjectId, std::size_t> memories;
  std::size_t count = 0;
  const auto expect = [&](const Range& where, std::uint64_t at) {
    expected[where.memory].add({where.offset, where.offset + where.size, id, at});
    ++memories[where.memory];
    ++count;
  };
  const auto expect_all = [&](const Pieces& pieces) {
    std::uint64_t end = 0;
    pieces.each_over(0, UINT64_MAX, [&](const Pieces::Piece& piece) {
      RONDO_CHECK(piece.begin >= end && piece.end > piece.begin);
      end = piece.end;
      expect({piece.memory, piece.offset, piece.size()}, piece.begin);
      return true;
    });
  };
  expect_all(sparse.pages);
  expect_all(sparse.metadata);
  for (const auto& [row, pieces] : sparse.rows) {
    RONDO_CHECK(!pieces.empty());
    expect_all(pieces);
  }
  for (const Region& region : sparse.regions) expect(region.where, 0);
  RONDO_CHECK(memories == sparse.memories);
  return count;
}

}  // namespace rondo::model
