// SPDX-License-Identifier: Apache-2.0
// 64 threads create objects of every kind, use them in submits of their own
// and destroy them, so that a handle's value goes from thread to thread.
//   churn [--threads N] [--rounds N]
#include <mutex>
#include <thread>

#include "accumulate.h"
#include "objects.h"

using namespace program;

namespace {

constexpr VkExtent3D kExtent{4, 4, 1};
constexpr VkDeviceSize kImageBytes = 4 * 4 * sizeof(std::uint32_t);

void clear_and_copy(VkCommandBuffer commands, const Texture& texture, const MappedBuffer& to, std::uint32_t value) {
  change_layout(commands, texture.image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
  VkClearColorValue color{};
  color.uint32[0] = value;
  const VkImageSubresourceRange all{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  vkCmdClearColorImage(commands, texture.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &color, 1, &all);
  change_layout(commands, texture.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
  VkBufferImageCopy region{};
  region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  region.imageExtent = kExtent;
  vkCmdCopyImageToBuffer(commands, texture.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, to.buffer, 1, &region);
  transfers_to_host(commands);
}

// The second submit waits for the first; its fence says that both are done.
void submit_both(VkQueue queue, std::mutex& queue_lock, const Commands& first, const Commands& second,
                 VkSemaphore between) {
  const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
  VkSubmitInfo infos[2]{};
  infos[0].sType = infos[1].sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  infos[0].commandBufferCount = infos[1].commandBufferCount = 1;
  infos[0].pCommandBuffers = &first.buffer;
  infos[1].pCommandBuffers = &second.buffer;
  infos[0].signalSemaphoreCount = infos[1].waitSemaphoreCount = 1;
  infos[0].pSignalSemaphores = infos[1].pWaitSemaphores = &between;
  infos[1].pWaitDstStageMask = &stage;
  const std::lock_guard lock(queue_lock);
  CHECK(vkQueueSubmit(queue, 2, infos, second.done));
}

void use_everything_once(const Context& c, std::mutex& queue_lock, std::uint32_t value) {
  Commands first = create_commands(c), second = create_commands(c);
  Texture texture =
      create_texture(c, VK_FORMAT_R32_UINT, kExtent,
                     VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_SAMPLED_BIT);
  MappedBuffer texels = create_mapped_buffer(c, kImageBytes, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  Accumulate a = create_accumulate(c, 1);  // a shader, layouts, a pipeline, a pool and its set
  VkSemaphore between = create_semaphore(c);
  Unused unused = create_unused(c);  // the kinds that no submit here needs

  begin(first);
  clear_and_copy(first.buffer, texture, texels, value);
  CHECK(vkEndCommandBuffer(first.buffer));
  write_input(a, 0, value);
  begin(second);
  record_dispatch(a, second, 0, kNoSlot);
  CHECK(vkEndCommandBuffer(second.buffer));
  submit_both(c.queues[0], queue_lock, first, second, between);
  wait(c, second);

  for (std::uint32_t i = 0; i < kImageBytes / 4; ++i)
    if (texels.words[i] != value) wrong("wrong texel", i);
  for (std::uint32_t i = 0; i < kSlotWords; ++i)
    if (a.output.words[i] != 3 * input_value(value, i)) wrong("wrong result in word", i);

  destroy(c, unused);
  vkDestroySemaphore(c.device, between, nullptr);
  destroy(c, a);
  destroy(c, texels);
  destroy(c, texture);
  destroy(c, second);
  destroy(c, first);
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint32_t threads = option(argc, argv, "--threads", 64);
  const std::uint32_t rounds = option(argc, argv, "--rounds", 4);
  Context c = create_context("churn");
  std::mutex queue_lock;
  std::vector<std::thread> workers;
  for (std::uint32_t thread = 0; thread < threads; ++thread)
    workers.emplace_back([&c, &queue_lock, thread, rounds] {
      for (std::uint32_t round = 0; round < rounds; ++round)
        use_everything_once(c, queue_lock, thread * rounds + round);
    });
  for (std::thread& worker : workers) worker.join();
  std::printf("churn: %u threads, %u submits, right\n", threads, 2 * threads * rounds);
  destroy(c);
  return 0;
}
