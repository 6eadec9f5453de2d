// SPDX-License-Identifier: Apache-2.0
// The host ends, resets, records or submits again what work may still use. By then the work is over in fact, so that a
// driver survives it; but nothing that the program asked of Vulkan says so. The clean twins wait. An eager bench does
// not care: for a driver that says what is still in use.
#include <chrono>
#include <thread>

#include "move.comp.h"
#include "objects.h"
#include "ones.comp.h"
#include "plants.h"

namespace hazards {

namespace {

// Waits until earlier work is over, and calls no wait of Vulkan. It submits a fill, and looks at mapped memory until
// the fill shows there. Drivers on the CPU execute the submits of a queue one after the other.
void watch(Bench& b) {
  if (b.is_eager) return;
  const MappedBuffer mark = make_buffer(b);
  const VkCommandPool pool = keep(b, vkDestroyCommandPool, create_command_pool(b, 0, b.family));
  const VkCommandBuffer fill = allocate_command_buffer(b, pool);
  program::begin(fill, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT);
  vkCmdFillBuffer(fill, mark.buffer, 0, kBytes, 1);
  CHECK(vkEndCommandBuffer(fill));
  program::submit(b.queues[0], fill, VK_NULL_HANDLE);
  const volatile std::uint32_t& last = mark.words[kBytes / 4 - 1];
  const auto too_late = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  while (last == 0 && std::chrono::steady_clock::now() < too_late)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

// Submits what is recorded. In the clean twin the host waits for it.
void submit_and_watch(Bench& b, const Semaphore& signal = {}) {
  const VkFence done = make_fence(b);
  submit(b, {.signal = signal, .fence = done});
  b.clean ? wait_for(b, done) : watch(b);
  b.is_idle = b.clean;
}

// It has a descriptor pool, a pipeline and layouts of its own. What it writes is mapped: of waits for it nobody knows
// whether they are needed.
Kernel make_work(Bench& b) { return kernel(b, ones_comp_spv, {make_buffer(b)}); }

// A command pool and a command buffer of it, which is open now.
VkCommandPool begin_in_pool(Bench& b, VkCommandPoolCreateFlags flags = 0, VkCommandBufferUsageFlags usage = 0) {
  const VkCommandPool pool = keep(b, vkDestroyCommandPool, create_command_pool(b, flags, b.family));
  b.cmd = allocate_command_buffer(b, pool);
  program::begin(b.cmd, usage);
  return pool;
}

constexpr VkCommandPoolCreateFlags kResets = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;

void pool_reset(Bench& b) {
  const Kernel k = make_work(b);
  dispatch(b, "A", k);
  submit_and_watch(b);
  CHECK(vkResetCommandPool(b.device, b.pools[0], 0));
}

void pool_destroyed(Bench& b) {
  const Kernel k = make_work(b);
  begin_in_pool(b);
  const std::function<void()> destroy_pool = take_last(b);
  dispatch(b, "A", k);
  submit_and_watch(b);
  destroy_pool();
}

void commands_reset(Bench& b) {
  const Kernel k = make_work(b);
  begin_in_pool(b, kResets);
  dispatch(b, "A", k);
  submit_and_watch(b);
  CHECK(vkResetCommandBuffer(b.cmd, 0));
}

void commands_begun(Bench& b) {
  const Kernel k = make_work(b);
  begin_in_pool(b, kResets);
  dispatch(b, "A", k);
  submit_and_watch(b);
  program::begin(b.cmd, 0);
  CHECK(vkEndCommandBuffer(b.cmd));
}

void commands_freed(Bench& b) {
  const Kernel k = make_work(b);
  dispatch(b, "A", k);
  submit_and_watch(b);
  vkFreeCommandBuffers(b.device, b.pools[0], 1, &b.cmd);
}

// A secondary command buffer is pending while one is that executes it.
void secondary_reset(Bench& b) {
  const Kernel k = make_work(b);
  const VkCommandPool pool = keep(b, vkDestroyCommandPool, create_command_pool(b, 0, b.family));
  const VkCommandBuffer primary = b.cmd;
  b.cmd = begin_secondary(b, pool);
  dispatch(b, "A", k);
  CHECK(vkEndCommandBuffer(b.cmd));
  vkCmdExecuteCommands(primary, 1, &b.cmd);
  b.cmd = primary;
  submit_and_watch(b);
  CHECK(vkResetCommandPool(b.device, pool, 0));
}

// One command buffer is submitted twice. The barrier at its end orders both executions of the dispatch.
void submitted_twice(Bench& b) {
  const Kernel k = make_work(b);
  begin_in_pool(b, 0, b.clean ? VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT : 0);
  dispatch(b, "A", k);
  barrier(b, "barrier1", kComputeWrites, kComputeWrites);
  CHECK(vkEndCommandBuffer(b.cmd));
  b.is_recording = false;
  for (std::uint32_t i = 0; i < 2; ++i) program::submit(b.queues[0], b.cmd, VK_NULL_HANDLE);
}

void buffer_destroyed(Bench& b) {
  const MappedBuffer x = make_buffer(b), unmapped = make_local_buffer(b);
  const std::function<void()> destroy_buffer = take_last(b);
  dispatch(b, "A", kernel(b, move_comp_spv, {unmapped, x}));
  submit_and_watch(b);
  destroy_buffer();
}

void memory_freed(Bench& b) {
  const MappedBuffer x = make_buffer(b), unmapped = make_local_buffer(b);
  const std::function<void()> destroy_buffer = take_last(b), free_memory = take_last(b);
  b.at_end.push_back(destroy_buffer);
  dispatch(b, "A", kernel(b, move_comp_spv, {unmapped, x}));
  submit_and_watch(b);
  free_memory();
}

void pipeline_destroyed(Bench& b) {
  const Kernel k = make_work(b);
  const std::function<void()> destroy_sets = take_last(b), destroy_pipeline = take_last(b);
  b.at_end.push_back(destroy_sets);
  dispatch(b, "A", k);
  submit_and_watch(b);
  destroy_pipeline();
}

void set_updated(Bench& b) {
  const Kernel k = make_work(b);
  dispatch(b, "A", k);
  submit_and_watch(b);
  write_buffer(b, k.set, 0, make_local_buffer(b));
}

void sets_destroyed(Bench& b) {
  const Kernel k = make_work(b);
  const std::function<void()> destroy_sets = take_last(b);
  dispatch(b, "A", k);
  submit_and_watch(b);
  destroy_sets();
}

// A kernel whose set is of this pool.
Kernel kernel_of(Bench& b, VkDescriptorPool pool, const MappedBuffer& x) {
  Kernel k;
  k.set_layout =
      create_set_layout(b, {{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr}});
  k.layout = create_layout(b, {k.set_layout});
  k.pipeline = create_compute(b, k.layout, shader(b, ones_comp_spv));
  k.set = allocate_set(b, pool, k.set_layout);
  write_buffer(b, k.set, 0, x);
  return k;
}

void sets_reset(Bench& b) {
  const MappedBuffer x = make_buffer(b);
  const VkDescriptorPool pool = create_pool(b, 1, {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1}});
  dispatch(b, "A", kernel_of(b, pool, x));
  submit_and_watch(b);
  CHECK(vkResetDescriptorPool(b.device, pool, 0));
}

void set_freed(Bench& b) {
  const MappedBuffer x = make_buffer(b);
  const VkDescriptorPool pool = create_pool(b, 1, {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1}}, nullptr,
                                            VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT);
  const Kernel k = kernel_of(b, pool, x);
  dispatch(b, "A", k);
  submit_and_watch(b);
  CHECK(vkFreeDescriptorSets(b.device, pool, 1, &k.set));
}

void event_destroyed(Bench& b) {
  const Kernel k = make_work(b);
  const VkEvent event = create_event(b);
  vkCmdResetEvent(b.cmd, event, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT);
  dispatch(b, "A", k);
  submit_and_watch(b);
  vkDestroyEvent(b.device, event, nullptr);
}

void queries_destroyed(Bench& b) {
  const Kernel k = make_work(b);
  const VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, nullptr, 0, VK_QUERY_TYPE_OCCLUSION, 1, 0};
  VkQueryPool pool;
  CHECK(vkCreateQueryPool(b.device, &info, nullptr, &pool));
  vkCmdResetQueryPool(b.cmd, pool, 0, 1);
  dispatch(b, "A", k);
  submit_and_watch(b);
  vkDestroyQueryPool(b.device, pool, nullptr);
}

