// SPDX-License-Identifier: Apache-2.0
// What the fake driver knows of the objects that it handed out. Handles are
// looked up and never followed: one that nothing made does no harm.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "format/vulkan.h"
#include "generated/ids.h"

namespace fake {

using rondo::CommandId;
using rondo::HandleType;

class Execution;    // execute.h: a queue at work
struct QueueState;  // queue.h: what is submitted to a queue and not finished
class Arguments;    // arguments.h
struct PipelineUses;
struct CommandBuffer;
struct Device;
struct Instance;

struct Object {
  virtual ~Object() = default;
  HandleType type = HandleType::none;
  std::uint64_t handle = 0;
  std::shared_ptr<Object> parent;            // device or instance; null for an instance
  std::uint64_t pool = 0;                    // of pooled objects: their pool's handle
  std::atomic<bool> alive{true};             // false: destroyed, but somebody still refers to it
  std::atomic<std::uint32_t> pending{0};     // submissions not finished that use it
  std::atomic<std::uint32_t> references{1};  // creations that got this object (duplicate handles)
  std::string identity;                      // of the creation's parameters, for duplicates
  std::once_flag described;                  // several threads' creations may get one object
  std::uint64_t content = 0;                 // digest of the same without handles and addresses (digest.h)
};

// A handle as a number, whichever kind it is.
template <class H>
std::uint64_t number(H handle) {
  return reinterpret_cast<std::uint64_t>(handle);
}
template <class H>
H as_handle(std::uint64_t value) {
  return reinterpret_cast<H>(value);
}

// The live object; null if there is none. `find` by handle type, `get` typed.
std::shared_ptr<Object> find(HandleType type, std::uint64_t handle);
template <class T, class H>
std::shared_ptr<T> get(H handle) {
  return std::static_pointer_cast<T>(find(T::kType, number(handle)));
}

struct Instance : Object {
  static constexpr HandleType kType = HandleType::VkInstance;
  std::uint32_t api_version = VK_API_VERSION_1_0;
  std::vector<std::string> extensions;
  std::vector<std::shared_ptr<Object>> physical_devices;
};

struct PhysicalDevice : Object {
  static constexpr HandleType kType = HandleType::VkPhysicalDevice;
  std::uint32_t index = 0;
  std::shared_ptr<Object> display;  // null: nobody has asked for it
};

struct Queue : Object {
  static constexpr HandleType kType = HandleType::VkQueue;
  std::uint32_t family = 0, index = 0;
  VkQueueFlags capabilities = 0;
  std::shared_ptr<QueueState> state;  // made by the execution at its first use
};

struct Device : Object {
  static constexpr HandleType kType = HandleType::VkDevice;
  std::shared_ptr<PhysicalDevice> physical;
  std::vector<std::string> extensions;
  VkPhysicalDeviceFeatures features{};
  bool capture_replay = false;  // bufferDeviceAddressCaptureReplay
  std::vector<std::shared_ptr<Queue>> queues;
  std::atomic<bool> lost{false};
  std::atomic<std::uint64_t> submits{0};
  std::uint64_t begun = 0;               // batches; guarded by the monitor
  bool is_first = false;                 // that was made
  bool counts = false;                   // performanceCounterQueryPools
  bool counts_in_several_pools = false;  // performanceCounterMultipleQueryPools
  std::atomic<bool> holds_profiling_lock{false};
  bool enabled(const char* extension) const;
  bool has_robustness2() const { return enabled("VK_EXT_robustness2") || enabled("VK_KHR_robustness2"); }
};

struct Memory : Object {
  static constexpr HandleType kType = HandleType::VkDeviceMemory;
  Memory() = default;
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() override;
  VkDeviceSize size = 0;
  std::uint64_t number = 0;  // among the allocations since an instance was made
  std::uint32_t memory_type = 0;
  VkMemoryPropertyFlags properties = 0;
  std::byte* contents = nullptr;  // what the device sees
  std::byte* host = nullptr;      // what the host maps: `contents`, or a shadow if not coherent
  bool imported = false;          // `contents` is the program's
  bool mapped = false;
  VkDeviceSize map_offset = 0, map_size = 0;
  std::uint64_t address = 0;  // of its first byte, for device addresses
  bool has_address = false;
  std::uint64_t dedicated_buffer = 0, dedicated_image = 0;
};

// A resource's place in memory.
struct Binding {
  std::shared_ptr<Memory> memory;  // null: not bound
  VkDeviceSize offset = 0;
  std::byte* data() const { return memory == nullptr ? nullptr : memory->contents + offset; }
};

struct Buffer : Object {
  static constexpr HandleType kType = HandleType::VkBuffer;
  VkDeviceSize size = 0;
  VkBufferUsageFlags usage = 0;
  VkBufferCreateFlags flags = 0;
  bool is_concurrent = false;  // several queue families may use it at the same time
  VkMemoryRequirements needs{};
  Binding binding;
  std::uint64_t captured_address = 0;  // asked for at creation; 0: any
  std::byte* data() const { return binding.data(); }
  std::uint64_t address() const;  // 0 if it has none
};

struct BufferView : Object {
  static constexpr HandleType kType = HandleType::VkBufferView;
  std::shared_ptr<Buffer> buffer;
  VkFormat format = VK_FORMAT_UNDEFINED;
  VkDeviceSize offset = 0, range = 0;
};

// How one aspect of a format lies in memory: a block's bytes and extent.
struct Plane {
  VkImageAspectFlagBits aspect = VK_IMAGE_ASPECT_COLOR_BIT;
  std::uint32_t bytes = 0;                              // of one block
  std::uint32_t block_width = 1, block_height = 1;      // texels
  std::uint32_t width_divisor = 1, height_divisor = 1;  // against the image (chroma)
  VkFormat format = VK_FORMAT_UNDEFINED;                // alone
};
// Depth and stencil are planes of their own here. Empty: an unknown format.
const std::vector<Plane>& planes_of(VkFormat format);
const char* numeric_format(VkFormat format);  // of its first component: "UNORM", "SFLOAT", …

struct Image : Object {
  static constexpr HandleType kType = HandleType::VkImage;
  VkImageCreateFlags flags = 0;
  VkImageType image_type = VK_IMAGE_TYPE_2D;
  VkFormat format = VK_FORMAT_UNDEFINED;
  VkExtent3D extent{};
  std::uint32_t levels = 1, layers = 1;
  std::uint32_t samples = 1;  // a multisampled texel is its samples, one after another
  VkImageTiling tiling = VK_IMAGE_TILING_OPTIMAL;
  VkImageUsageFlags usage = 0;
  bool is_concurrent = false;                     // several queue families may use it at the same time
  VkMemoryRequirements needs{};                   // of all planes, or of the first disjoint one
  std::vector<VkMemoryRequirements> plane_needs;  // disjoint: one a plane
  Binding binding;
  std::vector<Binding> plane_bindings;  // disjoint: one a plane
  std::uint64_t swapchain = 0;          // a presentable image: not to be destroyed

