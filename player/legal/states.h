// SPDX-License-Identifier: Apache-2.0
// What is remembered of each object, by kind.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "format/objects.h"
#include "format/vulkan.h"
#include "player/legal/work.h"

namespace rondo::player::validity {

// Drivers keep arrays of so many, which is what devices have at most.
inline constexpr std::uint32_t kMostVertexBindings = 32;

struct Memory {
  VkDeviceSize bytes = 0;
  bool addresses = false;              // of what is bound to it may be asked for
  ObjectId only_for = ObjectId::null;  // dedicated to this buffer or image
};

struct Buffer {
  VkDeviceSize bytes = 0;
  bool bound = false;  // or sparse
  bool sparse = false;
  ObjectId memory = ObjectId::null;
  VkFlags64 usage = 0;
  std::uint64_t address = 0;  // that the program was told
  std::uint32_t create_op = 0;
};

struct Image {
  VkImageType type = VK_IMAGE_TYPE_2D;
  VkFormat format = VK_FORMAT_UNDEFINED;
  VkExtent3D extent{};
  std::uint32_t mips = 1, layers = 1;
  VkImageCreateFlags flags = 0;
  VkSampleCountFlagBits samples = VK_SAMPLE_COUNT_1_BIT;
  bool bound = false;  // or sparse
  ObjectId memory = ObjectId::null;
  VkImageAspectFlags planes = 0;  // bound so far, of a disjoint one
  VkImageUsageFlags usage = 0;
  bool of_swapchain = false;
  std::uint32_t create_op = 0;
};

struct ImageView {
  ObjectId image = ObjectId::null;
  VkFormat format = VK_FORMAT_UNDEFINED;
  VkExtent3D extent{};       // of its first mip; 0 wide: not known
  std::uint32_t layers = 0;  // 0: not known
  std::uint32_t levels = 1;
  VkImageAspectFlags aspects = 0;
};

struct BufferView {
  ObjectId buffer = ObjectId::null;
};

struct Binding {
  std::uint32_t binding = 0;
  VkDescriptorType type{};
  std::uint32_t count = 0;
  bool samplers = false;  // immutable ones
  bool operator==(const Binding& other) const {
    return binding == other.binding && type == other.type && count == other.count;
  }
};
struct SetLayout {
  std::vector<Binding> bindings;    // ascending
  std::uint32_t dynamic = 0;        // descriptors with a dynamic offset
  std::vector<std::uint32_t> late;  // bindings that may be written while the set is in use
  bool variable = false;            // the last binding has as many as each set is allocated with
  VkDescriptorSetLayoutCreateFlags flags = 0;
  std::vector<std::uint32_t> partial;  // bindings that may hold anything as long as it is not used
};
using SetLayoutRef = std::shared_ptr<const SetLayout>;  // sets outlive their layouts

struct Set {
  SetLayoutRef layout;
  std::uint32_t last = UINT32_MAX;  // descriptors of the last binding, if its layout is variable
  // What was written, by binding and element.
  struct Descriptor {
    ObjectId objects[2] = {};            // a buffer; a view; a view and a sampler
    VkDeviceSize offset = 0, range = 0;  // of dynamic buffers
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, Descriptor> written;
  bool stale = false;  // something of it is destroyed, or lost its memory
};

struct DescriptorPool {
  VkDescriptorPoolCreateFlags flags = 0;
  std::uint32_t create_op = 0;
};

struct PipelineLayout {
  std::vector<SetLayoutRef> sets;  // null: none, or not known
  std::vector<VkPushConstantRange> ranges;
  bool partial = false;  // of pipeline libraries: sets may be null
};

struct Template {
  bool pushes = false;
  std::uint32_t set = 0;  // that it pushes to
  std::vector<VkDescriptorUpdateTemplateEntry> entries;
};

struct RenderPass {
  struct Subpass {
    std::uint32_t colors = 0;
    bool depth = false;
    bool draws_colors = false;  // not all of them are unused
  };
  std::vector<Subpass> subpasses;
  std::uint32_t attachments = 0;
  std::vector<std::uint32_t> rendered;  // by attachment: layers that views reach, at least 1; 0: not drawn to
  std::uint32_t views = 0;              // that a subpass is drawn for, the most of any; 0: no multiview
  std::uint32_t cleared = 0;            // clear values that a begin has to give
  struct Attachment {
    VkFormat format = VK_FORMAT_UNDEFINED;
    VkSampleCountFlagBits samples = VK_SAMPLE_COUNT_1_BIT;
  };
  std::vector<Attachment> kinds;
};

struct Framebuffer {
  std::vector<ObjectId> views;
  std::uint32_t attachments = 0;
  std::uint32_t width = 0, height = 0, layers = 0;
  bool imageless = false;
  std::vector<bool> readable;  // of imageless ones: whose images are made transfer sources
};

// Sets and bindings that shaders declare.
using ShaderUses = std::set<std::pair<std::uint32_t, std::uint32_t>>;

struct Pipeline {
  VkPipelineBindPoint point = VK_PIPELINE_BIND_POINT_GRAPHICS;
  bool library = false;  // only a part
  bool allows_derivatives = false;
  bool any_base = false;     // dispatches may begin anywhere
  std::uint32_t groups = 0;  // of shaders that rays meet
  ShaderUses uses;
};

// Without a pipeline.
struct Shader {
  VkShaderStageFlagBits stage{};
  bool any_base = false;  // dispatches may begin anywhere
  ShaderUses uses;
};

// Of commands that a device makes of what it finds in memory.
struct IndirectLayout {
  VkPipelineBindPoint point{};                    // of its action
  std::uint32_t stride = 0;                       // from one sequence to the next
  std::uint32_t bytes = 0;                        // that are read of one
  bool chooses = false, chooses_shaders = false;  // from an execution set
  VkShaderStageFlags stages = 0;                  // … of these
  bool indexed = false, mesh = false;             // draws
  bool brings_indices = false;                    // binds an index buffer
  bool preprocesses = false;                      // by a command of its own, before it is executed
};

struct ExecutionSet {
  bool shaders = false;  // else pipelines
  VkPipelineBindPoint point{};
  VkShaderStageFlags stages = 0;  // of shaders
  std::uint32_t count = 0;
};

// Layout, set, indirectAddress, preprocessAddress, sequenceCountAddress, maxSequenceCount.
using Preprocessed = std::tuple<ObjectId, ObjectId, std::uint64_t, std::uint64_t, std::uint64_t, std::uint32_t>;

struct AccelerationStructure {
  ObjectId buffer = ObjectId::null;
};

struct CommandPool {
  std::vector<ObjectId> buffers;
  std::uint32_t create_op = 0;
  bool resets_single = false;
  std::uint32_t family = 0;
  VkQueueFlags can = 0;  // its queues; 0: not known
};

// What clears within a pass reach: those of a secondary are looked at where it is executed.
struct Clears {
  std::int64_t left = INT64_MAX, top = INT64_MAX, right = 0, bottom = 0;
  std::uint64_t layers = 0;  // end of them
  std::uint32_t colors = 0;  // end of them
};

struct CommandBuffer {
  enum class State : std::uint8_t { initial, recording, executable };
  enum class Pass : std::uint8_t { none, render_pass, rendering, inherited };
  State state = State::initial;
  Pass pass = Pass::none;
  bool secondary = false;
  bool compute = false, graphics = false;  // pipelines or shaders bound
  std::uint32_t subpass = 0, subpasses = 0;
  // Where a clear within the pass has to stay; in a secondary it is not known.
  bool knows_area = false;
  VkRect2D area{};
  std::uint32_t layers = 0;
  std::uint32_t views = 0;            // of the pass; 0: no multiview
  std::vector<std::uint32_t> colors;  // by subpass; of dynamic rendering, also where it is inherited
  bool places = false;                // says where color attachments are, of as many as it has
  Clears clears;
  std::uint32_t recording = 0;  // counts begins: secondaries are known by it
  std::uint32_t begin_op = 0;   // of this recording
  VkCommandBufferUsageFlags usage = 0;
  bool given = false;  // submitted or executed since it was recorded
  ObjectId index_buffer = ObjectId::null;
  VkDeviceSize index_offset = 0;
  VkDeviceSize index_size = VK_WHOLE_SIZE;  // of bytes that are indices
  std::uint32_t index_bytes = 0;            // of an index; 0: nothing is bound
  std::vector<ObjectId> uses;               // what has to be alive when it is executed
  struct Executed {
    ObjectId commands;
    std::uint32_t recording;
    std::size_t events = 0, queries = 0;  // how many of `events` and `query_changes` come before it
  };
  std::vector<Executed> executes;
  struct ActiveQuery {
    ObjectId pool;
    std::uint32_t query, index;
    bool inside = false;  // of a pass: it ends there
    bool operator==(const ActiveQuery& other) const {
      return pool == other.pool && query == other.query && index == other.index;
    }
  };
  std::vector<ActiveQuery> queries;  // begun, not ended
  struct EventUse {
    enum Kind : std::uint8_t { set, reset, wait } kind;
    ObjectId event;
  };
  std::vector<EventUse> events;  // in order
  // Queries that become available, or unavailable by a reset.
  struct QueryChange {
    bool available;
    ObjectId pool;
    std::uint32_t first, count;
  };
  std::vector<QueryChange> query_changes;  // in order
  std::uint32_t family = 0;
  VkQueueFlags can = 0;
  bool feedback = false, conditional = false;  // begun, not ended
  bool secondaries_only = false;               // in this subpass
  bool takes_secondaries = false;              // likewise; beside commands of its own, where not only
  std::uint32_t nesting = 0;                   // of secondaries within it
  std::uint32_t executions = 0;                // of secondaries in all, those within them too
  // Where it is, or what it says it continues: a render pass of so many attachments, or none.
  bool in_render_pass = false;
  std::uint32_t attachments = 0;
  ObjectId framebuffer = ObjectId::null;
  ObjectId bound_compute = ObjectId::null, bound_graphics = ObjectId::null, bound_rays = ObjectId::null;
  std::map<VkShaderStageFlagBits, ObjectId> bound_shaders;  // without pipelines; none is null
  std::uint32_t descriptor_buffers = 0;                     // that are bound
  std::map<std::pair<VkPipelineBindPoint, std::uint32_t>, ObjectId> bound_sets;
  // Sets whose descriptors these shaders reach.
  struct Reach {
    ObjectId shaders;  // of a pipeline, or one
    std::vector<std::pair<std::uint32_t, ObjectId>> sets;
    bool operator==(const Reach& other) const { return shaders == other.shaders && sets == other.sets; }
  };
  std::vector<Reach> reaches;
  // Generated commands that it preprocesses, and those that it executes as preprocessed, in order.
  struct Generated {
    Preprocessed what;
    bool executes = false;
  };
  std::vector<Generated> generated;
};

struct QueryPool {
  VkQueryType type{};
  std::uint32_t count = 0;
  std::uint32_t values = 1;  // of each query
  // By query, as far as the last one that ever was available: whether it is, after all that was submitted.
  std::vector<std::uint8_t> available;
  // Queries that were available before a batch reset them, as long as that batch may still run.
  struct Reset {
    std::uint32_t first, count;
    Place place;
    std::uint32_t op;  // index into Plan::ops: the submit
  };
  std::vector<Reset> resets;
};

struct Event {
  bool set = false;  // after all that was submitted
  // What the work that is known to have ended, and the host, made of it.
  enum class Ended : std::uint8_t { reset, set, unknown } ended = Ended::reset;
  // The batches of one queue that change it and may still run.
  struct Pending {
    Place last;
    bool set = false;                      // after the last of them
    bool host_changed = false;             // the host set or reset it meanwhile, which may come before or after
    Place first[2];                        // the first batch that resets it, and the first that sets it …
    std::uint32_t op[2] = {kNone, kNone};  // … and their submits, indexes into Plan::ops
    static constexpr std::uint32_t kNone = 0xffffffff;
  };
  std::vector<Pending> pending;  // by queue: few
};

// An export that a payload from outside may have come from.
struct Export {
  std::uint32_t op = 0;
  Place place;  // signals what went into the fd
};

struct Fence {
  bool signals = false;         // signalled, or about to be
  Place place;                  // by this batch
  std::vector<Export> sources;  // of an imported payload
};

// Of a swapchain, by id: what waits for a present wait for.
struct Presents {
  struct Present {
    std::uint64_t id = 0;
    Place place;
  };
  std::vector<Present> given;  // the last that is done, and those behind it
  bool older = false;          // it was there where the capture was cut (rondoCut): …
  std::uint64_t first = 0;     // … presents before this one, or (0) all, were done then
};

struct Semaphore {
  bool timeline = false;
  bool imported = false;  // for the next wait: a payload of one of the sources, or of others'
  std::vector<Export> sources;
  std::uint32_t signals = 0;  // binary: not yet waited for
  std::uint64_t value = 0;    // timelines: the highest that was asked for
  struct Signal {
    std::uint64_t value;  // of a timeline
    Place place;          // by this batch, or the host
  };
  std::vector<Signal> given;  // ascending; those that are not known to have happened, and the last that is
};

}  // namespace rondo::player::validity
