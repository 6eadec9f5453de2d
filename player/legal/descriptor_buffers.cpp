// SPDX-License-Identifier: Apache-2.0
// Descriptors in buffers (VK_EXT_descriptor_buffer). What lies at device addresses
// nobody can follow: a driver takes it on trust.
#include <algorithm>

#include "generated/args.h"
#include "player/legal/descriptors.h"
#include "player/legal/validity.h"

namespace rondo::player::validity {

namespace {

Wrong check_view(Validity& v, const Call& c, const VkDescriptorImageInfo* image) {
  if (v.allows(c.dispatch(), Relaxation::null_descriptors)) return {};
  return image == nullptr || c.id(&image->imageView) == ObjectId::null ? "the descriptor has no view" : Wrong();
}

Wrong check_address(Validity& v, const Call& c, const VkDescriptorAddressInfoEXT* range) {
  if (v.allows(c.dispatch(), Relaxation::null_descriptors)) return {};
  return range == nullptr || range->address == 0 ? "the descriptor has no address" : Wrong();
}

Wrong get_descriptor(Validity& v, const Call& c) {
  const VkDescriptorGetInfoEXT& info = *c.as<args_vkGetDescriptorEXT>().pDescriptorInfo;
  switch (info.type) {
    case VK_DESCRIPTOR_TYPE_SAMPLER:
      return info.data.pSampler == nullptr || c.id(info.data.pSampler) == ObjectId::null
                 ? "the descriptor has no sampler"
                 : Wrong();
    case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
      if (info.data.pCombinedImageSampler == nullptr ||
          c.id(&info.data.pCombinedImageSampler->sampler) == ObjectId::null)
        return "the descriptor has no sampler";
      return check_view(v, c, info.data.pCombinedImageSampler);
    case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
      return check_view(v, c, info.data.pSampledImage);
    case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
      return check_view(v, c, info.data.pStorageImage);
    case VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT:
      return check_view(v, c, info.data.pInputAttachmentImage);
    case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
      return check_address(v, c, info.data.pUniformTexelBuffer);
    case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
      return check_address(v, c, info.data.pStorageTexelBuffer);
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
      return check_address(v, c, info.data.pUniformBuffer);
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
      return check_address(v, c, info.data.pStorageBuffer);
    case VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR:
      return {};
    default:
      return "there are no such descriptors in buffers";
  }
}

Wrong binding_offset(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkGetDescriptorSetLayoutBindingOffsetEXT>();
  const ObjectId id = c.id(&a.layout);
  const SetLayoutRef* layout = v.set_layouts.find(id);
  if (layout == nullptr) return {};
  const auto& all = (*layout)->bindings;
  return std::any_of(all.begin(), all.end(), [&](const Binding& b) { return b.binding == a.binding; })
             ? Wrong()
             : v.name(id) + " has no binding " + std::to_string(a.binding);
}

Wrong bind_buffers(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdBindDescriptorBuffersEXT>();
  if (CommandBuffer* commands = v.command_buffers.find(c.dispatch()); commands != nullptr)
    commands->descriptor_buffers = a.bufferCount;
  return {};
}

template <class Offsets>
Wrong set_offsets(Validity& v, const Call& c, const Offsets& a) {
  const ObjectId id = c.id(&a.layout);
  const PipelineLayout* layout = v.pipeline_layouts.find(id);
  if (layout != nullptr && !within(a.firstSet, a.setCount, layout->sets.size()))
    return "binds sets " + std::to_string(a.firstSet) + " to " +
           std::to_string(std::uint64_t{a.firstSet} + a.setCount) + " of " + v.name(id) + ", which has " +
           std::to_string(layout->sets.size());
  const CommandBuffer* commands = v.command_buffers.find(c.dispatch());
  for (std::uint32_t i = 0; commands != nullptr && i < a.setCount; ++i)
    if (a.pBufferIndices[i] >= commands->descriptor_buffers)
      return "set " + std::to_string(i) + " is in descriptor buffer " + std::to_string(a.pBufferIndices[i]) + ", and " +
             std::to_string(commands->descriptor_buffers) + " are bound";
  return {};
}

template <class Samplers>
Wrong embedded_samplers(Validity& v, const Call& c, const Samplers& a) {
  Wrong wrong;
  const SetLayout* layout = set_of(v, c.id(&a.layout), a.set, wrong);
  if (!wrong.empty() || layout == nullptr) return wrong;
  return (layout->flags & VK_DESCRIPTOR_SET_LAYOUT_CREATE_EMBEDDED_IMMUTABLE_SAMPLERS_BIT_EXT) != 0
             ? Wrong()
             : "set " + std::to_string(a.set) + " has no embedded samplers";
}

Wrong set_offsets_1(Validity& v, const Call& c) {
  return set_offsets(v, c, c.as<args_vkCmdSetDescriptorBufferOffsetsEXT>());
}
Wrong embedded_samplers_1(Validity& v, const Call& c) {
  return embedded_samplers(v, c, c.as<args_vkCmdBindDescriptorBufferEmbeddedSamplersEXT>());
}

#ifdef VK_KHR_maintenance6
Wrong set_offsets_2(Validity& v, const Call& c) {
  const auto& info = *c.as<args_vkCmdSetDescriptorBufferOffsets2EXT>().pSetDescriptorBufferOffsetsInfo;
  if (Wrong w = check_layout(c.id(&info.layout)); !w.empty()) return w;
  return set_offsets(v, c, info);
}
Wrong embedded_samplers_2(Validity& v, const Call& c) {
  const auto& info =
      *c.as<args_vkCmdBindDescriptorBufferEmbeddedSamplers2EXT>().pBindDescriptorBufferEmbeddedSamplersInfo;
  if (Wrong w = check_layout(c.id(&info.layout)); !w.empty()) return w;
  return embedded_samplers(v, c, info);
}
#endif

}  // namespace

void add_descriptor_buffer_checks(std::vector<Handler>& table) {
  const auto add = [&](CommandId id, Handler handler) { table[static_cast<std::size_t>(id)] = handler; };
  add(CommandId::vkGetDescriptorEXT, get_descriptor);
  add(CommandId::vkGetDescriptorSetLayoutBindingOffsetEXT, binding_offset);
  add(CommandId::vkCmdBindDescriptorBuffersEXT, bind_buffers);
  add(CommandId::vkCmdSetDescriptorBufferOffsetsEXT, set_offsets_1);
  add(CommandId::vkCmdBindDescriptorBufferEmbeddedSamplersEXT, embedded_samplers_1);
#ifdef VK_KHR_maintenance6
  add(CommandId::vkCmdSetDescriptorBufferOffsets2EXT, set_offsets_2);
  add(CommandId::vkCmdBindDescriptorBufferEmbeddedSamplers2EXT, embedded_samplers_2);
#endif
}

}  // namespace rondo::player::validity
