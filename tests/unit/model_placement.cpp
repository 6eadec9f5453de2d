// SPDX-License-Identifier: Apache-2.0
// Where resources lie in memory, as captures that are written by hand say it.
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <tuple>
#include <utility>

#include "format/reader.h"
#include "generated/args.h"
#include "model/placement.h"
#include "model/stream.h"
#include "tests/unit/handles.h"
#include "tests/unit/synthetic_capture.h"

namespace rondo::model {
namespace {

using test::handle;

class PlacementTest : public ::testing::Test {
 protected:
  using Kind = Placement::Kind;
  static constexpr VkDeviceSize kPage = 65536;
  static constexpr VkFlags kColor = VK_IMAGE_ASPECT_COLOR_BIT;
  static constexpr VkFlags kSparse = VK_IMAGE_CREATE_SPARSE_BINDING_BIT | VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT;
  static inline const VkDevice kDevice = handle<VkDevice>(0x10);
  static constexpr test::Call kOk{.result = VK_SUCCESS};

  // Adds a record to the capture.
  void call(CommandId command, const auto& args, const test::Call& how = {}) {
    capture_.call(command, args, how);
    ++records_;
  }
  template <class Handle, class Args>
  Handle create(CommandId command, const auto& info, VkResult result = VK_SUCCESS) {
    auto made = handle<Handle>(next_++);
    call(command, Args{kDevice, &info, nullptr, &made}, {.result = result});
    return made;
  }
  VkDeviceMemory allocate(VkDeviceSize size, const void* next = nullptr, VkResult result = VK_SUCCESS) {
    const VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, next, size, 3};
    return create<VkDeviceMemory, args_vkAllocateMemory>(CommandId::vkAllocateMemory, info, result);
  }
  VkBuffer buffer(VkDeviceSize size, VkBufferCreateFlags flags = 0) {
    const VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, nullptr, flags, size, 0, {}, 0, nullptr};
    return create<VkBuffer, args_vkCreateBuffer>(CommandId::vkCreateBuffer, info);
  }
  VkImage image(VkImageCreateFlags flags = 0, VkExtent3D extent = {512, 256, 1}, const void* next = nullptr,
                VkFormat format = VK_FORMAT_R8G8B8A8_UNORM, VkImageTiling tiling = VK_IMAGE_TILING_OPTIMAL) {
    VkImageCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
    info.pNext = next;
    info.flags = flags;
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = format;
    info.extent = extent;
    info.mipLevels = 3;
    info.arrayLayers = 2;
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.tiling = tiling;
    return create<VkImage, args_vkCreateImage>(CommandId::vkCreateImage, info);
  }
  VkAccelerationStructureKHR structure(VkBuffer in, VkDeviceSize offset, VkDeviceSize size) {
    const VkAccelerationStructureCreateInfoKHR info{
        VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_CREATE_INFO_KHR, nullptr, 0, in, offset, size, {}, 0};
    constexpr auto kCommand = CommandId::vkCreateAccelerationStructureKHR;
    return create<VkAccelerationStructureKHR, args_vkCreateAccelerationStructureKHR>(kCommand, info);
  }
  void destroy(VkBuffer what) { call(CommandId::vkDestroyBuffer, args_vkDestroyBuffer{kDevice, what, nullptr}); }
  void free_memory(VkDeviceMemory what) { call(CommandId::vkFreeMemory, args_vkFreeMemory{kDevice, what, nullptr}); }
  void bind(VkBuffer what, VkDeviceMemory memory, VkDeviceSize offset, VkResult result = VK_SUCCESS) {
    call(CommandId::vkBindBufferMemory, args_vkBindBufferMemory{kDevice, what, memory, offset}, {.result = result});
  }
  // In the first form, or with `next` in the second form.
  void bind(VkImage what, VkDeviceMemory memory, VkDeviceSize offset, const void* next = nullptr) {
    const VkBindImageMemoryInfo info{VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO, next, what, memory, offset};
    if (next != nullptr) return call(CommandId::vkBindImageMemory2, args_vkBindImageMemory2{kDevice, 1, &info}, kOk);
    call(CommandId::vkBindImageMemory, args_vkBindImageMemory{kDevice, what, memory, offset}, kOk);
  }
  void tell(VkBuffer what, VkDeviceSize size) {
    VkMemoryRequirements told{size, 256, 1};
    call(CommandId::vkGetBufferMemoryRequirements, args_vkGetBufferMemoryRequirements{kDevice, what, &told});
  }
  void tell(VkImage what, VkDeviceSize size, const void* next = nullptr) {
    const VkImageMemoryRequirementsInfo2 info{VK_STRUCTURE_TYPE_IMAGE_MEMORY_REQUIREMENTS_INFO_2, next, what};
    VkMemoryRequirements2 told{VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2, nullptr, {size, 256, 1}};
    const args_vkGetImageMemoryRequirements first{kDevice, what, &told.memoryRequirements};
    if (next == nullptr) return call(CommandId::vkGetImageMemoryRequirements, first);
    call(CommandId::vkGetImageMemoryRequirements2, args_vkGetImageMemoryRequirements2{kDevice, &info, &told});
  }
  void tell_blocks(VkImage what, VkExtent3D block) {
    std::uint32_t one = 1;
    VkSparseImageMemoryRequirements told{{kColor, block, 0}, 0, 0, 0, 0};
    call(CommandId::vkGetImageSparseMemoryRequirements,
         args_vkGetImageSparseMemoryRequirements{kDevice, what, &one, &told});
  }
  void tell_layout(VkImage what, const VkImageSubresource& part, VkDeviceSize offset, VkDeviceSize size) {
    VkSubresourceLayout layout{offset, size, 0, 0, 0};
    call(CommandId::vkGetImageSubresourceLayout, args_vkGetImageSubresourceLayout{kDevice, what, &part, &layout});
  }
  template <class Info>
  void bind_sparse(std::uint32_t VkBindSparseInfo::*count, const Info* VkBindSparseInfo::*infos, const Info& info) {
    VkBindSparseInfo batch{};
    batch.sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO;
    batch.*count = 1;
    batch.*infos = &info;
    call(CommandId::vkQueueBindSparse, args_vkQueueBindSparse{handle<VkQueue>(0x20), 1, &batch, VK_NULL_HANDLE}, kOk);
  }
  void bind_pages(VkBuffer what, const VkSparseMemoryBind& page) {
    bind_sparse(&VkBindSparseInfo::bufferBindCount, &VkBindSparseInfo::pBufferBinds, {what, 1, &page});
  }
  void bind_pages(VkImage what, const VkSparseMemoryBind& page) {
    bind_sparse(&VkBindSparseInfo::imageOpaqueBindCount, &VkBindSparseInfo::pImageOpaqueBinds, {what, 1, &page});
  }
  void bind_region(VkImage what, VkOffset3D at, VkExtent3D extent, VkDeviceMemory memory, VkDeviceSize offset,
                   std::uint32_t mip = 0, std::uint32_t layer = 0) {
    const VkSparseImageMemoryBind bind{{kColor, mip, layer}, at, extent, memory, offset, 0};
    bind_sparse(&VkBindSparseInfo::imageBindCount, &VkBindSparseInfo::pImageBinds, {what, 1, &bind});
  }
  // Plays the capture from its begin, without its last records.
  void play(std::size_t left_out = 0) {
    if (!std::exchange(finished_, true)) capture_.finish();
    auto reader = Reader::open(file_.path());
    ASSERT_TRUE(reader) << reader.error().message;
    table_ = ObjectTable();
    placement = Placement(limits_);
    Stream stream(**reader, &table_);
    Step step;
    NativeView view;
    for (std::size_t i = 0; i + left_out < records_; ++i) {
      const auto more = stream.next(step);
      ASSERT_TRUE(more && *more) << (more ? "the capture ends too soon" : more.error().message);
      const std::vector<const std::byte*> blobs(stream.lowered().blobs.size(), nullptr);
      view.load(stream.lowered(), stream.resolution().ids, blobs);
      placement.take({*step.command, view, stream.resolution(), table_, step.record.sequence, step.succeeded(),
                      static_cast<std::uint64_t>(step.record.return_value)});
    }
    placement.check();
  }
  ObjectId id(auto what) const {
    for (const ObjectId one : all_ids(table_.objects().size()))
      if (handle<decltype(what)>(table_.objects()[one].captured) == what) return one;
    ADD_FAILURE() << "no such object";
    return ObjectId::null;
  }
  std::vector<ObjectId> ids(auto... what) const { return {id(what)...}; }
  // What a touch reaches: "MEMORY:OFFSET+SIZE" of each range, then "whole" if that is an upper bound.
  std::string bytes(const Touch& touch) const {
    const Placement::Bytes reached = placement.bytes_of(touch);
    std::string all;
    for (const Placement::Range& range : reached.ranges) all += (all.empty() ? "" : " ") + text(range, true);
    return all + (reached.whole ? " whole" : "");
  }
  std::string bytes(auto what, std::uint64_t offset = 0, std::uint64_t size = 0) const {
    return bytes(Touch{.object = id(what), .offset = offset, .size = size, .part = {}});
  }
  std::string bytes(VkImage what, const VkImageSubresourceRange& part) const {
    return bytes(Touch{.object = id(what), .part = part});
  }
  std::vector<ObjectId> on(VkDeviceMemory memory, std::uint64_t offset, std::uint64_t size) const {
    return placement.on(id(memory), offset, size);
  }
  std::string text(const Placement::Range& range, bool is_size_known) const {
    return std::to_string(table_.objects()[range.memory].number) + ":" + std::to_string(range.offset) + "+" +
           std::to_string(range.size) + (is_size_known ? "" : "?");
  }
  // "MEMORY:OFFSET+SIZE", with "?" where the size is not known.
  std::string place(auto what, std::uint32_t plane = 0) const {
    const auto found = placement.of(id(what), plane);
    return found ? text({found->memory, found->offset, found->size}, found->is_size_known) : "none";
  }
  // "AT>PLACE " of each piece. At: a byte, counted in pages, or the corner and the extent of a region.
  std::string pieces(auto what) const {
    std::ostringstream all;
    for (const Placement::SparsePiece& piece : placement.pieces_of(id(what))) {
      const auto& [x, y, z] = piece.corner;
      if (piece.part.aspectMask == 0)
        all << (piece.is_metadata ? "m" : "") << piece.at / kPage;
      else
        all << x << "," << y << "," << z << "/" << piece.extent.width << "x" << piece.extent.height;
      all << ">" << text(piece.where, piece.is_size_known) << " ";
    }
    return all.str();
  }
  test::TemporaryFile file_;
  test::SyntheticCapture capture_{file_.path()};
  ObjectTable table_;
  PlacementLimits limits_;
  Placement placement;
  std::size_t records_ = 0;  // in the capture so far
  std::uint64_t next_ = 0x1000;
  bool finished_ = false;
};

