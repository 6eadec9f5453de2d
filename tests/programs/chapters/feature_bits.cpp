// SPDX-License-Identifier: Apache-2.0
// Chapter "Features": extensions that are a bit of a feature, or limits alone. Those that the device has are
// enabled together, and a buffer is copied on it.
#include <algorithm>
#include <cstddef>
#include <deque>

#include "words.h"

using namespace program;

namespace {

struct Bit {
  const char* extension;
  VkStructureType type;  // of its features' structure; 0: it has none
  std::size_t size, member;
};

#define BIT(extension, Features, TYPE, member)                                                      \
  {                                                                                                 \
    "VK_" #extension, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##TYPE, sizeof(VkPhysicalDevice##Features), \
        offsetof(VkPhysicalDevice##Features, member)                                                \
  }
#define NO_BIT(extension) \
  { "VK_" #extension, VkStructureType{}, 0, 0 }

constexpr Bit kBits[] = {
    NO_BIT(AMD_gcn_shader),
    NO_BIT(AMD_shader_core_properties),
    NO_BIT(AMD_shader_core_properties2),
    BIT(EXT_depth_clamp_zero_one, DepthClampZeroOneFeaturesEXT, DEPTH_CLAMP_ZERO_ONE_FEATURES_EXT, depthClampZeroOne),
    BIT(AMD_shader_early_and_late_fragment_tests, ShaderEarlyAndLateFragmentTestsFeaturesAMD,
        SHADER_EARLY_AND_LATE_FRAGMENT_TESTS_FEATURES_AMD, shaderEarlyAndLateFragmentTests),
    BIT(EXT_legacy_dithering, LegacyDitheringFeaturesEXT, LEGACY_DITHERING_FEATURES_EXT, legacyDithering),
#ifdef VK_EXT_shader_uniform_buffer_unsized_array
    NO_BIT(ARM_shader_core_properties),
    NO_BIT(MSFT_layered_driver),
    BIT(ARM_shader_core_builtins, ShaderCoreBuiltinsFeaturesARM, SHADER_CORE_BUILTINS_FEATURES_ARM, shaderCoreBuiltins),
    BIT(EXT_shader_64bit_indexing, Shader64BitIndexingFeaturesEXT, SHADER_64_BIT_INDEXING_FEATURES_EXT,
        shader64BitIndexing),
    BIT(EXT_shader_float8, ShaderFloat8FeaturesEXT, SHADER_FLOAT8_FEATURES_EXT, shaderFloat8),
    BIT(EXT_shader_long_vector, ShaderLongVectorFeaturesEXT, SHADER_LONG_VECTOR_FEATURES_EXT, longVector),
    BIT(EXT_shader_subgroup_partitioned, ShaderSubgroupPartitionedFeaturesEXT, SHADER_SUBGROUP_PARTITIONED_FEATURES_EXT,
        shaderSubgroupPartitioned),
    BIT(EXT_shader_tile_image, ShaderTileImageFeaturesEXT, SHADER_TILE_IMAGE_FEATURES_EXT,
        shaderTileImageColorReadAccess),
    BIT(EXT_shader_uniform_buffer_unsized_array, ShaderUniformBufferUnsizedArrayFeaturesEXT,
        SHADER_UNIFORM_BUFFER_UNSIZED_ARRAY_FEATURES_EXT, shaderUniformBufferUnsizedArray),
    BIT(EXT_vertex_attribute_robustness, VertexAttributeRobustnessFeaturesEXT, VERTEX_ATTRIBUTE_ROBUSTNESS_FEATURES_EXT,
        vertexAttributeRobustness),
    BIT(IMG_relaxed_line_rasterization, RelaxedLineRasterizationFeaturesIMG, RELAXED_LINE_RASTERIZATION_FEATURES_IMG,
        relaxedLineRasterization),
    BIT(KHR_depth_clamp_zero_one, DepthClampZeroOneFeaturesKHR, DEPTH_CLAMP_ZERO_ONE_FEATURES_KHR, depthClampZeroOne),
    BIT(KHR_robustness2, Robustness2FeaturesKHR, ROBUSTNESS_2_FEATURES_KHR, nullDescriptor),
    BIT(KHR_shader_fma, ShaderFmaFeaturesKHR, SHADER_FMA_FEATURES_KHR, shaderFmaFloat32),
    BIT(NV_raw_access_chains, RawAccessChainsFeaturesNV, RAW_ACCESS_CHAINS_FEATURES_NV, shaderRawAccessChains),
    BIT(NV_shader_atomic_float16_vector, ShaderAtomicFloat16VectorFeaturesNV, SHADER_ATOMIC_FLOAT16_VECTOR_FEATURES_NV,
        shaderFloat16VectorAtomics),
    BIT(QCOM_filter_cubic_clamp, CubicClampFeaturesQCOM, CUBIC_CLAMP_FEATURES_QCOM, cubicRangeClamp),
    BIT(VALVE_shader_mixed_float_dot_product, ShaderMixedFloatDotProductFeaturesVALVE,
        SHADER_MIXED_FLOAT_DOT_PRODUCT_FEATURES_VALVE, shaderMixedFloatDotProductFloat16AccFloat32),
#endif
};

std::vector<VkExtensionProperties> offered(VkPhysicalDevice physical) {
  std::uint32_t count = 0;
  CHECK(vkEnumerateDeviceExtensionProperties(physical, nullptr, &count, nullptr));
  std::vector<VkExtensionProperties> there(count);
  CHECK(vkEnumerateDeviceExtensionProperties(physical, nullptr, &count, there.data()));
  return there;
}

// The structures of the extensions that the device has, as it fills them: one after another, in a chain.
struct Chain {
  std::vector<const char*> extensions;
  std::deque<std::vector<std::uint64_t>> structures;
  void* first = nullptr;
};

Chain chain_of(VkPhysicalDevice physical) {
  Chain chain;
  const std::vector<VkExtensionProperties> there = offered(physical);
  std::vector<VkStructureType> types;  // an extension and its successor share one
  for (const Bit& bit : kBits) {
    if (!contains(there, bit.extension)) continue;
    chain.extensions.push_back(bit.extension);
    if (bit.size == 0 || std::find(types.begin(), types.end(), bit.type) != types.end()) continue;
    types.push_back(bit.type);
    chain.structures.emplace_back((bit.size + 7) / 8);
    auto* one = reinterpret_cast<VkBaseOutStructure*>(chain.structures.back().data());
    *one = {bit.type, static_cast<VkBaseOutStructure*>(chain.first)};
    chain.first = one;
  }
  VkPhysicalDeviceFeatures2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, chain.first};
  vkGetPhysicalDeviceFeatures2(physical, &all);
  return chain;
}

// What an extension promises, its device has.
void expect_set(Session& s, const Chain& chain) {
  for (const auto& structure : chain.structures) {
    const auto* one = reinterpret_cast<const VkBaseOutStructure*>(structure.data());
    for (const Bit& bit : kBits) {
      if (bit.type != one->sType || bit.size == 0) continue;
      VkBool32 value;
      std::memcpy(&value, reinterpret_cast<const char*>(structure.data()) + bit.member, sizeof value);
      EXPECT(s, value == VK_TRUE);
      break;
    }
  }
}

}  // namespace

int main() {
  const VkInstance instance = create_instance("feature_bits", VK_API_VERSION_1_3);
  VkPhysicalDevice physical;
  std::uint32_t count = 1;
  if (vkEnumeratePhysicalDevices(instance, &count, &physical) < 0 || count == 0) die("no device", 0);
  const Chain chain = chain_of(physical);
  if (chain.extensions.empty()) leave("each of these extensions");
  Wanted wanted;
  wanted.features = chain.first;
  wanted.extensions = chain.extensions;
  Session s;
  static_cast<Context&>(s) = create_device(instance, wanted);
  s.name = "feature_bits";
  s.commands = create_commands(s);
  s.cmd = s.commands.buffer;
  begin(s.commands);
  for (const char* name : chain.extensions) std::printf("%s\n", name);
  expect_set(s, chain);
  const MappedBuffer from = buffer(s, 64, kCopies), to = buffer(s, 64, kCopies);
  fill(from, 3);
  copy(s.cmd, from.buffer, 0, to.buffer, 0, 64);
  run(s);
  EXPECT(s, std::memcmp(from.words, to.words, 64) == 0);
  add(s, to);
  return finish(s);
}
