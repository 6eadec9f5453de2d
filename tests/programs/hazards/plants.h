// SPDX-License-Identifier: Apache-2.0
// A plant is a small program with one synchronization fault, and a clean twin that has exactly the synchronization
// that the Vulkan specification asks for. The program `hazards` runs them by name and prints the right answer:
//
//   expect race RAW A B          the commands in the labels A and B race: read after write
//   expect superfluous barrier1  nothing needs the barrier
//   expect ineffective barrier1  there is a race, and the barrier has the wrong stage or access to order it
//   expect too-wide barrier1     some of the barrier is needed, some is not
//   expect superfluous vkWaitForFences#2  nothing needs the program's second call of the command, a wait of the host
//   expect superfluous vkQueueSubmit#2    nothing needs the semaphores that the second submit waits for
//   expect replaceable vkQueueSubmit#2    it waits for a semaphore of its own queue: a barrier would do the same
//   expect race OWNER A B        B reads what A wrote on another queue family, and the ownership was not transferred.
//                                Where half of a transfer is there, its barrier takes the place of A or B.
//   expect race LIFETIME A host  the host ends or changes what the batch, of which A is the last command, may still use
//   either X and Y or Z          X and Y together, or Z alone: both are right
//   allow …                      true, too, but follows from an expected line or is arguable: it may be reported
//
// Each label encloses one command. Where a whole render pass is one side of a race, its begin, its draw and its end
// have a label of the same name each. A command that sets an event and the one that waits for it share a name, too.
// "host" stands for what the host writes.
#pragma once

#include <functional>
#include <optional>

#include "picture.h"

