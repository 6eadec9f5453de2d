// SPDX-License-Identifier: Apache-2.0
// What of a capture is alive at a place, and which of it can be read there: without a device.
#include "player/snapshot/snapshot.h"
#include "tests/unit/player_scene.h"

namespace rondo::player {
namespace {

using test::handle;
using test::kDevice;
using test::kQueue;
using test::of_type;
using test::ok;

using Kind = SnapshotPlace::Kind;

VkPhysicalDeviceVulkan12Features features() {
  auto wanted = of_type<VkPhysicalDeviceVulkan12Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
  wanted.timelineSemaphore = VK_TRUE;
  return wanted;
}
const VkPhysicalDeviceVulkan12Features kFeatures = features();

class PlayerSnapshot : public test::PlayerScene {
 protected:
  PlayerSnapshot() : PlayerScene(VK_API_VERSION_1_2, &kFeatures, {}, {1}) {
    capture.call(CommandId::vkGetDeviceQueue, args_vkGetDeviceQueue{kDevice, 1, 0, &other_});
    auto info = of_type<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
    pool_ = create<VkCommandPool, args_vkCreateCommandPool>(CommandId::vkCreateCommandPool, info);
  }

  VkBuffer buffer(bool bound = true) {
    auto info = of_type<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
    info.size = 256;
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
    const auto made = create<VkBuffer, args_vkCreateBuffer>(CommandId::vkCreateBuffer, info);
    if (bound) {
      memory_ = allocate(4096);
      capture.call(CommandId::vkBindBufferMemory, args_vkBindBufferMemory{kDevice, made, memory_, 512}, ok());
    }
    return made;
  }
  VkImage image(VkFormat format = VK_FORMAT_R8G8B8A8_UNORM, std::uint32_t mips = 1, std::uint32_t layers = 1,
                VkSampleCountFlagBits samples = VK_SAMPLE_COUNT_1_BIT) {
    auto info = of_type<VkImageCreateInfo>(VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO);
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = format;
    info.extent = {16, 8, 1};
    info.mipLevels = mips;
    info.arrayLayers = layers;
    info.samples = samples;
    info.usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    const auto made = create<VkImage, args_vkCreateImage>(CommandId::vkCreateImage, info);
    capture.call(CommandId::vkBindImageMemory, args_vkBindImageMemory{kDevice, made, allocate(65536), 0}, ok());
    return made;
  }
  VkCommandBuffer transition(VkImage of, const VkImageSubresourceRange& range, VkImageLayout to) {
    auto info = of_type<VkCommandBufferAllocateInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
    info.commandPool = pool_;
    info.commandBufferCount = 1;
    auto made = fresh<VkCommandBuffer>();
    capture.call(CommandId::vkAllocateCommandBuffers, args_vkAllocateCommandBuffers{kDevice, &info, &made}, ok());
    const auto begin = of_type<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
    capture.call(CommandId::vkBeginCommandBuffer, args_vkBeginCommandBuffer{made, &begin}, ok());
    const VkImageMemoryBarrier one{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                   nullptr,
                                   0,
                                   0,
                                   VK_IMAGE_LAYOUT_UNDEFINED,
                                   to,
                                   VK_QUEUE_FAMILY_IGNORED,
                                   VK_QUEUE_FAMILY_IGNORED,
                                   of,
                                   range};
    capture.call(CommandId::vkCmdPipelineBarrier,
                 args_vkCmdPipelineBarrier{made, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                           0, 0, nullptr, 0, nullptr, 1, &one});
    capture.call(CommandId::vkEndCommandBuffer, args_vkEndCommandBuffer{made}, ok());
    return made;
  }
  void destroy(VkBuffer one) { capture.call(CommandId::vkDestroyBuffer, args_vkDestroyBuffer{kDevice, one, nullptr}); }

  std::unique_ptr<Snapshot> load(const SnapshotPlace& place = {}) {
    auto loaded = Snapshot::load(file.path(), place);
    if (loaded) return std::move(*loaded);
    ADD_FAILURE() << loaded.error().message;
    return nullptr;
  }
  Error refusal(const SnapshotPlace& place) {
    auto loaded = Snapshot::load(file.path(), place);
    EXPECT_FALSE(loaded);
    return loaded ? Error{} : loaded.error();
  }
  static std::vector<std::string> names(const Snapshot& snapshot) {
    std::vector<std::string> all;
    for (const SnapshotImage& one : snapshot.images()) all.push_back(snapshot.plan().name(one.id));
    for (const SnapshotBuffer& one : snapshot.buffers()) all.push_back(snapshot.plan().name(one.id));
    return all;
  }

