// SPDX-License-Identifier: Apache-2.0
// The random objects and command buffers of a SyncWorld.
#pragma once

#include <cstdint>
#include <iterator>
#include <random>
#include <utility>
#include <vector>

#include "tests/unit/sync_oracle.h"

namespace rondo::test {

class SyncDice {
 public:
  explicit SyncDice(unsigned seed) : random_(seed) {
    const unsigned mistakes[] = {0, 15, 25, 35, 50, 50, 60, 70};
    mistakes_ = mistakes[below(std::size(mistakes))];
  }
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  bool chance(unsigned percent) { return below(100) < percent; }
  // The program makes a mistake here.
  bool errs() { return chance(mistakes_); }
  template <class All>
  auto& pick(All& all) {
    return all[below(std::size(all))];
  }

 private:
  std::mt19937 random_;
  unsigned mistakes_;  // per hundred
};

// The stages that a command of the first form can have instead of these.
VkPipelineStageFlags2 first_form(VkPipelineStageFlags2 mask);

class SyncRecordings {
 public:
  // A set of an event that is set already has no effect, so a wait after it has the scope of the earlier set. False: no
  // program does that.
  static constexpr bool kSetsTwice = true;
  static constexpr std::uint64_t kMemory = 256, kBuffer = 64;  // bytes

  struct Commands {
    int index;
    int queue = -1;  // the only queue that may execute it; -1: any
    bool has_executed = false;
  };

  SyncRecordings(SyncProgram& program, SyncDice& dice) : p_(program), dice_(dice) {}
  std::vector<Commands> make();
  VkPipelineStageFlags2 random_stages();

 private:
  struct Buffer {
    int index;
    std::uint64_t size;
  };
  struct Image {
    int index;
    std::uint32_t mips;
  };
  // How an event is set and waited for is the same everywhere: the two must match.
  struct Event {
    int index, queue;
    SyncForm form;
    VkPipelineStageFlags from;          // first form
    std::vector<SyncBarrier> barriers;  // second form
    bool is_good;
    bool is_set = false;
  };
  struct Transfer {
    std::uint64_t kind = 0;
    int from = 0, to = 0;
    std::vector<VkBufferCopy> regions;
    std::uint64_t offset = 0, size = 0;
    std::uint32_t mip = 0, mips = 0;
    std::vector<SyncTouch> touches;
  };
  using Met = std::vector<std::pair<SyncTouch, SyncTouch>>;

  std::uint64_t below(std::uint64_t n) { return dice_.below(n); }
  bool chance(unsigned percent) { return dice_.chance(percent); }
  bool errs() { return dice_.errs(); }

  void make_objects();
  void make_event();
  VkAccessFlags2 random_accesses();
  SyncBarrier wide();
  SyncBarrier random_barrier();
  void aim(SyncBarrier& to, const Image& image);
  void change_layout(SyncBarrier& one);
  void write_barrier(std::vector<SyncBarrier> all);

  void record();
  void write_noise();
  void write_transition();
  Transfer random_transfer();
  void write(const Transfer& transfer);
  void write_transfer();
  void order(const Met& met);
  bool aim_at(SyncBarrier& one, const SyncPlace& place) const;
  void write_split();

  void write_set(Event& event);
  void write_wait(const Event& event);
  void write_waits(const Event& one, const Event& other);
  Event* partner_of(const Event& event);
  bool write_event_pair();

  SyncProgram& p_;
  SyncDice& dice_;
  int queues_ = 0;
  std::vector<Buffer> buffers_;
  std::vector<Image> images_;
  std::vector<Event> events_;
  std::vector<Commands> made_;
  Commands open_{};                 // is being recorded
  std::vector<SyncTouch> touches_;  // of it, since the last barrier for everything
  std::size_t ordered_ = 0;         // how often there was such a barrier
};

}  // namespace rondo::test
