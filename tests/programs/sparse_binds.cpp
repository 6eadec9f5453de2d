// SPDX-License-Identifier: Apache-2.0
// Sparse resources (chapter "Sparse Resources"): a buffer and an image whose pages are bound, read, exchanged
// and bound again, by binary and timeline semaphores and by a fence; two places of one page; an image that is
// bound as a whole, by its tail. Each of --rounds (default 3) begins with other pages. With --address 1 a
// device address of a sparse buffer, too.
#include "picture.h"

using namespace program;

namespace {

constexpr VkMemoryPropertyFlags kMapped = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

VkSemaphore semaphore(Session& s, VkSemaphoreType type) {
  const VkSemaphoreTypeCreateInfo kind{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, nullptr, type, 0};
  const VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &kind, 0};
  VkSemaphore made = VK_NULL_HANDLE;
  CHECK(vkCreateSemaphore(s.device, &info, nullptr, &made));
  return keep(s, vkDestroySemaphore, made);
}

// Binds, and waits for that on the host.
void bind(Session& s, VkBindSparseInfo info) {
  info.sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO;
  const VkFence done = create_fence(s);
  CHECK(vkQueueBindSparse(s.queues[0], 1, &info, done));
  CHECK(vkWaitForFences(s.device, 1, &done, VK_TRUE, UINT64_MAX));
  vkDestroyFence(s.device, done, nullptr);
}

struct Pages {
  VkDeviceMemory memory = VK_NULL_HANDLE;
  VkDeviceSize page = 0;
  std::uint32_t* words = nullptr;
};

// So many pages of these needs, mapped.
Pages pages(Session& s, const VkMemoryRequirements& needs, std::uint32_t count) {
  Pages p;
  p.page = needs.alignment;
  p.memory = allocate(s, {count * needs.alignment, needs.alignment, needs.memoryTypeBits}, kMapped);
  void* mapped = nullptr;
  CHECK(vkMapMemory(s.device, p.memory, 0, VK_WHOLE_SIZE, 0, &mapped));
  p.words = static_cast<std::uint32_t*>(mapped);
  std::memset(mapped, 0, static_cast<std::size_t>(count * p.page));
  keep(s, vkFreeMemory, p.memory);
  return p;
}

