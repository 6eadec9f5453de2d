// SPDX-License-Identifier: Apache-2.0
// A device in this process with some memory that is mapped, and what a capture says of the host writes to it.
#pragma once

#include "layer/driver/alias_types.h"
#include "layer/driver/settler.h"
#include "tests/unit/recorder_hooks.h"

namespace rondo::layer::testing {

inline constexpr std::size_t kPage = 4096;
inline constexpr std::size_t kBytes = 16 * kPage;

class RecordedScene : public RecorderTest {
 protected:
  // 16 pages of memory.
  struct Scene : FakeDevice {
    explicit Scene(const Dispatch& dispatch) : FakeDevice(dispatch) {
      start();
      alias_wanted(false);  // creates the tracker
      state().software = true;
      state().settler = std::make_unique<Settler>(state());
      const auto lock = host_memory().enter();
      auto memory = std::make_unique<Memory>();
      memory->device = &state();
      memory->handle = made_up<VkDeviceMemory>(5);
      memory->size = kBytes;
      memory->coherent = memory->zeroed = memory->mapped = memory->mapped_before = memory->device_writable = true;
      memory->mapped_to = kBytes;
      memory->refreshed = state().memories.epoch;
      memory->alias = host_memory().tracker()->allocate(kBytes, kPage);
      if (memory->alias == nullptr || host_memory().tracker()->mechanism() != memory::Mechanism::alias) ::_exit(77);
      memory->tracked = host_memory().tracker()->track(*memory->alias, memory::Initial::zeros);
      memory->tracked->watch_device(true);
      memory->tracked->user = memory.get();
      host = memory->alias->program_side();
      device_side = memory->alias->device_side();
      state().memories.memories[memory->handle] = std::move(memory);
    }
    void submit(VkQueue to = VK_NULL_HANDLE, VkFence fence = VK_NULL_HANDLE) {
      hook_vkQueueSubmit(to != VK_NULL_HANDLE ? to : queue(), 0, nullptr, fence);
    }
    // The device writes a byte of `page` without a call that says so; then the host writes another one.
    void both_write(std::size_t page, unsigned char value) {
      device_side[page * kPage] = std::byte{value};
      host[page * kPage + 100] = std::byte{value};
    }

    std::byte* host;
    std::byte* device_side;
  };

  struct Written {
    std::vector<CommandId> commands;
    std::vector<RondoRange> ranges;          // of host writes
    std::vector<args_rondoWorkEnded> ended;  // without their queues
    int ambiguous = 0;                       // records
  };
  Written recorded(const Dispatch& dispatch, const std::function<void(Scene&)>& work) const {
    in_process(file("a.rondo"), [&] {
      Scene scene(dispatch);
      work(scene);
      const auto lock = host_memory().enter();
      scene.state().memories.memories.clear();
    });
    Written written;
    const Capture capture(file("a.rondo"));
    while (const auto record = capture.reader == nullptr ? std::nullopt : capture.next()) {
      const CommandId command = capture.ids.command(record->command);
      written.commands.push_back(command);
      if (command != CommandId::rondoHostWrite && command != CommandId::rondoWorkEnded) continue;
      if ((record->flags & kRecordAmbiguous) != 0) ++written.ambiguous;
      codec::Lowered lowered;
      EXPECT_TRUE(codec::decode(lowered, capture.ids, command, record->payload));
      if (command == CommandId::rondoWorkEnded) {
        std::memcpy(&written.ended.emplace_back(), lowered.bytes.data(), sizeof(args_rondoWorkEnded));
        continue;
      }
      args_rondoHostWrite args;
      std::memcpy(&args, lowered.bytes.data(), sizeof args);
      for (std::uint32_t i = 0; i < args.rangeCount; ++i) {
        RondoRange range;
        std::memcpy(&range, lowered.bytes.data() + reinterpret_cast<std::uintptr_t>(args.pRanges) + i * sizeof range,
                    sizeof range);
        written.ranges.push_back(range);
      }
    }
    return written;
  }
  using Commands = std::vector<CommandId>;
};

}  // namespace rondo::layer::testing