// The batch signals it; nobody waits for it.
void semaphore_destroyed(Bench& b) {
  const Kernel k = make_work(b);
  const VkSemaphore signaled = create_semaphore(b);
  dispatch(b, "A", k);
  submit_and_watch(b, {signaled, kAllWrites});
  vkDestroySemaphore(b.device, signaled, nullptr);
}

// The fence of a submit is reset, or destroyed.
template <class End>
void fence_ended(Bench& b, const End& end) {
  const Kernel k = make_work(b);
  const VkFence done = create_fence(b);
  dispatch(b, "A", k);
  submit(b, {.fence = done});
  b.clean ? wait_for(b, done) : watch(b);
  b.is_idle = b.clean;
  end(done);
}

void fence_reset(Bench& b) {
  fence_ended(b, [&](VkFence done) {
    CHECK(vkResetFences(b.device, 1, &done));
    b.at_end.push_back([done, device = b.device] { vkDestroyFence(device, done, nullptr); });
  });
}

void fence_destroyed(Bench& b) {
  fence_ended(b, [&](VkFence done) { vkDestroyFence(b.device, done, nullptr); });
}

// The first batch signals the semaphore, and has ended. The second one waits for it.
void waited_semaphore_destroyed(Bench& b) {
  const Kernel k = make_work(b);
  const VkSemaphore signaled = create_semaphore(b);
  const VkFence done = make_fence(b);
  dispatch(b, "A", k);
  submit(b, {.signal = {signaled, kAllWrites}, .fence = done});
  begin(b);
  dispatch(b, "B", k);
  const VkFence last = make_fence(b);
  submit(b, {.wait = {signaled, kComputeReads}, .fence = last});
  wait_for(b, b.clean ? last : done);
  if (!b.clean) watch(b);
  b.is_idle = b.clean;
  vkDestroySemaphore(b.device, signaled, nullptr);
}