  VkQueue other_ = handle<VkQueue>(0x48);  // of family 1
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;  // of the last buffer
};

constexpr std::uint64_t kNever = 7;
constexpr VkImageSubresourceRange kAll{VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0,
                                       VK_REMAINING_ARRAY_LAYERS};

TEST(SnapshotPlaces, AreReadAndWritten) {
  const auto frame = parse_place("frame:12"), submit = parse_place("submit:0");
  ASSERT_TRUE(frame && submit);
  EXPECT_EQ(frame->kind, Kind::frame);
  EXPECT_EQ(frame->text(), "behind frame 12");
  EXPECT_EQ(submit->kind, Kind::submit);
  EXPECT_EQ(submit->text(), "behind submit 0");
  for (const char* wrong : {"", "frame", "frame:", "frame:x", "frame:1:2", "frames:1", "submit:-1", "submit:1 ", ":1",
                            "submit:18446744073709551615", "frame:99999999999999999999"}) {
    const auto place = parse_place(wrong);
    ASSERT_FALSE(place) << wrong;
    EXPECT_EQ(place.error().status, Status::usage);
  }
}

TEST_F(PlayerSnapshot, ListsWhatIsAliveAtThePlace) {
  const VkBuffer first = buffer();
  submit();
  buffer();
  destroy(first);
  submit();
  const VkBuffer third = buffer();
  destroy(third);
  capture.finish();
  using Names = std::vector<std::string>;
  EXPECT_EQ(names(*load({Kind::submit, 0})), Names{"VkBuffer#0"});
  EXPECT_EQ(names(*load({Kind::submit, 1})), Names{"VkBuffer#1"});
  // At the end: in front of the first destroy behind all work.
  EXPECT_EQ(names(*load()), (Names{"VkBuffer#1", "VkBuffer#2"}));
}

TEST_F(PlayerSnapshot, SaysWhereABufferLies) {
  buffer();
  submit();
  capture.finish();
  const auto snapshot = load();
  ASSERT_EQ(snapshot->buffers().size(), 1u);
  const SnapshotBuffer& one = snapshot->buffers()[0];
  EXPECT_EQ(one.bytes, 256u);
  EXPECT_EQ(one.usage, VkFlags64{VK_BUFFER_USAGE_STORAGE_BUFFER_BIT});
  EXPECT_EQ(snapshot->plan().name(one.memory), "VkDeviceMemory#0");
  EXPECT_EQ(one.offset, 512u);
  EXPECT_EQ(one.unreadable, "");
}

TEST_F(PlayerSnapshot, HasNoWorkToStandBehind) {
  const VkBuffer one = buffer();
  destroy(one);
  capture.finish();
  EXPECT_EQ(names(*load()), std::vector<std::string>{"VkBuffer#0"});
  const Error error = refusal({Kind::frame, 0});
  EXPECT_EQ(error.status, Status::usage);
  EXPECT_NE(error.message.find("there is no frame 0: it has 0 frames"), std::string::npos) << error.message;
}

TEST_F(PlayerSnapshot, SaysWhatThereIsWhereAPlaceIsNot) {
  for (int i = 0; i < 3; ++i) submit();
  capture.finish();
  const Error error = refusal({Kind::submit, 3});
  EXPECT_EQ(error.status, Status::usage);
  EXPECT_NE(error.message.find("there is no submit 3: it has 3 submits, 0:3"), std::string::npos) << error.message;
}

TEST_F(PlayerSnapshot, ListsPartsWithTheirLayouts) {
  const VkImage one = image(VK_FORMAT_R8G8B8A8_UNORM, 3, 2);
  submit({transition(one, {VK_IMAGE_ASPECT_COLOR_BIT, 1, 1, 0, 2}, VK_IMAGE_LAYOUT_GENERAL)});
  capture.finish();
  const auto snapshot = load();
  ASSERT_EQ(snapshot->images().size(), 1u);
  const SnapshotImage& found = snapshot->images()[0];
  EXPECT_EQ(found.unreadable, "");
  ASSERT_EQ(found.parts.size(), 6u);
  for (const SnapshotPart& part : found.parts) {
    const bool defined = part.mip == 1;
    EXPECT_EQ(part.layout, defined ? VK_IMAGE_LAYOUT_GENERAL : VK_IMAGE_LAYOUT_UNDEFINED);
    EXPECT_EQ(part.unreadable.empty(), defined) << part.unreadable;
    EXPECT_EQ(part.extent.width, 16u >> part.mip);
    EXPECT_EQ(part.extent.height, 8u >> part.mip);
    EXPECT_EQ(part.family, defined ? 0u : VK_QUEUE_FAMILY_IGNORED);
  }
}

TEST_F(PlayerSnapshot, ReadsDepthAndStencilOneByOne) {
  const VkImage one = image(VK_FORMAT_D24_UNORM_S8_UINT);
  constexpr VkImageAspectFlags both = VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;
  submit({transition(one, {both, 0, 1, 0, 1}, VK_IMAGE_LAYOUT_GENERAL)});
  capture.finish();
  const auto snapshot = load();
  const SnapshotImage& found = snapshot->images().at(0);
  ASSERT_EQ(found.parts.size(), 2u);
  EXPECT_EQ(found.parts[0].aspect, VK_IMAGE_ASPECT_DEPTH_BIT);
  EXPECT_EQ(found.parts[1].aspect, VK_IMAGE_ASPECT_STENCIL_BIT);
  for (const SnapshotPart& part : found.parts) EXPECT_EQ(part.together, both);
}

TEST_F(PlayerSnapshot, SaysWhyAnImageCannotBeRead) {
  image();
  const VkImage multi = image(VK_FORMAT_R8G8B8A8_UNORM, 1, 1, VK_SAMPLE_COUNT_4_BIT);
  buffer(false);
  submit({transition(multi, kAll, VK_IMAGE_LAYOUT_GENERAL)});
  capture.finish();
  const auto snapshot = load();
  ASSERT_EQ(snapshot->images().size(), 2u);
  EXPECT_NE(snapshot->images()[0].unreadable.find("VK_IMAGE_LAYOUT_UNDEFINED"), std::string::npos);
  EXPECT_EQ(snapshot->images()[1].unreadable, "it has several samples a texel");
  EXPECT_EQ(snapshot->buffers().at(0).unreadable, "no memory is bound to it");
}

TEST_F(PlayerSnapshot, SaysThatMemoryWasFreed) {
  buffer();
  capture.call(CommandId::vkFreeMemory, args_vkFreeMemory{kDevice, memory_, nullptr});
  submit();
  capture.finish();
  EXPECT_EQ(load()->buffers().at(0).unreadable, "its memory was freed");
}

TEST_F(PlayerSnapshot, GoesOnToWhereWorkNoLongerWaits) {
  auto type = of_type<VkSemaphoreTypeCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  auto info = of_type<VkSemaphoreCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO);
  info.pNext = &type;
  const auto timeline = create<VkSemaphore, args_vkCreateSemaphore>(CommandId::vkCreateSemaphore, info);
  const std::uint64_t one = 1;
  auto values = of_type<VkTimelineSemaphoreSubmitInfo>(VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
  values.waitSemaphoreValueCount = 1;
  values.pWaitSemaphoreValues = &one;
  const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  auto waits = of_type<VkSubmitInfo>(VK_STRUCTURE_TYPE_SUBMIT_INFO);
  waits.pNext = &values;
  waits.waitSemaphoreCount = 1;
  waits.pWaitSemaphores = &timeline;
  waits.pWaitDstStageMask = &stage;
  capture.call(CommandId::vkQueueSubmit, args_vkQueueSubmit{kQueue, 1, &waits, VK_NULL_HANDLE}, ok());
  auto signal = of_type<VkSemaphoreSignalInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO);
  signal.semaphore = timeline;
  signal.value = 1;
  capture.call(CommandId::vkSignalSemaphore, args_vkSignalSemaphore{kDevice, &signal}, ok());
  capture.call(CommandId::vkDeviceWaitIdle, args_vkDeviceWaitIdle{kDevice}, ok());
  // Another one that nothing lets go on.
  values.pWaitSemaphoreValues = &kNever;
  capture.call(CommandId::vkQueueSubmit, args_vkQueueSubmit{kQueue, 1, &waits, VK_NULL_HANDLE}, ok());
  capture.finish();
  const auto snapshot = load({Kind::submit, 0});
  ASSERT_NE(snapshot, nullptr);
  EXPECT_EQ(snapshot->plan().ops[snapshot->op() - 1].command, CommandId::vkDeviceWaitIdle);
  const Error error = refusal({Kind::submit, 1});
  EXPECT_EQ(error.status, Status::failed);
  EXPECT_NE(error.message.find("behind submit 1 work still waits"), std::string::npos) << error.message;
}

}  // namespace
}  // namespace rondo::player