  // Where a subresource lies: rows of blocks, slices of rows. Offsets are from
  // data(aspect).
  struct Layout {
    const Plane* plane = nullptr;  // null: the image has no such subresource
    VkDeviceSize offset = 0, size = 0, row_pitch = 0, slice_pitch = 0;
    VkExtent3D extent{};           // texels of this plane and level
    VkDeviceSize block_bytes = 0;  // of one block, all samples
  };
  Layout layout(VkImageAspectFlagBits aspect, std::uint32_t level, std::uint32_t layer) const;
  std::byte* data(VkImageAspectFlagBits aspect) const;  // null: not bound
};

struct ImageView : Object {
  static constexpr HandleType kType = HandleType::VkImageView;
  std::shared_ptr<Image> image;
  VkImageViewType view_type = VK_IMAGE_VIEW_TYPE_2D;
  VkFormat format = VK_FORMAT_UNDEFINED;
  VkComponentMapping components{};
  VkImageSubresourceRange range{};  // counts resolved: no VK_REMAINING_*
};

struct Sampler : Object {
  static constexpr HandleType kType = HandleType::VkSampler;
  VkSamplerCreateInfo create{};  // without its chain
};

struct ShaderModule : Object {
  static constexpr HandleType kType = HandleType::VkShaderModule;
  std::vector<std::uint32_t> code;
};

struct DescriptorSetLayout : Object {
  static constexpr HandleType kType = HandleType::VkDescriptorSetLayout;
  struct Slot {
    VkDescriptorType type = VK_DESCRIPTOR_TYPE_SAMPLER;
    std::uint32_t count = 0;  // descriptors; bytes of an inline uniform block
    VkShaderStageFlags stages = 0;
    VkDescriptorBindingFlags flags = 0;
    std::vector<std::shared_ptr<Sampler>> immutable;
  };
  VkDescriptorSetLayoutCreateFlags flags = 0;
  std::map<std::uint32_t, Slot> slots;  // by binding number
};

struct PipelineLayout : Object {
  static constexpr HandleType kType = HandleType::VkPipelineLayout;
  std::vector<std::shared_ptr<DescriptorSetLayout>> sets;  // some may be null (libraries)
  std::vector<VkPushConstantRange> push_constants;
};

struct Descriptor {
  VkDescriptorType type = VK_DESCRIPTOR_TYPE_SAMPLER;
  bool written = false;
  std::shared_ptr<Buffer> buffer;
  VkDeviceSize offset = 0, range = 0;  // range resolved: no VK_WHOLE_SIZE
  std::shared_ptr<ImageView> view;
  std::shared_ptr<Sampler> sampler;
  VkImageLayout layout = VK_IMAGE_LAYOUT_UNDEFINED;
  std::shared_ptr<BufferView> texels;
};

struct DescriptorPool : Object {
  static constexpr HandleType kType = HandleType::VkDescriptorPool;
  VkDescriptorPoolCreateFlags flags = 0;
  std::uint32_t max_sets = 0;
  std::set<std::uint64_t> members;                           // handles
  std::map<VkDescriptorType, std::uint64_t> capacity, used;  // descriptors; bytes of inline blocks
  std::shared_ptr<const void> room;                          // of the driver's budget
};

struct DescriptorSet : Object {
  static constexpr HandleType kType = HandleType::VkDescriptorSet;
  struct Slot {
    std::vector<Descriptor> descriptors;
    std::vector<std::byte> inline_block;
  };
  std::shared_ptr<DescriptorSetLayout> layout;
  mutable std::mutex mutex;  // guards the slots' contents: updates after bind, and queues that read
  std::map<std::uint32_t, Slot> slots;
};

struct UpdateTemplate : Object {
  static constexpr HandleType kType = HandleType::VkDescriptorUpdateTemplate;
  VkDescriptorUpdateTemplateType template_type = VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_DESCRIPTOR_SET;
  std::vector<VkDescriptorUpdateTemplateEntry> entries;
  std::shared_ptr<DescriptorSetLayout> layout;  // of sets, or of the pushed set
  std::shared_ptr<PipelineLayout> pipeline_layout;
  VkPipelineBindPoint bind_point = VK_PIPELINE_BIND_POINT_GRAPHICS;
  std::uint32_t set = 0;
};

struct RenderPass : Object {
  static constexpr HandleType kType = HandleType::VkRenderPass;
  struct Subpass {
    VkPipelineBindPoint bind_point = VK_PIPELINE_BIND_POINT_GRAPHICS;
    std::uint32_t view_mask = 0;
    std::vector<VkAttachmentReference2> inputs, colors, resolves;  // resolves: empty or one a color
    bool has_depth_stencil = false;
    VkAttachmentReference2 depth_stencil{};
  };
  // With masks of single memory barriers in place of their own where they chain one.
  struct Dependency {
    std::uint32_t first = 0, second = 0;  // subpasses
    VkPipelineStageFlags2 first_stages = 0, second_stages = 0;
    VkAccessFlags2 first_accesses = 0, second_accesses = 0;
  };
  std::vector<VkAttachmentDescription2> attachments;  // without their chains
  std::vector<Subpass> subpasses;
  std::vector<Dependency> dependencies;
};

struct Framebuffer : Object {
  static constexpr HandleType kType = HandleType::VkFramebuffer;
  VkFramebufferCreateFlags flags = 0;
  std::vector<std::shared_ptr<ImageView>> views;  // empty if imageless
  std::uint32_t attachment_count = 0, width = 0, height = 0, layers = 0;
};

struct Pipeline : Object {
  static constexpr HandleType kType = HandleType::VkPipeline;
  struct Stage {
    VkShaderStageFlagBits stage = VK_SHADER_STAGE_COMPUTE_BIT;
    std::vector<std::uint32_t> code;
    std::string entry;
    std::vector<VkSpecializationMapEntry> constants;
    std::vector<std::byte> constant_data;
  };
  VkPipelineBindPoint bind_point = VK_PIPELINE_BIND_POINT_GRAPHICS;
  VkPipelineCreateFlags flags = 0;
  bool library = false;  // only a part of a pipeline: not to be bound
  std::shared_ptr<PipelineLayout> layout;
  std::vector<Stage> stages;
  std::vector<VkDynamicState> dynamic;
  std::shared_ptr<const PipelineUses> uses;  // pipeline_uses.h
};

struct PipelineCache : Object {
  static constexpr HandleType kType = HandleType::VkPipelineCache;
  std::vector<std::byte> data;
};

struct CommandPool : Object {
  static constexpr HandleType kType = HandleType::VkCommandPool;
  VkCommandPoolCreateFlags flags = 0;
  std::uint32_t family = 0;
  std::set<std::uint64_t> members;  // handles
};

// One recorded command: what a queue does when it comes to it.
struct Step {
  std::function<void(Execution&)> run;
  CommandId id = CommandId::none;
  std::uint64_t digest = 0;                              // of its arguments (digest.h)
  std::shared_ptr<const Arguments> arguments = nullptr;  // null: of pushes of descriptors
};

// What is bound, begun and active while commands are recorded (recorded.cpp).
struct Bound {
  std::set<std::uint32_t> vertex_buffers;  // binding numbers
  std::shared_ptr<Buffer> index_buffer;
  VkDeviceSize index_offset = 0;
  VkIndexType index_type = VK_INDEX_TYPE_UINT16;
  std::map<std::pair<VkPipelineBindPoint, std::uint32_t>, std::shared_ptr<DescriptorSet>> sets;  // by number
  std::set<std::uint32_t> feedback_buffers;
  bool feedback = false, conditional = false;
  // Of the render pass instance that began here.
  VkRect2D area{};
  std::uint32_t layers = 0, colors = 0;
  bool knows_area = false;        // not so in secondaries
  bool secondaries_only = false;  // the subpass takes nothing but vkCmdExecuteCommands
};

// A pipeline and the sets that its draws may look into.
struct Reach {
  std::shared_ptr<Pipeline> pipeline;
  std::map<std::uint32_t, std::shared_ptr<DescriptorSet>> sets;
};

// A secondary command buffer, as it was when it was executed.
struct Executed {
  std::shared_ptr<CommandBuffer> buffer;
  std::uint64_t recording = 0;
};

struct CommandBuffer : Object {
  static constexpr HandleType kType = HandleType::VkCommandBuffer;
  enum class State { initial, recording, executable, pending, invalid };
  VkCommandBufferLevel level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  VkQueueFlags capabilities = 0;  // of its pool's family
  std::atomic<State> state{State::initial};
  VkCommandBufferUsageFlags usage = 0;
  std::uint64_t recording = 0;  // counts up: what an execution of a secondary was recorded for
  bool continues = false;       // secondaries: a render pass of their primary
  bool in_render_pass = false;  // while recording; secondaries: of the whole
  bool in_rendering = false;    // … and it is a dynamic one
  std::shared_ptr<RenderPass> render_pass;
  std::shared_ptr<Framebuffer> framebuffer;
  std::uint32_t subpass = 0;
  std::map<std::pair<std::uint64_t, std::uint32_t>, VkQueryControlFlags> active_queries;
  bool begins_statistics = false;                      // a query for pipeline statistics begins in it
  bool locked = false;                                 // the profiling lock was held when it began
  std::set<std::uint64_t> counter_pools, reset_pools;  // of performance queries that begin in it; that it resets
  std::map<VkPipelineBindPoint, std::shared_ptr<Pipeline>> bound_pipelines;
  std::map<std::pair<VkPipelineBindPoint, std::uint32_t>, std::shared_ptr<DescriptorSet>> pushed;  // by set
  Bound bound;                 // for the next draw or dispatch
  std::vector<Reach> reaches;  // of all draws and dispatches, without repetition
  std::vector<Step> steps;
  std::vector<std::shared_ptr<Object>> uses;  // every object named while recording
  std::vector<Executed> secondaries;          // in `uses` too

