// SPDX-License-Identifier: Apache-2.0
// What helps debuggers and tells no driver anything: names, tags, labels of
// queues and command buffers, messages, and private data of every object.
#include "session.h"

using namespace program;

namespace {

VKAPI_ATTR VkBool32 VKAPI_CALL hear(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                                    const VkDebugUtilsMessengerCallbackDataEXT* data, void* heard) {
  if (data->pMessage != nullptr && std::strcmp(data->pMessage, "rondo's own") == 0) ++*static_cast<int*>(heard);
  return VK_FALSE;
}

VKAPI_ATTR VkBool32 VKAPI_CALL report(VkDebugReportFlagsEXT, VkDebugReportObjectTypeEXT, std::uint64_t, std::size_t,
                                      std::int32_t, const char*, const char* message, void* heard) {
  if (std::strcmp(message, "reported") == 0) ++*static_cast<int*>(heard);
  return VK_FALSE;
}

}  // namespace

int main() {
  VkPhysicalDevicePrivateDataFeatures feature{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRIVATE_DATA_FEATURES, nullptr,
                                              VK_TRUE};
  Wanted wanted;
  wanted.features = &feature;
  wanted.instance_extensions = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME, VK_EXT_DEBUG_REPORT_EXTENSION_NAME};
  wanted.extensions = {VK_EXT_PRIVATE_DATA_EXTENSION_NAME};
  Session s = open("labels", wanted);
  LOAD(s, vkCreateDebugUtilsMessengerEXT);
  LOAD(s, vkDestroyDebugUtilsMessengerEXT);
  LOAD(s, vkSubmitDebugUtilsMessageEXT);
  LOAD(s, vkSetDebugUtilsObjectNameEXT);
  LOAD(s, vkSetDebugUtilsObjectTagEXT);
  LOAD(s, vkQueueBeginDebugUtilsLabelEXT);
  LOAD(s, vkQueueEndDebugUtilsLabelEXT);
  LOAD(s, vkQueueInsertDebugUtilsLabelEXT);
  LOAD(s, vkCmdBeginDebugUtilsLabelEXT);
  LOAD(s, vkCmdEndDebugUtilsLabelEXT);
  LOAD(s, vkCmdInsertDebugUtilsLabelEXT);
  LOAD(s, vkCreateDebugReportCallbackEXT);
  LOAD(s, vkDestroyDebugReportCallbackEXT);
  LOAD(s, vkDebugReportMessageEXT);

  int heard = 0, reported = 0;
  const VkDebugUtilsMessengerCreateInfoEXT messenger_info{VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
                                                          nullptr,
                                                          0,
                                                          VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT,
                                                          VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT,
                                                          hear,
                                                          &heard};
  VkDebugUtilsMessengerEXT messenger;
  CHECK(vkCreateDebugUtilsMessengerEXT(s.instance, &messenger_info, nullptr, &messenger));
  VkDebugUtilsMessengerCallbackDataEXT message{VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CALLBACK_DATA_EXT};
  message.pMessageIdName = "id";
  message.pMessage = "rondo's own";
  vkSubmitDebugUtilsMessageEXT(s.instance, VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT,
                               VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT, &message);
  const VkDebugReportCallbackCreateInfoEXT report_info{VK_STRUCTURE_TYPE_DEBUG_REPORT_CALLBACK_CREATE_INFO_EXT, nullptr,
                                                       VK_DEBUG_REPORT_INFORMATION_BIT_EXT, report, &reported};
  VkDebugReportCallbackEXT callback;
  CHECK(vkCreateDebugReportCallbackEXT(s.instance, &report_info, nullptr, &callback));
  vkDebugReportMessageEXT(s.instance, VK_DEBUG_REPORT_INFORMATION_BIT_EXT, VK_DEBUG_REPORT_OBJECT_TYPE_INSTANCE_EXT,
                          reinterpret_cast<std::uint64_t>(s.instance), 0, 1, "rondo", "reported");

  const MappedBuffer b = buffer(s, 256, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  const auto value = reinterpret_cast<std::uint64_t>(b.buffer);
  const VkDebugUtilsObjectNameInfoEXT name{VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT, nullptr,
                                           VK_OBJECT_TYPE_BUFFER, value, "the buffer \xC3\xBC"};
  CHECK(vkSetDebugUtilsObjectNameEXT(s.device, &name));
  const std::uint32_t tag[3] = {1, 2, 3};
  const VkDebugUtilsObjectTagInfoEXT tagged{
      VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_TAG_INFO_EXT, nullptr, VK_OBJECT_TYPE_BUFFER, value, 7, sizeof tag, tag};
  CHECK(vkSetDebugUtilsObjectTagEXT(s.device, &tagged));

  const VkPrivateDataSlotCreateInfo slot_info{VK_STRUCTURE_TYPE_PRIVATE_DATA_SLOT_CREATE_INFO};
  VkPrivateDataSlot slot;
  CHECK(vkCreatePrivateDataSlot(s.device, &slot_info, nullptr, &slot));
  CHECK(vkSetPrivateData(s.device, VK_OBJECT_TYPE_BUFFER, value, slot, 0xfeedu));
  std::uint64_t kept = 0;
  vkGetPrivateData(s.device, VK_OBJECT_TYPE_BUFFER, value, slot, &kept);
  EXPECT(s, kept == 0xfeed);

  const VkDebugUtilsLabelEXT label{VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT, nullptr, "fill", {1, 0.5f, 0, 1}};
  vkCmdBeginDebugUtilsLabelEXT(s.cmd, &label);
  vkCmdInsertDebugUtilsLabelEXT(s.cmd, &label);
  vkCmdFillBuffer(s.cmd, b.buffer, 0, VK_WHOLE_SIZE, 42);
  vkCmdEndDebugUtilsLabelEXT(s.cmd);
  vkQueueBeginDebugUtilsLabelEXT(s.queues[0], &label);
  vkQueueInsertDebugUtilsLabelEXT(s.queues[0], &label);
  run(s);
  vkQueueEndDebugUtilsLabelEXT(s.queues[0]);
  EXPECT(s, b.words[63] == 42);
  EXPECT(s, heard >= 1 && reported >= 1);
  add(s, b);
  vkDestroyPrivateDataSlot(s.device, slot, nullptr);
  vkDestroyDebugReportCallbackEXT(s.instance, callback, nullptr);
  vkDestroyDebugUtilsMessengerEXT(s.instance, messenger, nullptr);
  return finish(s);
}
