// SPDX-License-Identifier: Apache-2.0
// Images of four samples and two layers, in many formats: a first submit gives each sample values of its own,
// a second one draws over a part of them and reads all samples.
//   samples [--formats MASK]   bit 0: the first of kFormats; those that the device has not are left out
#include "kernel.h"
#include "picture.h"
#include "samples_float.comp.h"
#include "samples_sint.comp.h"
#include "samples_uint.comp.h"
#include "shape_sint.frag.h"
#include "shape_uint.frag.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 20, kLayers = 2, kSamples = 4;
constexpr VkFormat kFormats[] = {VK_FORMAT_R8G8B8A8_UNORM,
                                 VK_FORMAT_R8G8B8A8_SRGB,
                                 VK_FORMAT_R16G16B16A16_SFLOAT,
                                 VK_FORMAT_R32_UINT,
                                 VK_FORMAT_R32_SINT,
                                 VK_FORMAT_B10G11R11_UFLOAT_PACK32,
                                 VK_FORMAT_R8_UNORM,
                                 VK_FORMAT_R16_SFLOAT,
                                 VK_FORMAT_R32G32B32A32_SFLOAT,
                                 VK_FORMAT_A2B10G10R10_UNORM_PACK32,
                                 VK_FORMAT_D32_SFLOAT,
                                 VK_FORMAT_D16_UNORM,
                                 VK_FORMAT_D24_UNORM_S8_UINT,
                                 VK_FORMAT_D32_SFLOAT_S8_UINT,
                                 VK_FORMAT_S8_UINT};

enum class Numbers { real, natural, whole };
Numbers numbers_of(VkFormat format) {
  if (format == VK_FORMAT_R32_UINT) return Numbers::natural;
  return format == VK_FORMAT_R32_SINT ? Numbers::whole : Numbers::real;
}
bool is_float(VkFormat format) {
  return format == VK_FORMAT_R16G16B16A16_SFLOAT || format == VK_FORMAT_B10G11R11_UFLOAT_PACK32 ||
         format == VK_FORMAT_R16_SFLOAT || format == VK_FORMAT_R32G32B32A32_SFLOAT;
}
bool has_depth(VkFormat format) {
  return format >= VK_FORMAT_D16_UNORM && format != VK_FORMAT_S8_UINT && format <= VK_FORMAT_D32_SFLOAT_S8_UINT;
}
bool has_stencil(VkFormat format) { return format >= VK_FORMAT_S8_UINT && format <= VK_FORMAT_D32_SFLOAT_S8_UINT; }
bool is_color(VkFormat format) { return !has_depth(format) && !has_stencil(format); }
VkImageAspectFlags aspects_of(VkFormat format) {
  if (is_color(format)) return VK_IMAGE_ASPECT_COLOR_BIT;
  return (has_depth(format) ? VkImageAspectFlags{VK_IMAGE_ASPECT_DEPTH_BIT} : 0) |
         (has_stencil(format) ? VkImageAspectFlags{VK_IMAGE_ASPECT_STENCIL_BIT} : 0);
}
VkImageUsageFlags usage_of(VkFormat format) {
  return VK_IMAGE_USAGE_SAMPLED_BIT |
         (is_color(format) ? VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT : VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT);
}
VkImageLayout layout_of(VkFormat format) {
  return is_color(format) ? VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL : VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL;
}

struct Picture {
  VkFormat format;
  Image image;
  VkImageView layers[kLayers];
  VkPipeline pipelines[kSamples];  // that leave one sample
};

