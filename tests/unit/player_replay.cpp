// SPDX-License-Identifier: Apache-2.0
// Small captures played on this machine's first device. Each would hang or
// crash a player that trusted them.
#include "player/play.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstring>

#include "format/printable.h"
#include "format/unverified.h"
#include "tests/unit/player_scene.h"

namespace rondo::player {
namespace {

using test::handle;
using test::kDevice;
using test::kInstance;
using test::kPhysical;
using test::kQueue;
using test::ok;

const auto kSemaphore = handle<VkSemaphore>(0x50);
const auto kPool = handle<VkCommandPool>(0x60);
const auto kCommands = handle<VkCommandBuffer>(0x70);
const auto kEvent = handle<VkEvent>(0x80);
const auto kQueries = handle<VkQueryPool>(0x90);

// Timeline semaphores are on.
VkPhysicalDeviceTimelineSemaphoreFeatures timeline_features() {
  auto timeline = test::of_type<VkPhysicalDeviceTimelineSemaphoreFeatures>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES);
  timeline.timelineSemaphore = VK_TRUE;
  return timeline;
}
const VkPhysicalDeviceTimelineSemaphoreFeatures kTimelines = timeline_features();

class PlayerReplay : public test::PlayerScene {
 protected:
  PlayerReplay() : PlayerScene(VK_API_VERSION_1_2, &kTimelines) {}

  // LLVM never frees what it has made for the process: a leak if lavapipe, and
  // so LLVM, were unloaded.
  static void SetUpTestSuite() { ::dlopen("libvulkan_lvp.so", RTLD_NOW | RTLD_NODELETE); }

