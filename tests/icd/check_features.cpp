// SPDX-License-Identifier: Apache-2.0
// What samplers, images and pipelines may ask for only where the device was
// created with the feature.
#include <algorithm>

#include "tests/icd/arguments.h"
#include "tests/icd/chain.h"
#include "tests/icd/install.h"
#include "tests/icd/physical_device.h"

namespace fake {
namespace {

// Whether one may go on.
bool check_enabled(VkBool32 enabled, bool asked, const char* feature) {
  if (!asked || enabled != VK_FALSE) return true;
  // Drivers do it all the same, or leave it out.
  harmless(std::string(feature) + " is not enabled");
  return false;
}

void check_sampler(Call& call, const args_vkCreateSampler& a) {
  const VkSamplerCreateInfo& info = *a.pCreateInfo;
  const bool anisotropic = info.anisotropyEnable == VK_TRUE;
  if (!check_enabled(call.device->features.samplerAnisotropy, anisotropic, "samplerAnisotropy")) return;
  // Drivers clamp these.
  if (anisotropic && !(info.maxAnisotropy >= 1 && info.maxAnisotropy <= limits().maxSamplerAnisotropy))
    return harmless("maxAnisotropy is beyond the limits");
  if (!(info.mipLodBias >= -limits().maxSamplerLodBias && info.mipLodBias <= limits().maxSamplerLodBias))
    return harmless("mipLodBias is beyond the limits");
  if (!(info.maxLod >= info.minLod)) return harmless("maxLod is less than minLod");
  if (info.unnormalizedCoordinates == VK_TRUE &&
      (anisotropic || info.compareEnable == VK_TRUE || info.minLod != 0 || info.maxLod != 0 ||
       info.minFilter != info.magFilter || info.mipmapMode != VK_SAMPLER_MIPMAP_MODE_NEAREST))
    violation("unnormalizedCoordinates with anisotropy, comparison, levels or two filters");
}

void check_image_view(Call& call, const args_vkCreateImageView& a) {
  const auto type = a.pCreateInfo->viewType;
  check_enabled(call.device->features.imageCubeArray, type == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY, "imageCubeArray");
  const auto image = get<Image>(a.pCreateInfo->image);
  const bool cube = type == VK_IMAGE_VIEW_TYPE_CUBE || type == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY;
  const bool flat = type == VK_IMAGE_VIEW_TYPE_2D || type == VK_IMAGE_VIEW_TYPE_2D_ARRAY;
  constexpr VkImageCreateFlags kSlices =
      VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT | VK_IMAGE_CREATE_2D_VIEW_COMPATIBLE_BIT_EXT;
  const bool fits = image->image_type == VK_IMAGE_TYPE_1D
                        ? type == VK_IMAGE_VIEW_TYPE_1D || type == VK_IMAGE_VIEW_TYPE_1D_ARRAY
                    : image->image_type == VK_IMAGE_TYPE_3D
                        ? type == VK_IMAGE_VIEW_TYPE_3D || (flat && (image->flags & kSlices) != 0)
                        : flat || (cube && (image->flags & VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT) != 0);
  if (!fits) violation("viewType does not fit the image");
}

bool check_stages(const VkPhysicalDeviceFeatures& on, VkShaderStageFlags stages) {
  constexpr VkShaderStageFlags kTessellation =
      VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT | VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT;
  if (!check_enabled(on.geometryShader, (stages & VK_SHADER_STAGE_GEOMETRY_BIT) != 0, "geometryShader") ||
      !check_enabled(on.tessellationShader, (stages & kTessellation) != 0, "tessellationShader"))
    return false;
  if ((stages & kTessellation) != 0 && (stages & kTessellation) != kTessellation) {
    violation("one tessellation stage is without the other");
    return false;
  }
  return true;
}

bool check_rasterization(const VkPhysicalDeviceFeatures& on, const VkPipelineRasterizationStateCreateInfo& r) {
  const bool outlines = r.polygonMode == VK_POLYGON_MODE_LINE || r.polygonMode == VK_POLYGON_MODE_POINT;
  return check_enabled(on.depthClamp, r.depthClampEnable == VK_TRUE, "depthClamp") &&
         check_enabled(on.fillModeNonSolid, outlines, "fillModeNonSolid") &&
         check_enabled(on.depthBiasClamp, r.depthBiasEnable == VK_TRUE && r.depthBiasClamp != 0, "depthBiasClamp");
}

bool check_blending(const VkPhysicalDeviceFeatures& on, const VkPipelineColorBlendStateCreateInfo& blend) {
  if (!check_enabled(on.logicOp, blend.logicOpEnable == VK_TRUE, "logicOp")) return false;
  for (std::uint32_t i = 0; blend.pAttachments != nullptr && i < blend.attachmentCount; ++i) {
    const auto& one = blend.pAttachments[i];
    const auto dual = [](VkBlendFactor f) {
      return f >= VK_BLEND_FACTOR_SRC1_COLOR && f <= VK_BLEND_FACTOR_ONE_MINUS_SRC1_ALPHA;
    };
    const bool two = dual(one.srcColorBlendFactor) || dual(one.dstColorBlendFactor) || dual(one.srcAlphaBlendFactor) ||
                     dual(one.dstAlphaBlendFactor);
    if (!check_enabled(on.dualSrcBlend, one.blendEnable == VK_TRUE && two, "dualSrcBlend")) return false;
  }
  return true;
}

void check_graphics(Call& call, const args_vkCreateGraphicsPipelines& a) {
  const VkPhysicalDeviceFeatures& on = call.device->features;
  const Arguments copied(call.canonical, &a);  // without states that are ignored, and perhaps wild
  for (std::uint32_t i = 0; i < a.createInfoCount; ++i) {
    const VkGraphicsPipelineCreateInfo& info = copied.as<args_vkCreateGraphicsPipelines>().pCreateInfos[i];
    // Parts of pipelines leave out, and may leave wild, what is another part's.
    if (chained<VkGraphicsPipelineLibraryCreateInfoEXT>(info) != nullptr ||
        chained<VkPipelineLibraryCreateInfoKHR>(info) != nullptr)
      continue;
    VkShaderStageFlags stages = 0;
    for (std::uint32_t k = 0; k < info.stageCount; ++k)
      stages |= static_cast<VkShaderStageFlags>(info.pStages[k].stage);
    if (!check_stages(on, stages) ||
        (info.pRasterizationState != nullptr && !check_rasterization(on, *info.pRasterizationState)))
      return;
    const auto* tessellation = info.pTessellationState;
    if ((stages & VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT) != 0 &&
        (tessellation == nullptr || tessellation->patchControlPoints == 0 || tessellation->patchControlPoints > 32))
      return violation("patchControlPoints is 0 or beyond the limits");
    if (info.pColorBlendState != nullptr && !check_blending(on, *info.pColorBlendState)) return;
    const auto* multisample = info.pMultisampleState;
    if (multisample != nullptr &&
        (!check_enabled(on.sampleRateShading, multisample->sampleShadingEnable == VK_TRUE, "sampleRateShading") ||
         !check_enabled(on.alphaToOne, multisample->alphaToOneEnable == VK_TRUE, "alphaToOne")))
      return;
    const auto* viewports = info.pViewportState;
    if (viewports != nullptr &&
        !check_enabled(on.multiViewport, viewports->viewportCount > 1 || viewports->scissorCount > 1, "multiViewport"))
      return;
  }
}

}  // namespace

void install_feature_checks(Table& table) {
  table.check<check_sampler>(CommandId::vkCreateSampler);
  table.check<check_image_view>(CommandId::vkCreateImageView);
  table.check<check_graphics>(CommandId::vkCreateGraphicsPipelines);
}

}  // namespace fake
