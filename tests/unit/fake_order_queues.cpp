// SPDX-License-Identifier: Apache-2.0
// The fake driver's order mode between batches, queues and the host.
#include "fake_order_scene.h"

namespace {

using fake_test::Bytes;
using fake_test::FakeOrder;
using fake_test::MappedBuffer;

class FakeOrderedQueues : public FakeOrder {
 protected:
  VkCommandBuffer fill_buffer(const MappedBuffer& a, std::uint32_t value) {
    return record([&](VkCommandBuffer c) { fill(c, a, value); });
  }
  VkCommandBuffer copy_buffer(const MappedBuffer& a, const MappedBuffer& b) {
    return record([&](VkCommandBuffer c) { copy(c, a, b); });
  }

  // One batch, its semaphores with stages.
  void submit2(VkQueue queue, VkCommandBuffer buffer, const VkSemaphoreSubmitInfo* wait,
               const VkSemaphoreSubmitInfo* signal) {
    VkCommandBufferSubmitInfo one{};
    one.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO;
    one.commandBuffer = buffer;
    VkSubmitInfo2 info{};
    info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2;
    info.waitSemaphoreInfoCount = wait != nullptr;
    info.pWaitSemaphoreInfos = wait;
    info.commandBufferInfoCount = 1;
    info.pCommandBufferInfos = &one;
    info.signalSemaphoreInfoCount = signal != nullptr;
    info.pSignalSemaphoreInfos = signal;
    EXPECT_EQ(vk.vkQueueSubmit2(queue, 1, &info, VK_NULL_HANDLE), VK_SUCCESS);
  }
  static VkSemaphoreSubmitInfo use(VkSemaphore semaphore, std::uint64_t value, VkPipelineStageFlags2 stages) {
    VkSemaphoreSubmitInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO;
    info.semaphore = semaphore;
    info.value = value;
    info.stageMask = stages;
    return info;
  }
};

TEST_F(FakeOrderedQueues, ABinarySemaphoreOrdersQueues) {
  const auto program = [this](bool ordered) {
    const MappedBuffer a = make_buffer(64), b = make_buffer(64);
    const VkSemaphore semaphore = make_semaphore();
    submit(queues[0], {.buffers = {fill_buffer(a, 3)}, .signals = {semaphore}});
    if (!ordered) submit(queues[1], {.buffers = {copy_buffer(a, b)}});
    submit(queues[1],
           {.buffers = {ordered ? copy_buffer(a, b) : record([](VkCommandBuffer) {})}, .waits = {semaphore}});
    wait_idle();
    return b.contents();
  };
  expect_order([&] { return program(true); });
  expect_race([&] { return program(false); });
}

TEST_F(FakeOrderedQueues, ATimelineOrdersQueuesInItsStages) {
  const auto program = [this](VkPipelineStageFlags2 waiting, VkPipelineStageFlags2 signaling) {
    const MappedBuffer a = make_buffer(64), b = make_buffer(64);
    const VkSemaphore timeline = make_timeline();
    const VkSemaphoreSubmitInfo wait = use(timeline, 5, waiting), signal = use(timeline, 5, signaling);
    submit2(queues[1], copy_buffer(a, b), &wait, nullptr);  // before its signal
    submit2(queues[0], fill_buffer(a, 3), nullptr, &signal);
    wait_idle();
    return b.contents();
  };
  constexpr VkPipelineStageFlags2 kTransfer = VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT;
  constexpr VkPipelineStageFlags2 kCompute = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
  expect_order([&] { return program(kTransfer, kTransfer); });
  expect_race([&] { return program(kCompute, kTransfer); });
  expect_race([&] { return program(kTransfer, kCompute); });
}

TEST_F(FakeOrderedQueues, ASemaphoreShowsWritesToTheStagesThatWait) {
  // The parameters of a dispatch are read in a stage before its shader.
  const auto program = [this](VkPipelineStageFlags2 waiting) {
    const MappedBuffer a = make_buffer(64, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | kTransfers);
    const MappedBuffer b = make_storage(), c = make_storage();
    const Compute compute = make_compute();
    const VkDescriptorSet set = make_set(compute, b, c);
    const VkSemaphore timeline = make_timeline();
    const VkSemaphoreSubmitInfo wait = use(timeline, 1, waiting),
                                signal = use(timeline, 1, VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT);
    submit2(queues[0], fill_buffer(a, 1), nullptr, &signal);
    const VkCommandBuffer dispatches = record([&](VkCommandBuffer commands) {
      bind(commands, compute, set);
      vk.vkCmdDispatchIndirect(commands, a.buffer, 0);
    });
    submit2(queues[1], dispatches, &wait, nullptr);
    wait_idle();
    return c.contents();
  };
  expect_order([&] { return program(VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT); });
  expect_race([&] { return program(VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT); });
}

TEST_F(FakeOrderedQueues, ASemaphoreShowsOnlyWhatItsSignalComesAfter) {
  // The fill is before the copy by a barrier of execution; the semaphore is of another queue.
  const auto program = [this](VkAccessFlags written, VkAccessFlags read) {
    const MappedBuffer a = make_buffer(64), b = make_buffer(64);
    const VkSemaphore other = make_semaphore();
    submit(queues[1], {.signals = {other}});
    submit(queues[0], {.buffers = {fill_buffer(a, 3)}});
    submit(queues[0], {.buffers = {record([&](VkCommandBuffer c) {
                         barrier(c, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, written, read);
                         copy(c, a, b);
                       })},
                       .waits = {other}});
    wait_idle();
    return b.contents();
  };
  expect_order([&] { return program(VK_ACCESS_TRANSFER_WRITE_BIT, VK_ACCESS_TRANSFER_READ_BIT); });
  expect_race([&] { return program(0, 0); });
}

TEST_F(FakeOrderedQueues, WorkMayBeginBeforeItsSubmitReturns) {
  const auto program = [this](bool waits) {
    const MappedBuffer a = make_buffer(64), b = make_buffer(64);
    submit(queues[0], {.buffers = {copy_buffer(a, b)}});
    if (waits) wait_idle();
    std::fill_n(a.bytes, 64, std::uint8_t{8});
    wait_idle();
    return b.contents();
  };
  expect_order([&] { return program(true); });
  expect_race([&] { return program(false); });
}

TEST_F(FakeOrderedQueues, AnExclusiveBufferIsPassedFromFamilyToFamily) {
  enum class Transfer { none, released, acquired, of_half, whole };
  constexpr std::size_t kSecondFamily = 2;  // the first queue of it
  const auto program = [this](Transfer which, VkSharingMode sharing) {
    const MappedBuffer a = make_buffer(64, kTransfers, sharing), b = make_buffer(64);
    const VkSemaphore semaphore = make_semaphore();
    const auto pass_on = [&](VkCommandBuffer c, VkPipelineStageFlags first, VkPipelineStageFlags second,
                             VkAccessFlags written, VkAccessFlags read) {
      const VkBufferMemoryBarrier one{
          VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER,        nullptr, written, read, 0, 1, a.buffer, 0,
          which == Transfer::of_half ? 32 : VK_WHOLE_SIZE};
      vk.vkCmdPipelineBarrier(c, first, second, 0, 0, nullptr, 1, &one, 0, nullptr);
    };
    submit(queues[0], {.buffers = {record([&](VkCommandBuffer c) {
                         fill(c, a, 3);
                         if (which != Transfer::none && which != Transfer::acquired)
                           pass_on(c, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT,
                                   VK_ACCESS_TRANSFER_WRITE_BIT, 0);
                       })},
                       .signals = {semaphore}});
    VkCommandPoolCreateInfo of_family{};
    of_family.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
    of_family.queueFamilyIndex = 1;
    EXPECT_EQ(vk.vkCreateCommandPool(device, &of_family, nullptr, &pool), VK_SUCCESS);
    const VkCommandBuffer reads = record([&](VkCommandBuffer c) {
      if (which != Transfer::none && which != Transfer::released)
        pass_on(c, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, VK_ACCESS_TRANSFER_READ_BIT);
      copy(c, a, b);
    });
    submit(queues[kSecondFamily], {.buffers = {reads}, .waits = {semaphore}});
    wait_idle();
    return b.contents();
  };
  expect_order([&] { return program(Transfer::whole, VK_SHARING_MODE_EXCLUSIVE); });
  expect_order([&] { return program(Transfer::none, VK_SHARING_MODE_CONCURRENT); });
  for (const Transfer wrong : {Transfer::none, Transfer::released, Transfer::acquired, Transfer::of_half})
    expect_race([&] { return program(wrong, VK_SHARING_MODE_EXCLUSIVE); });
}

TEST_F(FakeOrderedQueues, BatchesOfAQueueNeedABarrierToo) {
  const auto program = [this](bool ordered) {
    const MappedBuffer a = make_buffer(64), b = make_buffer(64);
    submit(queues[0], {.buffers = {fill_buffer(a, 3)}});
    submit(queues[0], {.buffers = {record([&](VkCommandBuffer c) {
                         if (ordered) transfer_barrier(c);
                         copy(c, a, b);
                       })}});
    wait_idle();
    return b.contents();
  };
  expect_order([&] { return program(true); });
  expect_race([&] { return program(false); });
}

TEST_F(FakeOrderedQueues, AFenceThatTheHostWaitsForOrdersBatches) {
  const auto program = [this](bool waits) {
    const MappedBuffer a = make_buffer(64), b = make_buffer(64);
    const VkFence fence = make_fence();
    submit(queues[0], {.buffers = {fill_buffer(a, 3)}}, fence);
    if (waits) wait(fence);
    submit(queues[1], {.buffers = {copy_buffer(a, b)}});
    wait_idle();
    return b.contents();
  };
  expect_order([&] { return program(true); });
  expect_race([&] { return program(false); });
}

TEST_F(FakeOrderedQueues, TheHostWritesAfterItsWait) {
  const auto program = [this](bool waits) {
    const MappedBuffer a = make_buffer(64), b = make_buffer(64), other = make_buffer(64);
    const VkFence fence = make_fence(), last = make_fence();
    submit(queues[0], {.buffers = {copy_buffer(a, b)}}, fence);
    if (waits) wait(fence);
    submit(queues[1], {.buffers = {fill_buffer(other, 1)}}, last);
    wait(last);
    std::fill_n(a.bytes, 64, std::uint8_t{8});
    wait_idle();
    return b.contents();
  };
  expect_order([&] { return program(true); });
  expect_race([&] { return program(false); });
}

TEST_F(FakeOrderedQueues, ATimelineOfTheHostOrdersBatches) {
  const auto program = [this](bool waits) {
    const MappedBuffer a = make_buffer(64), b = make_buffer(64);
    const VkSemaphore timeline = make_timeline();
    submit(queues[0], {.buffers = {fill_buffer(a, 3)}, .signals = {timeline}, .signal_values = {1}});
    const std::uint64_t value = 1;
    const VkSemaphoreWaitInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, nullptr, 0, 1, &timeline, &value};
    if (waits) {
      EXPECT_EQ(vk.vkWaitSemaphores(device, &info, UINT64_MAX), VK_SUCCESS);
    }
    submit(queues[1], {.buffers = {copy_buffer(a, b)}});
    wait_idle();
    return b.contents();
  };
  expect_order([&] { return program(true); });
  expect_race([&] { return program(false); });
}