// The work waits for the event, or sets it. Only while it waits the host may not reset the event.
void event_reset(Bench& b) {
  const Kernel k = make_work(b);
  const VkEvent event = keep(b, vkDestroyEvent, create_event(b));
  if (b.clean) {
    vkCmdSetEvent(b.cmd, event, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT);
  } else {
    CHECK(vkSetEvent(b.device, event));
    labelled(b, "wait", [&] {
      vkCmdWaitEvents(b.cmd, 1, &event, VK_PIPELINE_STAGE_HOST_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, nullptr, 0,
                      nullptr, 0, nullptr);
    });
  }
  dispatch(b, "A", k);
  const VkFence done = make_fence(b);
  submit(b, {.fence = done});
  watch(b);
  CHECK(vkResetEvent(b.device, event));
  b.is_idle = false;
}

// The host resets a query that the work writes; or it has got its result, and resets it then.
void queries_reset(Bench& b) {
  if (!b.resets_queries) std::exit(cannot_run("the host cannot reset queries on this device"));
  const VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, nullptr, 0, VK_QUERY_TYPE_OCCLUSION, 2, 0};
  VkQueryPool pool;
  CHECK(vkCreateQueryPool(b.device, &info, nullptr, &pool));
  keep(b, vkDestroyQueryPool, pool);
  vkResetQueryPool(b.device, pool, 0, 2);
  labelled(b, "A", [&] {
    vkCmdBeginQuery(b.cmd, pool, 1, 0);
    vkCmdEndQuery(b.cmd, pool, 1);
  });
  submit(b);
  watch(b);
  std::uint32_t passed = 0;
  if (b.clean)
    CHECK(vkGetQueryPoolResults(b.device, pool, 1, 1, sizeof passed, &passed, sizeof passed, VK_QUERY_RESULT_WAIT_BIT));
  vkResetQueryPool(b.device, pool, b.clean ? 1 : 0, b.clean ? 1 : 2);
}