TEST_F(PlacementTest, SaysWhereBothFormsBindAndTakesSizesFromWhatIsKnown) {
  const VkDeviceMemory memory = allocate(4096);
  const VkBuffer small = buffer(100), late = buffer(200), failed = buffer(300);
  const VkImage picture = image(), unknown = image();
  tell(small, 64);  // less than the buffer has: no driver says that
  tell(picture, 512);
  bind(small, memory, 0);
  const VkBindBufferMemoryInfo info{VK_STRUCTURE_TYPE_BIND_BUFFER_MEMORY_INFO, nullptr, late, memory, 256};
  call(CommandId::vkBindBufferMemory2, args_vkBindBufferMemory2{kDevice, 1, &info}, kOk);
  bind(picture, memory, 1024);
  bind(unknown, memory, 3072);
  bind(failed, memory, 2048, VK_ERROR_OUT_OF_DEVICE_MEMORY);
  tell(late, 512);
  tell(unknown, 128);
  play(2);
  EXPECT_EQ(place(small) + " " + place(late), "0:0+100 0:256+200?");
  EXPECT_EQ(place(picture) + " " + place(unknown), "0:1024+512 0:3072+1024?");
  EXPECT_EQ(on(memory, 500, 4000), ids(picture, unknown));
  EXPECT_EQ(placement.kind_of(id(picture)), Kind::memory);
  EXPECT_EQ(place(failed), "none");
  play();
  EXPECT_EQ(place(late) + " " + place(unknown), "0:256+512 0:3072+128");
  EXPECT_EQ(on(memory, 500, 1), ids(late));
  EXPECT_EQ(on(memory, 3200, 900), ids());
}

