// SPDX-License-Identifier: Apache-2.0
// The same work on many things, on several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace rondo::player {

// Calls work(i) once for each i below `count`, in any order, also from this thread; returns when all are
// done. `threads` 0: one a processor. `work` must not throw.
template <class Work>
void run_on_threads(std::size_t count, std::uint32_t threads, const Work& work) {
  std::atomic<std::size_t> next{0};
  const auto loop = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  const std::size_t wanted = threads != 0 ? threads : std::max(std::thread::hardware_concurrency(), 1u);
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < std::min(wanted, count); ++i) others.emplace_back(loop);
  loop();
  for (std::thread& one : others) one.join();
}

}  // namespace rondo::player