  void leave_out(Unverified why) {
    const RondoRange all{0, 64};
    const RondoDigest none{0, 0};
    capture.call(CommandId::rondoCheckpointMemory,
                 args_rondoCheckpointMemory{kDevice, allocate(64), 1, &all, &none, text_of(why)});
  }
  void create_commands() {
    VkCommandPoolCreateInfo pool_info{};
    pool_info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
    VkCommandPool pool = kPool;
    capture.call(CommandId::vkCreateCommandPool, args_vkCreateCommandPool{kDevice, &pool_info, nullptr, &pool}, ok());
    VkCommandBufferAllocateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
    info.commandPool = kPool;
    info.commandBufferCount = 1;
    VkCommandBuffer commands = kCommands;
    capture.call(CommandId::vkAllocateCommandBuffers, args_vkAllocateCommandBuffers{kDevice, &info, &commands}, ok());
  }
  void create_queries(std::uint32_t count) {
    VkQueryPoolCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
    info.queryType = VK_QUERY_TYPE_OCCLUSION;
    info.queryCount = count;
    VkQueryPool pool = kQueries;
    capture.call(CommandId::vkCreateQueryPool, args_vkCreateQueryPool{kDevice, &info, nullptr, &pool}, ok());
  }
  void submit_a_wait_for_an_event() {
    create_commands();
    VkEventCreateInfo event_info{};
    event_info.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO;
    VkEvent event = kEvent;
    capture.call(CommandId::vkCreateEvent, args_vkCreateEvent{kDevice, &event_info, nullptr, &event}, ok());
    VkCommandBufferBeginInfo begin{};
    begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
    capture.call(CommandId::vkBeginCommandBuffer, args_vkBeginCommandBuffer{kCommands, &begin}, ok());
    args_vkCmdWaitEvents wait{};
    wait.commandBuffer = kCommands;
    wait.eventCount = 1;
    wait.pEvents = &kEvent;
    wait.srcStageMask = VK_PIPELINE_STAGE_HOST_BIT;
    wait.dstStageMask = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    capture.call(CommandId::vkCmdWaitEvents, wait);
    capture.call(CommandId::vkEndCommandBuffer, args_vkEndCommandBuffer{kCommands}, ok());
    submit({kCommands});
  }
  VkSwapchainKHR create_swapchain() {
    VkSwapchainCreateInfoKHR info{};
    info.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR;
    info.surface = handle<VkSurfaceKHR>(0xa0);
    info.minImageCount = 2;
    info.imageFormat = VK_FORMAT_R8G8B8A8_UNORM;
    info.imageExtent = {16, 16};
    info.imageArrayLayers = 1;
    auto swapchain = handle<VkSwapchainKHR>(0xb0);
    VkSurfaceKHR surface = info.surface;
    VkHeadlessSurfaceCreateInfoEXT headless{};
    headless.sType = VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT;
    capture.call(CommandId::vkCreateHeadlessSurfaceEXT,
                 args_vkCreateHeadlessSurfaceEXT{kInstance, &headless, nullptr, &surface}, ok());
    capture.call(CommandId::vkCreateSwapchainKHR, args_vkCreateSwapchainKHR{kDevice, &info, nullptr, &swapchain}, ok());
    return swapchain;
  }
  Outcome outcome(bool verify = false, Ending ending = Ending::exited) {
    capture.finish(ending);
    Options options;
    options.file = file.path();
    options.quiet = true;
    options.timeout = 60;
    options.verify = verify;
    options.sandbox = SandboxMode::off;  // it would hold this process, and so the tests that follow
    return play(options);
  }
};

TEST_F(PlayerReplay, EndsWhereItsProgramDiedInsideTheRecorder) {
  submit();
  capture.lost_number();
  submit();
  const Outcome played = outcome(false, Ending::finished);
  EXPECT_EQ(played.status, Status::ok) << played.error;
  EXPECT_EQ(played.played.submits, 1u);
}

TEST_F(PlayerReplay, EndsWhereItsProgramDiedBeforeItsFirstSubmit) {
  capture.lost_number();
  submit();
  const Outcome played = outcome(false, Ending::finished);
  EXPECT_EQ(played.status, Status::ok) << played.error;
  EXPECT_EQ(played.played.submits, 0u);
}

TEST_F(PlayerReplay, RefusesNumbersThatAreMissingThoughNobodyDied) {
  submit();
  capture.lost_number();
  submit();
  const Outcome played = outcome();
  EXPECT_EQ(played.status, Status::unreadable);
  EXPECT_NE(played.error.find("it lacks 1 record;"), std::string::npos) << played.error;
}

TEST_F(PlayerReplay, EndsThoughASubmitWaitsForASignalThatNeverCame) {
  VkSemaphoreTypeCreateInfo type{};
  type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  VkSemaphoreCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  info.pNext = &type;
  VkSemaphore semaphore = kSemaphore;
  capture.call(CommandId::vkCreateSemaphore, args_vkCreateSemaphore{kDevice, &info, nullptr, &semaphore}, ok());
  for (const std::uint64_t value : {1u, 3u}) {
    const std::uint64_t next = value + 1;
    VkTimelineSemaphoreSubmitInfo values{};
    values.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
    values.waitSemaphoreValueCount = values.signalSemaphoreValueCount = 1;
    values.pWaitSemaphoreValues = &value;
    values.pSignalSemaphoreValues = &next;
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    VkSubmitInfo submit{};
    submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    submit.pNext = &values;
    submit.waitSemaphoreCount = submit.signalSemaphoreCount = 1;
    submit.pWaitSemaphores = submit.pSignalSemaphores = &kSemaphore;
    submit.pWaitDstStageMask = &stage;
    capture.call(CommandId::vkQueueSubmit, args_vkQueueSubmit{kQueue, 1, &submit, VK_NULL_HANDLE}, ok());
  }
  const Outcome played = outcome();
  EXPECT_EQ(played.status, Status::ok) << played.error;
  EXPECT_EQ(played.played.submits, 2u);
}

TEST_F(PlayerReplay, EndsThoughACommandWaitsForAnEventThatWasNeverSet) {
  submit_a_wait_for_an_event();
  const Outcome played = outcome();
  EXPECT_EQ(played.status, Status::ok) << played.error;
}

TEST_F(PlayerReplay, ComparesNothingWhereAnEventIsSetLater) {
  const VkDeviceMemory memory = allocate(64);
  write(memory, 0, std::vector<std::byte>(64, std::byte{7}));
  submit_a_wait_for_an_event();
  const RondoRange all{0, 64};
  const RondoDigest digest{1, 2};  // it would differ
  capture.call(CommandId::rondoCheckpointMemory,
               args_rondoCheckpointMemory{kDevice, memory, 1, &all, &digest, nullptr});
  capture.call(CommandId::vkSetEvent, args_vkSetEvent{kDevice, kEvent}, ok());
  const Outcome played = outcome(true);
  EXPECT_EQ(played.status, Status::different) << played.error;  // nothing at all could be compared
  EXPECT_EQ(played.verification.memory_ranges.compared, 0u);
  EXPECT_EQ(played.verification.memory_ranges.unverified, 1u);
  EXPECT_NE(played.verification.first_unverified.find("may wait for an event set later"), std::string::npos)
      << played.verification.first_unverified;
}

TEST_F(PlayerReplay, NamesCheckpointsOfSubmitsWhereTheyCompare) {
  leave_out(Unverified::one_page);
  const Outcome played = outcome(true);
  EXPECT_EQ(played.status, Status::different);
  EXPECT_NE(played.error.find(text_of(Unverified::one_page)), std::string::npos) << played.error;
  EXPECT_NE(played.error.find("a capture with RONDO_CHECKPOINTS=submit compares it"), std::string::npos)
      << played.error;
}

TEST_F(PlayerReplay, NamesNoCheckpointsOfSubmitsWhereTheyDoNotHelp) {
  leave_out(Unverified::drivers_memory);
  leave_out(Unverified::one_page);  // the first decides: it is the one that is named
  const Outcome played = outcome(true);
  EXPECT_EQ(played.status, Status::different);
  EXPECT_NE(played.error.find(text_of(Unverified::drivers_memory)), std::string::npos) << played.error;
  EXPECT_EQ(played.error.find("RONDO_CHECKPOINTS"), std::string::npos) << played.error;
}

TEST_F(PlayerReplay, RefusesQueriesThatThePoolDoesNotHave) {
  create_queries(2);
  std::uint64_t result = 0;
  capture.call(CommandId::vkGetQueryPoolResults,
               args_vkGetQueryPoolResults{kDevice, kQueries, 0, 1000000, 8, &result, 4096, 0}, ok());
  const Outcome played = outcome();
  EXPECT_EQ(played.status, Status::unreadable);
  EXPECT_NE(played.error.find("vkGetQueryPoolResults: queries 0 to 1000000 of a pool that has 2"), std::string::npos)
      << played.error;
}

TEST_F(PlayerReplay, RefusesMorePushDescriptorsThanTheDeviceHas) {
  const VkDescriptorSetLayoutBinding binding{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 100000, VK_SHADER_STAGE_COMPUTE_BIT,
                                             nullptr};
  auto info = test::of_type<VkDescriptorSetLayoutCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO);
  info.flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR;
  info.bindingCount = 1;
  info.pBindings = &binding;
  create<VkDescriptorSetLayout, args_vkCreateDescriptorSetLayout>(CommandId::vkCreateDescriptorSetLayout, info);
  const Outcome played = outcome();
  EXPECT_EQ(played.status, Status::device);
  const std::string said = printable(played.as_error());
  EXPECT_NE(said.find("maxPushDescriptors of 100000 (it has "), std::string::npos) << said;
}