TEST_F(FakeOrderedQueues, SemaphoresFormChains) {
  const auto program = [this](bool ordered) {
    const MappedBuffer a = make_buffer(64), b = make_buffer(64);
    const VkSemaphore first = make_semaphore(), second = make_semaphore();
    submit(queues[0], {.buffers = {fill_buffer(a, 3)}, .signals = {first}});
    submit(queues[2], {.waits = {first}, .signals = {second}});
    if (!ordered) submit(queues[1], {.buffers = {copy_buffer(a, b)}});
    submit(queues[1], {.buffers = {ordered ? copy_buffer(a, b) : record([](VkCommandBuffer) {})}, .waits = {second}});
    wait_idle();
    return b.contents();
  };
  expect_order([&] { return program(true); });
  expect_race([&] { return program(false); });
}

TEST_F(FakeOrderedQueues, WaitsForABinarySemaphoreHaveASignalEach) {
  expect_order([this] {
    const MappedBuffer a = make_buffer(64), b = make_buffer(64), c = make_buffer(64), d = make_buffer(64);
    const VkSemaphore semaphore = make_semaphore();
    const VkFence fence = make_fence();
    submit(queues[0], {.buffers = {fill_buffer(a, 1)}, .signals = {semaphore}});
    submit(queues[1], {.buffers = {copy_buffer(a, b)}, .waits = {semaphore}});
    submit(queues[0], {.buffers = {fill_buffer(c, 2)}, .signals = {semaphore}});
    submit(queues[1], {.buffers = {copy_buffer(c, d)}, .waits = {semaphore}}, fence);
    wait(fence);
    wait_idle();
    Bytes all = b.contents();
    for (const std::uint8_t byte : d.contents()) all.push_back(byte);
    return all;
  });
}

