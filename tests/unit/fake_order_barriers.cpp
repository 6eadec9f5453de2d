// SPDX-License-Identifier: Apache-2.0
// The fake driver's order mode on one queue: a program whose barriers order too little has several outcomes, and its
// twin with the right barriers has one.
#include "fake_order_scene.h"

namespace {

using fake_test::Bytes;
using fake_test::FakeOrder;
using fake_test::MappedBuffer;

class FakeBarriers : public FakeOrder {
 protected:
  using Between = std::function<void(VkCommandBuffer, const MappedBuffer& written)>;

  // A fill, and two copies of it, with something in between.
  Bytes copies(const Between& between) {
    const MappedBuffer a = make_buffer(64), b = make_buffer(64), c = make_buffer(64);
    run([&](VkCommandBuffer commands) {
      fill(commands, a, 7);
      between(commands, a);
      copy(commands, a, b);
      between(commands, b);
      copy(commands, b, c);
    });
    Bytes all = b.contents();
    for (const std::uint8_t byte : c.contents()) all.push_back(byte);
    return all;
  }

  Bytes dispatches(const Between& between) {
    const MappedBuffer a = make_storage(), b = make_storage(), c = make_storage();
    const Compute compute = make_compute();
    const VkDescriptorSet first = make_set(compute, a, b), second = make_set(compute, b, c);
    run([&](VkCommandBuffer commands) {
      dispatch(commands, compute, first);
      between(commands, b);
      dispatch(commands, compute, second);
    });
    return c.contents();
  }

