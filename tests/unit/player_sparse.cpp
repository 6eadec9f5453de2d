// SPDX-License-Identifier: Apache-2.0
// Sparse resources: what binds must name, what a device's pages must be, and what a loop binds back.
#include "player/loop/loop_plan.h"
#include "player/plan/sparse.h"
#include "tests/unit/player_hostile.h"

namespace rondo::player {
namespace {

using test::kDevice;
using test::kQueue;
using test::of_type;
using test::ok;

constexpr VkDeviceSize kPage = 65536;

class Sparse : public test::PlayerHostile {
 protected:
  VkBuffer sparse_buffer() {
    auto info = of_type<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
    info.size = 4 * kPage;
    info.flags = VK_BUFFER_CREATE_SPARSE_BINDING_BIT;
    return create<VkBuffer, args_vkCreateBuffer>(CommandId::vkCreateBuffer, info);
  }
  VkImage sparse_image(VkImageCreateFlags flags = VK_IMAGE_CREATE_SPARSE_BINDING_BIT |
                                                  VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT) {
    auto info = of_type<VkImageCreateInfo>(VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO);
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = VK_FORMAT_R8G8B8A8_UNORM;
    info.extent = {512, 256, 1};
    info.mipLevels = 4;
    info.arrayLayers = 2;
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.flags = flags;
    return create<VkImage, args_vkCreateImage>(CommandId::vkCreateImage, info);
  }
  void submit_binds(const VkBindSparseInfo& batch, VkFence fence = VK_NULL_HANDLE) {
    capture.call(CommandId::vkQueueBindSparse, args_vkQueueBindSparse{kQueue, 1, &batch, fence}, ok());
  }
  // A batch with one resource of one kind.
  template <class Info>
  void submit_one(std::uint32_t VkBindSparseInfo::*count, const Info* VkBindSparseInfo::*infos, const Info& info) {
    auto batch = of_type<VkBindSparseInfo>(VK_STRUCTURE_TYPE_BIND_SPARSE_INFO);
    batch.*count = 1;
    batch.*infos = &info;
    submit_binds(batch);
  }
  void bind(VkBuffer buffer, const VkSparseMemoryBind& page) {
    submit_one(&VkBindSparseInfo::bufferBindCount, &VkBindSparseInfo::pBufferBinds, {buffer, 1, &page});
  }
  void bind(VkImage image, const VkSparseMemoryBind& page) {
    submit_one(&VkBindSparseInfo::imageOpaqueBindCount, &VkBindSparseInfo::pImageOpaqueBinds, {image, 1, &page});
  }
  void bind(VkImage image, const VkSparseImageMemoryBind& tile) {
    submit_one(&VkBindSparseInfo::imageBindCount, &VkBindSparseInfo::pImageBinds, {image, 1, &tile});
  }
  VkSparseImageMemoryBind tile(VkDeviceMemory memory, VkOffset3D offset, VkExtent3D extent, std::uint32_t mip = 0,
                               std::uint32_t layer = 0) {
    return {{VK_IMAGE_ASPECT_COLOR_BIT, mip, layer}, offset, extent, memory, 0, 0};
  }
};

TEST_F(Sparse, PlansWhatBindsAskFor) {
  const VkBuffer buffer = sparse_buffer();
  const VkImage image = sparse_image();
  const VkDeviceMemory memory = allocate(8 * kPage);
  std::uint32_t one = 1;
  VkSparseImageMemoryRequirements told{};
  told.formatProperties = {VK_IMAGE_ASPECT_COLOR_BIT, {128, 128, 1}, 0};
  told.imageMipTailFirstLod = 2;
  capture.call(CommandId::vkGetImageSparseMemoryRequirements,
               args_vkGetImageSparseMemoryRequirements{kDevice, image, &one, &told});
  bind(buffer, {kPage, 2 * kPage, memory, kPage, 0});
  bind(image, tile(memory, {128, 0, 0}, {128, 128, 1}));
  bind(image, tile(memory, {0, 0, 0}, {256, 128, 1}, 1, 1));
  capture.finish();
  const auto plan = build();
  ASSERT_TRUE(plan) << plan.error().message;
  ASSERT_EQ((*plan)->sparse.size(), 2u);
  EXPECT_TRUE((*plan)->devices[0].has_sparse);
  const SparseUse& pages = (*plan)->sparse.begin()->second;
  EXPECT_EQ(pages.end, 3 * kPage);
  EXPECT_EQ(pages.places, kPage);
  EXPECT_EQ(pages.memories.size(), 1u);
  const SparseUse& tiles = std::next((*plan)->sparse.begin())->second;
  EXPECT_EQ(tiles.mips, 2u);
  EXPECT_EQ(tiles.tiles, (std::array<std::uint32_t, 3>{128, 128, 0}));  // the second one reaches both edges
  ASSERT_EQ(tiles.told.size(), 1u);
  EXPECT_EQ(tiles.told[0].imageMipTailFirstLod, 2u);
}

TEST_F(Sparse, IsOfResourcesThatAreSparse) {
  bind(buffer(4 * kPage), {0, kPage, allocate(kPage), 0, 0});
  refuses("VkBuffer#0, which is not sparse");
}
TEST_F(Sparse, TilesAreOfImagesWithResidency) {
  bind(sparse_image(VK_IMAGE_CREATE_SPARSE_BINDING_BIT), tile(allocate(kPage), {0, 0, 0}, {128, 128, 1}));
  refuses("VkImage#0, which is not sparse");
}
TEST_F(Sparse, BindsEndInTheirMemory) {
  bind(sparse_buffer(), {0, 2 * kPage, allocate(2 * kPage), kPage, 0});
  refuses("of VkDeviceMemory#0, which has 131072");
}
TEST_F(Sparse, BindsHaveBytes) {
  bind(sparse_image(), VkSparseMemoryBind{0, 0, allocate(kPage), 0, 0});
  refuses("binds no bytes of VkImage#0");
}
TEST_F(Sparse, BindsDoNotWrapAround) {
  bind(sparse_buffer(), {UINT64_MAX - kPage + 1, 2 * kPage, allocate(2 * kPage), 0, 0});
  refuses("binds no bytes of VkBuffer#0");
}
TEST_F(Sparse, TilesAreInTheImage) {
  bind(sparse_image(), tile(allocate(kPage), {512, 0, 0}, {128, 128, 1}));
  refuses("binds texels that VkImage#0 does not have");
}
TEST_F(Sparse, TilesAreOfAMipThatIsThere) {
  bind(sparse_image(), tile(allocate(kPage), {0, 0, 0}, {1, 1, 1}, 4));
  refuses("binds mip 4 of layer 0 of VkImage#0");
}
TEST_F(Sparse, TilesBeginInTheirMemory) {
  VkSparseImageMemoryBind bad = tile(allocate(kPage), {0, 0, 0}, {128, 128, 1});
  bad.memoryOffset = kPage;
  bind(sparse_image(), bad);
  refuses("of VkDeviceMemory#0, which has 65536");
}
TEST_F(Sparse, BindsSignalTheirFence) {
  const VkFence fence = create_fence();
  const VkSparseMemoryBind page{0, kPage, allocate(kPage), 0, 0};
  const VkSparseBufferMemoryBindInfo info{sparse_buffer(), 1, &page};
  auto batch = of_type<VkBindSparseInfo>(VK_STRUCTURE_TYPE_BIND_SPARSE_INFO);
  batch.bufferBindCount = 1;
  batch.pBufferBinds = &info;
  submit_binds(batch, fence);
  capture.call(CommandId::vkWaitForFences, args_vkWaitForFences{kDevice, 1, &fence, VK_TRUE, UINT64_MAX}, ok());
  accepts();
}
TEST_F(Sparse, BindsWaitForWhatIsSignalled) {
  auto info = of_type<VkSemaphoreCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO);
  const auto never = create<VkSemaphore, args_vkCreateSemaphore>(CommandId::vkCreateSemaphore, info);
  auto batch = of_type<VkBindSparseInfo>(VK_STRUCTURE_TYPE_BIND_SPARSE_INFO);
  batch.waitSemaphoreCount = 1;
  batch.pWaitSemaphores = &never;
  submit_binds(batch);
  refuses("waits for VkSemaphore#0, which nothing signals");
}

// What a span binds, and what had bound pages of the same resources before.
TEST_F(Sparse, LoopsBindBack) {
  const VkBuffer changed = sparse_buffer(), other = sparse_buffer();
  const VkDeviceMemory memory = allocate(4 * kPage);
  bind(changed, {0, kPage, memory, 0, 0});
  bind(other, {0, kPage, memory, 0, 0});
  submit();
  bind(changed, {0, kPage, memory, kPage, 0});
  submit();
  capture.call(CommandId::vkDeviceWaitIdle, args_vkDeviceWaitIdle{kDevice}, ok());
  capture.finish();
  const auto plan = build();
  ASSERT_TRUE(plan) << plan.error().message;
  const auto loop = plan_loop(**plan);
  ASSERT_TRUE(loop) << loop.error().message;
  EXPECT_EQ(loop->sparse.resources.size(), 1u);
  EXPECT_EQ(loop->sparse.within.size(), 1u);
  EXPECT_EQ(loop->sparse.before.size(), 1u);
}

class Pages : public ::testing::Test {
 protected:
  Pages() {
    use.end = 4 * kPage;
    use.places = kPage;
    needs = {4 * kPage, kPage, 1};
    kind.formatProperties = {VK_IMAGE_ASPECT_COLOR_BIT, {128, 128, 1}, 0};
    kind.imageMipTailFirstLod = 3;
    kind.imageMipTailSize = kPage;
  }
  void tiles() {
    use.mips = 2;
    use.tiles = {128, 256, 0};
    use.aspects = VK_IMAGE_ASPECT_COLOR_BIT;
    use.room[{256, 130, 1}] = 4 * kPage;
  }
  std::string why() const { return sparse_shortfall(use, needs, std::span(&kind, 1)); }
  SparseUse use;
  VkMemoryRequirements needs{};
  VkSparseImageMemoryRequirements kind{};
};

TEST_F(Pages, FitWhereTheyAreTheSame) {
  EXPECT_EQ(why(), "");
  tiles();
  use.told = {kind};
  EXPECT_EQ(why(), "");
}
TEST_F(Pages, AreNoLargerHere) {
  needs.alignment = 2 * kPage;
  EXPECT_NE(why().find("its pages have 131072 bytes here"), std::string::npos) << why();
}
TEST_F(Pages, AreAllThere) {
  needs.size = 3 * kPage;
  EXPECT_NE(why().find("byte 262143 of it is bound, and it has 196608 here"), std::string::npos) << why();
}
TEST_F(Pages, TilesAreOfTheSameShape) {
  tiles();
  kind.formatProperties.imageGranularity = {256, 64, 1};
  EXPECT_NE(why().find("its tiles have 256 x 64 x 1 texels here"), std::string::npos) << why();
}
TEST_F(Pages, TilesNeedNoPowersOfTwo) {
  tiles();
  kind.formatProperties.imageGranularity = {320, 320, 1};
  use.tiles = {320, 1600, 0};
  EXPECT_EQ(why(), "");
}
TEST_F(Pages, OneKindIsThatOfAllAspectsButMetadata) {
  tiles();
  use.aspects = VK_IMAGE_ASPECT_DEPTH_BIT;
  EXPECT_EQ(why(), "");
  kind.formatProperties.aspectMask = VK_IMAGE_ASPECT_METADATA_BIT;
  EXPECT_EQ(why(), "it has no tiles here");
}
TEST_F(Pages, TilesAreAsTheProgramWasTold) {
  tiles();
  use.told = {kind};
  kind.imageMipTailSize *= 2;
  EXPECT_NE(why().find("a tail of 65536 bytes from mip 3; here 128 x 128 x 1, 131072 and 3"), std::string::npos)
      << why();
}
TEST_F(Pages, TilesAreNotInTheTail) {
  tiles();
  kind.imageMipTailFirstLod = 1;
  EXPECT_NE(why().find("mip 1 has tiles of its own, and here lies in the mip tail"), std::string::npos) << why();
}
TEST_F(Pages, TilesHaveRoom) {
  tiles();
  use.room[{256, 130, 1}] = 4 * kPage - 1;
  EXPECT_NE(why().find("4 of its tiles of 65536 bytes are bound to 262143 bytes"), std::string::npos) << why();
}

}  // namespace
}  // namespace rondo::player