// An image that the program makes itself of a swapchain is the swapchain's own.
class ImagesOfSwapchains : public PlayerReplay {
 protected:
  VkImage make(VkSwapchainKHR swapchain, std::uint32_t width, std::uint64_t value = 0xc0) {
    VkImageSwapchainCreateInfoKHR of{};
    of.sType = VK_STRUCTURE_TYPE_IMAGE_SWAPCHAIN_CREATE_INFO_KHR;
    of.swapchain = swapchain;
    VkImageCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
    info.pNext = &of;
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = VK_FORMAT_R8G8B8A8_UNORM;
    info.extent = {width, 16, 1};
    info.mipLevels = info.arrayLayers = 1;
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    auto image = handle<VkImage>(value);
    capture.call(CommandId::vkCreateImage, args_vkCreateImage{kDevice, &info, nullptr, &image}, ok());
    return image;
  }
  void bind(VkImage image, VkSwapchainKHR swapchain, std::uint32_t index, VkDeviceMemory memory = VK_NULL_HANDLE) {
    VkBindImageMemorySwapchainInfoKHR which{};
    which.sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_SWAPCHAIN_INFO_KHR;
    which.swapchain = swapchain;
    which.imageIndex = index;
    VkBindImageMemoryInfo info{};
    info.sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO;
    info.pNext = &which;
    info.image = image;
    info.memory = memory;
    capture.call(CommandId::vkBindImageMemory2, args_vkBindImageMemory2{kDevice, 1, &info}, ok());
  }
  void is_refused(std::string_view why) {
    const Outcome played = outcome();
    EXPECT_EQ(played.status, Status::unreadable);
    EXPECT_NE(played.error.find(why), std::string::npos) << played.error;
  }
};

