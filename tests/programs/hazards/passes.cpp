// SPDX-License-Identifier: Apache-2.0
// Render passes: what comes after one, before one, and between the subpasses of one.
#include "invert.frag.h"
#include "plants.h"

namespace hazards {

namespace {

constexpr VkImageLayout kGeneral = VK_IMAGE_LAYOUT_GENERAL, kDrawn = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                        kCopied = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
constexpr VkImageUsageFlags kDrawnAndCopied = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;

VkSubpassDependency depends(std::uint32_t first, std::uint32_t second, const Scope& from, const Scope& to,
                            VkDependencyFlags flags = 0) {
  return {first, second, from.stages, to.stages, from.access, to.access, flags};
}

// A pass with one draw, all in labels of one name.
void draw_pass(Bench& b, const char* label, VkRenderPass pass, VkFramebuffer framebuffer, const Graphics& g) {
  begin_pass(b, label, pass, framebuffer);
  bind(b, g);
  draw(b, label);
  end_pass(b, label);
}

void copy_image(Bench& b, const char* label, const Image& from, VkImageLayout layout) {
  const MappedBuffer to = make_buffer(b);
  const VkBufferImageCopy all{.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                              .imageExtent = {kExtent, kExtent, 1}};
  labelled(b, label, [&] { vkCmdCopyImageToBuffer(b.cmd, from.image, layout, to.buffer, 1, &all); });
}

// A pass without dependencies of its own, and a copy of what it drew.
void draw_to_copy(Bench& b) {
  const Image image = make_image(b, kDrawnAndCopied);
  const VkRenderPass pass = make_pass(b, cleared(image.info.format, kGeneral), kGeneral);
  draw_pass(b, "A", pass, make_framebuffer(b, pass, {image.view}), make_graphics(b, pass));
  if (b.clean) barrier(b, "barrier1", kColorWrites, kCopyReads);
  copy_image(b, "B", image, kGeneral);
}

// The same by dynamic rendering.
void rendering_to_copy(Bench& b) {
  const Image image = make_image(b, kDrawnAndCopied);
  Drawing d = shapes(b);
  const Graphics g{d.layout, build(b, d)};
  barrier(b, "start",
          {{.from = kNoSource, .to = kColorWrites, .image = image.image, .range = image.range, .after = kGeneral}});
  labelled(b, "A", [&] { begin_rendering(b.cmd, image); });
  set_area(b.cmd, kExtent);
  bind(b, g);
  draw(b, "A");
  labelled(b, "A", [&] { vkCmdEndRendering(b.cmd); });
  if (b.clean) barrier(b, "barrier1", kColorWrites, kCopyReads);
  copy_image(b, "B", image, kGeneral);
}

// The second pass loads what the first one stored, and draws on it.
void pass_to_pass(Bench& b) {
  const Image image = make_image(b, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
  VkAttachmentDescription attachment = cleared(image.info.format, kDrawn);
  const VkRenderPass first = make_pass(b, attachment, kDrawn);
  attachment.loadOp = VK_ATTACHMENT_LOAD_OP_LOAD;
  attachment.initialLayout = kDrawn;
  const VkRenderPass second = make_pass(b, attachment, kDrawn);
  const Graphics g = make_graphics(b, first);
  const VkFramebuffer framebuffer = make_framebuffer(b, first, {image.view});
  draw_pass(b, "A", first, framebuffer, g);
  if (b.clean) barrier(b, "barrier1", kColorWrites, kColorReads | kColorWrites);
  draw_pass(b, "B", second, framebuffer, g);
}

// A pass that ends with a change of layout, and a copy. `dependencies`: from the pass to the copy.
void pass_then_copy(Bench& b, const std::vector<VkSubpassDependency>& dependencies) {
  const Image image = make_image(b, kDrawnAndCopied);
  const VkRenderPass pass = make_pass(b, cleared(image.info.format, kCopied), kDrawn, dependencies);
  draw_pass(b, "A", pass, make_framebuffer(b, pass, {image.view}), make_graphics(b, pass));
  copy_image(b, "B", image, kCopied);
}

const VkSubpassDependency kRight = depends(0, VK_SUBPASS_EXTERNAL, kColorWrites, kCopyReads);

// The implicit dependency to what comes after a pass makes nothing visible.
void implicit_after(Bench& b) { pass_then_copy(b, b.clean ? std::vector{kRight} : std::vector<VkSubpassDependency>{}); }

void external_wrong_stage(Bench& b) {
  pass_then_copy(b, {b.clean ? kRight : depends(0, VK_SUBPASS_EXTERNAL, kColorWrites, kFragmentSamples)});
}

// The implicit dependency from what comes before a pass waits for nothing.
void implicit_before(Bench& b) {
  constexpr VkImageLayout filled = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
  const Image image = make_image(b, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT);
  VkAttachmentDescription attachment = cleared(image.info.format, kDrawn);
  attachment.initialLayout = filled;
  std::vector<VkSubpassDependency> dependencies;
  if (b.clean) dependencies.push_back(depends(VK_SUBPASS_EXTERNAL, 0, kClearWrites, kColorWrites));
  const VkRenderPass pass = make_pass(b, attachment, kDrawn, dependencies);
  const VkClearColorValue black{};
  barrier(b, "start",
          {{.from = kNoSource, .to = kClearWrites, .image = image.image, .range = image.range, .after = filled}});
  labelled(b, "A", [&] { vkCmdClearColorImage(b.cmd, image.image, filled, &black, 1, &image.range); });
  draw_pass(b, "B", pass, make_framebuffer(b, pass, {image.view}), make_graphics(b, pass));
}

// Two subpasses: the second reads what the first drew as an input attachment.
VkRenderPass make_two_subpasses(Bench& b, const std::vector<VkSubpassDependency>& dependencies) {
  VkAttachmentDescription attachments[2] = {cleared(VK_FORMAT_R8G8B8A8_UNORM, kGeneral),
                                            cleared(VK_FORMAT_R8G8B8A8_UNORM, kDrawn)};
  attachments[0].storeOp = VK_ATTACHMENT_STORE_OP_DONT_CARE;
  const VkAttachmentReference drawn{0, kGeneral}, result{1, kDrawn};
  const VkSubpassDescription subpasses[2] = {{.colorAttachmentCount = 1, .pColorAttachments = &drawn},
                                             {.inputAttachmentCount = 1,
                                              .pInputAttachments = &drawn,
                                              .colorAttachmentCount = 1,
                                              .pColorAttachments = &result}};
  const VkRenderPassCreateInfo info{VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                    nullptr,
                                    0,
                                    2,
                                    attachments,
                                    2,
                                    subpasses,
                                    static_cast<std::uint32_t>(dependencies.size()),
                                    dependencies.data()};
  VkRenderPass pass;
  CHECK(vkCreateRenderPass(b.device, &info, nullptr, &pass));
  return keep(b, vkDestroyRenderPass, pass);
}

void two_subpasses(Bench& b, const std::vector<VkSubpassDependency>& dependencies) {
  constexpr VkDescriptorType type = VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT;
  const Image drawn = make_image(b, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT);
  const Image result = make_image(b, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
  const VkDescriptorSetLayout layout = create_set_layout(b, {{0, type, 1, VK_SHADER_STAGE_FRAGMENT_BIT, nullptr}});
  Drawing d = shapes(b, {layout});
  d.pass = make_two_subpasses(b, dependencies);
  const Graphics draws{d.layout, build(b, d)};
  d.stages[1] = stage(VK_SHADER_STAGE_FRAGMENT_BIT, shader(b, invert_frag_spv));
  d.subpass = 1;
  const Graphics inverts{d.layout, build(b, d), create_set(b, layout, {type})};
  write_image(b, inverts.set, 0, drawn.view, kGeneral, VK_NULL_HANDLE, type);
  begin_pass(b, "A", d.pass, make_framebuffer(b, d.pass, {drawn.view, result.view}));
  bind(b, draws);
  draw(b, "A");
  vkCmdNextSubpass(b.cmd, VK_SUBPASS_CONTENTS_INLINE);
  bind(b, inverts);
  draw(b, "B");
  end_pass(b, "end");
}

constexpr Scope kInputReads{VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT, VK_ACCESS_INPUT_ATTACHMENT_READ_BIT,
                            VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT, VK_ACCESS_2_INPUT_ATTACHMENT_READ_BIT};

// The end of the pass may write the first attachment, too: "don't care" is a write, in the last subpass that uses it.
const VkSubpassDependency kRead = depends(0, 1, kColorWrites, kInputReads | kColorWrites, VK_DEPENDENCY_BY_REGION_BIT);

void subpass_missing(Bench& b) { two_subpasses(b, b.clean ? std::vector{kRead} : std::vector<VkSubpassDependency>{}); }

void subpass_wrong_access(Bench& b) {
  two_subpasses(
      b, {b.clean ? kRead : depends(0, 1, kColorWrites, kFragmentSamples | kColorWrites, VK_DEPENDENCY_BY_REGION_BIT)});
}

}  // namespace

std::vector<Plant> pass_plants() {
  const std::vector<const char*> read{"race RAW A B"};
  return {{"draw-to-copy", Form::first, read, draw_to_copy},
          {"rendering-to-copy", Form::second, read, rendering_to_copy},
          {"pass-to-pass", Form::first, {"race RAW WAW A B"}, pass_to_pass},
          {"implicit-after", Form::first, read, implicit_after},
          {"external-wrong-stage", Form::first, read, external_wrong_stage},
          {"implicit-before", Form::second, {"race WAW A B"}, implicit_before},
          {"subpass-missing", Form::first, {"race RAW A B", "allow race WAW A end"}, subpass_missing},
          {"subpass-wrong-access", Form::first, read, subpass_wrong_access}};
}

}  // namespace hazards
