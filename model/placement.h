// SPDX-License-Identifier: Apache-2.0
// Where buffers, images and acceleration structures lie in device memory, at one point of a capture. It is fed every
// call of the capture, in order. Readers ask it which bytes a touch reaches, and what else lies on these bytes:
// resources that share memory (aliases) and host writes, which name a memory, meet here.
// Specification: "Resource Memory Association", "Sparse Resources", "Acceleration Structures". No device. One thread.
#pragma once

#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "format/check.h"
#include "format/objects.h"
#include "format/vulkan.h"
#include "model/call.h"
#include "model/table.h"
#include "model/touch.h"

namespace rondo::model {

// Ranges of bytes, each with the object that lies there. Ranges may overlap.
class RangeIndex {
 public:
  struct Entry {
    std::uint64_t begin = 0, end = 0;
    ObjectId object = {};
    std::uint64_t at = 0;  // the byte of the object that lies at `begin`
    friend auto operator<=>(const Entry&, const Entry&) = default;
  };
  void add(const Entry& entry);
  void remove(const Entry& entry);  // was added before
  std::size_t count(const Entry& entry) const;
  bool empty() const { return by_length_.empty(); }
  std::size_t size() const;

  // `visit(entry)` for each entry that overlaps [begin, end). Returns how many entries it looked at. Entries are sorted
  // by their begin, apart for each power of two of their lengths. So the begin of an entry that overlaps is not far
  // before `begin`: the entries looked at are those that overlap, and their neighbours.
  template <class Visit>
  std::size_t each_over(std::uint64_t begin, std::uint64_t end, const Visit& visit) const {
    std::size_t looked_at = 0;
    if (begin >= end) return looked_at;
    for (const auto& [bits, entries] : by_length_) {
      const std::uint64_t longest = bits < 64 ? (std::uint64_t{1} << bits) - 1 : UINT64_MAX;
      auto entry = entries.lower_bound({begin >= longest ? begin - longest : 0, 0, ObjectId::null, 0});
      for (; entry != entries.end() && entry->begin < end; ++entry, ++looked_at)
        if (entry->end > begin) visit(*entry);
    }
    return looked_at;
  }

 private:
  friend struct test::Tamper;
  static int bits_of(const Entry& entry) { return static_cast<int>(std::bit_width(entry.end - entry.begin)); }
  std::map<int, std::multiset<Entry>> by_length_;  // by the number of bits of the length; no set is empty
};

// What is bound to the bytes of a sparse resource: pieces that do not overlap.
class Pieces {
 public:
  struct Piece {
    std::uint64_t begin = 0, end = 0;  // bytes of the resource
    ObjectId memory = {};
    std::uint64_t offset = 0;  // of `begin`, in the memory
    std::uint64_t size() const { return end - begin; }
  };
  bool empty() const { return pieces_.empty(); }
  // Takes [begin, end) out. Of each piece that has bytes in it, `keeps(rest)` is asked for what remains on either side:
  // where it says false, that is taken out, too. Then `gone(piece)` is told of the whole piece.
  template <class Keeps, class Gone>
  void cut(std::uint64_t begin, std::uint64_t end, const Keeps& keeps, const Gone& gone) {
    if (begin >= end) return;
    for (auto at = first_over(begin); at != pieces_.end() && at->second.begin < end;) {
      const Piece whole = at->second;
      at = pieces_.erase(at);
      const Piece left{whole.begin, begin, whole.memory, whole.offset};
      const Piece right{end, whole.end, whole.memory, whole.offset + (end - whole.begin)};
      if (whole.begin < begin && keeps(left)) put(left);
      if (whole.end > end && keeps(right)) put(right);
      gone(whole);
    }
  }
  void put(const Piece& piece);  // where there is nothing
  // In order. Stops where `visit(piece)` returns false.
  template <class Visit>
  bool each_over(std::uint64_t begin, std::uint64_t end, const Visit& visit) const {
    for (auto at = first_over(begin); at != pieces_.end() && at->second.begin < end; ++at)
      if (!visit(at->second)) return false;
    return true;
  }