  // A buffer, an image and a buffer.
  Bytes uploads(const Between& before, const std::function<void(VkCommandBuffer, VkImage)>& between) {
    const MappedBuffer from = make_buffer(256), to = make_buffer(256);
    std::fill_n(from.bytes, 256, std::uint8_t{9});
    const VkImage image = make_image(VK_FORMAT_R8G8B8A8_UNORM, {8, 8, 1});
    const VkBufferImageCopy region{0, 0, 0, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, {}, {8, 8, 1}};
    run([&](VkCommandBuffer c) {
      before(c, from);
      image_barrier(c, image, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0,
                    VK_ACCESS_TRANSFER_WRITE_BIT, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
      vk.vkCmdCopyBufferToImage(c, from.buffer, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
      between(c, image);
      vk.vkCmdCopyImageToBuffer(c, image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, to.buffer, 1, &region);
    });
    return to.contents();
  }
};

TEST_F(FakeBarriers, CopiesAreInTheOrderOfTheirBarriers) {
  expect_order([this] { return copies([this](VkCommandBuffer c, const MappedBuffer&) { transfer_barrier(c); }); });
}

TEST_F(FakeBarriers, CopiesWithoutABarrierRace) {
  expect_race([this] { return copies([](VkCommandBuffer, const MappedBuffer&) {}); });
}

TEST_F(FakeBarriers, ABarrierOfExecutionAloneMakesNothingVisible) {
  expect_race([this] {
    return copies([this](VkCommandBuffer c, const MappedBuffer&) {
      barrier(c, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0);
    });
  });
}

TEST_F(FakeBarriers, ABarrierOfAnotherStageOrdersNothing) {
  expect_race([this] {
    return copies([this](VkCommandBuffer c, const MappedBuffer&) {
      barrier(c, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
              VK_ACCESS_TRANSFER_READ_BIT);
    });
  });
}

TEST_F(FakeBarriers, ABarrierOfABufferIsForItsBytes) {
  const auto buffer_barrier = [this](VkCommandBuffer c, const MappedBuffer& buffer, VkDeviceSize size) {
    const VkBufferMemoryBarrier one{VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER,
                                    nullptr,
                                    VK_ACCESS_TRANSFER_WRITE_BIT,
                                    VK_ACCESS_TRANSFER_READ_BIT,
                                    VK_QUEUE_FAMILY_IGNORED,
                                    VK_QUEUE_FAMILY_IGNORED,
                                    buffer.buffer,
                                    0,
                                    size};
    vk.vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, nullptr, 1, &one,
                            0, nullptr);
  };
  expect_order(
      [&] { return copies([&](VkCommandBuffer c, const MappedBuffer& b) { buffer_barrier(c, b, VK_WHOLE_SIZE); }); });
  expect_race([&] { return copies([&](VkCommandBuffer c, const MappedBuffer& b) { buffer_barrier(c, b, 32); }); });
}

TEST_F(FakeBarriers, BarriersFormChains) {
  const auto chain = [this](VkPipelineStageFlags middle) {
    return copies([this, middle](VkCommandBuffer c, const MappedBuffer&) {
      barrier(c, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
              VK_ACCESS_SHADER_READ_BIT);
      barrier(c, middle, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, VK_ACCESS_TRANSFER_READ_BIT);
    });
  };
  expect_order([&] { return chain(VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT); });
  expect_race([&] { return chain(VK_PIPELINE_STAGE_VERTEX_SHADER_BIT); });
}

TEST_F(FakeBarriers, DispatchesAreInTheOrderOfTheirBarriers) {
  expect_order([this] { return dispatches([this](VkCommandBuffer c, const MappedBuffer&) { compute_barrier(c); }); });
  expect_race([this] { return dispatches([](VkCommandBuffer, const MappedBuffer&) {}); });
  expect_race([this] {
    return dispatches([this](VkCommandBuffer c, const MappedBuffer&) {
      barrier(c, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 0);
    });
  });
  // Visible to uniform buffers alone.
  expect_race([this] {
    return dispatches([this](VkCommandBuffer c, const MappedBuffer&) {
      barrier(c, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
              VK_ACCESS_UNIFORM_READ_BIT);
    });
  });
}

TEST_F(FakeBarriers, WhatIsReadBeforeItIsWrittenNeedsExecutionAlone) {
  const auto program = [this](bool ordered) {
    const MappedBuffer a = make_buffer(64), b = make_buffer(64);
    std::fill_n(a.bytes, 64, std::uint8_t{1});
    run([&](VkCommandBuffer c) {
      copy(c, a, b);
      if (ordered) barrier(c, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0);
      fill(c, a, 5);
    });
    return b.contents();
  };
  expect_order([&] { return program(true); });
  expect_race([&] { return program(false); });
}

TEST_F(FakeBarriers, TwoWritesNeedAnAvailabilityOperation) {
  const auto program = [this](VkAccessFlags writes) {
    const MappedBuffer a = make_buffer(64);
    run([&](VkCommandBuffer c) {
      fill(c, a, 5);
      barrier(c, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, writes, VK_ACCESS_TRANSFER_WRITE_BIT);
      fill(c, a, 6);
    });
    return a.contents();
  };
  expect_order([&] { return program(VK_ACCESS_TRANSFER_WRITE_BIT); });
  expect_race([&] { return program(0); });
}

TEST_F(FakeBarriers, ALayoutTransitionReadsAndWrites) {
  const auto nothing = [](VkCommandBuffer, const MappedBuffer&) {};
  const auto transition = [this](VkPipelineStageFlags first, VkAccessFlags writes, VkAccessFlags reads) {
    return [this, first, writes, reads](VkCommandBuffer c, VkImage image) {
      image_barrier(c, image, first, VK_PIPELINE_STAGE_TRANSFER_BIT, writes, reads,
                    VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    };
  };
  expect_order([&] {
    return uploads(
        nothing, transition(VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, VK_ACCESS_TRANSFER_READ_BIT));
  });
  expect_race(
      [&] { return uploads(nothing, transition(VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, 0, VK_ACCESS_TRANSFER_READ_BIT)); });
  expect_race(
      [&] { return uploads(nothing, transition(VK_PIPELINE_STAGE_TRANSFER_BIT, 0, VK_ACCESS_TRANSFER_READ_BIT)); });
  expect_race(
      [&] { return uploads(nothing, transition(VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, 0)); });
}

// Specification: "Image Layout Transitions": those of a queue execute in submission order.
TEST_F(FakeBarriers, LayoutTransitionsAreInSubmissionOrder) {
  const auto nothing = [](VkCommandBuffer, const MappedBuffer&) {};
  const auto transitions = [this](VkAccessFlags writes, VkAccessFlags reads) {
    return [this, writes, reads](VkCommandBuffer c, VkImage image) {
      image_barrier(c, image, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, writes, 0,
                    VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_GENERAL);
      image_barrier(c, image, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, reads,
                    VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    };
  };
  expect_order(
      [&] { return uploads(nothing, transitions(VK_ACCESS_TRANSFER_WRITE_BIT, VK_ACCESS_TRANSFER_READ_BIT)); });
  expect_race([&] { return uploads(nothing, transitions(0, VK_ACCESS_TRANSFER_READ_BIT)); });
  expect_race([&] { return uploads(nothing, transitions(VK_ACCESS_TRANSFER_WRITE_BIT, 0)); });
}

TEST_F(FakeBarriers, BarriersOfSynchronization2HaveTheirOwnStages) {
  const auto program = [this](VkPipelineStageFlags2 second, VkAccessFlags2 reads) {
    return dispatches([&](VkCommandBuffer c, const MappedBuffer&) {
      VkMemoryBarrier2 memory[2]{};
      for (VkMemoryBarrier2& one : memory) one.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2;
      memory[0].srcStageMask = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
      memory[0].srcAccessMask = VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT;
      memory[0].dstStageMask = second;
      memory[0].dstAccessMask = reads;
      memory[1].srcStageMask = VK_PIPELINE_STAGE_2_COPY_BIT;
      memory[1].dstStageMask = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
      memory[1].dstAccessMask = VK_ACCESS_2_SHADER_STORAGE_READ_BIT;
      VkDependencyInfo info{};
      info.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO;
      info.memoryBarrierCount = 2;
      info.pMemoryBarriers = memory;
      vk.vkCmdPipelineBarrier2(c, &info);
    });
  };
  expect_order([&] { return program(VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_SHADER_STORAGE_READ_BIT); });
  expect_race([&] { return program(VK_PIPELINE_STAGE_2_COPY_BIT, VK_ACCESS_2_TRANSFER_READ_BIT); });
}

TEST_F(FakeBarriers, EventsOrderWhatIsBeforeAndAfter) {
  const auto program = [this](bool set_late, VkAccessFlags writes) {
    const VkEvent event = make_event();
    const MappedBuffer a = make_buffer(64), b = make_buffer(64);
    run([&](VkCommandBuffer c) {
      if (!set_late) fill(c, a, 7);
      vk.vkCmdSetEvent(c, event, VK_PIPELINE_STAGE_TRANSFER_BIT);
      if (set_late) fill(c, a, 7);
      const VkMemoryBarrier memory{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, writes, VK_ACCESS_TRANSFER_READ_BIT};
      vk.vkCmdWaitEvents(c, 1, &event, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 1, &memory, 0,
                         nullptr, 0, nullptr);
      copy(c, a, b);
    });
    return b.contents();
  };
  expect_order([&] { return program(false, VK_ACCESS_TRANSFER_WRITE_BIT); });
  expect_race([&] { return program(true, VK_ACCESS_TRANSFER_WRITE_BIT); });
  expect_race([&] { return program(false, 0); });
}

TEST_F(FakeBarriers, SecondariesAreInTheirPrimarysOrder) {
  const auto program = [this](bool ordered) {
    const MappedBuffer a = make_buffer(64), b = make_buffer(64);
    const auto secondary = [&](const Commands& commands) {
      const VkCommandBuffer buffer = allocate(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
      const VkCommandBufferInheritanceInfo inherited{VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
                                                     nullptr,
                                                     VK_NULL_HANDLE,
                                                     0,
                                                     VK_NULL_HANDLE,
                                                     VK_FALSE,
                                                     0,
                                                     0};
      const VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr, 0, &inherited};
      EXPECT_EQ(vk.vkBeginCommandBuffer(buffer, &begin), VK_SUCCESS);
      commands(buffer);
      EXPECT_EQ(vk.vkEndCommandBuffer(buffer), VK_SUCCESS);
      return buffer;
    };
    const VkCommandBuffer buffers[] = {secondary([&](VkCommandBuffer c) {
                                         fill(c, a, 3);
                                         if (ordered) transfer_barrier(c);
                                       }),
                                       secondary([&](VkCommandBuffer c) { copy(c, a, b); })};
    run([&](VkCommandBuffer c) { vk.vkCmdExecuteCommands(c, 2, buffers); });
    return b.contents();
  };
  expect_order([&] { return program(true); });
  expect_race([&] { return program(false); });
}

TEST_F(FakeBarriers, WithoutTheModeWorkIsInOrder) {
  const auto word = [this] {
    start({});
    return copies([](VkCommandBuffer, const MappedBuffer&) {})[64];
  };
  for (int i = 0; i < 20; ++i) EXPECT_EQ(word(), 7);
}

}  // namespace
