// SPDX-License-Identifier: Apache-2.0
// Attachments of dynamic rendering that are read as inputs while they are drawn to
// (VK_KHR_dynamic_rendering_local_read), at locations and indices of the program's choice,
// in primaries and in a secondary.
#include "chapter.h"
#include "sum_inputs.frag.h"

#ifdef VK_KHR_dynamic_rendering_local_read

using namespace program;

namespace program {
FEATURES_OF(DynamicRenderingLocalReadFeaturesKHR, DYNAMIC_RENDERING_LOCAL_READ_FEATURES_KHR);
}  // namespace program

namespace {

constexpr std::uint32_t kExtent = 16, kTexels = kExtent * kExtent, kNone = VK_ATTACHMENT_UNUSED;
constexpr VkImageLayout kLocal = VK_IMAGE_LAYOUT_RENDERING_LOCAL_READ_KHR;

// Which of three attachments a pipeline draws to, and reads as which input.
struct Places {
  std::uint32_t locations[3], inputs[3];
};
constexpr Places kFirst{{0, kNone, kNone}, {kNone, kNone, kNone}}, kSecond{{kNone, 0, kNone}, {kNone, kNone, kNone}},
    kSum{{kNone, kNone, 0}, {0, 2, kNone}}, kBack{{2, kNone, 0}, {kNone, 0, 2}};

VkRenderingAttachmentLocationInfoKHR locations_of(const Places& places, const void* next = nullptr) {
  return {VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_LOCATION_INFO_KHR, next, 3, places.locations};
}
VkRenderingInputAttachmentIndexInfoKHR inputs_of(const Places& places, const void* next = nullptr) {
  return {VK_STRUCTURE_TYPE_RENDERING_INPUT_ATTACHMENT_INDEX_INFO_KHR, next, 3, places.inputs, nullptr, nullptr};
}

struct Scene {
  PFN_vkCmdSetRenderingAttachmentLocationsKHR locate = nullptr;
  PFN_vkCmdSetRenderingInputAttachmentIndicesKHR index = nullptr;
  Image images[3];
  VkDescriptorSet sets[2] = {};  // the first and the second image; the second and the third
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkPipeline first = VK_NULL_HANDLE, second = VK_NULL_HANDLE, sum = VK_NULL_HANDLE, back = VK_NULL_HANDLE;
};

VkPipeline create_pipeline(Session& s, const Scene& scene, const Places& places, bool reads) {
  Drawing d = shapes(s);
  d.layout = scene.layout;
  if (reads) d.stages[1] = stage(VK_SHADER_STAGE_FRAGMENT_BIT, shader(s, sum_inputs_frag_spv));
  d.formats.assign(3, VK_FORMAT_R8G8B8A8_UNORM);
  d.attachments.assign(3, {.colorWriteMask = 0xf});
  const auto locations = locations_of(places);
  const auto inputs = inputs_of(places, &locations);
  d.rendering.pNext = &inputs;
  return build(s, d);
}

void create(Session& s, Scene& scene) {
  scene.locate = load<PFN_vkCmdSetRenderingAttachmentLocationsKHR>(s, "vkCmdSetRenderingAttachmentLocationsKHR");
  scene.index = load<PFN_vkCmdSetRenderingInputAttachmentIndicesKHR>(s, "vkCmdSetRenderingInputAttachmentIndicesKHR");
  for (Image& image : scene.images) {
    image = create_image(
        s, image_info(VK_FORMAT_R8G8B8A8_UNORM, kExtent, kDrawnAndRead | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT));
    transition(s.cmd, image, VK_IMAGE_LAYOUT_UNDEFINED, kLocal);
  }
  constexpr VkDescriptorType type = VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT;
  const VkDescriptorSetLayout set_layout = create_set_layout(
      s, {{0, type, 1, VK_SHADER_STAGE_FRAGMENT_BIT, nullptr}, {1, type, 1, VK_SHADER_STAGE_FRAGMENT_BIT, nullptr}});
  scene.layout = create_layout(s, {set_layout}, {kShapeRange});
  for (std::uint32_t n = 0; n < 2; ++n) {
    scene.sets[n] = create_set(s, set_layout, {type, type});
    for (std::uint32_t i = 0; i < 2; ++i)
      write_image(s, scene.sets[n], i, scene.images[n + i].view, kLocal, VK_NULL_HANDLE, type);
  }
  scene.first = create_pipeline(s, scene, kFirst, false);
  scene.second = create_pipeline(s, scene, kSecond, false);
  scene.sum = create_pipeline(s, scene, kSum, true);
  scene.back = create_pipeline(s, scene, kBack, true);
}

void use(VkCommandBuffer cmd, const Scene& scene, VkPipeline pipeline, const Places& places) {
  const auto locations = locations_of(places);
  const auto inputs = inputs_of(places);
  vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
  scene.locate(cmd, &locations);
  scene.index(cmd, &inputs);
}

// What was drawn can be read at its own place.
void settle(VkCommandBuffer cmd) {
  const VkMemoryBarrier written{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
                                VK_ACCESS_INPUT_ATTACHMENT_READ_BIT | VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT};
  vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                       VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT | VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                       VK_DEPENDENCY_BY_REGION_BIT, 1, &written, 0, nullptr, 0, nullptr);
}