TEST_F(ImagesOfSwapchains, AreMadeOfItAndDestroyedAndMadeAnew) {
  const VkSwapchainKHR swapchain = create_swapchain();
  for (std::uint32_t i = 0; i < 3; ++i) {
    const VkImage image = make(swapchain, 16);
    bind(image, swapchain, 1);
    capture.call(CommandId::vkDestroyImage, args_vkDestroyImage{kDevice, image, nullptr});
  }
  bind(make(swapchain, 16), swapchain, 1);  // is left to the player
  const Outcome played = outcome();
  EXPECT_EQ(played.status, Status::ok) << played.error;
}
TEST_F(ImagesOfSwapchains, NeedNotBeBound) {
  make(create_swapchain(), 16);
  const Outcome played = outcome();
  EXPECT_EQ(played.status, Status::ok) << played.error;
}
TEST_F(ImagesOfSwapchains, AreLikeItsOwn) {
  make(create_swapchain(), 17);
  is_refused("is not like the images of VkSwapchainKHR#0");
}
TEST_F(ImagesOfSwapchains, AreBoundOnce) {
  const VkSwapchainKHR swapchain = create_swapchain();
  const VkImage image = make(swapchain, 16);
  bind(image, swapchain, 0);
  bind(image, swapchain, 1);
  is_refused("binds VkImage#0 again");
}
TEST_F(ImagesOfSwapchains, AreBoundToTheirSwapchain) {
  bind(make(VK_NULL_HANDLE, 16), create_swapchain(), 0);
  is_refused("which was not made of VkSwapchainKHR#0");
}
TEST_F(ImagesOfSwapchains, AreNotBoundToMemoryToo) {
  const VkSwapchainKHR swapchain = create_swapchain();
  bind(make(swapchain, 16), swapchain, 0, allocate(4096));
  is_refused("to memory and to a swapchain");
}
TEST_F(ImagesOfSwapchains, HaveAnIndexThatItMayHave) {
  const VkSwapchainKHR swapchain = create_swapchain();
  bind(make(swapchain, 16), swapchain, 1000000);
  is_refused("swapchain image 1000000 cannot be");
}
TEST_F(ImagesOfSwapchains, AreNotUsedAfterIt) {
  const VkSwapchainKHR swapchain = create_swapchain();
  const VkImage image = make(swapchain, 16);
  bind(image, swapchain, 0);
  capture.call(CommandId::vkDestroySwapchainKHR, args_vkDestroySwapchainKHR{kDevice, swapchain, nullptr});
  VkImageViewCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO;
  info.image = image;
  info.viewType = VK_IMAGE_VIEW_TYPE_2D;
  info.format = VK_FORMAT_R8G8B8A8_UNORM;
  info.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  auto view = handle<VkImageView>(0xc8);
  capture.call(CommandId::vkCreateImageView, args_vkCreateImageView{kDevice, &info, nullptr, &view}, ok());
  is_refused("uses VkImage#0, which went with its swapchain");
}
TEST_F(ImagesOfSwapchains, MayBeDestroyedAfterIt) {
  const VkSwapchainKHR swapchain = create_swapchain();
  const VkImage image = make(swapchain, 16);
  bind(image, swapchain, 0);
  capture.call(CommandId::vkDestroySwapchainKHR, args_vkDestroySwapchainKHR{kDevice, swapchain, nullptr});
  capture.call(CommandId::vkDestroyImage, args_vkDestroyImage{kDevice, image, nullptr});
  const Outcome played = outcome();
  EXPECT_EQ(played.status, Status::ok) << played.error;
}
TEST_F(ImagesOfSwapchains, AreBoundToNothingElse) {
  VkBindImageMemoryInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO;
  info.image = make(create_swapchain(), 16);
  capture.call(CommandId::vkBindImageMemory2, args_vkBindImageMemory2{kDevice, 1, &info}, ok());
  is_refused("binds VkImage#0 to no memory");
}