VkPipeline build_for(Session& s, VkFormat format, Drawing d, VkShaderModule fragment, std::uint32_t sample) {
  const VkSampleMask mask = 1u << sample;
  d.multisample.rasterizationSamples = VK_SAMPLE_COUNT_4_BIT;
  d.multisample.pSampleMask = &mask;
  if (is_color(format)) {
    d.stages[1] = stage(VK_SHADER_STAGE_FRAGMENT_BIT, fragment);
    d.formats = {format};
    return build(s, d);
  }
  d.formats.clear();
  d.attachments.clear();
  d.rendering.depthAttachmentFormat = has_depth(format) ? format : VK_FORMAT_UNDEFINED;
  d.rendering.stencilAttachmentFormat = has_stencil(format) ? format : VK_FORMAT_UNDEFINED;
  d.depth.depthTestEnable = d.depth.depthWriteEnable = has_depth(format) ? VK_TRUE : VK_FALSE;
  d.depth.depthCompareOp = VK_COMPARE_OP_ALWAYS;
  d.depth.stencilTestEnable = has_stencil(format) ? VK_TRUE : VK_FALSE;
  d.depth.front = {
      VK_STENCIL_OP_REPLACE, VK_STENCIL_OP_REPLACE, VK_STENCIL_OP_REPLACE, VK_COMPARE_OP_ALWAYS, 0xff, 0xff, 0};
  d.depth.back = d.depth.front;
  d.dynamic.push_back(VK_DYNAMIC_STATE_STENCIL_REFERENCE);
  return build(s, d);
}

void begin_layer(Session& s, const Picture& p, std::uint32_t layer, VkAttachmentLoadOp load) {
  const VkRenderingAttachmentInfo target = attachment(p.layers[layer], layout_of(p.format), load);
  VkRenderingInfo info{
      .sType = VK_STRUCTURE_TYPE_RENDERING_INFO, .renderArea = {{0, 0}, {kExtent, kExtent}}, .layerCount = 1};
  if (is_color(p.format)) {
    info.colorAttachmentCount = 1;
    info.pColorAttachments = &target;
  }
  if (has_depth(p.format)) info.pDepthAttachment = &target;
  if (has_stencil(p.format)) info.pStencilAttachment = &target;
  vkCmdBeginRendering(s.cmd, &info);
}

// A rectangle of one sample, of a color, depth and stencil that its neighbours have not, and that drivers do
// not round each in its own way.
void draw_sample(Session& s, const Picture& p, VkPipelineLayout layout, std::uint32_t sample, Shape shape,
                 std::uint32_t number) {
  const float whole = is_float(p.format) ? 16 : 15;
  const auto at = [&](std::uint32_t i) { return static_cast<float>((number * 37 + i * 59) % 15 + 1) / whole; };
  for (std::uint32_t i = 0; i < 4; ++i) shape.color[i] = at(i);
  shape.depth = at(4);
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.pipelines[sample]);
  if (!is_color(p.format)) vkCmdSetStencilReference(s.cmd, VK_STENCIL_FACE_FRONT_AND_BACK, (number * 53 + 7) & 0xff);
  draw(s.cmd, layout, shape);
}

// Every sample of every layer of one aspect, into the buffer.
void read_samples(Session& s, const Picture& p, VkImageAspectFlags aspect, const MappedBuffer& out) {
  const Numbers numbers = aspect == VK_IMAGE_ASPECT_STENCIL_BIT ? Numbers::natural : numbers_of(p.format);
  VkShaderModule module = VK_NULL_HANDLE;
  if (numbers == Numbers::real) module = shader(s, samples_float_comp_spv);
  if (numbers == Numbers::natural) module = shader(s, samples_uint_comp_spv);
  if (numbers == Numbers::whole) module = shader(s, samples_sint_comp_spv);
  constexpr VkDescriptorType sampled = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, storage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  const VkDescriptorSetLayout set_layout = create_set_layout(
      s,
      {{0, sampled, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr}, {1, storage, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr}});
  const VkDescriptorSet set = create_set(s, set_layout, {sampled, storage});
  const VkImageView view =
      create_view(s, p.image.image, VK_IMAGE_VIEW_TYPE_2D_ARRAY, p.format, {aspect, 0, 1, 0, kLayers});
  write_image(s, set, 0, view, VK_IMAGE_LAYOUT_GENERAL, VK_NULL_HANDLE, sampled);
  write_buffer(s, set, 1, out);
  const VkPipelineLayout layout = create_layout(s, {set_layout});
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, create_compute(s, layout, module));
  vkCmdBindDescriptorSets(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
  vkCmdDispatch(s.cmd, (kExtent + 7) / 8, (kExtent + 7) / 8, kLayers * kSamples);
}