TEST_F(PlacementTest, FindsAliasesAndWhatHostWritesMeet) {
  const VkDeviceMemory memory = allocate(4096), other = allocate(4096);
  const VkBuffer low = buffer(512), across = buffer(512), elsewhere = buffer(512);
  const VkImage picture = image();
  tell(picture, 1024);
  bind(picture, memory, 512);
  bind(across, memory, 256);
  bind(low, memory, 0);
  bind(elsewhere, other, 0);
  play();
  EXPECT_EQ(on(memory, 0, 4096), ids(low, across, picture));  // in the order that they were made
  EXPECT_EQ(on(memory, 255, 2), ids(low, across));
  EXPECT_EQ(on(memory, 768, 1000), ids(picture));
  EXPECT_EQ(on(memory, 767, 1), ids(across, picture));
  EXPECT_EQ(on(memory, 1536, 100), ids());
  EXPECT_EQ(on(memory, 512, 0), ids());
  EXPECT_EQ(on(other, 0, UINT64_MAX), ids(elsewhere));
  EXPECT_EQ(bytes(across, 16, 32), "0:272+32");
  EXPECT_EQ(bytes(across, 500, VK_WHOLE_SIZE), "0:756+12");
  EXPECT_EQ(bytes(across, 512, 4), "");
  EXPECT_EQ(bytes(memory, 4000, 200), "0:4000+96");  // a host write
  EXPECT_EQ(bytes(memory, 4096, 1), "");
  EXPECT_EQ(bytes(picture, {kColor, 1, 1, 0, 1}), "0:512+1024 whole");
}

