// SPDX-License-Identifier: Apache-2.0
// What cannot be recorded is an error that names it; what a file claims is
// checked before it is believed.
#include <gtest/gtest.h>

#include <cstring>

#include "generated/args.h"
#include "tests/unit/codec_builder.h"

namespace rondo::test {
namespace {

template <class T>
T handle(std::uint64_t value) {
  return reinterpret_cast<T>(value);
}

class Payloads : public testing::Test {
 protected:
  std::vector<std::byte> encoded(CommandId command, const void* args) {
    codec::Buffer buffer;
    EXPECT_EQ(codec::encode(buffer, context_, command, args).error, "");
    return {buffer.bytes().begin(), buffer.bytes().end()};
  }
  std::string refusal(CommandId command, const std::vector<std::byte>& payload,
                      const codec::DecodeLimits& limits = {}) {
    const auto decoded = codec::decode(lowered_, own_ids(), command, payload, limits);
    EXPECT_FALSE(decoded.has_value());
    return decoded.has_value() ? "" : decoded.error().message;
  }
  template <class T>
  static void patch(std::vector<std::byte>& payload, std::size_t at, T value) {
    ASSERT_LE(at + sizeof value, payload.size());
    std::memcpy(payload.data() + at, &value, sizeof value);
  }

  FakeContext context_;
  codec::Lowered lowered_;
};

TEST_F(Payloads, NameAnUnknownStructureAtTheCall) {
  VkBaseInStructure stranger{static_cast<VkStructureType>(1000999123), nullptr};
  VkImageCreateInfo create = titled<VkImageCreateInfo>(VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, &stranger);
  VkImage image = VK_NULL_HANDLE;
  const args_vkCreateImage args{handle<VkDevice>(1), &create, nullptr, &image};
  codec::Buffer buffer;
  const auto error = codec::encode(buffer, context_, CommandId::vkCreateImage, &args).error;
  EXPECT_NE(error.find("vkCreateImage"), std::string::npos) << error;
  EXPECT_NE(error.find("VkImageCreateInfo"), std::string::npos) << error;
  EXPECT_NE(error.find("1000999123"), std::string::npos) << error;
}

TEST_F(Payloads, NameAStructureOfAnotherPlatformByItsName) {
  VkBaseInStructure win32{VK_STRUCTURE_TYPE_EXPORT_MEMORY_WIN32_HANDLE_INFO_KHR, nullptr};
  VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &win32, 64, 0};
  VkDeviceMemory memory = VK_NULL_HANDLE;
  const args_vkAllocateMemory args{handle<VkDevice>(1), &allocate, nullptr, &memory};
  codec::Buffer buffer;
  const auto error = codec::encode(buffer, context_, CommandId::vkAllocateMemory, &args).error;
  EXPECT_NE(error.find("VK_STRUCTURE_TYPE_EXPORT_MEMORY_WIN32_HANDLE_INFO_KHR"), std::string::npos) << error;
}

TEST_F(Payloads, OfATemplateThatWasNeverSeenAreRefused) {
  context_.layout = nullptr;
  const args_vkUpdateDescriptorSetWithTemplate args{handle<VkDevice>(1), handle<VkDescriptorSet>(2),
                                                    handle<VkDescriptorUpdateTemplate>(3), "data"};
  codec::Buffer buffer;
  const auto error = codec::encode(buffer, context_, CommandId::vkUpdateDescriptorSetWithTemplate, &args).error;
  EXPECT_NE(error.find("pData"), std::string::npos) << error;
}

TEST_F(Payloads, WithDescriptorsOutsideATemplatesDataAreRefused) {
  const std::vector<std::byte> data(FakeContext::kTemplateBytes);
  const args_vkUpdateDescriptorSetWithTemplate args{handle<VkDevice>(1), handle<VkDescriptorSet>(2),
                                                    handle<VkDescriptorUpdateTemplate>(3), data.data()};
  const auto payload = encoded(CommandId::vkUpdateDescriptorSetWithTemplate, &args);
  // Behind three handles: entries, bytes; of the first entry type, count, offset, stride.
  for (const auto& [at, value] : {std::pair<std::size_t, std::uint64_t>{24 + 8 + 8, 100},
                                  {24 + 8 + 8, UINT64_MAX},
                                  {24 + 8 + 16, 110},
                                  {24 + 8 + 16, UINT64_MAX / 2}}) {
    auto broken = payload;
    patch(broken, at, value);
    const auto message = refusal(CommandId::vkUpdateDescriptorSetWithTemplate, broken);
    EXPECT_NE(message.find("outside its data"), std::string::npos) << message;
  }
}

TEST_F(Payloads, WithMoreTemplateDataThanDescriptorsCanNeedAreRefused) {
  const std::vector<std::byte> data(FakeContext::kTemplateBytes);
  const args_vkUpdateDescriptorSetWithTemplate args{handle<VkDevice>(1), handle<VkDescriptorSet>(2),
                                                    handle<VkDescriptorUpdateTemplate>(3), data.data()};
  auto payload = encoded(CommandId::vkUpdateDescriptorSetWithTemplate, &args);
  patch(payload, 24 + 4, std::uint32_t{200} << 20);
  const auto message = refusal(CommandId::vkUpdateDescriptorSetWithTemplate, payload);
  EXPECT_NE(message.find("bytes of memory for less"), std::string::npos) << message;
}

TEST_F(Payloads, WithMoreElementsThanTheirCountAreRefused) {
  VkViewport viewports[2] = {};
  const args_vkCmdSetViewport args{handle<VkCommandBuffer>(1), 0, 2, viewports};
  auto payload = encoded(CommandId::vkCmdSetViewport, &args);
  patch(payload, 8 + 4, std::uint32_t{7});  // viewportCount
  const auto message = refusal(CommandId::vkCmdSetViewport, payload);
  EXPECT_NE(message.find("pViewports"), std::string::npos) << message;
  EXPECT_NE(message.find("its count says 7"), std::string::npos) << message;
}

TEST_F(Payloads, WithFewerHandlesThanAnAllocationSaysAreRefused) {
  VkCommandBuffer buffers[2] = {handle<VkCommandBuffer>(5), handle<VkCommandBuffer>(6)};
  VkCommandBufferAllocateInfo allocate{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr,
                                       handle<VkCommandPool>(2), VK_COMMAND_BUFFER_LEVEL_PRIMARY, 2};
  const args_vkAllocateCommandBuffers args{handle<VkDevice>(1), &allocate, buffers};
  auto payload = encoded(CommandId::vkAllocateCommandBuffers, &args);
  patch(payload, 8 + 1 + 2 + 8 + 4, std::uint32_t{3});  // commandBufferCount
  const auto message = refusal(CommandId::vkAllocateCommandBuffers, payload);
  EXPECT_NE(message.find("pCommandBuffers"), std::string::npos) << message;
}

TEST_F(Payloads, ThatClaimMoreThanTheyHoldAreRefusedBeforeAllocating) {
  const args_vkCmdSetViewport args{handle<VkCommandBuffer>(1), 0, 0, nullptr};
  auto payload = encoded(CommandId::vkCmdSetViewport, &args);
  patch(payload, 8 + 4, std::uint32_t{0x7fffffff});
  patch(payload, 8 + 8, std::uint32_t{0x7fffffff});
  const auto message = refusal(CommandId::vkCmdSetViewport, payload);
  EXPECT_NE(message.find("more than the payload holds"), std::string::npos) << message;
}

TEST_F(Payloads, BeyondTheMemoryBudgetAreRefused) {
  // Query results that the driver would write: only their size is in the file.
  std::vector<std::byte> results(1000);
  const args_vkGetQueryPoolResults args{handle<VkDevice>(1), handle<VkQueryPool>(2), 0, 1,
                                        results.size(),      results.data(),         8, 0};
  const auto payload = encoded(CommandId::vkGetQueryPoolResults, &args);
  const auto message = refusal(CommandId::vkGetQueryPoolResults, payload, {.max_bytes = 512});
  EXPECT_NE(message.find("512"), std::string::npos) << message;
  ASSERT_TRUE(codec::decode(lowered_, own_ids(), CommandId::vkGetQueryPoolResults, payload).has_value());
  EXPECT_TRUE(lowered_.blobs.empty());  // an output: space to write to, not the captured bytes
  const auto& back = *static_cast<const args_vkGetQueryPoolResults*>(relocate(lowered_, {}));
  std::memset(back.pData, 1, back.dataSize);
}

TEST_F(Payloads, WithBytesTooManyAreRefused) {
  const args_vkCmdDraw args{handle<VkCommandBuffer>(1), 3, 1, 0, 0};
  auto payload = encoded(CommandId::vkCmdDraw, &args);
  payload.push_back(std::byte{0});
  EXPECT_NE(refusal(CommandId::vkCmdDraw, payload).find("1 bytes too many"), std::string::npos);
}

TEST_F(Payloads, NestedWithoutEndAreRefused) {
  // Chains inside structures inside chains: no program does this.
  std::vector<VkFramebufferAttachmentImageInfo> images(100);
  std::vector<VkFramebufferAttachmentsCreateInfo> attachments(100);
  for (std::size_t i = 0; i < images.size(); ++i) {
    images[i].sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_ATTACHMENT_IMAGE_INFO;
    images[i].pNext = i + 1 < images.size() ? &attachments[i + 1] : nullptr;
    attachments[i] = {VK_STRUCTURE_TYPE_FRAMEBUFFER_ATTACHMENTS_CREATE_INFO, nullptr, 1, &images[i]};
  }
  VkFramebufferCreateInfo create =
      titled<VkFramebufferCreateInfo>(VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO, attachments.data());
  VkFramebuffer framebuffer = VK_NULL_HANDLE;
  const args_vkCreateFramebuffer args{handle<VkDevice>(1), &create, nullptr, &framebuffer};
  codec::Buffer buffer;
  EXPECT_NE(codec::encode(buffer, context_, CommandId::vkCreateFramebuffer, &args).error.find("nested too deeply"),
            std::string::npos);

  // The same from a file: u16 id, u32 count 1, the element's chain, and so on.
  create.pNext = nullptr;
  const auto plain = encoded(CommandId::vkCreateFramebuffer, &args);
  std::vector<std::byte> payload(plain.begin(), plain.begin() + 9);  // device, present
  for (int i = 0; i < 10000; ++i) {
    const auto id = static_cast<std::uint16_t>(StructId::VkFramebufferAttachmentsCreateInfo);
    const std::uint32_t count[2] = {1, 1};
    const auto* id_bytes = reinterpret_cast<const std::byte*>(&id);
    const auto* count_bytes = reinterpret_cast<const std::byte*>(count);
    payload.insert(payload.end(), id_bytes, id_bytes + sizeof id);
    payload.insert(payload.end(), count_bytes, count_bytes + sizeof count);
  }
  EXPECT_NE(refusal(CommandId::vkCreateFramebuffer, payload).find("nested too deeply"), std::string::npos);
}

TEST_F(Payloads, WithAStructureThatTheDictionaryLacksAreRefused) {
  const args_vkCreateInstance args{nullptr, nullptr, nullptr};
  auto payload = encoded(CommandId::vkCreateInstance, &args);
  payload[0] = std::byte{1};  // pCreateInfo present
  payload.insert(payload.begin() + 1, {std::byte{0xff}, std::byte{0xff}});
  const auto message = refusal(CommandId::vkCreateInstance, payload);
  EXPECT_NE(message.find("65535"), std::string::npos) << message;
}

TEST_F(Payloads, WithNullsThatADriverWouldFollowAreRefused) {
  const auto expect_null = [this](CommandId command, const void* args, const std::string& member) {
    const auto message = refusal(command, encoded(command, args));
    EXPECT_NE(message.find(std::string(codec::info(command).name) + "." + member), std::string::npos) << message;
    EXPECT_NE(message.find("is null but must not be"), std::string::npos) << message;
  };
  const auto device = handle<VkDevice>(1);
  const auto commands = handle<VkCommandBuffer>(2);
  VkCommandPool pool = handle<VkCommandPool>(3);
  const args_vkCreateCommandPool no_create{device, nullptr, nullptr, &pool};
  expect_null(CommandId::vkCreateCommandPool, &no_create, "pCreateInfo");
  const args_vkBeginCommandBuffer no_begin{commands, nullptr};
  expect_null(CommandId::vkBeginCommandBuffer, &no_begin, "pBeginInfo");
  const args_vkCmdSetViewport no_viewports{commands, 0, 4, nullptr};
  expect_null(CommandId::vkCmdSetViewport, &no_viewports, "pViewports");
  const args_vkCmdPushConstants no_constants{commands, handle<VkPipelineLayout>(4), 0, 0, 128, nullptr};
  expect_null(CommandId::vkCmdPushConstants, &no_constants, "pValues");
  const args_vkCmdDraw no_buffer{nullptr, 3, 1, 0, 0};
  expect_null(CommandId::vkCmdDraw, &no_buffer, "commandBuffer");

  const char* names[] = {"VK_KHR_surface", nullptr};
  VkInstanceCreateInfo instance_create = titled<VkInstanceCreateInfo>(VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO);
  instance_create.enabledExtensionCount = 2;
  instance_create.ppEnabledExtensionNames = names;
  VkInstance instance = handle<VkInstance>(5);
  const args_vkCreateInstance no_name{&instance_create, nullptr, &instance};
  expect_null(CommandId::vkCreateInstance, &no_name, "ppEnabledExtensionNames");

  VkCommandBuffer submitted[] = {commands, nullptr};
  VkSubmitInfo submit = titled<VkSubmitInfo>(VK_STRUCTURE_TYPE_SUBMIT_INFO);
  submit.commandBufferCount = 2;
  submit.pCommandBuffers = submitted;
  const args_vkQueueSubmit null_commands{handle<VkQueue>(6), 1, &submit, VK_NULL_HANDLE};
  expect_null(CommandId::vkQueueSubmit, &null_commands, "pCommandBuffers");
  const VkFence fence = VK_NULL_HANDLE;
  const args_vkWaitForFences null_fence{device, 1, &fence, VK_TRUE, 0};
  expect_null(CommandId::vkWaitForFences, &null_fence, "pFences");

  // What a rule leaves live is required as well.
  VkWriteDescriptorSet write = titled<VkWriteDescriptorSet>(VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET);
  write.dstSet = handle<VkDescriptorSet>(7);
  write.descriptorCount = 1;
  write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  const args_vkUpdateDescriptorSets no_info{device, 1, &write, 0, nullptr};
  expect_null(CommandId::vkUpdateDescriptorSets, &no_info, "pBufferInfo");
}

// The registry does not say it of them, and those who read them go by the count.
TEST_F(Payloads, OfRondosOwnRecordsHaveTheListsThatTheirCountsSay) {
  static constexpr std::byte zeros[4096] = {};
  int lists = 0;
  for (const codec::CommandInfo& command : codec::commands()) {
    if (!codec::is_event(command.name)) continue;
    const codec::StructInfo& row = codec::info(command.args);
    for (const codec::Field& without : row.fields) {
      if (without.shape != codec::Shape::many) continue;
      std::vector<std::byte> args(row.size);
      for (const codec::Field& list : row.fields) {
        if (list.shape != codec::Shape::many) continue;
        patch(args, list.count.a, static_cast<std::uint8_t>(1));
        patch(args, list.offset, &list == &without ? nullptr : static_cast<const void*>(zeros));
      }
      const std::string message = refusal(command.id, encoded(command.id, args.data()));
      EXPECT_NE(message.find(std::string(".") + without.name), std::string::npos) << command.name << ": " << message;
      EXPECT_NE(message.find("is null but must not be"), std::string::npos) << message;
      ++lists;
    }
  }
  EXPECT_GT(lists, 10);
}

TEST_F(Payloads, MayHoldTheNullsThatVulkanAllows) {
  const auto accepted = [this](CommandId command, const void* args) {
    const auto decoded = codec::decode(lowered_, own_ids(), command, encoded(command, args));
    EXPECT_TRUE(decoded.has_value()) << decoded.error().message;
  };
  const auto device = handle<VkDevice>(1);
  const args_vkDestroyBuffer nothing_to_destroy{device, VK_NULL_HANDLE, nullptr};
  accepted(CommandId::vkDestroyBuffer, &nothing_to_destroy);
  const args_vkCmdSetViewport none{handle<VkCommandBuffer>(2), 0, 0, nullptr};
  accepted(CommandId::vkCmdSetViewport, &none);
  VkCommandBuffer freed = nullptr;
  const args_vkFreeCommandBuffers null_freed{device, handle<VkCommandPool>(3), 1, &freed};
  accepted(CommandId::vkFreeCommandBuffers, &null_freed);
  // The outputs of a call that failed.
  VkCommandPoolCreateInfo create = titled<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
  const args_vkCreateCommandPool failed{device, &create, nullptr, nullptr};
  accepted(CommandId::vkCreateCommandPool, &failed);
  // nullDescriptor.
  VkDescriptorBufferInfo buffer{VK_NULL_HANDLE, 0, VK_WHOLE_SIZE};
  VkWriteDescriptorSet write = titled<VkWriteDescriptorSet>(VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET);
  write.dstSet = handle<VkDescriptorSet>(7);
  write.descriptorCount = 1;
  write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  write.pBufferInfo = &buffer;
  const args_vkUpdateDescriptorSets null_descriptor{device, 1, &write, 0, nullptr};
  accepted(CommandId::vkUpdateDescriptorSets, &null_descriptor);
}

TEST_F(Payloads, OfLongDataBecomeBlobsUnderTheirDigest) {
  const std::vector<std::uint32_t> code(100, 0x07230203);
  VkShaderModuleCreateInfo create{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, nullptr, 0, code.size() * 4,
                                  code.data()};
  VkShaderModule module = handle<VkShaderModule>(9);
  const args_vkCreateShaderModule args{handle<VkDevice>(1), &create, nullptr, &module};
  const auto payload = encoded(CommandId::vkCreateShaderModule, &args);
  ASSERT_EQ(context_.blobs.size(), 1u);
  EXPECT_EQ(context_.blobs.begin()->second.size(), 400u);
  EXPECT_LT(payload.size(), 100u);
  ASSERT_TRUE(codec::decode(lowered_, own_ids(), CommandId::vkCreateShaderModule, payload).has_value());
  ASSERT_EQ(lowered_.blobs.size(), 1u);
  EXPECT_EQ(lowered_.blobs[0].bytes, 400u);
}

TEST(Dictionaries, OfOtherBuildsAreMatchedByNameAndRefusedByName) {
  auto rows = own_dictionary();
  for (auto& row : rows) {
    if (row.name == "vkCmdDraw" && row.kind == DictionaryKind::command) row.id = 7000;
    if (row.name == "vkCmdDispatch") row.encoding_hash ^= 1;
    if (row.name == "VkDebugUtilsLabelEXT") row.encoding_hash ^= 1;
  }
  rows.push_back({DictionaryKind::command, 8000, 1, "vkFromTheFuture"});
  const auto ids = codec::IdMap::match(rows);
  EXPECT_EQ(ids.command(7000), CommandId::vkCmdDraw);
  EXPECT_EQ(ids.command(static_cast<std::uint16_t>(CommandId::vkCmdDispatch)), CommandId::none);
  EXPECT_EQ(ids.structure(static_cast<std::uint16_t>(StructId::VkDebugUtilsLabelEXT)), StructId::none);
  EXPECT_EQ(ids.command(8000), CommandId::none);
  EXPECT_EQ(ids.command(60000), CommandId::none);
  EXPECT_EQ(ids.name(8000), "vkFromTheFuture");
  ASSERT_EQ(ids.refused().size(), 3u);
  EXPECT_NE(ids.refused()[2].find("vkFromTheFuture"), std::string::npos);
}

TEST(Dictionaries, MatchStructuresThatWerePromotedUnderTheirOldName) {
  // A file that an older build wrote names VkPhysicalDeviceFeatures2KHR.
  const auto& current = codec::info(StructId::VkPhysicalDeviceFeatures2);
  const std::vector<DictionaryRow> rows = {
      {DictionaryKind::structure, 12, current.encoding_hash, "VkPhysicalDeviceFeatures2KHR"}};
  EXPECT_EQ(codec::IdMap::match(rows).structure(12), StructId::VkPhysicalDeviceFeatures2);
}

}  // namespace
}  // namespace rondo::test
