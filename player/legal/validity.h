// SPDX-License-Identifier: Apache-2.0
// What a driver takes on trust, followed record by record: which objects hold
// what, what is bound where, which command buffers may be executed. A foreign
// capture is hostile; no call of it may lead a driver outside of its own
// objects, end it or make it wait for ever. Refused is only what could do that:
// programs that bend the specification and get away with it are to replay,
// in a form that keeps to it where there is one.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "format/native_view.h"
#include "format/objects.h"
#include "player/legal/relaxations.h"
#include "player/legal/states.h"
#include "player/legal/work.h"
#include "player/plan/plan.h"

namespace rondo {
struct RondoSubresource;
}

namespace rondo::player::validity {

// A sentence that says what is wrong; empty: nothing.
using Wrong = std::string;

struct Call {
  const codec::CommandInfo& command;
  const NativeView& view;
  const codec::Lowered& lowered;
  const ObjectTable::Resolution& resolution;
  std::uint64_t returned = 0;  // in the capture

  template <class Args>
  const Args& as() const {
    return view.as<Args>();
  }
  ObjectId id(const void* member) const { return view.id(member); }
  ObjectId dispatch() const { return resolution.ids.empty() ? ObjectId::null : resolution.ids[0]; }
  // What the i-th created handle is, in the order of the payload; 0: none.
  ObjectId created(std::size_t i = 0) const;
};

// Of what is alive, by ObjectId. States stay where they are.
template <class T>
class Table {
 public:
  const T* find(ObjectId id) const { return const_cast<Table*>(this)->find(id); }
  T* find(ObjectId id) {
    const auto found = states_.find(id);
    return found != states_.end() ? &found->second : nullptr;
  }
  T& make(ObjectId id) { return states_[id] = T{}; }
  void erase(ObjectId id) { states_.erase(id); }
  std::size_t bytes() const {
    return states_.size() * (sizeof(T) + 4 * sizeof(void*)) + states_.bucket_count() * sizeof(void*);
  }

 private:
  std::unordered_map<ObjectId, T> states_;
};

class Validity {
 public:
  explicit Validity(const Plan& plan) : plan_(plan) {}
  // A record that is played, in the order of the plan: the next op, if anything.
  Wrong check(const Call& call);
  // What it needs that the capture did not wait for.
  const std::vector<Settle>& settles() const { return settles_; }
  // Recordings that are submitted otherwise than their begin said.
  struct Begin {
    std::uint32_t op;
    VkCommandBufferUsageFlags add, remove;
  };
  const std::vector<Begin>& begins() const { return begins_; }
  // Creates of this capture that get more flags than they had, for what is done with the object.
  struct Widen {
    enum Which : std::uint8_t {
      pool_flags,
      set_pool_flags,
      buffer_usage,
      image_usage,
      image_flags,
      swapchain_usage,
      swapchain_flags
    } which;
    std::uint32_t op;
    VkFlags bits;
  };
  const std::vector<Widen>& widened() const { return widened_; }
  // Where its descriptors and dynamic offsets begin in their buffers: devices ask for multiples.
  struct DescriptorOffset {
    bool uniform;  // else storage
    VkDeviceSize offset;
  };
  const std::vector<DescriptorOffset>& descriptor_offsets() const { return descriptor_offsets_; }
  // Parameters that it is played with instead of its own.
  struct Edit {
    std::uint32_t at;  // in the lowered block
    std::vector<std::byte> bytes;
  };
  const std::vector<Edit>& edits() const { return edits_; }
  bool skipped() const { return skipped_; }  // it is not played at all
  // What the program saw of an event or of queries while work that changes them was running.
  struct Seen {
    bool may_pass = false;                 // once that work has ended, it may not be so any more
    std::vector<std::uint32_t> done_by;    // submits whose work did it, indexes into Plan::ops
    std::vector<std::uint32_t> undone_by;  // … and took it back
  };
  Seen seen;
  std::size_t followed_queries = 0;                            // in all QueryPool::available
  ObjectId waits_for_bind() const { return waits_for_bind_; }  // … until this buffer is bound
  // Of all states, about.
  std::size_t bytes() const;

  const Plan& plan() const { return plan_; }
  std::string name(ObjectId id) const { return plan_.name(id); }
  bool alive(ObjectId id) const { return plan_.objects.objects()[id].alive; }
  bool was_freed(ObjectId memory) const { return memory != ObjectId::null && !alive(memory); }