TEST_F(PlacementTest, KnowsMemoriesAndForgetsWhatEnds) {
  const VkBuffer gone = buffer(512), stays = buffer(512);
  const VkMemoryDedicatedAllocateInfo dedicated{VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO, nullptr, {}, gone};
  allocate(1, nullptr, VK_ERROR_OUT_OF_DEVICE_MEMORY);
  const VkDeviceMemory memory = allocate(4096, &dedicated);
  bind(gone, memory, 0);
  bind(stays, memory, 256);
  destroy(gone);
  free_memory(memory);
  tell(stays, 300);
  bind(stays, allocate(1024), 0);
  destroy(stays);
  play(5);
  ASSERT_NE(placement.memory(id(memory)), nullptr);
  const Placement::Memory found = *placement.memory(id(memory));
  EXPECT_EQ(std::tuple(found.size, found.type, found.dedicated), std::tuple(4096u, 3u, id(gone)));
  EXPECT_EQ(place(gone) + bytes(gone, 0, 1), "none");
  EXPECT_EQ(on(memory, 0, 4096), ids(stays));
  play(3);  // freed: the buffer is said to be where it was
  EXPECT_EQ(placement.memory(id(memory)), nullptr);
  EXPECT_EQ(place(stays), "0:256+512");
  EXPECT_EQ(on(memory, 0, 4096), ids(stays));
  play(1);
  EXPECT_EQ(place(stays), "1:0+512");
  EXPECT_EQ(on(memory, 0, 4096), ids());
  play();
  EXPECT_EQ(place(stays), "none");
}

