// SPDX-License-Identifier: Apache-2.0
// What a program needs of its device, by name: nothing else is enabled, and where
// something is lacking the program leaves with one line that names it and the status 77.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <string>

#include "session.h"

namespace program {

[[noreturn]] inline void leave(const std::string& lacking) {
  std::exit(cannot_run(("this device lacks " + lacking).c_str()));
}

template <class Features>
constexpr VkStructureType kTypeOf = VK_STRUCTURE_TYPE_MAX_ENUM;
#define FEATURES_OF(name, type) \
  template <>                   \
  inline constexpr VkStructureType kTypeOf<VkPhysicalDevice##name> = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##type
FEATURES_OF(Features2, FEATURES_2);
FEATURES_OF(Vulkan11Features, VULKAN_1_1_FEATURES);
FEATURES_OF(Vulkan12Features, VULKAN_1_2_FEATURES);
FEATURES_OF(Vulkan13Features, VULKAN_1_3_FEATURES);
// Feature structures that even the oldest supported headers have. A program adds newer ones in its own file.
FEATURES_OF(4444FormatsFeaturesEXT, 4444_FORMATS_FEATURES_EXT);
FEATURES_OF(BlendOperationAdvancedFeaturesEXT, BLEND_OPERATION_ADVANCED_FEATURES_EXT);
FEATURES_OF(ColorWriteEnableFeaturesEXT, COLOR_WRITE_ENABLE_FEATURES_EXT);
FEATURES_OF(ConditionalRenderingFeaturesEXT, CONDITIONAL_RENDERING_FEATURES_EXT);
FEATURES_OF(CustomBorderColorFeaturesEXT, CUSTOM_BORDER_COLOR_FEATURES_EXT);
FEATURES_OF(DepthClipControlFeaturesEXT, DEPTH_CLIP_CONTROL_FEATURES_EXT);
FEATURES_OF(DepthClipEnableFeaturesEXT, DEPTH_CLIP_ENABLE_FEATURES_EXT);
FEATURES_OF(GraphicsPipelineLibraryFeaturesEXT, GRAPHICS_PIPELINE_LIBRARY_FEATURES_EXT);
FEATURES_OF(Image2DViewOf3DFeaturesEXT, IMAGE_2D_VIEW_OF_3D_FEATURES_EXT);
FEATURES_OF(IndexTypeUint8FeaturesEXT, INDEX_TYPE_UINT8_FEATURES_EXT);
FEATURES_OF(LineRasterizationFeaturesEXT, LINE_RASTERIZATION_FEATURES_EXT);
FEATURES_OF(MemoryPriorityFeaturesEXT, MEMORY_PRIORITY_FEATURES_EXT);
FEATURES_OF(MeshShaderFeaturesEXT, MESH_SHADER_FEATURES_EXT);
FEATURES_OF(MultiDrawFeaturesEXT, MULTI_DRAW_FEATURES_EXT);
FEATURES_OF(MutableDescriptorTypeFeaturesEXT, MUTABLE_DESCRIPTOR_TYPE_FEATURES_EXT);
FEATURES_OF(PageableDeviceLocalMemoryFeaturesEXT, PAGEABLE_DEVICE_LOCAL_MEMORY_FEATURES_EXT);
FEATURES_OF(PipelineRobustnessFeaturesEXT, PIPELINE_ROBUSTNESS_FEATURES_EXT);
FEATURES_OF(PrimitiveTopologyListRestartFeaturesEXT, PRIMITIVE_TOPOLOGY_LIST_RESTART_FEATURES_EXT);
FEATURES_OF(PrimitivesGeneratedQueryFeaturesEXT, PRIMITIVES_GENERATED_QUERY_FEATURES_EXT);
FEATURES_OF(ProvokingVertexFeaturesEXT, PROVOKING_VERTEX_FEATURES_EXT);
FEATURES_OF(Robustness2FeaturesEXT, ROBUSTNESS_2_FEATURES_EXT);
FEATURES_OF(ShaderAtomicFloatFeaturesEXT, SHADER_ATOMIC_FLOAT_FEATURES_EXT);
FEATURES_OF(SwapchainMaintenance1FeaturesEXT, SWAPCHAIN_MAINTENANCE_1_FEATURES_EXT);
FEATURES_OF(TransformFeedbackFeaturesEXT, TRANSFORM_FEEDBACK_FEATURES_EXT);
FEATURES_OF(VertexAttributeDivisorFeaturesEXT, VERTEX_ATTRIBUTE_DIVISOR_FEATURES_EXT);

class Needs {
 public:
  std::vector<const char*> extensions = {};
  std::vector<const char*> instance_extensions = {};
  // Enabled where they are there: has() says so once the session is open.
  std::vector<const char*> wished = {}, instance_wished = {};
  // Of each list the first extension that the device has is enabled; has() says which. If it has none, the program
  // ends.
  std::vector<std::vector<const char*>> one_of = {};
  std::uint32_t queues = 1;

