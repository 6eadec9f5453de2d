// SPDX-License-Identifier: Apache-2.0
// One shader module, two pipelines, the second with a specialization constant, and the module destroyed
// before either is used; with --inlined a third pipeline that has the same code without a module.
//   shared_shader [--inlined]
#include <cstring>

#include "constants.comp.h"
#include "kernel.h"

using namespace program;

int main(int argc, char** argv) {
  const bool inlined = argc > 1 && std::strcmp(argv[1], "--inlined") == 0;
  VkPhysicalDeviceGraphicsPipelineLibraryFeaturesEXT library{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GRAPHICS_PIPELINE_LIBRARY_FEATURES_EXT, nullptr, VK_TRUE};
  VkPhysicalDeviceFeatures2 core{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, inlined ? &library : nullptr};
  core.features.shaderFloat64 = core.features.shaderInt64 = core.features.shaderInt16 = VK_TRUE;
  Wanted wanted;
  wanted.features = &core;
  if (inlined)
    wanted.extensions = {VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME, VK_EXT_GRAPHICS_PIPELINE_LIBRARY_EXTENSION_NAME};
  Session s = open("shared_shader", wanted);

  const std::uint32_t number = 5;
  const VkSpecializationMapEntry entry{1, 0, sizeof number};
  const VkSpecializationInfo constants{1, &entry, sizeof number, &number};
  const VkShaderModule module = create_shader(s, constants_comp_spv, sizeof constants_comp_spv);
  std::vector<MappedBuffer> results;
  std::vector<Kernel> kernels;
  for (const VkSpecializationInfo* info : {static_cast<const VkSpecializationInfo*>(nullptr), &constants}) {
    results.push_back(buffer(s, 64, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT));
    kernels.push_back(create_kernel(s, module, {results.back()}, info));
  }
  vkDestroyShaderModule(s.device, module, nullptr);
  if (inlined) {
    results.push_back(buffer(s, 64, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT));
    Kernel k = kernels[0];
    const VkShaderModuleCreateInfo own{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, nullptr, 0,
                                       sizeof constants_comp_spv, constants_comp_spv};
    k.pipeline = create_compute(s, k.layout, VK_NULL_HANDLE, nullptr, 0, &own);
    k.set = create_set(s, k.set_layout, {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER});
    write_buffer(s, k.set, 0, results.back());
    kernels.push_back(k);
  }
  for (const Kernel& k : kernels) {
    bind(s.cmd, k);
    vkCmdDispatch(s.cmd, 1, 1, 1);
  }
  run(s);
  for (std::size_t i = 0; i < results.size(); ++i) {
    EXPECT(s, results[i].words[2] == (i == 1 ? number : 1));
    add(s, results[i]);
  }
  return finish(s);
}