// In the replay an acquire is a submit to the queue that presents.
TEST_F(PlayerReplay, AcquiresStandBehindWhatTheirQueueWasGiven) {
  VkSemaphoreTypeCreateInfo type{};
  type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  VkSemaphoreCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  auto acquired = handle<VkSemaphore>(0xd0);
  capture.call(CommandId::vkCreateSemaphore, args_vkCreateSemaphore{kDevice, &info, nullptr, &acquired}, ok());
  info.pNext = &type;
  VkSemaphore held = kSemaphore;
  capture.call(CommandId::vkCreateSemaphore, args_vkCreateSemaphore{kDevice, &info, nullptr, &held}, ok());
  const std::uint64_t one = 1;
  VkTimelineSemaphoreSubmitInfo values{};
  values.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
  values.waitSemaphoreValueCount = 1;
  values.pWaitSemaphoreValues = &one;
  const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  VkSubmitInfo submit{};
  submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  submit.pNext = &values;
  submit.waitSemaphoreCount = 1;
  submit.pWaitSemaphores = &held;
  submit.pWaitDstStageMask = &stage;
  capture.call(CommandId::vkQueueSubmit, args_vkQueueSubmit{kQueue, 1, &submit, VK_NULL_HANDLE}, ok());
  VkSwapchainKHR swapchain = create_swapchain();
  std::uint32_t count = 1, index = 0;
  auto image = handle<VkImage>(0xc0);
  capture.call(CommandId::vkGetSwapchainImagesKHR, args_vkGetSwapchainImagesKHR{kDevice, swapchain, &count, &image},
               ok());
  capture.call(CommandId::vkAcquireNextImageKHR,
               args_vkAcquireNextImageKHR{kDevice, swapchain, UINT64_MAX, acquired, VK_NULL_HANDLE, &index}, ok());
  VkPresentInfoKHR present{};
  present.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR;
  present.waitSemaphoreCount = 1;
  present.pWaitSemaphores = &acquired;
  present.swapchainCount = 1;
  present.pSwapchains = &swapchain;
  present.pImageIndices = &index;
  capture.call(CommandId::vkQueuePresentKHR, args_vkQueuePresentKHR{kQueue, &present}, ok());
  VkSemaphoreSignalInfo signal{};
  signal.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO;
  signal.semaphore = held;
  signal.value = 1;
  capture.call(CommandId::vkSignalSemaphore, args_vkSignalSemaphore{kDevice, &signal}, ok());
  capture.finish();
  const auto plan = build();
  ASSERT_TRUE(plan) << plan.error().message;
  ObjectId binary = ObjectId::null, queue = ObjectId::null;
  const ByObject<Object>& objects = (*plan)->objects.objects();
  for (const ObjectId id : all_ids(objects.size())) {
    if (objects[id].type == HandleType::VkQueue) queue = id;
    if (objects[id].type == HandleType::VkSemaphore && binary == ObjectId::null) binary = id;
  }
  SyncModel model(**plan);
  const auto end = static_cast<std::uint32_t>((*plan)->ops.size());
  model.advance(end - 2);  // before the present, which takes the signal
  EXPECT_TRUE(model.blocked(queue));
  EXPECT_FALSE(model.reaches(binary, 1));
  model.advance(end);
  EXPECT_FALSE(model.blocked());
}

TEST_F(PlayerReplay, RefusesPushConstantsThatNoDeviceHas) {
  create_commands();
  VkPipelineLayoutCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  auto layout = handle<VkPipelineLayout>(0xd0);
  capture.call(CommandId::vkCreatePipelineLayout, args_vkCreatePipelineLayout{kDevice, &info, nullptr, &layout}, ok());
  VkCommandBufferBeginInfo begin{};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  capture.call(CommandId::vkBeginCommandBuffer, args_vkBeginCommandBuffer{kCommands, &begin}, ok());
  const std::byte data[128] = {};
  capture.call(CommandId::vkCmdPushConstants,
               args_vkCmdPushConstants{kCommands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 4000000000u, 128, data});
  const Outcome played = outcome();
  EXPECT_EQ(played.status, Status::unreadable);
  EXPECT_NE(played.error.find("bytes of push constants"), std::string::npos) << played.error;
}

}  // namespace
}  // namespace rondo::player