 private:
  friend struct test::Tamper;
  using Map = std::map<std::uint64_t, Piece>;  // by their begin
  // The first one that ends after `begin`.
  Map::const_iterator first_over(std::uint64_t begin) const;
  Map pieces_;
};

// Captures may be made by hand. More than this is no program's, and is not followed.
struct PlacementLimits {
  std::size_t pieces = std::size_t{1} << 18;     // bound, of all sparse resources; most pages have 65,536 bytes
  std::size_t regions = 1024;                    // of one image, where the size of its sparse blocks is not known
  std::uint64_t steps = std::uint64_t{1} << 24;  // rows of sparse blocks that all binds together go through
  std::size_t ranges = 4096;                     // in an answer about a sparse resource
};

class Placement {
 public:
  explicit Placement(const PlacementLimits& limits = {}) : limits_(limits) {}

  struct Memory {
    std::uint64_t size = 0;
    std::uint32_t type = 0;   // index
    ObjectId dedicated = {};  // to this buffer or image
  };

  struct Range {
    ObjectId memory = {};
    std::uint64_t offset = 0, size = 0;
    friend bool operator==(const Range&, const Range&) = default;
  };

  struct Place {
    ObjectId memory = {};
    std::uint64_t offset = 0;
    // Bytes, no further than to the end of the memory. 0: it was bound after the end, which a program must not do.
    std::uint64_t size = 0;
    // The program asked for its requirements, and `size` is what the driver said. False: a buffer has the size that it
    // was made with, and an image reaches to the end of its memory, which is an upper bound.
    bool is_size_known = false;
  };

  enum class Kind : std::uint8_t {
    none,       // not bound, or not known
    memory,     // bound as a whole: of(id)
    planes,     // an image with a place for each plane: of(id, plane)
    sparse,     // pieces_of(id)
    swapchain,  // an image of a swapchain, whose memory the program does not see: swapchain_image(id)
  };

  // Part of a sparse resource that is bound.
  struct SparsePiece {
    // Its first byte in the resource: of a buffer, or of a part of an image that is bound by bytes (opaque).
    std::uint64_t at = 0;
    bool is_metadata = false;  // VK_SPARSE_MEMORY_BIND_METADATA_BIT
    // Of what an image has bound by region; aspectMask 0: it is bound by bytes.
    VkImageSubresource part{};
    VkOffset3D corner{};
    VkExtent3D extent{};
    Range where;
    // False: it is not known how many bytes the region has. It is taken to reach to the end of its memory.
    bool is_size_known = true;
  };

  struct SwapchainImage {
    ObjectId swapchain = {};
    std::uint32_t index = 0;
    friend bool operator==(const SwapchainImage&, const SwapchainImage&) = default;
  };

  // What a touch reaches. Sorted by memory and offset. Ranges are not empty, and neither meet nor overlap.
  struct Bytes {
    std::vector<Range> ranges;
    // An upper bound: the touch is of these bytes, or of some of them. Of an image with optimal tiling it is not known
    // which bytes a subresource has.
    bool whole = false;
  };

  // Every call of the capture, in order. Calls that failed change nothing. Sparse binds count as done from the call on.
  void take(const Call& c);

  Kind kind_of(ObjectId resource) const;
  // Of a buffer, an image, or an acceleration structure in a buffer that is bound as a whole. The memory may have been
  // freed. Plane: of images of which each plane is bound on its own (VkBindImagePlaneMemoryInfo).
  std::optional<Place> of(ObjectId resource, std::uint32_t plane = 0) const;
  std::optional<SwapchainImage> swapchain_image(ObjectId image) const;
  // Of a sparse buffer or image: all that is bound now.
  std::vector<SparsePiece> pieces_of(ObjectId resource) const;
  // Null: it was freed, or is not known.
  const Memory* memory(ObjectId id) const;

