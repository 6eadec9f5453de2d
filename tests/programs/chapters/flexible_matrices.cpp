// SPDX-License-Identifier: Apache-2.0
// Chapter "Shaders", cooperative matrices of sizes of the program's choice (VK_NV_cooperative_matrix2): sums
// of each row of a product, and the product used as another operand.
#include "flexible.spvasm.h"
#include "words.h"

#ifdef VK_NV_cooperative_matrix2

#include "matrices.h"

using namespace program;

namespace program {
FEATURES_OF(CooperativeMatrixFeaturesKHR, COOPERATIVE_MATRIX_FEATURES_KHR);
FEATURES_OF(CooperativeMatrix2FeaturesNV, COOPERATIVE_MATRIX_2_FEATURES_NV);
}  // namespace program

namespace {

// The smallest ones: lavapipe 26.2.6 crashes where rows of larger ones are summed up.
std::vector<Size> sizes_of(const Session& s) {
  LOAD_OF_INSTANCE(s, vkGetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV);
  std::uint32_t count = 0;
  CHECK(vkGetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV(s.physical, &count, nullptr));
  std::vector<VkCooperativeMatrixFlexibleDimensionsPropertiesNV> all(
      count, {VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_FLEXIBLE_DIMENSIONS_PROPERTIES_NV});
  CHECK(vkGetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV(s.physical, &count, all.data()));
  std::vector<Size> sizes;
  for (const VkCooperativeMatrixFlexibleDimensionsPropertiesNV& one : all)
    if (fits(one)) sizes.push_back({one.MGranularity, one.NGranularity, one.KGranularity, subgroup_size(s)});
  return sizes;
}

void multiply(Session& s, VkShaderModule module, const Size& size) {
  const Matrices m = create_matrices(s, size);
  const std::uint32_t numbers = size.rows * size.columns;
  const MappedBuffer sums = buffer(s, numbers * 4, kStorage), products = buffer(s, numbers * 2, kStorage);
  dispatch_sized(s, module, size, {m.a, m.b, m.c, sums, products});
  for (std::uint32_t row = 0; row < size.rows; ++row) {
    std::uint32_t sum = 0;
    for (std::uint32_t column = 0; column < size.columns; ++column) {
      const std::uint32_t product = product_at(size, row, column);
      EXPECT(s, half_at(products, row * size.columns + column) == product);
      sum += product;
    }
    for (std::uint32_t column = 0; column < size.columns; ++column)
      EXPECT(s, float_at(sums, row * size.columns + column) == static_cast<float>(sum));
  }
  add(s, sums);
  add(s, products);
}

}  // namespace

int main() {
  Needs needs({VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME, VK_NV_COOPERATIVE_MATRIX_2_EXTENSION_NAME});
  NEED(needs, CooperativeMatrixFeaturesKHR, cooperativeMatrix);
  NEED(needs, CooperativeMatrix2FeaturesNV, cooperativeMatrixFlexibleDimensions);
  NEED(needs, CooperativeMatrix2FeaturesNV, cooperativeMatrixReductions);
  NEED(needs, CooperativeMatrix2FeaturesNV, cooperativeMatrixConversions);
  NEED(needs, Vulkan11Features, storageBuffer16BitAccess);
  NEED(needs, Vulkan12Features, shaderFloat16);
  NEED(needs, Vulkan12Features, vulkanMemoryModel);
  Session s = open("flexible_matrices", needs);
  const std::vector<Size> sizes = sizes_of(s);
  if (sizes.empty()) leave("flexible matrices of 16-bit numbers whose products are of 32 bits");
  const VkShaderModule module = shader(s, flexible_spv);
  for (const Size& size : sizes) multiply(s, module, size);
  return finish(s);
}

#else

int main() { return program::cannot_run("the headers that it was built with do not have VK_NV_cooperative_matrix2"); }

#endif
