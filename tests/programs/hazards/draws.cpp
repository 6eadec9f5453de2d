// SPDX-License-Identifier: Apache-2.0
// A dispatch writes what a draw reads. The draw's attachment is its own.
#include "ones.comp.h"
#include "paint.comp.h"
#include "plants.h"
#include "texel.frag.h"
#include "uniform.frag.h"

namespace hazards {

namespace {

void to_vertices(Bench& b) {
  const MappedBuffer x = make_buffer(b);
  dispatch(b, "A", kernel(b, ones_comp_spv, {x}));
  if (b.clean) barrier(b, "barrier1", kComputeWrites, kVertexReads);
  draw_vertices(b, "B", x);
}

// A fill overwrites the vertices that a draw may still read.
void vertices_to_fill(Bench& b) {
  const MappedBuffer x = make_buffer(b);
  draw_vertices(b, "A", x);
  if (b.clean) barrier(b, "barrier1", stages_of(kVertexReads), stages_of(kClearWrites));
  labelled(b, "B", [&] { vkCmdFillBuffer(b.cmd, x.buffer, 0, kBytes, 3); });
}

void to_indices(Bench& b) {
  const MappedBuffer x = make_buffer(b);
  const Target target = make_target(b);
  const Graphics g = make_graphics(b, target.pass);
  dispatch(b, "A", kernel(b, ones_comp_spv, {x}));
  if (b.clean) barrier(b, "barrier1", kComputeWrites, kIndexReads);
  begin_pass(b, nullptr, target.pass, target.framebuffer);
  bind(b, g);
  vkCmdBindIndexBuffer(b.cmd, x.buffer, 0, VK_INDEX_TYPE_UINT32);
  labelled(b, "B", [&] { vkCmdDrawIndexed(b.cmd, 4, 1, 0, 0, 0); });
  end_pass(b, nullptr);
}

// Draws with this fragment shader, which reads one descriptor.
template <std::size_t N>
Graphics reading(Bench& b, const Target& target, const std::uint32_t (&code)[N], VkDescriptorType type) {
  const VkDescriptorSetLayout layout = create_set_layout(b, {{0, type, 1, VK_SHADER_STAGE_FRAGMENT_BIT, nullptr}});
  Drawing d = shapes(b, {layout});
  d.pass = target.pass;
  d.stages[1] = stage(VK_SHADER_STAGE_FRAGMENT_BIT, shader(b, code));
  return {d.layout, build(b, d), create_set(b, layout, {type})};
}

void draw_in_pass(Bench& b, const Target& target, const Graphics& g) {
  begin_pass(b, nullptr, target.pass, target.framebuffer);
  bind(b, g);
  draw(b, "B");
  end_pass(b, nullptr);
}

void to_uniform(Bench& b) {
  const MappedBuffer x = make_buffer(b);
  const Target target = make_target(b);
  const Graphics g = reading(b, target, uniform_frag_spv, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER);
  write_buffer(b, g.set, 0, x, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER);
  dispatch(b, "A", kernel(b, ones_comp_spv, {x}));
  if (b.clean) barrier(b, "barrier1", kComputeWrites, kFragmentReadsUniform);
  draw_in_pass(b, target, g);
}

VkSampler make_sampler(Bench& b) {
  const VkSamplerCreateInfo info{.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
  VkSampler made;
  CHECK(vkCreateSampler(b.device, &info, nullptr, &made));
  return keep(b, vkDestroySampler, made);
}

// A draw that samples an image in the layout GENERAL.
Graphics sampling(Bench& b, const Target& target, const Image& from) {
  constexpr VkDescriptorType type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
  const Graphics g = reading(b, target, texel_frag_spv, type);
  write_image(b, g.set, 0, from.view, VK_IMAGE_LAYOUT_GENERAL, make_sampler(b), type);
  return g;
}

// Writes every texel of an image.
Kernel painting(Bench& b, const Image& image) {
  constexpr VkDescriptorType type = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
  Kernel k;
  k.set_layout = create_set_layout(b, {{0, type, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr}});
  k.layout = create_layout(b, {k.set_layout});
  k.pipeline = create_compute(b, k.layout, shader(b, paint_comp_spv));
  k.set = create_set(b, k.set_layout, {type});
  write_image(b, k.set, 0, image.view, VK_IMAGE_LAYOUT_GENERAL, VK_NULL_HANDLE, type);
  return k;
}

void to_sampled(Bench& b) {
  const Image image = make_image(b, VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_SAMPLED_BIT);
  const Target target = make_target(b);
  const Graphics g = sampling(b, target, image);
  barrier(b, "start",
          {{.from = kNoSource,
            .to = kComputeWrites,
            .image = image.image,
            .range = image.range,
            .after = VK_IMAGE_LAYOUT_GENERAL}});
  program::bind(b.cmd, painting(b, image));
  labelled(b, "A", [&] { vkCmdDispatch(b.cmd, 1, 1, 1); });
  if (b.clean) barrier(b, "barrier1", kComputeWrites, kFragmentSamples);
  draw_in_pass(b, target, g);
}

// A pass writes depth, and `between` comes before a draw of another pass that samples it.
template <class Between>
void depth_to_sampled(Bench& b, const Between& between) {
  const VkImageCreateInfo info = image_info(VK_FORMAT_D16_UNORM, kExtent,
                                            VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT);
  const Image depth = create_image(b, info, VK_IMAGE_VIEW_TYPE_2D, VK_IMAGE_ASPECT_DEPTH_BIT);
  const VkRenderPass pass = make_pass(b, cleared(info.format, VK_IMAGE_LAYOUT_GENERAL), VK_IMAGE_LAYOUT_GENERAL);
  const VkFramebuffer framebuffer = make_framebuffer(b, pass, {depth.view});
  Drawing d = shapes(b);
  d.pass = pass;
  d.attachments.clear();
  d.stages.pop_back();  // only the rasterizer writes
  d.depth.depthTestEnable = d.depth.depthWriteEnable = VK_TRUE;
  d.depth.depthCompareOp = VK_COMPARE_OP_ALWAYS;
  const Graphics writes{d.layout, build(b, d)};
  const Target target = make_target(b);
  const Graphics samples = sampling(b, target, depth);
  begin_pass(b, "A", pass, framebuffer);
  bind(b, writes);
  draw(b, "A");
  end_pass(b, "A");
  between();
  draw_in_pass(b, target, samples);
}

void depth_sampled(Bench& b) {
  depth_to_sampled(b, [&] {
    if (b.clean) barrier(b, "barrier1", kDepthWrites, kFragmentSamples);
  });
}

// Depth is written by fragment tests, not by the stage that writes colours.
void depth_wrong_source(Bench& b) {
  depth_to_sampled(b, [&] { barrier(b, "barrier1", b.clean ? kDepthWrites : kColorWrites, kFragmentSamples); });
}

}  // namespace

std::vector<Plant> draw_plants() {
  const std::vector<const char*> read{"race RAW A B"};
  return {{"dispatch-to-vertices", Form::first, read, to_vertices},
          {"vertices-to-fill", Form::first, {"race WAR A B"}, vertices_to_fill},
          {"dispatch-to-indices", Form::second, read, to_indices},
          {"dispatch-to-uniform", Form::first, read, to_uniform},
          {"dispatch-to-sampled", Form::second, read, to_sampled},
          {"depth-to-sampled", Form::second, read, depth_sampled},
          {"depth-wrong-source", Form::first, {"race RAW A B", "ineffective barrier1"}, depth_wrong_source}};
}

}  // namespace hazards