void pages_of_a_buffer(Session& s, std::uint32_t rounds) {
  constexpr std::uint32_t kPages = 4;
  VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  info.flags =
      VK_BUFFER_CREATE_SPARSE_BINDING_BIT | VK_BUFFER_CREATE_SPARSE_RESIDENCY_BIT | VK_BUFFER_CREATE_SPARSE_ALIASED_BIT;
  info.size = 1 << 20;
  info.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  VkBuffer paged = VK_NULL_HANDLE;
  CHECK(vkCreateBuffer(s.device, &info, nullptr, &paged));
  keep(s, vkDestroyBuffer, paged);
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(s.device, paged, &needs);
  EXPECT(s, needs.size >= kPages * needs.alignment);
  // In front of the pages: what was made last is no sparse buffer then.
  const MappedBuffer seen = buffer(s, kPages * needs.alignment, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  const Pages own = pages(s, needs, kPages);
  const auto words = static_cast<std::size_t>(own.page / 4);
  const auto word = [&](std::uint32_t page, std::size_t i) { return page << 24 | static_cast<std::uint32_t>(i); };
  for (std::uint32_t page = 0; page < kPages; ++page)
    for (std::size_t i = 0; i < words; ++i) own.words[page * words + i] = word(page, i);
  const VkSemaphore bound = semaphore(s, VK_SEMAPHORE_TYPE_BINARY), counted = semaphore(s, VK_SEMAPHORE_TYPE_TIMELINE);

  const auto at = [&](std::uint32_t place, std::uint32_t page, bool none = false) {
    return VkSparseMemoryBind{place * own.page, own.page, none ? VK_NULL_HANDLE : own.memory,
                              none ? 0 : page * own.page, 0};
  };
  for (std::uint32_t round = 0; round < rounds; ++round) {
    // Pages in turn; the last place has the page of the first.
    VkSparseMemoryBind binds[kPages];
    for (std::uint32_t i = 0; i < kPages; ++i) binds[i] = at(i, (i % 3 + round) % kPages);
    VkSparseBufferMemoryBindInfo all{paged, kPages, binds};
    VkBindSparseInfo batch{VK_STRUCTURE_TYPE_BIND_SPARSE_INFO};
    batch.bufferBindCount = 1;
    batch.pBufferBinds = &all;
    const VkSemaphore signalled[] = {bound, counted};
    const std::uint64_t values[] = {0, 2 * round + 1};
    VkTimelineSemaphoreSubmitInfo timeline{VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO};
    timeline.signalSemaphoreValueCount = 2;
    timeline.pSignalSemaphoreValues = values;
    batch.pNext = &timeline;
    batch.signalSemaphoreCount = 2;
    batch.pSignalSemaphores = signalled;
    CHECK(vkQueueBindSparse(s.queues[0], 1, &batch, VK_NULL_HANDLE));

    // Behind the binds: what is there, and one word more in the page that has two places.
    const VkBufferCopy copy{0, 0, kPages * own.page};
    vkCmdFillBuffer(s.cmd, paged, 3 * own.page + 8, 4, 0xabcd0000 + round);
    barrier(s.cmd);
    vkCmdCopyBuffer(s.cmd, paged, seen.buffer, 1, &copy);
    transfers_to_host(s.cmd);
    CHECK(vkEndCommandBuffer(s.cmd));
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    VkSubmitInfo work{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    work.waitSemaphoreCount = 1;
    work.pWaitSemaphores = &bound;
    work.pWaitDstStageMask = &stage;
    work.commandBufferCount = 1;
    work.pCommandBuffers = &s.cmd;
    CHECK(vkQueueSubmit(s.queues[0], 1, &work, s.commands.done));
    wait(s, s.commands);
    begin(s.commands);
    for (std::uint32_t i = 0; i < kPages; ++i) {
      const std::uint32_t page = (i % 3 + round) % kPages;
      EXPECT(s,
             seen.words[i * words + 1] == word(page, 1) && seen.words[i * words + words - 1] == word(page, words - 1));
    }
    EXPECT(s, seen.words[2] == 0xabcd0000 + round && own.words[(round % kPages) * words + 2] == 0xabcd0000 + round);
    add(s, seen);

    // One place without memory, which nobody reads, and one page exchanged: when the timeline says so.
    VkSparseMemoryBind fewer[] = {at(0, 0, true), at(1, (round + 3) % kPages)};
    all = {paged, 2, fewer};
    const std::uint64_t before = 2 * round + 1, behind = 2 * round + 2;
    VkTimelineSemaphoreSubmitInfo both{
        VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO, nullptr, 1, &before, 1, &behind};
    batch.pNext = &both;
    batch.waitSemaphoreCount = 1;
    batch.pWaitSemaphores = &counted;
    batch.signalSemaphoreCount = 1;
    batch.pSignalSemaphores = &counted;
    CHECK(vkQueueBindSparse(s.queues[0], 1, &batch, VK_NULL_HANDLE));
    const VkSemaphoreWaitInfo until{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, nullptr, 0, 1, &counted, &behind};
    CHECK(vkWaitSemaphores(s.device, &until, UINT64_MAX));
    const VkBufferCopy second{own.page, 0, own.page};
    vkCmdCopyBuffer(s.cmd, paged, seen.buffer, 1, &second);
    run(s);
    EXPECT(s, seen.words[1] == word((round + 3) % kPages, 1));
    add(s, seen);
  }
}

VkImage sparse_image(Session& s, VkExtent3D extent, std::uint32_t mips, VkImageCreateFlags flags) {
  VkImageCreateInfo info =
      image_info(VK_FORMAT_R8G8B8A8_UNORM, extent, VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT);
  info.flags = VK_IMAGE_CREATE_SPARSE_BINDING_BIT | flags;
  info.mipLevels = mips;
  VkImage image = VK_NULL_HANDLE;
  CHECK(vkCreateImage(s.device, &info, nullptr, &image));
  return keep(s, vkDestroyImage, image);
}

void to_general(Session& s, VkImage image, std::uint32_t mips) {
  VkImageMemoryBarrier move{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
  move.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  move.newLayout = VK_IMAGE_LAYOUT_GENERAL;
  move.srcQueueFamilyIndex = move.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  move.image = image;
  move.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, mips, 0, 1};
  vkCmdPipelineBarrier(s.cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, nullptr, 0,
                       nullptr, 1, &move);
}

void copy_out(Session& s, VkImage image, std::uint32_t mip, VkOffset3D from, VkExtent3D extent,
              const MappedBuffer& to) {
  const VkBufferImageCopy region{0, 0, 0, {VK_IMAGE_ASPECT_COLOR_BIT, mip, 0, 1}, from, extent};
  vkCmdCopyImageToBuffer(s.cmd, image, VK_IMAGE_LAYOUT_GENERAL, to.buffer, 1, &region);
}

void copy_in(Session& s, VkImage image, std::uint32_t mip, VkOffset3D to, VkExtent3D extent, const MappedBuffer& from) {
  const VkBufferImageCopy region{0, 0, 0, {VK_IMAGE_ASPECT_COLOR_BIT, mip, 0, 1}, to, extent};
  vkCmdCopyBufferToImage(s.cmd, from.buffer, image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
}

void tiles_of_an_image(Session& s, std::uint32_t rounds) {
  constexpr VkExtent3D kExtent{512, 512, 1};
  constexpr std::uint32_t kMips = 10;
  const VkImage image =
      sparse_image(s, kExtent, kMips, VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT | VK_IMAGE_CREATE_SPARSE_ALIASED_BIT);
  VkMemoryRequirements needs;
  vkGetImageMemoryRequirements(s.device, image, &needs);
  std::uint32_t count = 0;
  vkGetImageSparseMemoryRequirements(s.device, image, &count, nullptr);
  std::vector<VkSparseImageMemoryRequirements> kinds(count);
  vkGetImageSparseMemoryRequirements(s.device, image, &count, kinds.data());
  const auto color = std::find_if(kinds.begin(), kinds.end(), [](const VkSparseImageMemoryRequirements& one) {
    return (one.formatProperties.aspectMask & VK_IMAGE_ASPECT_COLOR_BIT) != 0;
  });
  if (color == kinds.end()) die("no requirements of colors", count);
  const VkExtent3D tile = color->formatProperties.imageGranularity;
  const auto tail = static_cast<std::uint32_t>((color->imageMipTailSize + needs.alignment - 1) / needs.alignment);
  const Pages own = pages(s, needs, 3 + tail);

  const std::size_t texels = std::size_t{tile.width} * tile.height;
  const MappedBuffer in = buffer(s, texels * 4, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
  const MappedBuffer out = buffer(s, texels * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  if (tail != 0) {
    const VkSparseMemoryBind rest{color->imageMipTailOffset, color->imageMipTailSize, own.memory, 3 * own.page, 0};
    const VkSparseImageOpaqueMemoryBindInfo opaque{image, 1, &rest};
    VkBindSparseInfo batch{};
    batch.imageOpaqueBindCount = 1;
    batch.pImageOpaqueBinds = &opaque;
    bind(s, batch);
  }
  to_general(s, image, kMips);
  run(s);
  const auto word = [](std::size_t i, std::uint32_t round) {
    return static_cast<std::uint32_t>(i * 2654435761u + round);
  };
  for (std::uint32_t round = 0; round < rounds; ++round) {
    // Two tiles of the largest mip, which have other pages each round.
    const auto width = static_cast<std::int32_t>(tile.width), height = static_cast<std::int32_t>(tile.height);
    const auto at = [&](VkOffset3D offset, std::uint32_t page) {
      return VkSparseImageMemoryBind{
          {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0}, offset, tile, own.memory, page % 3 * own.page, 0};
    };
    const VkOffset3D first{0, 0, 0}, second{width, height, 0};
    VkSparseImageMemoryBind binds[] = {at(first, round), at(second, round + 1)};
    const VkSparseImageMemoryBindInfo tiles{image, 2, binds};
    VkBindSparseInfo batch{};
    batch.imageBindCount = 1;
    batch.pImageBinds = &tiles;
    bind(s, batch);
    for (std::size_t i = 0; i < texels; ++i) in.words[i] = word(i, round);
    copy_in(s, image, 0, first, tile, in);
    barrier(s.cmd);
    copy_out(s, image, 0, first, tile, out);
    run(s);
    EXPECT(s, out.words[5] == word(5, round) && out.words[texels - 1] == word(texels - 1, round));
    add(s, out);
    // The same page at the other place.
    binds[1] = at(second, round);
    bind(s, batch);
    copy_out(s, image, 0, second, tile, out);
    if (tail != 0 && color->imageMipTailFirstLod < kMips) {
      barrier(s.cmd);
      copy_in(s, image, kMips - 1, first, {1, 1, 1}, in);
    }
    run(s);
    EXPECT(s, out.words[5] == word(5, round) && out.words[texels - 1] == word(texels - 1, round));
    add(s, out);
  }
}

void an_image_as_a_whole(Session& s) {
  const VkImage image = sparse_image(s, {64, 64, 1}, 1, 0);
  VkMemoryRequirements needs;
  vkGetImageMemoryRequirements(s.device, image, &needs);
  const auto count = static_cast<std::uint32_t>((needs.size + needs.alignment - 1) / needs.alignment);
  const Pages own = pages(s, needs, count);
  std::vector<VkSparseMemoryBind> binds;
  for (VkDeviceSize place = 0; place < needs.size; place += needs.alignment)
    binds.push_back({place, std::min(needs.alignment, needs.size - place), own.memory, place, 0});
  const VkSparseImageOpaqueMemoryBindInfo opaque{image, static_cast<std::uint32_t>(binds.size()), binds.data()};
  VkBindSparseInfo batch{};
  batch.imageOpaqueBindCount = 1;
  batch.pImageOpaqueBinds = &opaque;
  bind(s, batch);
  const MappedBuffer out = buffer(s, 64 * 64 * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  to_general(s, image, 1);
  const VkClearColorValue red{{1, 0, 0, 1}};
  const VkImageSubresourceRange all{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  vkCmdClearColorImage(s.cmd, image, VK_IMAGE_LAYOUT_GENERAL, &red, 1, &all);
  barrier(s.cmd);
  copy_out(s, image, 0, {0, 0, 0}, {64, 64, 1}, out);
  run(s);
  EXPECT(s, out.words[0] == 0xff0000ff && out.words[64 * 64 - 1] == 0xff0000ff);
  add(s, out);
}

// Of a buffer none of whose pages is bound.
void address_of_a_buffer(Session& s) {
  VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  info.flags = VK_BUFFER_CREATE_SPARSE_BINDING_BIT;
  info.size = 1 << 20;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  VkBuffer paged = VK_NULL_HANDLE;
  CHECK(vkCreateBuffer(s.device, &info, nullptr, &paged));
  keep(s, vkDestroyBuffer, paged);
  const VkBufferDeviceAddressInfo of{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, nullptr, paged};
  EXPECT(s, vkGetBufferDeviceAddress(s.device, &of) != 0);
}

}  // namespace

int main(int argc, char** argv) {
  const auto rounds = static_cast<std::uint32_t>(option(argc, argv, "--rounds", 3));
  VkPhysicalDeviceVulkan12Features timelines{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
  timelines.timelineSemaphore = VK_TRUE;
  const bool address = option(argc, argv, "--address", 0) != 0;
  timelines.bufferDeviceAddress = address ? VK_TRUE : VK_FALSE;
  VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &timelines, {}};
  features.features.sparseBinding = features.features.sparseResidencyBuffer = VK_TRUE;
  features.features.sparseResidencyImage2D = features.features.sparseResidencyAliased = VK_TRUE;
  Wanted wanted;
  wanted.features = &features;
  Session s = open("sparse_binds", wanted);
  if ((queue_families(s.physical)[s.family].queueFlags & VK_QUEUE_SPARSE_BINDING_BIT) == 0)
    return cannot_run("no queue of this device binds sparsely");
  if (address) address_of_a_buffer(s);
  pages_of_a_buffer(s, rounds);
  tiles_of_an_image(s, rounds);
  an_image_as_a_whole(s);
  return finish(s);
}
