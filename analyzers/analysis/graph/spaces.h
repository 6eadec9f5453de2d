// SPDX-License-Identifier: Apache-2.0
// Where the things are that commands touch. A buffer, or an image with linear tiling, is bytes of a memory. So two
// resources on the same bytes meet, and so do a host write and what reads it. Only the driver knows which bytes a
// subresource of an image with optimal tiling has. So such an image is a space of its own: a line of subresources. All
// else on its memory may meet any of them. One thread.
// Specification: "Resource Memory Association", "Memory Aliasing", "Image Subresource Layout".
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "analyzers/analysis/graph/needs.h"
#include "model/access/model.h"
#include "model/placement.h"

namespace rondo::graph {

// The subresources of an image in one line: by aspect, then mip, then layer. All slices of a mip are one layer.
struct SubresourceGrid {
  VkImageAspectFlags aspects = 0;  // each one has subresources of its own; COLOR of a format with planes is all planes
  std::uint32_t mips = 1, layers = 1;

  static SubresourceGrid of(const model::Image& image);
  std::uint64_t size() const;
  struct Part {
    std::uint64_t begin, end;
  };
  // In ascending order; neighbours are one. What is not in the image is left out.
  void parts(const VkImageSubresourceRange& range, std::vector<Part>& out) const;
  // The subresources that a part has, as ranges: whole mips where it has them.
  std::vector<VkImageSubresourceRange> ranges(std::uint64_t begin, std::uint64_t end) const;
};

struct SpaceInfo {
  enum class Kind : std::uint8_t {
    memory,     // bytes of a memory
    image,      // subresources of an image, as `grid` numbers them
    buffer,     // bytes of a buffer that is not bound, as far as the capture says
    queries,    // of a pool
    reachable,  // all that addresses and descriptors in memory lead to; `object` is null
  } kind{};
  ObjectId object = ObjectId::null;
  SubresourceGrid grid{};
};

// What there is to know of spaces, of objects that are gone, too.
class SpaceFacts {
 public:
  virtual const SpaceInfo& info(std::uint32_t space) const = 0;
  // The buffer or image that alone lies on these numbers of a space; null: none, or several.
  virtual ObjectId only_on(std::uint32_t space, std::uint64_t begin, std::uint64_t end) const = 0;

 protected:
  ~SpaceFacts() = default;
};

// Tells Needs what the open node touches.
class Spaces final : public SpaceFacts {
 public:
  Spaces(const model::Placement& placement, const access::Model& model, Needs& needs)
      : placement_(placement), model_(model), needs_(needs) {}

  void touch(const access::Touch& touch, HandleType type);
  void reach(const access::Reach& reach);
  // A change of layout or owner reads and writes all of its part.
  // `part`: which barrier of its command makes it.
  void transition(const model::Transition& transition, std::uint32_t part);
  // A barrier that names a buffer or an image: marks what was written there (Needs::mark()).
  void mark(const model::Barrier& barrier, const std::function<std::uint32_t(std::uint32_t)>& next);
  // Between nodes: the object is gone.
  void ended(ObjectId id);

  const SpaceInfo& info(std::uint32_t space) const override { return infos_[space]; }
  ObjectId only_on(std::uint32_t space, std::uint64_t begin, std::uint64_t end) const override;

 private:
  friend struct test::Tamper;
  struct Toucher {  // how the touch that is looked at touches
    std::uint32_t way;
    bool reads, writes;
  };
  // What lies on a range of a memory. It is found once, as long as no placement changes.
  struct Under {
    std::vector<ObjectId> images;  // with a space of their own
    std::size_t objects = 0;       // these, and all others
    bool is_reachable = false;     // some of it
  };
  struct Image {
    std::uint32_t space = 0;
    bool is_met = false;  // the cell of its number has begun: something else lies on its memory
  };

  std::uint32_t space(SpaceInfo::Kind kind, ObjectId object);
  void touch_bytes(ObjectId object, std::uint64_t offset, std::uint64_t size, const Toucher& by);
  void touch_image(ObjectId object, const VkImageSubresourceRange& part, const Toucher& by);
  access::Touch whole(ObjectId id) const;
  bool has_own_space(ObjectId image);
  const Under& under(const model::Placement::Range& range);
  void touch_ranges(const model::Placement::Bytes& bytes, ObjectId image, const Toucher& by);
  void meet(ObjectId image, Needs::Side side, const Toucher& by);
  void meet_reachable(const Toucher& by);
  void find_reached();
  void refresh();

  const model::Placement& placement_;
  const access::Model& model_;
  Needs& needs_;
  std::vector<SpaceInfo> infos_;
  std::unordered_map<ObjectId, std::uint32_t> at_;
  std::unordered_map<ObjectId, Image> images_;  // with a space of their own
  std::unordered_set<ObjectId> in_bytes_;       // images whose subresources are known as bytes
  struct HashRange {
    std::size_t operator()(const model::Placement::Range& range) const;
  };
  std::unordered_map<model::Placement::Range, Under, HashRange> under_;
  std::uint64_t changes_ = 0;       // of the placement, that `under_` is of
  std::uint64_t reached_ = 0;       // of the model, likewise
  std::uint64_t seen_reached_ = 0;  // of the model, that `reached_objects_` is of
  std::unordered_set<ObjectId> reached_objects_;
  bool has_reached_ = false;  // a node has touched what is reachable
  // Only kept so that their storage is used again.
  model::Placement::Bytes bytes_;
  std::vector<SubresourceGrid::Part> parts_;
};

}  // namespace rondo::graph