TEST_F(PlacementTest, HasAPlaceForEachPlane) {
  const VkImage planar = image(VK_IMAGE_CREATE_DISJOINT_BIT, {64, 64, 1}, nullptr, VK_FORMAT_G8_B8R8_2PLANE_420_UNORM);
  const VkDeviceMemory memory = allocate(4096);
  for (const auto aspect : {VK_IMAGE_ASPECT_PLANE_0_BIT, VK_IMAGE_ASPECT_PLANE_1_BIT}) {
    const VkImagePlaneMemoryRequirementsInfo of{VK_STRUCTURE_TYPE_IMAGE_PLANE_MEMORY_REQUIREMENTS_INFO, nullptr,
                                                aspect};
    tell(planar, 10u * aspect, &of);
    const VkBindImagePlaneMemoryInfo bound{VK_STRUCTURE_TYPE_BIND_IMAGE_PLANE_MEMORY_INFO, nullptr, aspect};
    bind(planar, memory, 0, &bound);
    bind(planar, memory, 64u * aspect, &bound);
  }
  play();
  EXPECT_EQ(placement.kind_of(id(planar)), Kind::planes);
  EXPECT_EQ(place(planar, 0) + " " + place(planar, 1), "0:1024+160 0:2048+320");
  EXPECT_EQ(place(planar, 2) + " " + place(planar, 4), "none none");
  EXPECT_EQ(bytes(planar, {kColor, 0, 1, 0, 1}), "0:1024+160 0:2048+320 whole");
  EXPECT_EQ(bytes(planar, {VK_IMAGE_ASPECT_PLANE_1_BIT, 0, 1, 0, 1}), "0:2048+320 whole");
  EXPECT_EQ(on(memory, 2367, 1), ids(planar));
}

TEST_F(PlacementTest, KnowsSubresourcesOfLinearImages) {
  const VkImage linear = image(0, {64, 64, 1}, nullptr, VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_TILING_LINEAR);
  const VkDeviceMemory memory = allocate(1 << 20);
  tell(linear, 900000);
  bind(linear, memory, 4096);
  tell_layout(linear, {kColor, 1, 0}, 8192, 1000);
  tell_layout(linear, {kColor, 1, 1}, 16384, 1000);
  tell_layout(linear, {kColor, 2, 1}, 32768, 1000);
  tell_layout(linear, {kColor, 7, 0}, 0, 1);  // it has no such mip
  play();
  EXPECT_EQ(bytes(linear, {kColor, 1, 1, 0, 2}), "0:12288+1000 0:20480+1000");
  EXPECT_EQ(bytes(linear, {kColor, 1, 1, 1, 1}), "0:20480+1000");
  EXPECT_EQ(bytes(linear, {kColor, 1, 2, 0, 1}), "0:4096+900000 whole");  // mip 2 of layer 0 was not told
  EXPECT_EQ(bytes(linear, {kColor, 7, 1, 0, 1}), "0:4096+900000 whole");
}

TEST_F(PlacementTest, KnowsImagesOfSwapchains) {
  VkSwapchainCreateInfoKHR info{};
  info.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR;
  info.surface = handle<VkSurfaceKHR>(0x70);
  const auto chain = create<VkSwapchainKHR, args_vkCreateSwapchainKHR>(CommandId::vkCreateSwapchainKHR, info);
  const VkImageSwapchainCreateInfoKHR of{VK_STRUCTURE_TYPE_IMAGE_SWAPCHAIN_CREATE_INFO_KHR, nullptr, chain};
  std::uint32_t two = 2;
  VkImage theirs[] = {handle<VkImage>(0x60), handle<VkImage>(0x61)};
  call(CommandId::vkGetSwapchainImagesKHR, args_vkGetSwapchainImagesKHR{kDevice, chain, &two, theirs}, kOk);
  const VkImage own = image(0, {64, 64, 1}, &of);
  const VkBindImageMemorySwapchainInfoKHR at{VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_SWAPCHAIN_INFO_KHR, nullptr, chain, 1};
  bind(own, handle<VkDeviceMemory>(0x77), 0, &at);
  call(CommandId::vkDestroySwapchainKHR, args_vkDestroySwapchainKHR{kDevice, chain, nullptr});
  play(1);
  EXPECT_EQ(placement.swapchain_image(id(theirs[0])), (Placement::SwapchainImage{id(chain), 0}));
  EXPECT_EQ(placement.swapchain_image(id(theirs[1])), placement.swapchain_image(id(own)));
  EXPECT_EQ(place(own) + bytes(own, {kColor, 0, 1, 0, 1}), "none");
  play();
  EXPECT_EQ(std::pair(placement.kind_of(id(own)), placement.kind_of(id(theirs[1]))),
            std::pair(Kind::swapchain, Kind::none));
}