void begin(VkCommandBuffer cmd, const Scene& scene, VkAttachmentLoadOp load_op, VkRenderingFlags flags = 0) {
  std::vector<VkRenderingAttachmentInfo> colors;
  for (const Image& image : scene.images) colors.push_back(attachment(image.view, kLocal, load_op));
  VkRenderingInfo info = rendering_info(kExtent, colors);
  info.flags = flags;
  vkCmdBeginRendering(cmd, &info);
}

void bind(VkCommandBuffer cmd, const Scene& scene, std::uint32_t set) {
  vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, scene.layout, 0, 1, &scene.sets[set], 0, nullptr);
}

// The sum of the first two becomes the third, in one pass.
void draw_sum(VkCommandBuffer cmd, const Scene& scene) {
  begin(cmd, scene, VK_ATTACHMENT_LOAD_OP_CLEAR);
  set_area(cmd, kExtent);
  use(cmd, scene, scene.first, kFirst);
  draw(cmd, scene.layout, {-1, -1, 0, 1, {1, 0, 0, 1}});
  use(cmd, scene, scene.second, kSecond);
  draw(cmd, scene.layout, {-1, -1, 1, 0, {0, 1, 0, 1}});
  settle(cmd);
  use(cmd, scene, scene.sum, kSum);
  bind(cmd, scene, 0);
  draw(cmd, scene.layout, {-1, -1, 1, 1});
  vkCmdEndRendering(cmd);
  barrier(cmd);
}

// The second and the third go back to the third, in a secondary that inherits the places.
VkCommandBuffer record_secondary(Session& s, const Scene& scene) {
  const VkCommandBufferAllocateInfo wanted{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, s.commands.pool,
                                           VK_COMMAND_BUFFER_LEVEL_SECONDARY, 1};
  VkCommandBuffer cmd;
  CHECK(vkAllocateCommandBuffers(s.device, &wanted, &cmd));
  const VkFormat formats[3] = {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_UNORM};
  const auto locations = locations_of(kBack);
  const auto inputs = inputs_of(kBack, &locations);
  const VkCommandBufferInheritanceRenderingInfo rendering{
      .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO,
      .pNext = &inputs,
      .colorAttachmentCount = 3,
      .pColorAttachmentFormats = formats,
      .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
  const VkCommandBufferInheritanceInfo inherited{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
                                                 .pNext = &rendering};
  const VkCommandBufferBeginInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr,
                                      VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT, &inherited};
  CHECK(vkBeginCommandBuffer(cmd, &info));
  set_area(cmd, kExtent);
  use(cmd, scene, scene.back, kBack);
  bind(cmd, scene, 1);
  draw(cmd, scene.layout, {-1, -1, 1, 1});
  CHECK(vkEndCommandBuffer(cmd));
  return cmd;
}

}  // namespace

int main() {
  Needs needs = drawing_needs({VK_KHR_DYNAMIC_RENDERING_LOCAL_READ_EXTENSION_NAME});
  NEED(needs, DynamicRenderingLocalReadFeaturesKHR, dynamicRenderingLocalRead);
  Session s = open("local_reads", needs);
  Scene scene;
  create(s, scene);
  const MappedBuffer out = create_readback(s, 2 * kTexels * 4);
  draw_sum(s.cmd, scene);
  copy_out(s.cmd, scene.images[2], kLocal, out);
  run(s);
  const VkCommandBuffer secondary = record_secondary(s, scene);
  begin(s.cmd, scene, VK_ATTACHMENT_LOAD_OP_LOAD, VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT);
  const auto locations = locations_of(kBack);
  const auto inputs = inputs_of(kBack);
  scene.locate(s.cmd, &locations);
  scene.index(s.cmd, &inputs);
  vkCmdExecuteCommands(s.cmd, 1, &secondary);
  vkCmdEndRendering(s.cmd);
  barrier(s.cmd);
  copy_out(s.cmd, scene.images[2], kLocal, out, kTexels * 4);
  run(s);
  // Half of the first, a quarter of the second: both, one of them, none.
  EXPECT(s, (out.words[0] & 0xffff) == 0x4080);
  EXPECT(s, (out.words[15] & 0xffff) == 0x4000 && (out.words[15 * 16] & 0xffff) == 0x0080);
  EXPECT(s, out.words[kTexels - 1] == 0);
  EXPECT(s, (out.words[kTexels + 15] >> 8 & 0xff) == 0x90);
  add(s, out);
  return finish(s);
}

#else

int main() {
  return program::cannot_run("the headers that it was built with do not have VK_KHR_dynamic_rendering_local_read");
}

#endif