namespace hazards {

using namespace program;

constexpr VkDeviceSize kBytes = 2048;  // of every buffer
constexpr std::uint32_t kExtent = 16;  // width and height of every image

// Which commands a plant synchronizes with: those of Vulkan 1.0, or those of synchronization 2.
enum class Form { first, second };

// Stages with the accesses that they make, in the words of both forms.
struct Scope {
  VkPipelineStageFlags stages;
  VkAccessFlags access;
  VkPipelineStageFlags2 stages2;
  VkAccessFlags2 access2;
};

constexpr Scope operator|(const Scope& a, const Scope& b) {
  return {a.stages | b.stages, a.access | b.access, a.stages2 | b.stages2, a.access2 | b.access2};
}

// The stages alone.
constexpr Scope stages_of(const Scope& s) { return {s.stages, 0, s.stages2, 0}; }

constexpr Scope kNoSource{VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, 0, 0, 0};
constexpr Scope kNoDestination{VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, 0, 0, 0};
constexpr Scope kComputeReads{VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT,
                              VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_SHADER_STORAGE_READ_BIT};
constexpr Scope kComputeWrites{VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                               VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT};
constexpr Scope kComputeReadsUniform{VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_UNIFORM_READ_BIT,
                                     VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_UNIFORM_READ_BIT};
constexpr Scope kCopyReads{VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT, VK_PIPELINE_STAGE_2_COPY_BIT,
                           VK_ACCESS_2_TRANSFER_READ_BIT};
constexpr Scope kCopyWrites{VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_2_COPY_BIT,
                            VK_ACCESS_2_TRANSFER_WRITE_BIT};
constexpr Scope kClearWrites{VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
                             VK_PIPELINE_STAGE_2_CLEAR_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT};
constexpr Scope kIndirectReads{VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT, VK_ACCESS_INDIRECT_COMMAND_READ_BIT,
                               VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT, VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT};
constexpr Scope kVertexReads{VK_PIPELINE_STAGE_VERTEX_INPUT_BIT, VK_ACCESS_VERTEX_ATTRIBUTE_READ_BIT,
                             VK_PIPELINE_STAGE_2_VERTEX_ATTRIBUTE_INPUT_BIT, VK_ACCESS_2_VERTEX_ATTRIBUTE_READ_BIT};
constexpr Scope kIndexReads{VK_PIPELINE_STAGE_VERTEX_INPUT_BIT, VK_ACCESS_INDEX_READ_BIT,
                            VK_PIPELINE_STAGE_2_INDEX_INPUT_BIT, VK_ACCESS_2_INDEX_READ_BIT};
constexpr Scope kFragmentReadsUniform{VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT, VK_ACCESS_UNIFORM_READ_BIT,
                                      VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT, VK_ACCESS_2_UNIFORM_READ_BIT};
constexpr Scope kFragmentSamples{VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT,
                                 VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT, VK_ACCESS_2_SHADER_SAMPLED_READ_BIT};
constexpr Scope kColorReads{VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, VK_ACCESS_COLOR_ATTACHMENT_READ_BIT,
                            VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT, VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT};
constexpr Scope kColorWrites{VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
                             VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT, VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT};
constexpr Scope kDepthWrites{VK_PIPELINE_STAGE_EARLY_FRAGMENT_TESTS_BIT | VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT,
                             VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT,
                             VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT | VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT,
                             VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT};
constexpr Scope kHostWrites{VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_WRITE_BIT, VK_PIPELINE_STAGE_2_HOST_BIT,
                            VK_ACCESS_2_HOST_WRITE_BIT};
constexpr Scope kHostReads{VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT, VK_PIPELINE_STAGE_2_HOST_BIT,
                           VK_ACCESS_2_HOST_READ_BIT};
constexpr Scope kAllReads{VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_READ_BIT,
                          VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, VK_ACCESS_2_MEMORY_READ_BIT};
constexpr Scope kAllWrites{VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_WRITE_BIT,
                           VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, VK_ACCESS_2_MEMORY_WRITE_BIT};

// One dependency: of all memory, of a part of a buffer, or of a part of an image, which may change its layout.
// The last two may pass the ownership from one queue family to another.
struct Dependency {
  Scope from, to;
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceSize bytes = VK_WHOLE_SIZE;  // from the buffer's start on
  VkImage image = VK_NULL_HANDLE;
  VkImageSubresourceRange range{};
  VkImageLayout before = VK_IMAGE_LAYOUT_UNDEFINED, after = VK_IMAGE_LAYOUT_UNDEFINED;
  std::uint32_t from_family = VK_QUEUE_FAMILY_IGNORED, to_family = VK_QUEUE_FAMILY_IGNORED;
};

// The queues of a plant: two of the same family where the device has them, or two of different families.
enum class Queues { one, two, of_two_families };

// A device with one queue or two, and the command buffer that is recorded now.
struct Bench : Session {
  bool clean = false;
  Form form = Form::first;
  bool is_recording = false;
  bool is_idle = false;                 // the host has waited for all work
  bool is_eager = false;                // does not watch until work is over that it does not wait for
  bool updates_after_bind = false;      // of storage buffers, while work is pending if unused
  bool resets_queries = false;          // by the host
  std::vector<std::uint32_t> families;  // of the queues; one of its own each only where they differ
  std::vector<VkCommandPool> pools;     // of the queues
  PFN_vkCmdBeginDebugUtilsLabelEXT begin_label = nullptr;  // null without the extension
  PFN_vkCmdEndDebugUtilsLabelEXT end_label = nullptr;
};

struct Plant {
  const char* name;
  Form form;
  std::vector<const char*> answers;  // what follows "expect ", or a whole line of "allow " or "either "
  void (*record)(Bench&);
  Queues queues = Queues::one;
  std::vector<const char*> of_clean = {};  // as `answers`, of the clean twin
  bool presents = false;                   // to surfaces without a window
};

std::vector<Plant> dispatch_plants();
std::vector<Plant> barrier_plants();
std::vector<Plant> needless_plants();
std::vector<Plant> submit_plants();
std::vector<Plant> event_plants();
std::vector<Plant> draw_plants();
std::vector<Plant> pass_plants();
std::vector<Plant> image_plants();
std::vector<Plant> wait_plants();
std::vector<Plant> semaphore_plants();
std::vector<Plant> owner_plants();
std::vector<Plant> lifetime_plants();
std::vector<Plant> present_plants();

// None if the device does not have what the plant needs.
std::optional<Bench> open_bench(const Plant& plant, bool clean, bool eager);
// Submits what is recorded, waits for all work if the plant has not, and destroys everything.
void close(Bench& b);

// Records `command` in a label, if there is a name for it.
template <class Command>
void labelled(const Bench& b, const char* name, const Command& command) {
  const bool has_label = name != nullptr && b.begin_label != nullptr;
  const VkDebugUtilsLabelEXT label{VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT, nullptr, name, {}};
  if (has_label) b.begin_label(b.cmd, &label);
  command();
  if (has_label) b.end_label(b.cmd);
}

// Opens another command buffer for a queue. The first one, for queue 0, is open when the plant begins.
void begin(Bench& b, std::uint32_t queue = 0,
           VkCommandBufferUsageFlags usage = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT);

// A secondary command buffer of a pool, which is open.
VkCommandBuffer begin_secondary(const Bench& b, VkCommandPool pool);

struct Semaphore {
  VkSemaphore semaphore = VK_NULL_HANDLE;
  Scope at{};               // the stages that wait or are waited for; vkQueueSubmit signals after all stages
  std::uint64_t value = 0;  // of a timeline
};

struct Submit {
  Semaphore wait = {}, signal = {};
  std::uint32_t queue = 0;
  VkFence fence = VK_NULL_HANDLE;
};

// Submits the open command buffer; nothing but the semaphores if none is open.
void submit(Bench& b, const Submit& what = {});

VkSemaphore binary(Bench& b);
VkSemaphore timeline(Bench& b);
VkFence make_fence(Bench& b);
void wait_for(const Bench& b, VkFence fence);
void wait_for(const Bench& b, const Semaphore& reached);  // the value of a timeline

// What destroys the object that was created last. It is no longer destroyed at the end: the caller does that.
std::function<void()> take_last(Bench& b);

// A mapped buffer for every use, filled with a word: a race shows where what is written differs from what was there.
MappedBuffer make_buffer(Bench& b, std::uint32_t word = 0);

// Which queue families may use a buffer: all of the bench without a transfer of ownership, or one at a time.
enum class Sharing { concurrent, exclusive };
// A buffer for every use that is not mapped (`words` is null). It begins without contents. The buffer is created last,
// after its memory.
MappedBuffer make_local_buffer(Bench& b, Sharing sharing = Sharing::concurrent,
                               VkMemoryPropertyFlags memory = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);

template <std::size_t N>
Kernel kernel(Bench& b, const std::uint32_t (&code)[N], std::initializer_list<MappedBuffer> buffers) {
  return create_kernel(b, shader(b, code), buffers);
}

// One barrier command with these dependencies.
void barrier(Bench& b, const char* label, const std::vector<Dependency>& dependencies);
inline void barrier(Bench& b, const char* label, const Scope& from, const Scope& to) {
  barrier(b, label, {{from, to}});
}

void dispatch(Bench& b, const char* label, const Kernel& k);
void copy(Bench& b, const char* label, const MappedBuffer& from, const MappedBuffer& to);

// A render pass of one attachment with its framebuffer.
struct Target {
  Image image;
  VkRenderPass pass = VK_NULL_HANDLE;
  VkFramebuffer framebuffer = VK_NULL_HANDLE;
};

// An attachment that is cleared and stored, and always in one layout.
VkAttachmentDescription cleared(VkFormat format, VkImageLayout layout);
// A 16 x 16 colour image that is copied and drawn to.
Image make_image(Bench& b, VkImageUsageFlags usage, std::uint32_t mips = 1);
VkRenderPass make_pass(Bench& b, const VkAttachmentDescription& attachment, VkImageLayout layout,
                       const std::vector<VkSubpassDependency>& dependencies = {});
VkFramebuffer make_framebuffer(Bench& b, VkRenderPass pass, const std::vector<VkImageView>& views);
// A colour target that nothing else uses, and that needs no synchronization.
Target make_target(Bench& b);

struct Graphics {
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkPipeline pipeline = VK_NULL_HANDLE;
  VkDescriptorSet set = VK_NULL_HANDLE;  // if it has one
};

// Draws a rectangle over everything.
Graphics make_graphics(Bench& b, VkRenderPass pass);
void bind(const Bench& b, const Graphics& g);
inline void draw(const Bench& b, const char* label) {
  labelled(b, label, [&] { vkCmdDraw(b.cmd, 4, 1, 0, 0); });
}

void begin_pass(const Bench& b, const char* label, VkRenderPass pass, VkFramebuffer framebuffer);
void end_pass(const Bench& b, const char* label);

// A pass with a target of its own, and a labelled draw whose vertices a buffer holds.
void draw_vertices(Bench& b, const char* label, const MappedBuffer& vertices);

}  // namespace hazards