TEST_F(PlacementTest, FindsAccelerationStructuresInTheirBuffers) {
  const VkDeviceMemory memory = allocate(8192), pages = allocate(2 * kPage);
  const VkBuffer in = buffer(4096), sparse = buffer(2 * kPage, VK_BUFFER_CREATE_SPARSE_BINDING_BIT);
  bind(in, memory, 1024);
  bind_pages(sparse, {0, kPage, pages, kPage, 0});
  bind_pages(sparse, {kPage, kPage, pages, 0, 0});
  const auto first = structure(in, 256, 512), last = structure(in, 3840, 1000), split = structure(sparse, 65280, 512);
  call(CommandId::vkDestroyAccelerationStructureKHR, args_vkDestroyAccelerationStructureKHR{kDevice, first, nullptr});
  destroy(in);
  play(2);
  EXPECT_EQ(place(first) + " " + place(last), "0:1280+512 0:4864+256");  // the buffer has no more
  EXPECT_EQ(placement.kind_of(id(split)), Kind::sparse);
  EXPECT_EQ(bytes(first), "0:1280+512");
  EXPECT_EQ(bytes(split), "1:0+256 1:130816+256");
  EXPECT_EQ(on(memory, 1024, 256), ids(in));
  EXPECT_EQ(on(memory, 1279, 2), ids(in, first));
  EXPECT_EQ(on(pages, 0, 1), ids(sparse, split));
  EXPECT_EQ(on(pages, 256, 1), ids(sparse));
  play();
  EXPECT_EQ(place(first) + place(last), "nonenone");
}

TEST_F(PlacementTest, FollowsPagesOfSparseBuffers) {
  const VkDeviceMemory memory = allocate(8 * kPage), other = allocate(8 * kPage);
  const VkBuffer sparse = buffer(8 * kPage, VK_BUFFER_CREATE_SPARSE_BINDING_BIT), plain = buffer(8 * kPage);
  bind_pages(plain, {0, kPage, other, 0, 0});  // is not sparse
  bind(sparse, memory, 0);                     // is sparse
  bind_pages(sparse, {0, 6 * kPage, memory, kPage, 0});
  bind_pages(sparse, {2 * kPage, kPage, other, 0, 0});
  bind_pages(sparse, {kPage, 4 * kPage, VK_NULL_HANDLE, 0, 0});
  destroy(sparse);
  play(3);
  EXPECT_EQ(pieces(sparse), "0>0:65536+393216 ");
  EXPECT_EQ(place(sparse) + pieces(plain), "none");
  play(2);
  EXPECT_EQ(pieces(sparse), "0>0:65536+131072 2>1:0+65536 3>0:262144+196608 ");
  EXPECT_EQ(on(memory, 3 * kPage, kPage), ids());
  EXPECT_EQ(on(memory, 0, 8 * kPage), ids(sparse));  // two pieces
  EXPECT_EQ(on(other, 0, 8 * kPage), ids(sparse));
  EXPECT_EQ(bytes(sparse, 2 * kPage - 4, kPage + 8), "0:196604+4 0:262144+4 1:0+65536");
  EXPECT_EQ(bytes(sparse, 6 * kPage, 4), "");
  play(1);
  EXPECT_EQ(pieces(sparse), "0>0:65536+65536 5>0:393216+65536 ");
  EXPECT_EQ(on(other, 0, 8 * kPage), ids());
  play();
  EXPECT_EQ(on(memory, 0, 8 * kPage), ids());
}

