// SPDX-License-Identifier: Apache-2.0
#include "format/codec/texts.h"

#include <string_view>

namespace rondo::codec {

namespace {

struct Row {
  std::string_view owner, field;
  TextKind kind;
};

// Structures are named by their texts, not by StructId: an older registry has no id for some of them.
constexpr Row kRows[] = {
    {"VkApplicationInfo", "pApplicationName", TextKind::application},
    {"VkApplicationInfo", "pEngineName", TextKind::application},
    {"VkDebugUtilsObjectNameInfoEXT", "pObjectName", TextKind::object_name},
    {"VkDebugMarkerObjectNameInfoEXT", "pObjectName", TextKind::object_name},
    {"VkDebugUtilsLabelEXT", "pLabelName", TextKind::label},
    {"VkDebugMarkerMarkerInfoEXT", "pMarkerName", TextKind::label},
    {"VkDebugUtilsMessengerCallbackDataEXT", "pMessageIdName", TextKind::message},
    {"VkDebugUtilsMessengerCallbackDataEXT", "pMessage", TextKind::message},
    {"args_vkDebugReportMessageEXT", "pLayerPrefix", TextKind::message},
    {"args_vkDebugReportMessageEXT", "pMessage", TextKind::message},
    {"args_rondoScopeBegin", "name", TextKind::scope},
    {"args_rondoModule", "path", TextKind::path},
    {"args_rondoNote", "text", TextKind::note},
    {"args_rondoCheckpointImage", "unverified", TextKind::note},
    {"args_rondoCheckpointMemory", "unverified", TextKind::note},
    {"args_rondoCheckpointBuffers", "unverified", TextKind::note},
    {"args_rondoCheckpointSubresources", "unverified", TextKind::note},
    {"VkPipelineShaderStageCreateInfo", "pName", TextKind::fixed},
    {"VkPipelineShaderStageNodeCreateInfoAMDX", "pName", TextKind::fixed},
    {"VkShaderCreateInfoEXT", "pName", TextKind::fixed},
    {"VkCuFunctionCreateInfoNVX", "pName", TextKind::fixed},
    {"VkCudaFunctionCreateInfoNV", "pName", TextKind::fixed},
    {"VkDataGraphPipelineShaderModuleCreateInfoARM", "pName", TextKind::fixed},
    {"VkDataGraphPipelineCompilerControlCreateInfoARM", "pVendorOptions", TextKind::fixed},
    {"VkDisplayPropertiesKHR", "displayName", TextKind::fixed},
    {"VkPerformanceValueDataINTEL", "valueString", TextKind::fixed},
    {"VkLayerSettingEXT", "pLayerName", TextKind::fixed},
    {"VkLayerSettingEXT", "pSettingName", TextKind::fixed},
    {"args_vkGetDeviceProcAddr", "pName", TextKind::fixed},
    {"args_vkGetInstanceProcAddr", "pName", TextKind::fixed},
    {"args_vkEnumerateInstanceExtensionProperties", "pLayerName", TextKind::fixed},
    {"args_vkEnumerateDeviceExtensionProperties", "pLayerName", TextKind::fixed},
};

}  // namespace

TextKind text_kind(const StructInfo& owner, const Field& field) {
  if (field.shape == Shape::strings) return TextKind::fixed;  // names of extensions and layers
  for (const Row& row : kRows)
    if (row.owner == owner.name && row.field == field.name) return row.kind;
  return TextKind::unknown;
}

}  // namespace rondo::codec
