// SPDX-License-Identifier: Apache-2.0
// What the generator says of the registry. The numbers are those of Debian 12's registry and of one of sid's;
// another registry's are checked for shape only.
#include <gtest/gtest.h>

#include <set>

#include "format/codec/schema.h"
#include "format/codec/texts.h"
#include "format/vulkan.h"
#include "generated/dispatch.h"
#include "generated/thunks.h"
#include "generated/traits.h"

namespace rondo::codec {
namespace {

bool is_rondo(const CommandInfo& c) { return std::string_view(c.name).starts_with("rondo"); }

TEST(Registry, HasEveryCommandAliasAndStructure) {
  std::size_t own = 0, aliases = 0, structs = 0, unions = 0;
  for (const auto& c : commands().subspan(1)) {
    if (is_rondo(c)) continue;
    (c.canonical == c.id ? own : aliases)++;
  }
  for (const auto& s : structures().subspan(1)) {
    const std::string_view name = s.name;
    if (name.starts_with("Vk")) (s.is_union ? unions : structs)++;
  }
  struct Counts {
    std::uint32_t version;
    std::size_t own, aliases, structs, unions;
  };
  for (const Counts& counts : {Counts{VK_MAKE_API_VERSION(0, 1, 3, 239), 549, 80, 883, 10},
                               Counts{VK_MAKE_API_VERSION(0, 1, 4, 363), 758, 105, 1479, 16}}) {
    if (counts.version != VK_HEADER_VERSION_COMPLETE) continue;
    EXPECT_EQ(own, counts.own);
    EXPECT_EQ(aliases, counts.aliases);
    EXPECT_EQ(structs, counts.structs);
    EXPECT_EQ(unions, counts.unions);
    return;
  }
  GTEST_SKIP() << "this test has no numbers for this version of the registry";
}

TEST(Registry, KnowsOfEveryStringWhetherItIsTheProgramsOwn) {
  std::size_t strings = 0;
  for (const auto& s : structures().subspan(1))
    for (const Field& field : s.fields) {
      if (field.shape != Shape::string && field.shape != Shape::strings) continue;
      ++strings;
      EXPECT_NE(text_kind(s, field), TextKind::unknown)
          << s.name << "::" << field.name << ": format/codec/texts.cpp does not list it";
    }
  EXPECT_GT(strings, 20u);
}

TEST(Registry, SortsEveryCommandIntoOneClassWithAReason) {
  for (const auto& c : commands().subspan(1)) {
    EXPECT_EQ(command_by_name(c.name), c.id);
    EXPECT_EQ(info(c.id).id, c.id);
    if (c.kind == CommandClass::regular) {
      EXPECT_STREQ(c.reason, "") << c.name;
      EXPECT_EQ(layer_hook(c.id), Hook::generated) << c.name;
      EXPECT_EQ(player_executor(c.id), Executor::generated) << c.name;
    } else {
      EXPECT_STRNE(c.reason, "") << c.name;
    }
    if (c.kind == CommandClass::unsupported) {
      EXPECT_EQ(player_executor(c.id), Executor::none) << c.name;
    }
    EXPECT_STRNE(c.feature, "") << c.name;
    EXPECT_EQ(layer_hook(c.id) == Hook::hand, *c.layer_reason != 0) << c.name;
    EXPECT_TRUE(player_executor(c.id) != Executor::hand || *c.player_reason != 0) << c.name;
  }
}

TEST(Registry, SaysWhereACommandMayBeRecordedAndWhatItIsFor) {
  const auto facts = [](CommandId id) { return info(id).recording; };
  const RecordingFacts draw = facts(CommandId::vkCmdDraw);
  EXPECT_EQ(draw.queues, VK_QUEUE_GRAPHICS_BIT);
  EXPECT_EQ(draw.pass, PassScope::inside);
  EXPECT_EQ(draw.tasks, kAction);
  EXPECT_FALSE(draw.primary_only);
  const RecordingFacts begin = facts(CommandId::vkCmdBeginRenderPass2);
  EXPECT_EQ(begin.pass, PassScope::outside);
  EXPECT_TRUE(begin.primary_only);
  EXPECT_EQ(begin.opens, Scope::render_pass);
  EXPECT_EQ(begin.closes, Scope::none);
  EXPECT_EQ(facts(CommandId::vkCmdEndRendering).closes, Scope::render_pass);
  EXPECT_EQ(facts(CommandId::vkCmdBeginQueryIndexedEXT).opens, Scope::query);
  EXPECT_EQ(facts(CommandId::vkCmdEndTransformFeedbackEXT).closes, Scope::transform_feedback);
  EXPECT_EQ(facts(CommandId::vkCmdDebugMarkerBeginEXT).opens, Scope::label);
  EXPECT_EQ(facts(CommandId::vkCmdPipelineBarrier).opens, Scope::none);
  EXPECT_EQ(facts(CommandId::vkCmdPipelineBarrier).tasks, kSynchronization);
  EXPECT_EQ(facts(CommandId::vkCmdExecuteCommands).tasks, kIndirection);
  // An alias is what it stands for.
  EXPECT_EQ(facts(CommandId::vkCmdBlitImage2KHR).pass, PassScope::outside);
  // Against the registry, each with its reason in scripts/classification.py.
  EXPECT_EQ(facts(CommandId::vkCmdDispatch).pass, PassScope::outside);
  EXPECT_EQ(facts(CommandId::vkCmdFillBuffer).pass, PassScope::either);
  EXPECT_EQ(facts(CommandId::vkCmdBeginDebugUtilsLabelEXT).queues, 0u);
  EXPECT_EQ(info(CommandId::vkCreateBuffer).verb, Verb::creates);
  EXPECT_EQ(info(CommandId::vkCreateBuffer).makes, HandleType::VkBuffer);
  EXPECT_EQ(info(CommandId::vkEnumeratePhysicalDevices).verb, Verb::gets);
  EXPECT_EQ(info(CommandId::vkCmdDrawMeshTasksEXT).verb, Verb::draws_meshes);
  EXPECT_EQ(info(CommandId::vkCmdDrawIndexed).verb, Verb::draws);
  EXPECT_EQ(info(CommandId::vkQueueSubmit).verb, Verb::submits);
  EXPECT_EQ(info(CommandId::vkQueueSubmit2).verb, Verb::submits);
  EXPECT_EQ(info(CommandId::vkQueueWaitIdle).verb, Verb::other);
  EXPECT_EQ(info(CommandId::rondoCheckpointImage).verb, Verb::checks);
  EXPECT_TRUE(info(CommandId::vkGetPhysicalDeviceProperties2KHR).kept_answer);
  EXPECT_TRUE(info(CommandId::rondoAddress).kept_answer);
  EXPECT_FALSE(info(CommandId::vkGetFenceStatus).kept_answer);
  // The times of the program's machine mean nothing in a cut.
  EXPECT_FALSE(info(CommandId::vkGetPhysicalDeviceCalibrateableTimeDomainsEXT).kept_answer);
  EXPECT_EQ(info(CommandId::vkQueueSubmit).makes, HandleType::none);
  // No command of a command buffer.
  EXPECT_EQ(facts(CommandId::vkQueueSubmit).queues, 0u);
  EXPECT_EQ(facts(CommandId::vkQueueSubmit).tasks, 0);
  for (const auto& c : commands().subspan(1))
    EXPECT_FALSE(c.recording.opens != Scope::none && c.recording.closes != Scope::none) << c.name;
}

TEST(Registry, GivesEveryExtensionThatIsHiddenItsReason) {
  std::set<std::string_view> supported;
  for (const auto& e : extensions()) {
    EXPECT_EQ(e.supported, std::string_view(e.reason).empty()) << e.name;
    if (e.supported) supported.insert(e.name);
  }
  EXPECT_TRUE(supported.contains("VK_KHR_swapchain"));
  EXPECT_TRUE(supported.contains("VK_KHR_xcb_surface"));
  EXPECT_TRUE(supported.contains("VK_KHR_buffer_device_address"));
  EXPECT_FALSE(supported.contains("VK_EXT_buffer_device_address"));
  EXPECT_FALSE(supported.contains("VK_KHR_external_memory_fd"));
  EXPECT_FALSE(supported.contains("VK_KHR_win32_surface"));
}

TEST(Registry, NamesHiddenFeaturesByTheirBit) {
  bool found = false;
  for (const auto& f : hidden_features()) {
    EXPECT_STRNE(f.reason, "");
    if (f.structure == StructId::VkPhysicalDeviceVulkan11Features) {
      EXPECT_STREQ(f.member, "protectedMemory");
      EXPECT_EQ(f.offset, offsetof(VkPhysicalDeviceVulkan11Features, protectedMemory));
      found = true;
    }
  }
  EXPECT_TRUE(found);
}

TEST(Commands, AreNumberedOnTheSideThatTheRuleSays) {
  for (const auto& c : commands().subspan(1))
    if (c.records_into_command_buffer) {
      EXPECT_EQ(c.numbering, Numbering::before) << c.name;
    }
  for (const char* name : {"vkDestroyBuffer", "vkFreeMemory", "vkQueueSubmit", "vkQueueSubmit2", "vkQueuePresentKHR",
                           "vkResetFences", "vkResetCommandPool", "vkSignalSemaphore", "vkSetEvent", "vkUnmapMemory",
                           "vkFlushMappedMemoryRanges", "vkBeginCommandBuffer", "vkEndCommandBuffer",
                           "vkUpdateDescriptorSets", "vkTrimCommandPoolKHR", "vkQueueBeginDebugUtilsLabelEXT"})
    EXPECT_EQ(info(command_by_name(name)).numbering, Numbering::before) << name;
  for (const char* name : {"vkCreateBuffer", "vkAllocateMemory", "vkWaitForFences", "vkAcquireNextImageKHR",
                           "vkMapMemory", "vkGetDeviceQueue", "vkQueueWaitIdle", "vkBindBufferMemory"})
    EXPECT_EQ(info(command_by_name(name)).numbering, Numbering::after) << name;
  EXPECT_TRUE(info(CommandId::vkQueueSubmit).two_part);
  EXPECT_FALSE(info(CommandId::vkCmdDraw).two_part);
  EXPECT_FALSE(info(CommandId::vkCreateBuffer).two_part);
}

TEST(Commands, HaveTraitsThatSayTheSame) {
  using Draw = CommandTraits<CommandId::vkCmdDraw>;
  static_assert(Draw::scalars && Draw::records_into_command_buffer && !Draw::two_part);
  static_assert(std::is_same_v<Draw::Args, args_vkCmdDraw> && std::is_same_v<Draw::Return, void>);
  static_assert(Draw::pfn == &Dispatch::vkCmdDraw);
  using Submit = CommandTraits<CommandId::vkQueueSubmit>;
  static_assert(Submit::two_part && !Submit::scalars && Submit::returns == Returns::result);
  // An alias is called by its own pointer with its command's parameters.
  using Alias = CommandTraits<CommandId::vkQueueSubmit2KHR>;
  static_assert(std::is_same_v<Alias::Args, args_vkQueueSubmit2> && Alias::pfn == &Dispatch::vkQueueSubmit2KHR);
  EXPECT_EQ(info(CommandId::vkQueueSubmit2KHR).canonical, CommandId::vkQueueSubmit2);
  EXPECT_EQ(info(CommandId::vkQueueSubmit2KHR).args, info(CommandId::vkQueueSubmit2).args);
}

TEST(Commands, MarkWhatTheyCreateAndDestroy) {
  const auto flags = [](CommandId id, std::string_view member) {
    for (const Field& f : info(info(id).args).fields)
      if (f.name == member) return f.flags & ~(kRequired | kRequiredElements);
    return -1;
  };
  EXPECT_EQ(flags(CommandId::vkCreateBuffer, "pBuffer"), kOutput | kCreated);
  EXPECT_EQ(flags(CommandId::vkDestroyBuffer, "buffer"), kDestroyed);
  EXPECT_EQ(flags(CommandId::vkDestroyBuffer, "device"), 0);
  EXPECT_EQ(flags(CommandId::vkDestroyDevice, "device"), kDestroyed);
  EXPECT_EQ(flags(CommandId::vkFreeCommandBuffers, "pCommandBuffers"), kDestroyed);
  EXPECT_EQ(flags(CommandId::vkFreeCommandBuffers, "commandPool"), 0);
  EXPECT_EQ(flags(CommandId::vkGetSwapchainImagesKHR, "pSwapchainImages"), kOutput | kCreated);
  EXPECT_EQ(flags(CommandId::vkEnumeratePhysicalDevices, "pPhysicalDeviceCount"), kOutput);
  EXPECT_EQ(flags(CommandId::vkCmdBindPipeline, "pipeline"), 0);
}

TEST(Handles, KnowTheirParentsAndTheirEnd) {
  EXPECT_EQ(info(HandleType::VkCommandBuffer).parent, HandleType::VkCommandPool);
  EXPECT_EQ(info(HandleType::VkDescriptorSet).destroy, CommandId::vkFreeDescriptorSets);
  EXPECT_EQ(info(HandleType::VkBuffer).destroy, CommandId::vkDestroyBuffer);
  EXPECT_EQ(info(HandleType::VkQueue).destroy, CommandId::none);
  EXPECT_EQ(info(HandleType::VkInstance).parent, HandleType::none);
  EXPECT_EQ(info(HandleType::VkSwapchainKHR).parent, HandleType::VkDevice);
  EXPECT_TRUE(info(HandleType::VkQueue).dispatchable);
  EXPECT_EQ(handle_by_object_type(VK_OBJECT_TYPE_IMAGE), HandleType::VkImage);
  EXPECT_EQ(handle_by_object_type(VK_OBJECT_TYPE_UNKNOWN), HandleType::none);
  EXPECT_EQ(handle_by_object_type(4711), HandleType::none);
}

TEST(Structures, AreFoundByNameAliasAndType) {
  EXPECT_EQ(structure_by_name("VkBufferCreateInfo"), StructId::VkBufferCreateInfo);
  EXPECT_EQ(structure_by_name("VkPhysicalDeviceFeatures2KHR"), StructId::VkPhysicalDeviceFeatures2);
  EXPECT_EQ(structure_by_name("VkNothing"), StructId::none);
  EXPECT_EQ(structure_by_name("args_vkCmdDraw"), StructId::none);
  EXPECT_EQ(structure_by_stype(VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO),
            StructId::VkMemoryDedicatedAllocateInfo);
  EXPECT_EQ(structure_by_stype(4711), StructId::none);
  EXPECT_TRUE(info(StructId::VkPhysicalDeviceVulkan12Features).features);
  EXPECT_FALSE(info(StructId::VkPhysicalDeviceFeatures2).features);
  EXPECT_TRUE(info(StructId::VkViewport).flat);
  EXPECT_FALSE(info(StructId::VkImageMemoryBarrier).flat);
}

TEST(Enumerants, HaveNames) {
  EXPECT_EQ(enumerant_name(EnumId::VkResult, VK_ERROR_OUT_OF_DATE_KHR), "VK_ERROR_OUT_OF_DATE_KHR");
  EXPECT_EQ(enumerant_name(EnumId::VkFormat, VK_FORMAT_B8G8R8A8_UNORM), "VK_FORMAT_B8G8R8A8_UNORM");
  EXPECT_EQ(enumerant_name(EnumId::VkImageLayout, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR), "VK_IMAGE_LAYOUT_PRESENT_SRC_KHR");
  EXPECT_EQ(enumerant_name(EnumId::VkFormat, 123456), "");
  EXPECT_EQ(enumerant_name(EnumId::VkBufferUsageFlagBits, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT),
            "VK_BUFFER_USAGE_VERTEX_BUFFER_BIT");
  EXPECT_EQ(enumerant_name(EnumId::VkAccessFlagBits2, static_cast<std::int64_t>(VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT)),
            "VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT");
  EXPECT_EQ(enum_name(EnumId::VkFormat), "VkFormat");
}

// Files of older builds stay readable as long as these do not change.
TEST(EncodingHashes, AreThoseOfTheFirstRelease) {
  const auto hash = [](CommandId id) { return info(info(id).args).encoding_hash; };
  std::set<std::uint64_t> seen;
  for (const auto& s : structures())
    if (s.stype != kNull && s.size != 0) seen.insert(s.encoding_hash);
  EXPECT_GT(seen.size(), 500u);  // only empty and look-alike structures share one
  EXPECT_EQ(hash(CommandId::vkCmdDraw), 0xf88ff91e8d98420cu);
  EXPECT_EQ(hash(CommandId::vkCreateGraphicsPipelines), 0x02694cf4b8f69626u);
  EXPECT_EQ(info(StructId::VkPhysicalDeviceVulkan13Features).encoding_hash, 0x446961b96600ddb7u);
}

TEST(Dispatch, IsFilledByLevelAndReadById) {
  static std::set<std::string> asked;
  asked.clear();
  Dispatch dispatch;
  load_device(
      dispatch,
      [](VkDevice, const char* name) -> PFN_vkVoidFunction {
        asked.insert(name);
        return reinterpret_cast<PFN_vkVoidFunction>(std::uintptr_t{0x1000} + asked.size());
      },
      VK_NULL_HANDLE);
  EXPECT_TRUE(asked.contains("vkCmdDraw") && asked.contains("vkQueueSubmit2KHR"));
  EXPECT_FALSE(asked.contains("vkCreateInstance") || asked.contains("vkCreateDevice") ||
               asked.contains("rondoHostWrite") || asked.contains("vkGetDeviceProcAddr"));
  EXPECT_NE(dispatch.vkCmdDraw, nullptr);
  EXPECT_EQ(dispatch.at(CommandId::vkCmdDraw), reinterpret_cast<PFN_vkVoidFunction>(dispatch.vkCmdDraw));
  EXPECT_EQ(dispatch.at(CommandId::vkCreateDevice), nullptr);
  EXPECT_EQ(dispatch.at(CommandId::none), nullptr);
}

std::uint32_t drawn = 0;
VKAPI_ATTR void VKAPI_CALL fake_draw(VkCommandBuffer, std::uint32_t vertices, std::uint32_t instances, std::uint32_t,
                                     std::uint32_t first) {
  drawn = vertices + 10 * instances + 100 * first;
}
VKAPI_ATTR VkResult VKAPI_CALL fake_wait(VkDevice) { return VK_ERROR_DEVICE_LOST; }

TEST(Thunks, UnpackArgumentsAndWidenResults) {
  args_vkCmdDraw draw{VK_NULL_HANDLE, 1, 2, 3, 4};
  EXPECT_EQ(invoke(CommandId::vkCmdDraw, reinterpret_cast<PFN_vkVoidFunction>(fake_draw), &draw), 0);
  EXPECT_EQ(drawn, 421u);
  args_vkDeviceWaitIdle wait{VK_NULL_HANDLE};
  EXPECT_EQ(invoke(CommandId::vkDeviceWaitIdle, reinterpret_cast<PFN_vkVoidFunction>(fake_wait), &wait),
            VK_ERROR_DEVICE_LOST);
}

}  // namespace
}  // namespace rondo::codec
