// SPDX-License-Identifier: Apache-2.0
// Chapter "Fundamentals", threading: six threads of one device, each with pools,
// memory and descriptors of its own, one queue under a lock, one cache and one set
// layout shared, and fences that another thread waits for.
#include <mutex>
#include <thread>

#include "count.comp.h"
#include "words.h"

using namespace program;

namespace {

constexpr std::uint32_t kThreads = 6, kRounds = 12;

struct Shared {
  std::mutex queue;
  VkDescriptorSetLayout set_layout = VK_NULL_HANDLE;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkPipelineCache cache = VK_NULL_HANDLE;
  VkShaderModule module = VK_NULL_HANDLE;
};

std::uint64_t work(const Context& c, Shared& shared, std::uint32_t thread) {
  Session s;
  static_cast<Context&>(s) = c;
  s.name = "host_threads";
  s.commands = create_commands(c);
  s.cmd = s.commands.buffer;
  const MappedBuffer parameters = buffer(s, 256, kStorage | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT),
                     out = buffer(s, 256, kStorage);
  Kernel k;
  k.layout = shared.layout;
  const VkComputePipelineCreateInfo info{.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                         .stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, nullptr, 0,
                                                   VK_SHADER_STAGE_COMPUTE_BIT, shared.module, "main", nullptr},
                                         .layout = shared.layout};
  CHECK(vkCreateComputePipelines(s.device, shared.cache, 1, &info, nullptr, &k.pipeline));
  keep(s, vkDestroyPipeline, k.pipeline);
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2};
    const VkDescriptorPoolCreateInfo pool_info{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, nullptr, 0, 1, 1, &size};
    VkDescriptorPool pool;
    CHECK(vkCreateDescriptorPool(s.device, &pool_info, nullptr, &pool));
    k.set = allocate_set(s, pool, shared.set_layout);
    write_buffer(s, k.set, 0, parameters);
    write_buffer(s, k.set, 1, out);
    parameters.words[0] = 1 + (thread + round) % 3;  // groups
    parameters.words[1] = parameters.words[2] = 1;
    begin(s.commands);
    bind(s.cmd, k);
    push(s.cmd, k, 8, thread + 1, 99);
    vkCmdDispatchIndirect(s.cmd, parameters.buffer, 0);
    barrier(s.cmd);
    CHECK(vkEndCommandBuffer(s.cmd));
    {
      const std::lock_guard<std::mutex> lock(shared.queue);
      submit(s.queues[0], s.commands);
    }
    std::thread waiter([&] { CHECK(vkWaitForFences(s.device, 1, &s.commands.done, VK_TRUE, UINT64_MAX)); });
    waiter.join();
    CHECK(vkResetFences(s.device, 1, &s.commands.done));
    vkDestroyDescriptorPool(s.device, pool, nullptr);
  }
  if (out.words[8] != 4 * kRounds * (thread + 1)) wrong("a thread's count", out.words[8]);
  const std::uint64_t sum = checksum(out.words, 64);
  for (auto last = s.at_end.rbegin(); last != s.at_end.rend(); ++last) (*last)();
  destroy(c, s.commands);
  return sum;
}

}  // namespace

int main() {
  Needs needs;
  Session s = open("host_threads", needs);
  Shared shared;
  shared.set_layout = create_set_layout(s, {{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, kCompute, nullptr},
                                            {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, kCompute, nullptr}});
  shared.layout = create_layout(s, {shared.set_layout}, {{kCompute, 0, 16}});
  shared.module = shader(s, count_comp_spv);
  const VkPipelineCacheCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
  CHECK(vkCreatePipelineCache(s.device, &info, nullptr, &shared.cache));
  keep(s, vkDestroyPipelineCache, shared.cache);
  std::uint64_t sums[kThreads] = {};
  std::vector<std::thread> threads;
  for (std::uint32_t i = 0; i < kThreads; ++i) threads.emplace_back([&, i] { sums[i] = work(s, shared, i); });
  for (std::thread& thread : threads) thread.join();
  for (const std::uint64_t sum : sums) s.sum = s.sum * 31 + sum;
  return finish(s);
}