  Table<Memory> memories;
  Table<Buffer> buffers;
  Table<Image> images;
  Table<Image> swapchains;  // what each of their images is
  Table<ImageView> image_views;
  Table<BufferView> buffer_views;
  Table<SetLayoutRef> set_layouts;
  Table<Set> sets;
  Table<DescriptorPool> descriptor_pools;
  Table<ShaderUses> modules;
  Table<std::uint32_t> queues;  // their families
  Table<PipelineLayout> pipeline_layouts;
  Table<Template> templates;
  Table<RenderPass> passes;
  Table<Framebuffer> framebuffers;
  Table<Pipeline> pipelines;
  Table<Shader> shaders;
  Table<CommandPool> command_pools;
  Table<CommandBuffer> command_buffers;
  Table<QueryPool> query_pools;
  Table<AccelerationStructure> structures;
  Table<IndirectLayout> indirect_layouts;
  Table<ExecutionSet> execution_sets;
  std::set<Preprocessed> preprocessed;  // by commands that were submitted
  Table<Event> events;
  Table<Fence> fences;
  Table<Presents> presents;  // of swapchains
  Table<Semaphore> semaphores;
  Table<std::vector<ObjectId>> holders;  // descriptor sets that an object was written to, views of it
  Work work;
  std::map<ObjectId, SparseUse> sparse;  // of the resources whose pages were bound

  Image* image(ObjectId id);  // a swapchain's too
  // Batches whose commands wait for an event that nothing has set yet.
  void waits_for_event(ObjectId event, Place place) { waiting_.push_back({event, place}); }
  void set_event(ObjectId event, bool to);
  bool any_waits_for_event() const { return !waiting_.empty(); }
  Wrong never_ends(Place place) const;  // one of them, or behind one
  std::uint32_t op() const { return static_cast<std::uint32_t>(plan_.ops.size()); }
  void hold(ObjectId object, ObjectId holder);
  void count_written(std::size_t descriptors) { written_ += descriptors; }
  // The work that uses it, as it stands or through what holds it, has to end first.
  void needs_end_of_use(ObjectId object);
  void needs_end(Place place);
  void needs_reset(ObjectId fence) { settles_.push_back({op(), ObjectId::null, ObjectId::null, fence}); }
  void needs_drain(ObjectId queue, ObjectId semaphore) { settles_.push_back({op(), queue, semaphore, ObjectId::null}); }
  // sync_fds.cpp: payloads of sync fds.
  void exported(Place place);
  std::vector<Export> sources() const;  // what an import may have got
  void settle_payload(Settle settle) { settles_.push_back(settle); }
  bool is_blocked(const Export& source);  // waits for what no record before gives
  void needs_reset_of(ObjectId commands);
  void needs_query_end(ObjectId commands, const CommandBuffer::ActiveQuery& query);
  void change_begin(const CommandBuffer& commands, VkCommandBufferUsageFlags add, VkCommandBufferUsageFlags remove);
  void let_reset_single_buffers(ObjectId pool);
  void let_free_single_sets(ObjectId pool);
  // The program was told that its bytes begin at this address; which buffer of the device of `of`
  // has these bytes, 0: none.
  void note_address(ObjectId buffer, VkDeviceAddress address);
  ObjectId buffer_at(ObjectId of, VkDeviceAddress address, VkDeviceSize bytes) const;
  // Drivers do without: what is used so is made for such a use.
  void needs_usage(ObjectId buffer, VkBufferUsageFlags usage);
  Wrong needs_image_usage(const char* member, ObjectId image, VkImageUsageFlags usage);
  void needs_mutable_format(ObjectId image);
  // `member` of this call's view is played as `value`.
  template <class T>
  void change(const Call& call, const T& member, const std::type_identity_t<T>& value) {
    const auto* bytes = reinterpret_cast<const std::byte*>(&value);
    edits_.push_back({call.view.offset(&member), {bytes, bytes + sizeof value}});
  }
  void note_offset(VkDescriptorType type, VkDeviceSize offset);
  void skip() { skipped_ = true; }
  // A view of a buffer that has no memory yet: it is made when it has.
  void wait_for_bind(ObjectId buffer, ObjectId view);
  // Whether the program enabled it for the device of this object; a member of VkPhysicalDeviceFeatures.
  bool enabled(ObjectId of, VkBool32 VkPhysicalDeviceFeatures::*feature) const;
  bool enabled_addresses(ObjectId of) const;  // bufferDeviceAddress
  bool has_extension(ObjectId of, std::string_view name) const;
  // True if the program enabled something for the device of this object that lets it do this.
  bool allows(ObjectId of, Relaxation what) const;

