// SPDX-License-Identifier: Apache-2.0
// Objects that are destroyed before those that were made of them, as the specification's chapter on
// object lifetimes allows ("in any order"), and a device before what is left in it, which it does not.
//   wrong_order [--rounds N]
#include "accumulate.h"
#include "objects.h"

using namespace program;

namespace {

// What is used stays what it was, though its layouts and its shader are gone.
void use_without_layouts(const Context& c, std::uint32_t round) {
  Accumulate a = create_accumulate(c, 2);
  const Commands commands = create_commands(c);
  write_input(a, 1, round);
  begin(commands);
  vkDestroyShaderModule(c.device, a.shader, nullptr);
  record_dispatch(a, commands, 1, kNoSlot);
  CHECK(vkEndCommandBuffer(commands.buffer));
  vkDestroyDescriptorSetLayout(c.device, a.set_layout, nullptr);
  vkDestroyPipelineLayout(c.device, a.layout, nullptr);
  submit(c.queues[0], commands);
  wait(c, commands);
  for (std::uint32_t w = 0; w < kSlotWords; ++w)
    if (a.output.words[kSlotWords + w] != 3 * input_value(round, w)) wrong("wrong result in word", w);
  // Memory that is mapped goes first, then buffers that sets and a command buffer still name.
  for (MappedBuffer* b : {&a.input, &a.output}) vkFreeMemory(c.device, b->memory, nullptr);
  for (MappedBuffer* b : {&a.output, &a.input}) vkDestroyBuffer(c.device, b->buffer, nullptr);
  vkDestroyPipeline(c.device, a.pipeline, nullptr);
  vkDestroyFence(c.device, commands.done, nullptr);
  vkDestroyCommandPool(c.device, commands.pool, nullptr);
  vkDestroyDescriptorPool(c.device, a.pool, nullptr);
}

void destroy_backwards(const Context& c, const Unused& u) {
  vkFreeMemory(c.device, u.target.memory, nullptr);
  vkDestroyImage(c.device, u.target.image, nullptr);
  vkDestroyImageView(c.device, u.target.view, nullptr);
  vkDestroyRenderPass(c.device, u.render_pass, nullptr);
  vkDestroyFramebuffer(c.device, u.framebuffer, nullptr);
  vkFreeMemory(c.device, u.texels.memory, nullptr);
  vkDestroyBuffer(c.device, u.texels.buffer, nullptr);
  vkDestroyBufferView(c.device, u.texel_view, nullptr);
  vkDestroyEvent(c.device, u.event, nullptr);
  vkDestroyQueryPool(c.device, u.queries, nullptr);
  vkDestroySampler(c.device, u.sampler, nullptr);
  vkDestroyPipelineCache(c.device, u.cache, nullptr);
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint32_t rounds = option(argc, argv, "--rounds", 4);
  for (std::uint32_t round = 0; round < rounds; ++round) {
    Context c = create_context("wrong_order");
    use_without_layouts(c, round);
    destroy_backwards(c, create_unused(c));
    use_without_layouts(c, round + 100);
    // What is alive goes with its device, or does not; the next one may get the same values.
    create_fence(c);
    create_semaphore(c);
    create_commands(c);
    create_mapped_buffer(c, 4096, VK_BUFFER_USAGE_TRANSFER_SRC_BIT).words[0] = round;
    destroy(c);
  }
  std::printf("wrong_order: %u devices, right\n", rounds);
  return 0;
}
