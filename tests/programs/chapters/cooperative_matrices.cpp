// SPDX-License-Identifier: Apache-2.0
// Chapter "Shaders", cooperative matrices: a product of matrices of 16-bit numbers, of each size that the
// device offers for them, and what the device says of the sizes.
#include "cooperative.spvasm.h"
#include "words.h"

#ifdef VK_KHR_cooperative_matrix

#include "matrices.h"

using namespace program;

namespace program {
FEATURES_OF(CooperativeMatrixFeaturesKHR, COOPERATIVE_MATRIX_FEATURES_KHR);
}  // namespace program

namespace {

std::vector<Size> sizes_of(const Session& s) {
  LOAD_OF_INSTANCE(s, vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR);
  std::uint32_t count = 0;
  CHECK(vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR(s.physical, &count, nullptr));
  std::vector<VkCooperativeMatrixPropertiesKHR> all(count, {VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR});
  CHECK(vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR(s.physical, &count, all.data()));
  std::vector<Size> sizes;
  for (const VkCooperativeMatrixPropertiesKHR& one : all)
    if (fits(one)) sizes.push_back({one.MSize, one.NSize, one.KSize, subgroup_size(s)});
  return sizes;
}

void multiply(Session& s, VkShaderModule module, const Size& size) {
  const Matrices m = create_matrices(s, size);
  const MappedBuffer sums = buffer(s, size.rows * size.columns * 4, kStorage);
  dispatch_sized(s, module, size, {m.a, m.b, m.c, sums});
  for (std::uint32_t row = 0; row < size.rows; ++row)
    for (std::uint32_t column = 0; column < size.columns; ++column)
      EXPECT(s, float_at(sums, row * size.columns + column) == static_cast<float>(2 * product_at(size, row, column)));
  add(s, sums);
}

}  // namespace

int main() {
  Needs needs({VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME});
  NEED(needs, CooperativeMatrixFeaturesKHR, cooperativeMatrix);
  NEED(needs, Vulkan11Features, storageBuffer16BitAccess);
  NEED(needs, Vulkan12Features, shaderFloat16);
  NEED(needs, Vulkan12Features, vulkanMemoryModel);
  Session s = open("cooperative_matrices", needs);
  const std::vector<Size> sizes = sizes_of(s);
  if (sizes.empty()) leave("matrices of 16-bit numbers whose products are of 32 bits");
  const VkShaderModule module = shader(s, cooperative_spv);
  for (const Size& size : sizes) multiply(s, module, size);
  return finish(s);
}

#else

int main() { return program::cannot_run("the headers that it was built with do not have VK_KHR_cooperative_matrix"); }

#endif