  Needs() { of<VkPhysicalDeviceFeatures2>(); }
  explicit Needs(std::vector<const char*> names) : Needs() { extensions = std::move(names); }

  template <class Features>
  Features& of() {
    static_assert(kTypeOf<Features> != VK_STRUCTURE_TYPE_MAX_ENUM, "give its type: FEATURES_OF");
    for (Part& part : parts_)
      if (head(part.wanted)->sType == kTypeOf<Features>) return *reinterpret_cast<Features*>(part.wanted.data());
    constexpr std::size_t size = (sizeof(Features) + 7) / 8;
    parts_.push_back({Words(size), Words(size)});
    head(parts_.back().wanted)->sType = kTypeOf<Features>;
    return *reinterpret_cast<Features*>(parts_.back().wanted.data());
  }
  // `name`: without it the program leaves; null: it then is false once the session is open.
  void enable(VkBool32& feature, const char* name) {
    feature = VK_TRUE;
    names_.push_back({&feature, name});
  }

  // The device's pNext.
  const void* features_or_leave(VkPhysicalDevice physical) {
    VkBaseOutStructure* before = nullptr;
    for (Part& part : parts_) {
      head(part.there)->sType = head(part.wanted)->sType;
      if (before != nullptr) before->pNext = head(part.there);
      before = head(part.there);
    }
    vkGetPhysicalDeviceFeatures2(physical, reinterpret_cast<VkPhysicalDeviceFeatures2*>(parts_.front().there.data()));
    for (const auto& [feature, name] : names_)
      for (const Part& part : parts_)
        if (!part.has(feature)) {
          if (name != nullptr) leave(name);
          *feature = VK_FALSE;
        }
    before = nullptr;
    for (Part& part : parts_) {
      if (before != nullptr) before->pNext = head(part.wanted);
      before = head(part.wanted);
    }
    return parts_.front().wanted.data();
  }