  // Bytes of memories that a touch reaches. None: of what is in no memory, or is not bound.
  void bytes_of(const Touch& touch, Bytes& bytes) const;
  Bytes bytes_of(const Touch& touch) const {
    Bytes bytes;
    bytes_of(touch, bytes);
    return bytes;
  }

  // Buffers, images and acceleration structures that are alive and lie on these bytes, ascending, each once.
  std::vector<ObjectId> on(ObjectId memory, std::uint64_t offset, std::uint64_t size) const;

  // Counts changes of what lies in memories.
  std::uint64_t changes() const { return changes_; }

  // True if a limit was met (PlacementLimits): pieces of sparse resources are bound of which nothing is said here.
  bool too_many() const { return too_many_; }

  // Checks that resources and what lies on memories agree. For tests: it looks at everything.
  void check();

 private:
  friend struct test::Tamper;
  struct Part {            // of a resource that is not sparse: all of it, or a plane
    ObjectId memory = {};  // null: not bound
    std::uint64_t offset = 0, size = 0;
    std::uint64_t told = 0;  // by the driver; 0: the program did not ask
  };
  struct Subresource {
    VkImageAspectFlags aspect = 0;
    std::uint32_t mip = 0, layer = 0;
    friend auto operator<=>(const Subresource&, const Subresource&) = default;
  };
  // A row of sparse blocks in an image; y and z count blocks. Its bytes are those of its blocks, along x.
  struct Row {
    Subresource of;
    std::uint64_t z = 0, y = 0;
    friend auto operator<=>(const Row&, const Row&) = default;
  };
  struct Grid {  // sparse blocks of some aspects
    VkImageAspectFlags aspects = 0;
    VkExtent3D texels{};      // of a block
    std::uint64_t bytes = 0;  // of a block; 0: not known
  };
  struct Region {  // of which the bytes are not known
    Subresource of;
    VkOffset3D corner{};
    VkExtent3D extent{};
    Range where;
  };
  struct Box {  // sparse blocks of one subresource; ends are after the last one
    std::uint64_t x, y, z, x_end, y_end, z_end;
  };
  struct Sparse {
    Pieces pages, metadata;
    std::map<Row, Pieces> rows;  // no row is empty
    std::vector<Region> regions;
    std::vector<Grid> grids;
    std::map<ObjectId, std::size_t> memories;  // how many pieces lie in each
  };
  struct Layout {  // of a subresource of a linear image, from its plane's first byte
    std::uint64_t offset = 0, size = 0;
  };
  struct Resource {
    bool is_image = false;
    bool has_planes = false;      // that are bound
    std::uint64_t size = 0;       // of a buffer, as it was made
    std::array<Part, 4> parts{};  // the first, or one for each plane
    // Of images.
    VkFormat format = VK_FORMAT_UNDEFINED;
    VkExtent3D extent{};
    std::uint32_t mips = 0, layers = 0, samples = 1;
    bool is_linear = false;
    bool has_memory_planes = false;  // those that are bound are of a DRM format modifier, not of the format
    bool has_regions = false;        // may be bound by region
    VkImageAspectFlags aspects = 0;
    std::map<Subresource, Layout> layouts;
    std::optional<SwapchainImage> swapchain;
    std::unique_ptr<Sparse> sparse;  // null: it is not sparse
    RangeIndex structures;           // in a buffer
  };
  struct Structure {
    ObjectId buffer = {};  // null: it is gone
    std::uint64_t offset = 0, size = 0;
  };
  struct MemoryUse : Memory {
    bool is_freed = false;
    RangeIndex placed;
  };
  using Entry = RangeIndex::Entry;

  // An array of a capture, which may be missing.
  template <class T>
  static std::span<T> array(T* first, std::size_t count) {
    return {first, first != nullptr ? count : 0};
  }
  // The end of a range, no further than the last byte that can be.
  static std::uint64_t end_of(std::uint64_t begin, std::uint64_t size) {
    return size <= UINT64_MAX - begin ? begin + size : UINT64_MAX;
  }