 private:
  Wrong check_devices(const Call& call) const;
  Wrong check_new(const Call& call) const;
  std::uint32_t device_of(ObjectId id) const;  // index into Plan::devices
  Wrong check_waiting_views(const Call& call);
  void forget(ObjectId id);
  void mark_stale(ObjectId object, int depth);
  void find_users(ObjectId object, int depth, std::vector<ObjectId>& queues) const;

  const Plan& plan_;
  struct Waiting {
    ObjectId event;
    Place place;
  };
  std::vector<Waiting> waiting_;
  Wrong late_;                   // a wait that is put in, and would never end
  std::vector<Export> exports_;  // of work that may still run: few of each queue
  std::unique_ptr<SyncModel> sync_model_;
  std::vector<Settle> settles_;
  std::vector<Begin> begins_;
  std::vector<Widen> widened_;
  std::vector<DescriptorOffset> descriptor_offsets_;
  std::vector<Edit> edits_;
  bool skipped_ = false;
  ObjectId waits_for_bind_ = ObjectId::null;
  std::vector<ObjectId> waiting_views_;
  std::multimap<VkDeviceAddress, ObjectId> addresses_;  // of buffers
  std::size_t held_ = 0;                                // in all of `holders`
  std::size_t written_ = 0;                             // descriptors in all sets
};

using Handler = Wrong (*)(Validity&, const Call&);
// Each file's, by canonical command.
void add_memory_checks(std::vector<Handler>& table);
void add_image_checks(std::vector<Handler>& table);
void add_descriptor_checks(std::vector<Handler>& table);
void add_descriptor_write_checks(std::vector<Handler>& table);
void add_pass_checks(std::vector<Handler>& table);
void add_rendering_checks(std::vector<Handler>& table);
void add_pipeline_checks(std::vector<Handler>& table);
void add_command_buffer_checks(std::vector<Handler>& table);
void add_copy_checks(std::vector<Handler>& table);
void add_host_copy_checks(std::vector<Handler>& table);
void add_draw_checks(std::vector<Handler>& table);
void add_query_checks(std::vector<Handler>& table);
void add_shader_checks(std::vector<Handler>& table);
void add_ray_checks(std::vector<Handler>& table);
void add_descriptor_buffer_checks(std::vector<Handler>& table);
void add_generated_command_checks(std::vector<Handler>& table);
void add_sync_checks(std::vector<Handler>& table);
void add_sync_fd_checks(std::vector<Handler>& table);
void add_dynamic_state_checks(std::vector<Handler>& table);
void add_checkpoint_checks(std::vector<Handler>& table);
void add_content_checks(std::vector<Handler>& table);
void add_poll_checks(std::vector<Handler>& table);

// values.cpp: sets right what a driver would take for what it was meant to be;
// what nothing is known of is wrong. `blobs`: parallel to lowered.blobs.
Wrong settle_values(const codec::CommandInfo& command, codec::Lowered& lowered,
                    const std::vector<const std::byte*>& blobs);
bool is_enumerant(EnumId id, std::uint32_t value);
// command_buffers.cpp: every vkCmd*.
Wrong record_command(Validity& v, const Call& call);
// recording.cpp: where commands may stand, and on which queues.
Wrong check_place(const CommandBuffer& commands, CommandId id);
// dynamic_states.cpp: of attachments, in a pipeline or what is inherited.
Wrong check_rendering_places(const void* chain);
// recording.cpp: calls for no objects, regions, sets: they do nothing, and Vulkan has them not.
bool does_nothing(const Call& call);
// rays.cpp: which of a pipeline's stages its groups have.
Wrong check_shader_groups(const VkRayTracingPipelineCreateInfoKHR& info, std::uint32_t stages);
// graphics_pipelines.cpp: its states.
Wrong check_graphics_pipeline(Validity& v, const Call& c, const VkGraphicsPipelineCreateInfo& info);
// pipelines.cpp
Wrong check_constants(const VkSpecializationInfo* constants);
Wrong check_code(const void* code, std::size_t bytes);
// shaders.cpp: what draws need of those without a pipeline; and a pipeline in their place.
Wrong check_bound_shaders(const CommandBuffer& commands, CommandId draw);
void unbind_shaders(CommandBuffer& commands, VkPipelineBindPoint point);
// shader_uses.cpp
ShaderUses uses_of(const std::uint32_t* code, std::size_t words);
Wrong check_reach(Validity& v, const CommandBuffer& commands);
void note_reach(Validity& v, CommandBuffer& commands, VkPipelineBindPoint point);
// sync.cpp: the fence and semaphores of a submit.
Wrong follow_submit(Validity& v, const Call& call);
// sparse_binds.cpp: what a batch binds.
Wrong bind_sparse(Validity& v, const Call& call, const VkBindSparseInfo& batch, Place place);
// polls.cpp: changes of events and queries, by a command that is recorded, by a batch that is submitted, by
// the host.
void note_queries(CommandBuffer& commands, const CommandBuffer::QueryChange& change);
void follow_event(Validity& v, const CommandBuffer::EventUse& use, Place place);
void follow_queries(Validity& v, const CommandBuffer::QueryChange& change, Place place);
void set_event_by_host(Validity& v, ObjectId event, bool to);
void set_queries_by_host(Validity& v, const CommandBuffer::QueryChange& change);
// queries.cpp
bool is_timestamp(const QueryPool& pool);
// sync_fds.cpp: the batch takes what was imported; the host has seen the fence signalled.
Wrong take_imported(Validity& v, ObjectId semaphore, Place place);
Wrong saw_imported(Validity& v, Fence& fence);
Wrong check_execution(Validity& v, ObjectId commands, bool secondary);
// command_buffers.cpp: whether a subpass takes secondaries, and commands of its own beside them.
bool takes_secondaries(const Validity& v, const Call& c, VkSubpassContents contents);
bool may_mix(const Validity& v, const Call& c);
// command_buffers.cpp: a batch of a submit.
Wrong submit_commands(Validity& v, ObjectId commands, Place place);

// Descriptors of a set, or queries of a pool. Drivers count their bytes in 32 bits; no real program comes near.
inline constexpr std::uint32_t kMostOfAnObject = 1u << 24;

// Ranges.
inline bool within(std::uint64_t offset, std::uint64_t size, std::uint64_t whole) {
  return offset <= whole && size <= whole - offset;
}
std::string span_text(std::uint64_t offset, std::uint64_t size);
// memory.cpp: bytes of a buffer that a command reads or writes. VK_WHOLE_SIZE:
// to its end. `unbound`: it need not have memory yet.
Wrong check_bytes(Validity& v, const char* member, ObjectId buffer, VkDeviceSize offset, VkDeviceSize size,
                  bool unbound = false);
// images.cpp
Wrong check_range(Validity& v, const char* member, ObjectId image, const VkImageSubresourceRange& range,
                  VkImageCreateFlags slices = VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT);
Wrong check_bound(Validity& v, const char* member, ObjectId image);
VkExtent3D mip_extent(const Image& image, std::uint32_t mip);
// Slices of a 3D image are layers where it was made with one of these flags.
std::uint32_t layers_of(const Image& image, std::uint32_t mip,
                        VkImageCreateFlags slices = VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT);
// checkpoints.cpp: a part of an image that is read, or (writes) written.
Wrong check_part(Validity& v, ObjectId image, const RondoSubresource& part, bool writes);
// sampled_contents.cpp: … of an image of several samples.
Wrong check_samples(Validity& v, ObjectId image, const RondoSubresource& part, bool writes);
// copies.cpp: of one aspect, between an image and memory; between two images.
Wrong check_region(Validity& v, ObjectId image, const VkImageSubresourceLayers& layers, const VkOffset3D& offset,
                   const VkExtent3D& extent);
Wrong check_image_regions(Validity& v, ObjectId from, ObjectId to, std::uint32_t count, const VkImageCopy2* regions);
// passes.cpp: clears of a secondary, where it is executed.
Wrong check_clears(CommandBuffer& commands, const Clears& clears);
// passes.cpp: the end of a pass ends the queries that were begun in it.
void end_queries(Validity& v, const Call& c, CommandBuffer& commands);
void leave_pass(CommandBuffer& commands);
// passes.cpp: where it is drawn to: the area, or one for each device of a group, which then takes the area's place.
std::span<const VkRect2D> areas_of(const VkRect2D& area, const void* chain);
bool is_inside(const VkRect2D& area, std::uint32_t width, std::uint32_t height);

}  // namespace rondo::player::validity