// A pass that draws, all in labels of one name. The host ends something with `end`.
template <class End>
void ended_after_draw(Bench& b, const Target& target, const Graphics& g, const End& end) {
  begin_pass(b, "A", target.pass, target.framebuffer);
  bind(b, g);
  draw(b, "A");
  end_pass(b, "A");
  submit_and_watch(b);
  end();
}

void framebuffer_destroyed(Bench& b) {
  const Target target = make_target(b);
  const std::function<void()> destroy_framebuffer = take_last(b);
  ended_after_draw(b, target, make_graphics(b, target.pass), destroy_framebuffer);
}

void view_destroyed(Bench& b) {
  const Target target = make_target(b);
  const std::function<void()> destroy_framebuffer = take_last(b), destroy_pass = take_last(b),
                              destroy_view = take_last(b);
  b.at_end.push_back(destroy_pass);
  b.at_end.push_back(destroy_framebuffer);
  ended_after_draw(b, target, make_graphics(b, target.pass), destroy_view);
}

void graphics_destroyed(Bench& b) {
  const Target target = make_target(b);
  const Graphics g = make_graphics(b, target.pass);
  const std::function<void()> destroy_pipeline = take_last(b);
  ended_after_draw(b, target, g, destroy_pipeline);
}

void pass_destroyed(Bench& b) {
  const Target target = make_target(b);
  const std::function<void()> destroy_framebuffer = take_last(b), destroy_pass = take_last(b);
  b.at_end.push_back(destroy_framebuffer);
  ended_after_draw(b, target, make_graphics(b, target.pass), destroy_pass);
}

void image_destroyed(Bench& b) {
  constexpr VkImageLayout layout = VK_IMAGE_LAYOUT_GENERAL;
  const Image image = make_image(b, VK_IMAGE_USAGE_TRANSFER_DST_BIT);
  const std::function<void()> destroy_image = take_last(b);
  const VkClearColorValue black{};
  barrier(b, "start",
          {{.from = kNoSource, .to = kClearWrites, .image = image.image, .range = image.range, .after = layout}});
  labelled(b, "A", [&] { vkCmdClearColorImage(b.cmd, image.image, layout, &black, 1, &image.range); });
  submit_and_watch(b);
  destroy_image();
}

// The host waits for queue 0, and resets the command pools of both queues.
void pool_of_other_queue(Bench& b) {
  const Kernel first = kernel(b, ones_comp_spv, {make_local_buffer(b)}),
               second = kernel(b, ones_comp_spv, {make_local_buffer(b)});
  dispatch(b, "A", first);
  submit(b);
  begin(b, 1);
  dispatch(b, "B", second);
  submit(b, {.queue = 1});
  CHECK(b.clean ? vkDeviceWaitIdle(b.device) : vkQueueWaitIdle(b.queues[0]));
  // The fake driver, which has two queues, writes nothing into memory that a host could watch.
  if (!b.clean && !b.is_eager) std::this_thread::sleep_for(std::chrono::milliseconds(500));
  for (const VkCommandPool pool : b.pools) CHECK(vkResetCommandPool(b.device, pool, 0));
  b.is_idle = b.clean;
}

// Two batches, of which the host waits for one. The other one's command pool is reset.
void pool_of_later_batch(Bench& b) {
  const Kernel first = make_work(b), second = make_work(b);
  const VkFence done = make_fence(b);
  dispatch(b, "A", first);
  submit(b, {.fence = done});
  const VkCommandPool pool = begin_in_pool(b);
  b.is_recording = true;
  dispatch(b, "B", second);
  submit(b);
  wait_for(b, done);
  if (!b.clean) watch(b);
  CHECK(vkResetCommandPool(b.device, b.clean ? b.pools[0] : pool, 0));
}