  // Calls.
  void take_made(CommandId command, const Call& c);
  void take_answers(CommandId command, const Call& c);
  void take_binds(CommandId command, const Call& c);
  void make_image(const Call& c);
  void make_structure(const Call& c);
  void make_memory(const Call& c);
  void make_swapchain_images(const Call& c);
  void take_sparse_binds(const Call& c);
  void bind_image(const Call& c, const VkBindImageMemoryInfo& info);
  void take_told(ObjectId id, std::uint32_t plane, const VkMemoryRequirements& told);
  void take_layout(ObjectId id, const VkImageSubresource& of, const VkSubresourceLayout& layout);
  void bind(ObjectId id, const void* chain, ObjectId memory, std::uint64_t offset);
  void forget(ObjectId id);
  void forget_resource(ObjectId id);
  void forget_structure(ObjectId id);

  // What lies in memories.
  void link(ObjectId memory, const Entry& entry);
  void unlink(ObjectId memory, const Entry& entry);
  void unbind(ObjectId id, Part& part);
  void settle_size(ObjectId id, Resource& resource, Part& part);

  // Sparse resources: placement_sparse.cpp.
  void take_grids(CommandId command, const Call& c);
  void take_grid(ObjectId id, const VkSparseImageFormatProperties& told);
  static const Grid* find_grid(const Sparse& sparse, VkImageAspectFlags aspect);
  void bind_bytes(ObjectId id, const VkSparseMemoryBind& bind, ObjectId memory);
  void bind_region(ObjectId id, const VkSparseImageMemoryBind& bind, ObjectId memory);
  void bind_unknown(ObjectId id, Sparse& sparse, const Region& region);
  void drop_regions(ObjectId id, Sparse& sparse, const Region& covering);
  bool count_step();
  bool cut_rows(ObjectId id, Sparse& sparse, const Subresource& of, const Box& box, std::uint64_t block_bytes);
  void put_rows(ObjectId id, Sparse& sparse, const Subresource& of, const Box& box, std::uint64_t block_bytes,
                const Range& where);
  void cut(ObjectId id, Sparse& sparse, Pieces& pieces, std::uint64_t begin, std::uint64_t end);
  bool hold(ObjectId id, Sparse& sparse, const Range& where, std::uint64_t at);
  void release(ObjectId id, Sparse& sparse, const Range& where, std::uint64_t at);
  void release_all(ObjectId id, Sparse& sparse);
  bool add_pieces(const Pieces& pieces, std::uint64_t begin, std::uint64_t size, Bytes& bytes) const;
  bool add_regions(const Sparse& sparse, const VkImageSubresourceRange& part, VkImageAspectFlags aspects,
                   Bytes& bytes) const;
  void add_memories(const Sparse& sparse, Bytes& bytes) const;
  static std::size_t check_sparse(ObjectId id, const Sparse& sparse, std::map<ObjectId, RangeIndex>& expected);

  // Answers.
  static void settle(Bytes& bytes);
  // False: these would be too many ranges.
  bool add_bytes(const Resource& resource, std::uint32_t plane, std::uint64_t begin, std::uint64_t size,
                 Bytes& bytes) const;
  bool add_layouts(const Resource& image, const VkImageSubresourceRange& part, Bytes& bytes) const;
  void add_image(const Resource& image, const VkImageSubresourceRange& part, Bytes& bytes) const;

  Table<ObjectId, Resource> resources_;
  Table<ObjectId, Structure> structures_;
  Table<ObjectId, MemoryUse> memories_;  // a freed one stays until nothing lies there
  PlacementLimits limits_;
  std::size_t pieces_ = 0;  // of all sparse resources
  std::uint64_t steps_ = 0, changes_ = 0;
  bool too_many_ = false;
};

}  // namespace rondo::model