 private:
  using Words = std::vector<std::uint64_t>;  // a structure, whatever its type
  static VkBaseOutStructure* head(Words& words) { return reinterpret_cast<VkBaseOutStructure*>(words.data()); }
  struct Part {
    Words wanted, there;
    bool has(const VkBool32* feature) const {
      const auto* first = reinterpret_cast<const VkBool32*>(wanted.data());
      const auto* end = reinterpret_cast<const VkBool32*>(wanted.data() + wanted.size());
      if (feature < first || feature >= end) return true;  // of another part
      return reinterpret_cast<const VkBool32*>(there.data())[feature - first] != 0;
    }
  };
  std::deque<Part> parts_;
  std::vector<std::pair<VkBool32*, const char*>> names_;
};
// NEED(needs, Vulkan13Features, dynamicRendering); NEED_CORE(needs, geometryShader)
#define NEED(needs, Structure, member) (needs).enable((needs).of<VkPhysicalDevice##Structure>().member, #member)
#define NEED_CORE(needs, member) (needs).enable((needs).of<VkPhysicalDeviceFeatures2>().features.member, #member)
// Without it the program shows less: HAS_CORE says so once the session is open.
#define WISH_CORE(needs, member) (needs).enable((needs).of<VkPhysicalDeviceFeatures2>().features.member, nullptr)
#define HAS_CORE(needs, member) ((needs).of<VkPhysicalDeviceFeatures2>().features.member == VK_TRUE)

inline bool contains(const std::vector<VkExtensionProperties>& there, const char* name) {
  for (const VkExtensionProperties& one : there)
    if (std::strcmp(one.extensionName, name) == 0) return true;
  return false;
}

inline void extensions_or_leave(const std::vector<const char*>& wanted,
                                const std::vector<VkExtensionProperties>& there) {
  for (const char* name : wanted)
    if (!contains(there, name)) leave(name);
}

inline void add_first(const std::vector<std::vector<const char*>>& lists,
                      const std::vector<VkExtensionProperties>& there, std::vector<const char*>& wanted) {
  for (const std::vector<const char*>& names : lists) {
    const auto found =
        std::find_if(names.begin(), names.end(), [&there](const char* name) { return contains(there, name); });
    if (found == names.end()) leave(names.back());
    wanted.push_back(*found);
  }
}

inline bool has(const Needs& needs, const char* extension) {
  if (by_core_of_1_4() && not_in_core_of_1_4({extension}).empty()) return true;
  for (const char* name : needs.extensions)
    if (std::strcmp(name, extension) == 0) return true;
  return false;
}

// As open() of a session, with what is needed or not at all.
inline Session open(const char* name, Needs& needs) {
  std::uint32_t count = 0;
  std::vector<VkExtensionProperties> there;
  if (!needs.instance_extensions.empty() || !needs.instance_wished.empty()) {
    CHECK(vkEnumerateInstanceExtensionProperties(nullptr, &count, nullptr));
    there.resize(count);
    CHECK(vkEnumerateInstanceExtensionProperties(nullptr, &count, there.data()));
    extensions_or_leave(needs.instance_extensions, there);
    for (const char* name : needs.instance_wished)
      if (contains(there, name)) needs.instance_extensions.push_back(name);
  }
  const VkInstance instance =
      create_instance(name, by_core_of_1_4() ? kVersion14 : VK_API_VERSION_1_3, needs.instance_extensions);
  VkPhysicalDevice physical;
  count = 1;
  if (vkEnumeratePhysicalDevices(instance, &count, &physical) < 0 || count == 0) die("no device", 0);
  CHECK(vkEnumerateDeviceExtensionProperties(physical, nullptr, &count, nullptr));
  there.resize(count);
  CHECK(vkEnumerateDeviceExtensionProperties(physical, nullptr, &count, there.data()));
  if (by_core_of_1_4()) {
    version_or_leave(physical);
    needs.extensions = not_in_core_of_1_4(needs.extensions);
  }
  extensions_or_leave(needs.extensions, there);
  add_first(needs.one_of, there, needs.extensions);
  for (const char* name : needs.wished)
    if (contains(there, name)) needs.extensions.push_back(name);
  Wanted wanted;
  wanted.queues = needs.queues;
  wanted.features = needs.features_or_leave(physical);
  wanted.extensions = needs.extensions;
  Session s;
  static_cast<Context&>(s) = create_device(instance, wanted);
  s.name = name;
  s.commands = create_commands(s);
  s.cmd = s.commands.buffer;
  begin(s.commands);
  return s;
}

inline VkFormatProperties format_properties(const Session& s, VkFormat format) {
  VkFormatProperties properties;
  vkGetPhysicalDeviceFormatProperties(s.physical, format, &properties);
  return properties;
}

// Whether optimal images of this format can be all of that.
inline bool can_be(const Session& s, VkFormat format, VkFormatFeatureFlags features) {
  return (format_properties(s, format).optimalTilingFeatures & features) == features;
}

template <class Properties>
Properties properties(const Session& s, VkStructureType type) {
  Properties found{type};
  VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &found};
  vkGetPhysicalDeviceProperties2(s.physical, &all);
  return found;
}

inline VkPhysicalDeviceLimits limits(const Session& s) {
  VkPhysicalDeviceProperties all;
  vkGetPhysicalDeviceProperties(s.physical, &all);
  return all.limits;
}

}  // namespace program