TEST_F(PlacementTest, FollowsPagesAndRegionsOfSparseImages) {
  const VkDeviceMemory memory = allocate(32 * kPage);
  const VkImage sparse = image(kSparse), unknown = image(kSparse);
  tell_blocks(sparse, {128, 128, 1});  // 65,536 bytes each; 4 x 2 of them
  bind_pages(sparse, {0, kPage, memory, 30 * kPage, 0});
  bind_pages(sparse, {0, kPage, memory, 31 * kPage, VK_SPARSE_MEMORY_BIND_METADATA_BIT});
  bind_region(sparse, {0, 0, 0}, {512, 256, 1}, memory, 0);
  bind_region(sparse, {128, 0, 0}, {128, 128, 1}, memory, 10 * kPage, 1, 1);
  bind_region(sparse, {0, 0, 0}, {128, 128, 1}, memory, 11 * kPage, 1, 0);
  bind_region(unknown, {0, 0, 0}, {128, 128, 1}, memory, 28 * kPage);
  bind_region(sparse, {128, 128, 0}, {128, 128, 1}, memory, 20 * kPage);
  bind_region(sparse, {0, 0, 0}, {512, 128, 1}, VK_NULL_HANDLE, 0);
  bind_region(unknown, {0, 0, 0}, {256, 128, 1}, VK_NULL_HANDLE, 0);
  call(CommandId::vkDestroyImage, args_vkDestroyImage{kDevice, sparse, nullptr});
  play(4);
  EXPECT_EQ(pieces(sparse),
            "0>0:1966080+65536 m0>0:2031616+65536 0,0,0/512x128>0:0+262144 "
            "0,128,0/512x128>0:262144+262144 0,0,0/128x128>0:720896+65536 128,0,0/128x128>0:655360+65536 ");
  EXPECT_EQ(pieces(unknown), "0,0,0/128x128>0:1835008+262144? ");
  EXPECT_EQ(on(memory, 29 * kPage, 1), ids(unknown));
  EXPECT_EQ(bytes(sparse, {kColor, 0, 3, 1, 1}), "0:655360+65536 0:1966080+131072 whole");
  EXPECT_EQ(bytes(sparse, {kColor, 0, 1, 0, 2}), "0:0+524288 0:1966080+131072 whole");
  play(1);
  EXPECT_EQ(bytes(sparse, {kColor, 0, 1, 0, 1}),
            "0:262144+65536 0:393216+131072 0:1310720+65536 0:1966080+131072 whole");
  EXPECT_EQ(on(memory, 0, 4 * kPage), ids());
  EXPECT_EQ(pieces(unknown), "");
  play();
  EXPECT_EQ(on(memory, 0, 32 * kPage), ids());
}

TEST_F(PlacementTest, KeepsToItsLimits) {
  const VkDeviceMemory memory = allocate(UINT64_MAX);
  const VkImage tall = image(kSparse, {1, 0x80000000, 1}), unknown = image(kSparse);
  const VkBuffer sparse = buffer(8 * kPage, VK_BUFFER_CREATE_SPARSE_BINDING_BIT);
  tell_blocks(tall, {1, 1, 1});
  for (std::uint32_t i = 0; i < 4; ++i) bind_pages(sparse, {i * kPage, kPage, memory, 2 * i * kPage, 0});
  for (std::int32_t x = 0; x < 3; ++x) bind_region(unknown, {x, 0, 0}, {1, 1, 1}, memory, 0);
  bind_region(tall, {0, 0, 0}, {1, 0x80000000, 1}, memory, 0);
  bind_pages(sparse, {0, 8 * kPage, VK_NULL_HANDLE, 0, 0});
  limits_ = {.regions = 2, .ranges = 4};
  play(5);
  EXPECT_EQ(bytes(sparse, 0, 3 * kPage), "0:0+65536 0:131072+65536 0:262144+65536");
  EXPECT_EQ(bytes(sparse, 0, 8 * kPage), "0:0+18446744073709551615 whole");
  EXPECT_FALSE(placement.too_many());
  play(2);
  EXPECT_EQ(placement.pieces_of(id(unknown)).size(), 2u);
  EXPECT_TRUE(placement.too_many());
  limits_ = {.pieces = 100};
  play(1);
  EXPECT_EQ(placement.pieces_of(id(tall)).size(), 93u);  // the others have 7
  limits_ = {.steps = 50};
  play();
  EXPECT_EQ(placement.pieces_of(id(tall)).size(), 50u);
  EXPECT_EQ(pieces(sparse), "");
}

