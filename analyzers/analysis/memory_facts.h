// SPDX-License-Identifier: Apache-2.0
// What a capture says of memory besides the work: heaps and types of its devices, allocations, buffers and images with
// their requirements, and where these are bound from record to record. No device. One thread.
// Specification: "Device Memory", "Resource Memory Association", "Sparse Resources".
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "analyzers/read/walk.h"
#include "model/call.h"
#include "model/effects/shared.h"
#include "model/placement.h"

namespace rondo::analyzers {

inline constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();
inline constexpr std::uint32_t kNoIndex = std::numeric_limits<std::uint32_t>::max();

// A physical device, as far as the capture asked for it.
struct MemoryDevice {
  ObjectId physical = ObjectId::null;
  std::vector<VkMemoryType> types;
  std::vector<VkMemoryHeap> heaps;
  std::uint64_t granularity = 1;  // bufferImageGranularity; a power of two
};

struct Allocation {
  ObjectId id = ObjectId::null;
  std::uint64_t bytes = 0;
  std::uint32_t type = 0;
  std::uint32_t device = 0;                  // index into MemoryFacts::devices()
  std::uint64_t record = 0, freed = kNever;  // sequence numbers
  ObjectId dedicated = ObjectId::null;       // to this buffer or image
  bool is_imported = false, is_exported = false, has_captured_address = false;
  bool is_mapped = false;
  std::uint32_t mapped_to = 0;  // the item after the last one before which it was mapped; 0: it never was
};

// A buffer or an image.
struct MemoryResource {
  ObjectId id = ObjectId::null;
  bool is_image = false;
  bool is_optimal = false;  // not with linear tiling
  bool is_sparse = false, is_external = false, is_of_swapchain = false, is_disjoint = false;
  bool may_alias = false;        // VK_IMAGE_CREATE_ALIAS_BIT
  bool is_concurrent = false;    // VK_SHARING_MODE_CONCURRENT
  bool has_address = false;      // the program, or an acceleration structure in it, has its address
  bool needs_dedicated = false;  // the driver requires an allocation of its own
  bool shares = false;           // other buffers or images lay on its bytes at the same time
  ObjectId shares_with = ObjectId::null;
  VkFlags usage = 0;
  std::uint64_t bytes = 0;      // as the driver says, or of a buffer as it was made
  std::uint64_t alignment = 0;  // 0: the program did not ask
  std::uint32_t types = 0;      // bits of memoryTypeBits; 0: the program did not ask
  model::Image image{};
  std::uint64_t record = 0, ended = kNever;
  std::uint32_t allocation = kNoIndex;  // of its first bytes, the last one
  std::uint64_t bound = kNever;         // record of its first bind
  std::uint32_t bound_item = 0;         // the item that came after that
};

// Bytes of an allocation that a resource had for a time.
struct BoundBytes {
  std::uint32_t resource = 0, allocation = 0;
  std::uint64_t begin = 0, end = 0;          // of the allocation
  std::uint64_t record = 0, until = kNever;  // half-open
};

// How a render pass that was begun loads and stores an image.
struct AttachmentUse {
  ObjectId image = ObjectId::null;
  VkImageSubresourceRange part{};
  bool loads = false;   // LOAD
  bool stores = false;  // STORE; else what it drew is forgotten, if `forgets`
  bool forgets = false;
};

class MemoryFacts {
 public:
  explicit MemoryFacts(const model::Placement& placement) : placement_(placement), effects_(sink_, 0) {}

  // Each call of the program; `item`: the number of the next item of work.
  void take(const model::Call& call, std::uint32_t item);
  // Each record of the layer's own: what it asked devices.
  void take_layer(Walk& walk, const Step& step);

  const std::vector<MemoryDevice>& devices() const { return devices_; }
  const std::vector<Allocation>& allocations() const { return allocations_; }
  const std::vector<MemoryResource>& resources() const { return resources_; }
  std::vector<MemoryResource>& resources() { return resources_; }
  const std::vector<BoundBytes>& bound() const { return bound_; }
  // kNoIndex: it is none.
  std::uint32_t resource(ObjectId id) const { return at(resource_at_, id); }
  std::uint32_t allocation(ObjectId id) const { return at(allocation_at_, id); }
  // Of the queue; kNoIndex: not known.
  std::uint32_t family(ObjectId queue) const { return at(family_of_, queue); }
  // Null: nobody knows the type.
  const VkMemoryType* type_of(const Allocation& allocation) const;
  // Of a begin of a render pass, by its record. Null: it has none.
  const std::vector<AttachmentUse>* attachments(std::uint64_t record) const;
  // Resources that ended by the call that was taken last.
  const std::vector<std::uint32_t>& ended() const { return ended_; }
  bool is_cut() const { return is_cut_; }

 private:
  class Nothing final : public model::EffectSink<ObjectId> {};

  static std::uint32_t at(const std::unordered_map<ObjectId, std::uint32_t>& map, ObjectId id) {
    const auto found = map.find(id);
    return found != map.end() ? found->second : kNoIndex;
  }
  MemoryDevice& device(ObjectId physical);
  void take_properties(ObjectId physical, const VkPhysicalDeviceProperties& properties);
  void take_memory(ObjectId physical, const VkPhysicalDeviceMemoryProperties& properties);
  void make_memory(const model::Call& call);
  void make_buffer(const model::Call& call);
  void make_image(const model::Call& call);
  void take_told(ObjectId id, const VkMemoryRequirements& told, const void* chain);
  void take_passes(const model::Call& call);
  void take_devices(const model::Call& call);
  void take_objects(const model::Call& call);
  void take_requirements(const model::Call& call);
  void take_places(const model::Call& call, std::uint32_t item);
  void bind(std::uint32_t number, std::uint64_t record, std::uint32_t item);
  void end(ObjectId id, std::uint64_t record, std::uint32_t item);

  const model::Placement& placement_;
  Nothing sink_;
  model::SharedEffects<ObjectId> effects_;  // of views and render passes
  std::vector<MemoryDevice> devices_;
  std::vector<Allocation> allocations_;
  std::vector<MemoryResource> resources_;
  std::vector<BoundBytes> bound_;
  std::unordered_map<ObjectId, std::uint32_t> resource_at_, allocation_at_, family_of_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> open_;  // by resource: entries of bound_ that are open
  std::unordered_map<std::uint64_t, std::vector<AttachmentUse>> attachments_;
  std::vector<std::uint32_t> ended_;
  std::unordered_map<ObjectId, ObjectId> structure_in_;  // buffer of an acceleration structure
  bool is_cut_ = false;
};

}  // namespace rondo::analyzers