TEST_F(FakeOrderedQueues, AnEventOfTheHostLetsWorkGoOn) {
  expect_order([this] {
    const MappedBuffer a = make_buffer(64), b = make_buffer(64);
    const VkEvent event = make_event();
    submit(queues[0], {.buffers = {record([&](VkCommandBuffer c) {
                         vk.vkCmdWaitEvents(c, 1, &event, VK_PIPELINE_STAGE_HOST_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0,
                                            nullptr, 0, nullptr, 0, nullptr);
                         copy(c, a, b);
                       })}});
    std::fill_n(a.bytes, 64, std::uint8_t{8});
    EXPECT_EQ(vk.vkSetEvent(device, event), VK_SUCCESS);
    wait_idle();
    return b.contents();
  });
}

TEST_F(FakeOrderedQueues, ATimelineThatTheHostSignalsIsAfterWhatItSaw) {
  const auto program = [this](bool waits) {
    const MappedBuffer a = make_buffer(64), b = make_buffer(64);
    const VkSemaphore timeline = make_timeline();
    const VkFence fence = make_fence();
    submit(queues[1], {.buffers = {copy_buffer(a, b)}, .waits = {timeline}, .wait_values = {1}});
    submit(queues[0], {.buffers = {fill_buffer(a, 3)}}, fence);
    if (waits) wait(fence);
    const VkSemaphoreSignalInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, nullptr, timeline, 1};
    EXPECT_EQ(vk.vkSignalSemaphore(device, &info), VK_SUCCESS);
    wait_idle();
    return b.contents();
  };
  expect_order([&] { return program(true); });
  expect_race([&] { return program(false); });
}

TEST_F(FakeOrderedQueues, FramesInFlightWaitForTheirOwnFences) {
  // Two frames in flight share no buffer but the last result, which a barrier orders.
  const auto program = [this](bool ordered) {
    const MappedBuffer result = make_buffer(64);
    MappedBuffer staging[2] = {make_buffer(64), make_buffer(64)};
    VkFence fences[2] = {make_fence(VK_FENCE_CREATE_SIGNALED_BIT), make_fence(VK_FENCE_CREATE_SIGNALED_BIT)};
    for (std::uint32_t frame = 0; frame < 12; ++frame) {
      const VkFence fence = fences[frame % 2];
      wait(fence);
      EXPECT_EQ(vk.vkResetFences(device, 1, &fence), VK_SUCCESS);
      std::fill_n(staging[frame % 2].bytes, 64, static_cast<std::uint8_t>(frame));
      submit(queues[0], {.buffers = {record([&](VkCommandBuffer c) {
                           if (ordered) transfer_barrier(c);
                           copy(c, staging[frame % 2], result);
                         })}},
             fence);
    }
    wait_idle();
    return result.contents();
  };
  expect_order([&] { return program(true); });
  expect_race([&] { return program(false); });
}

}  // namespace