TEST_F(PlacementTest, CopesWithWhatNoProgramDoes) {
  const VkDeviceMemory memory = allocate(4096), huge = allocate(UINT64_MAX);
  const VkBuffer beyond = buffer(100), across = buffer(UINT64_MAX), twice = buffer(100), nowhere = buffer(100);
  const VkBuffer sparse = buffer(kPage, VK_BUFFER_CREATE_SPARSE_BINDING_BIT);
  bind(beyond, memory, UINT64_MAX);
  bind(across, memory, 4000);
  bind(twice, huge, UINT64_MAX - 50);
  bind(twice, memory, 0);
  bind(nowhere, handle<VkDeviceMemory>(0x77), 0);
  bind(handle<VkBuffer>(0x78), memory, 0);
  bind_pages(sparse, {UINT64_MAX - 4, 100, huge, UINT64_MAX - 100, 0});
  bind_pages(sparse, {8, 0, huge, 0, 0});
  bind_pages(sparse, {16, 100, memory, UINT64_MAX, 0});
  bind_pages(sparse, {0, 100, memory, 4050, 0});
  const VkImage odd = image(kSparse, {0xffffffff, 0xffffffff, 0xffffffff});
  tell_blocks(odd, {0xffffffff, 0xffffffff, 0xffffffff});
  bind_region(odd, {0x7fffffff, 0, 0}, {0xffffffff, 0xffffffff, 0xffffffff}, huge, 1);
  bind_region(odd, {-2, 0, 0}, {1, 1, 1}, huge, 0);
  bind_region(odd, {0, 0, 0}, {1, 1, 1}, huge, 0, 99, 99);
  const auto end = structure(twice, UINT64_MAX - 1, 100), empty = structure(twice, 0, 0);
  next_ = 0x1003;  // the values of these two buffers, which are made again
  EXPECT_EQ(buffer(4), across);
  EXPECT_EQ(buffer(4), twice);
  call(CommandId::vkDestroyAccelerationStructureKHR, args_vkDestroyAccelerationStructureKHR{kDevice, end, nullptr});
  play(3);
  EXPECT_EQ(place(beyond) + " " + place(across) + " " + place(twice), "0:18446744073709551615+0? 0:4000+96? 0:0+100?");
  EXPECT_EQ(place(nowhere), "none");
  EXPECT_EQ(on(memory, 10, UINT64_MAX), ids(across, twice, sparse));
  EXPECT_EQ(on(memory, UINT64_MAX, UINT64_MAX), ids());
  EXPECT_EQ(pieces(sparse), "0>0:4050+46 281474976710655>1:18446744073709551515+4 ");
  EXPECT_EQ(bytes(sparse, UINT64_MAX - 2, UINT64_MAX), "1:18446744073709551517+2");
  EXPECT_EQ(pieces(odd), "2147483647,0,0/2147483648x4294967295>1:1+18446744073709551614? ");
  EXPECT_EQ(place(end) + " " + place(empty), "0:100+0 0:0+0");
  play();
  EXPECT_EQ(on(memory, 0, UINT64_MAX), ids(sparse));
}

TEST_F(PlacementTest, IsFastWithManyResources) {
  constexpr std::uint64_t kMany = 10'000;
  const VkDeviceMemory memory = allocate(kMany * 256);
  const VkBuffer all = buffer(kMany * 256);
  std::vector<VkBuffer> buffers;
  bind(all, memory, 0);
  for (std::uint64_t i = 0; i < kMany; ++i) bind(buffers.emplace_back(buffer(256)), memory, i * 256);
  play();
  EXPECT_EQ(on(memory, 256 * 5000 + 255, 2), ids(all, buffers[5000], buffers[5001]));
  EXPECT_EQ(on(memory, 0, kMany * 256).size(), kMany + 1);
  RangeIndex index;
  index.add({0, kMany * 256, object_at(1), 0});
  for (std::uint64_t i = 0; i < kMany; ++i) index.add({i * 256, i * 256 + 256 - i % 8, object_at(i + 2), 0});
  std::size_t found = 0;
  const std::size_t looked_at = index.each_over(256 * 5000, 256 * 5001, [&](const auto&) { ++found; });
  EXPECT_EQ(found, 2u);
  EXPECT_LE(looked_at, 8u);
  EXPECT_EXIT(index.remove({0, 1, object_at(2), 0}), ::testing::KilledBySignal(SIGABRT), "does not hold");
}

}  // namespace
}  // namespace rondo::model
