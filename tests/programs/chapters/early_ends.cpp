// SPDX-License-Identifier: Apache-2.0
// Chapter "Fundamentals", object lifetime: everything that may go before what was
// made of it does. Modules, layouts and caches end before their pipelines work,
// images and buffers before their views, memory before its buffers, pools with
// their sets, and sets live on that name what is gone and is not used.
#include "chapter.h"
#include "gone.comp.h"
#include "words.h"

using namespace program;

namespace {

constexpr VkDescriptorType kWords = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                           kTexels = VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;

VkDescriptorSetLayout create_short_lived(Session& s) {
  const VkDescriptorSetLayoutBinding bindings[4] = {{0, kWords, 1, kCompute, nullptr},
                                                    {1, kWords, 2, kCompute, nullptr},
                                                    {2, kTexels, 1, kCompute, nullptr},
                                                    {3, kWords, 1, kCompute, nullptr}};
  const VkDescriptorSetLayoutCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, nullptr, 0, 4,
                                             bindings};
  VkDescriptorSetLayout layout;
  CHECK(vkCreateDescriptorSetLayout(s.device, &info, nullptr, &layout));
  return layout;
}

VkPipelineLayout create_short_lived(Session& s, VkDescriptorSetLayout set) {
  const VkPushConstantRange range{kCompute, 0, 4};
  const VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, nullptr, 0, 1, &set, 1, &range};
  VkPipelineLayout layout;
  CHECK(vkCreatePipelineLayout(s.device, &info, nullptr, &layout));
  return layout;
}

struct Parts {
  VkPipeline pipeline = VK_NULL_HANDLE;
  VkDescriptorPool pool = VK_NULL_HANDLE;
  VkDescriptorSet set = VK_NULL_HANDLE;
};

// Nothing of what it was made of is left but the pool.
Parts create(Session& s, const MappedBuffer& in, const MappedBuffer& out) {
  Parts p;
  const VkDescriptorSetLayout set_layout = create_short_lived(s);
  const VkPipelineLayout layout = create_short_lived(s, set_layout);
  const VkPipelineCacheCreateInfo cache_info{VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
  VkPipelineCache cache;
  CHECK(vkCreatePipelineCache(s.device, &cache_info, nullptr, &cache));
  const VkShaderModule module = create_shader(s, gone_comp_spv, sizeof gone_comp_spv);
  const VkComputePipelineCreateInfo info{.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                         .stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, nullptr, 0,
                                                   VK_SHADER_STAGE_COMPUTE_BIT, module, "main", nullptr},
                                         .layout = layout};
  CHECK(vkCreateComputePipelines(s.device, cache, 1, &info, nullptr, &p.pipeline));
  vkDestroyShaderModule(s.device, module, nullptr);
  vkDestroyPipelineCache(s.device, cache, nullptr);
  const VkDescriptorPoolSize sizes[2] = {{kWords, 4}, {kTexels, 1}};
  const VkDescriptorPoolCreateInfo pool_info{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, nullptr, 0, 1, 2, sizes};
  CHECK(vkCreateDescriptorPool(s.device, &pool_info, nullptr, &p.pool));
  p.set = allocate_set(s, p.pool, set_layout);
  write_buffer(s, p.set, 0, in);
  write_buffer(s, p.set, 3, out);

  // What the shader does not use, and has gone before it runs.
  MappedBuffer other = create_mapped_buffer(s, 256, kStorage | VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT);
  const VkBufferViewCreateInfo view_info{
      VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO, nullptr, 0, other.buffer, VK_FORMAT_R32_UINT, 0, 256};
  VkBufferView view;
  CHECK(vkCreateBufferView(s.device, &view_info, nullptr, &view));
  write_buffer(s, p.set, 1, other);  // the second of this binding is never written
  const VkWriteDescriptorSet texels{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                    .dstSet = p.set,
                                    .dstBinding = 2,
                                    .descriptorCount = 1,
                                    .descriptorType = kTexels,
                                    .pTexelBufferView = &view};
  vkUpdateDescriptorSets(s.device, 1, &texels, 0, nullptr);
  destroy(s, other);  // before its view
  vkDestroyBufferView(s.device, view, nullptr);
  vkDestroyPipelineLayout(s.device, layout, nullptr);
  vkDestroyDescriptorSetLayout(s.device, set_layout, nullptr);
  return p;
}

void use(Session& s, const Parts& p, const MappedBuffer& out, std::uint32_t step) {
  // Layouts made anew, the same: they are compatible.
  const VkDescriptorSetLayout set_layout = create_short_lived(s);
  const VkPipelineLayout layout = create_short_lived(s, set_layout);
  vkDestroyDescriptorSetLayout(s.device, set_layout, nullptr);
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, p.pipeline);
  vkCmdBindDescriptorSets(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &p.set, 0, nullptr);
  vkCmdPushConstants(s.cmd, layout, kCompute, 0, 4, &step);
  vkCmdDispatch(s.cmd, 1, 1, 1);
  run(s);
  vkDestroyPipelineLayout(s.device, layout, nullptr);
  EXPECT(s, out.words[step] == mix(2, step) + 1);
}

// An image whose memory goes before it, which goes before its view.
void backwards(Session& s, Pictures& p) {
  const VkImage image = create_unbound_image(
      s, image_info(VK_FORMAT_R8G8B8A8_UNORM, 4,
                    VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT));
  const VkDeviceMemory memory = bind_to_memory_of_its_own(s, image);
  const Context& c = s;
  const VkImageView view = create_view(c, image, VK_IMAGE_VIEW_TYPE_2D, VK_FORMAT_R8G8B8A8_UNORM, kColor);
  change_layout(s.cmd, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
  const VkClearColorValue half{.float32 = {0, 1, 0, 1}};
  vkCmdClearColorImage(s.cmd, image, VK_IMAGE_LAYOUT_GENERAL, &half, 1, &kColor);
  barrier(s.cmd);
  const VkBufferImageCopy all{
      .bufferOffset = p.used, .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, .imageExtent = {4, 4, 1}};
  vkCmdCopyImageToBuffer(s.cmd, image, VK_IMAGE_LAYOUT_GENERAL, p.out.buffer, 1, &all);
  p.used += 64;
  run(s);
  vkFreeMemory(s.device, memory, nullptr);
  vkDestroyImage(s.device, image, nullptr);
  vkDestroyImageView(s.device, view, nullptr);
}

}  // namespace

int main() {
  Needs needs;
  Session s = open("early_ends", needs);
  const MappedBuffer in = buffer(s, 256, kStorage), out = buffer(s, 256, kStorage);
  fill(in, 2);
  Pictures pictures = create_pictures(s, 1024);
  for (std::uint32_t round = 0; round < 3; ++round) {
    const Parts p = create(s, in, out);
    use(s, p, out, round * 2);
    use(s, p, out, round * 2 + 1);
    backwards(s, pictures);
    vkDestroyDescriptorPool(s.device, p.pool, nullptr);
    vkDestroyPipeline(s.device, p.pipeline, nullptr);
  }
  EXPECT(s, pictures.out.words[16] == 0xff00ff00);
  add(s, out);
  add(s, pictures.out);
  return finish(s);
}