  void clear();  // to the initial state
  // A queue takes it, and is done with it: with all that it uses.
  void begin_pending();
  void end_pending();
};

// What a sync fd stands for. Under the monitor, but for the descriptor.
struct SyncFile {
  SyncFile() = default;
  SyncFile(const SyncFile&) = delete;
  SyncFile& operator=(const SyncFile&) = delete;
  ~SyncFile();
  int fd = -1;  // an eventfd of ours, or what was imported
  bool signaled = false;
};

struct Fence : Object {
  static constexpr HandleType kType = HandleType::VkFence;
  std::atomic<bool> signaled{false};               // changes under the monitor (sync.h)
  bool exportable = false;                         // as a sync fd
  std::shared_ptr<SyncFile> imported;              // in place of its own payload, until it is reset
  std::deque<std::shared_ptr<SyncFile>> exported;  // get the next signals, in order
  bool is_signaled() const { return imported != nullptr ? imported->signaled : signaled.load(); }
};

struct Semaphore : Object {
  static constexpr HandleType kType = HandleType::VkSemaphore;
  bool timeline = false;
  std::atomic<std::uint64_t> value{0};             // binary: 1 is signaled. Changes under the monitor (sync.h)
  bool promised = false;                           // binary: signaled once all that is submitted has run
  std::uint64_t last_signal = 0;                   // timeline: the highest value that is submitted to be signaled
  std::uint64_t signalled_ns = 0;                  // when it was signalled last, by Settings::device_clock
  bool exportable = false;                         // as a sync fd
  std::shared_ptr<SyncFile> imported;              // in place of its own payload, for the next wait
  std::deque<std::shared_ptr<SyncFile>> exported;  // get the next signals, in order
};

struct Event : Object {
  static constexpr HandleType kType = HandleType::VkEvent;
  std::atomic<bool> set{false};
};

struct QueryPool : Object {
  static constexpr HandleType kType = HandleType::VkQueryPool;
  VkQueryType query_type = VK_QUERY_TYPE_OCCLUSION;
  std::uint32_t count = 0;
  VkQueryPipelineStatisticFlags statistics = 0;
  std::uint32_t family = 0;                                   // of performance queries
  std::vector<std::uint32_t> counters;                        // likewise: indexes
  std::uint32_t values() const;                               // that a query has
  std::uint32_t value_bytes(VkQueryResultFlags flags) const;  // of each, in the results
  struct Query {
    enum class State { unreset, reset, active, available } state = State::unreset;
    std::vector<std::uint64_t> results;
  };
  std::mutex mutex;
  std::vector<Query> queries;
  std::uint64_t time = 0;  // of its last timestamp
};

struct DisplayMode : Object {
  static constexpr HandleType kType = HandleType::VkDisplayModeKHR;
  VkDisplayModeParametersKHR parameters{};
  std::uint64_t display = 0;
};

struct Display : Object {
  static constexpr HandleType kType = HandleType::VkDisplayKHR;
  std::vector<std::shared_ptr<DisplayMode>> modes;
};

struct Surface : Object {
  static constexpr HandleType kType = HandleType::VkSurfaceKHR;
};

struct Swapchain : Object {
  static constexpr HandleType kType = HandleType::VkSwapchainKHR;
  VkSwapchainCreateInfoKHR create{};  // without its chain and arrays
  std::vector<std::shared_ptr<Image>> images;
  std::vector<std::shared_ptr<Memory>> memories;
  std::vector<bool> acquired;
  std::vector<bool> freed;  // since it retired: their handles may be others' by now
  std::uint32_t next = 0;
  std::uint64_t given_id = 0, presented_id = 0;  // of presents: the last one's, and of those that are done
  bool retired = false;
};

// Each object's value for the slot, by type and handle.
struct PrivateDataSlot : Object {
  static constexpr HandleType kType = HandleType::VkPrivateDataSlot;
  std::mutex mutex;
  std::map<std::pair<VkObjectType, std::uint64_t>, std::uint64_t> values;
};

// What no command of the driver looks into: caches, conversions, messengers, …
struct PlainObject : Object {};

}  // namespace fake