bool is_there(Session& s, VkFormat format) {
  VkImageFormatProperties has;
  return vkGetPhysicalDeviceImageFormatProperties(s.physical, format, VK_IMAGE_TYPE_2D, VK_IMAGE_TILING_OPTIMAL,
                                                  usage_of(format), 0, &has) == VK_SUCCESS &&
         (has.sampleCounts & kSamples) != 0 && has.maxArrayLayers >= kLayers;
}

}  // namespace

int main(int argc, char** argv) {
  const auto mask = static_cast<std::uint32_t>(option(argc, argv, "--formats", 0xffff));
  VkPhysicalDeviceDynamicRenderingFeatures rendering{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES,
                                                     nullptr, VK_TRUE};
  Wanted wanted;
  wanted.features = &rendering;
  Session s = open("samples", wanted);
  Drawing d = shapes(s);
  const VkShaderModule fragments[3] = {d.stages[1].module, shader(s, shape_uint_frag_spv),
                                       shader(s, shape_sint_frag_spv)};
  std::vector<Picture> pictures;
  for (std::uint32_t i = 0; i < std::size(kFormats); ++i) {
    const VkFormat format = kFormats[i];
    if ((mask >> i & 1) == 0 || !is_there(s, format)) continue;
    VkImageCreateInfo info = image_info(format, kExtent, usage_of(format));
    info.samples = VK_SAMPLE_COUNT_4_BIT;
    info.arrayLayers = kLayers;
    Picture p{format, create_image(s, info, VK_IMAGE_VIEW_TYPE_2D_ARRAY, aspects_of(format)), {}, {}};
    for (std::uint32_t layer = 0; layer < kLayers; ++layer)
      p.layers[layer] =
          create_view(s, p.image.image, VK_IMAGE_VIEW_TYPE_2D, format, {aspects_of(format), 0, 1, layer, 1});
    for (std::uint32_t k = 0; k < kSamples; ++k)
      p.pipelines[k] = build_for(s, format, d, fragments[static_cast<int>(numbers_of(format))], k);
    transition(s.cmd, p.image, VK_IMAGE_LAYOUT_UNDEFINED, layout_of(format));
    pictures.push_back(p);
  }

  set_area(s.cmd, kExtent);
  std::uint32_t number = 0;
  for (const Picture& p : pictures)
    for (std::uint32_t layer = 0; layer < kLayers; ++layer) {
      begin_layer(s, p, layer, VK_ATTACHMENT_LOAD_OP_CLEAR);
      for (std::uint32_t k = 0; k < kSamples; ++k) {
        draw_sample(s, p, d.layout, k, {-1, -1, 0.3f, 1, {}, 0}, number++);
        draw_sample(s, p, d.layout, k, {0.3f, -1, 1, 1, {}, 0}, number++);
      }
      vkCmdEndRendering(s.cmd);
    }
  run(s);

  std::vector<MappedBuffer> outs;
  set_area(s.cmd, kExtent);
  for (const Picture& p : pictures) {
    begin_layer(s, p, 1, VK_ATTACHMENT_LOAD_OP_LOAD);
    draw_sample(s, p, d.layout, 2, {-0.5f, -0.5f, 0.5f, 0.5f, {}, 0}, number++);
    vkCmdEndRendering(s.cmd);
    transition(s.cmd, p.image, layout_of(p.format), VK_IMAGE_LAYOUT_GENERAL);
    for (const VkImageAspectFlags aspect :
         {VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_ASPECT_DEPTH_BIT, VK_IMAGE_ASPECT_STENCIL_BIT}) {
      if ((aspects_of(p.format) & aspect) == 0) continue;
      outs.push_back(buffer(s, kExtent * kExtent * kLayers * kSamples * 16, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT));
      read_samples(s, p, aspect, outs.back());
    }
  }
  run(s);
  for (const MappedBuffer& out : outs) {
    // Samples differ, and so do layers.
    constexpr std::uint32_t sample = kExtent * kExtent * 4;
    EXPECT(s, out.words[0] != out.words[sample]);
    EXPECT(s, out.words[0] != out.words[kSamples * sample]);
    add(s, out);
  }
  std::printf("samples: %zu formats\n", pictures.size());
  return finish(s);
}