// Both batches use the buffer that is destroyed. The host has waited for the first, or for the second.
void buffer_of_both_batches(Bench& b) {
  const MappedBuffer x = make_buffer(b), y = make_buffer(b), unmapped = make_local_buffer(b);
  const std::function<void()> destroy_buffer = take_last(b);
  const Kernel reads = kernel(b, move_comp_spv, {unmapped, x}), again = kernel(b, move_comp_spv, {unmapped, y});
  const VkFence fences[2] = {make_fence(b), make_fence(b)};
  dispatch(b, "A", reads);
  submit(b, {.fence = fences[0]});
  begin(b);
  dispatch(b, "B", again);
  submit(b, {.fence = fences[1]});
  wait_for(b, fences[b.clean ? 1 : 0]);
  if (!b.clean) watch(b);
  b.is_idle = b.clean;
  destroy_buffer();
}

// The host waits for a value that the work before has signaled already.
void value_too_low(Bench& b) {
  const Kernel first = make_work(b), second = make_work(b);
  const VkSemaphore values = timeline(b);
  dispatch(b, "A", first);
  submit(b, {.signal = {values, kAllWrites, 1}});
  const VkCommandPool pool = begin_in_pool(b);
  b.is_recording = true;
  dispatch(b, "B", second);
  submit(b, {.signal = {values, kAllWrites, 2}});
  wait_for(b, {values, {}, b.clean ? 2u : 1u});
  if (!b.clean) watch(b);
  b.is_idle = b.clean;
  CHECK(vkResetCommandPool(b.device, pool, 0));
}

}  // namespace

std::vector<Plant> lifetime_plants() {
  const std::vector<const char*> first{"race LIFETIME A host"}, second{"race LIFETIME B host"};
  return {{"lifetime-pool-reset", Form::first, first, pool_reset},
          {"lifetime-pool-destroyed", Form::second, first, pool_destroyed},
          {"lifetime-commands-reset", Form::first, first, commands_reset},
          {"lifetime-commands-begun", Form::second, first, commands_begun},
          {"lifetime-commands-freed", Form::first, first, commands_freed},
          {"lifetime-secondary-reset", Form::first, first, secondary_reset},
          {"lifetime-submitted-twice", Form::first, first, submitted_twice},
          {"lifetime-buffer-destroyed", Form::second, first, buffer_destroyed},
          {"lifetime-memory-freed", Form::first, first, memory_freed},
          {"lifetime-pipeline-destroyed", Form::first, first, pipeline_destroyed},
          {"lifetime-set-updated", Form::first, first, set_updated},
          {"lifetime-sets-destroyed", Form::second, first, sets_destroyed},
          {"lifetime-sets-reset", Form::first, first, sets_reset},
          {"lifetime-set-freed", Form::second, first, set_freed},
          {"lifetime-event-destroyed", Form::first, first, event_destroyed},
          {"lifetime-queries-destroyed", Form::second, first, queries_destroyed},
          {"lifetime-semaphore-destroyed", Form::second, first, semaphore_destroyed},
          {"lifetime-fence-reset", Form::first, first, fence_reset},
          {"lifetime-fence-destroyed", Form::second, first, fence_destroyed},
          {"lifetime-semaphore-waited",
           Form::first,
           {"race LIFETIME B host", "replaceable vkQueueSubmit#2"},
           waited_semaphore_destroyed,
           Queues::one,
           {"replaceable vkQueueSubmit#2"}},
          {"lifetime-event-reset", Form::first, {"race LIFETIME A host", "allow superfluous wait"}, event_reset},
          {"lifetime-queries-reset", Form::second, {"race WAW A host"}, queries_reset},
          {"lifetime-framebuffer-destroyed", Form::first, first, framebuffer_destroyed},
          {"lifetime-view-destroyed", Form::first, first, view_destroyed},
          {"lifetime-graphics-destroyed", Form::second, first, graphics_destroyed},
          {"lifetime-pass-destroyed", Form::first, first, pass_destroyed},
          {"lifetime-image-destroyed", Form::second, first, image_destroyed},
          {"lifetime-other-queue", Form::first, second, pool_of_other_queue, Queues::two},
          {"lifetime-later-batch", Form::first, second, pool_of_later_batch},
          {"lifetime-both-batches", Form::second, second, buffer_of_both_batches},
          {"lifetime-low-value", Form::first, second, value_too_low}};
}

}  // namespace hazards
