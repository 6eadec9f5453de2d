// SPDX-License-Identifier: Apache-2.0
// The same work on many things, on several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace rondo::player {

// Calls work(i) once for each i below `count`, in any order, also from this thread; returns when all are
// done. `threads` 0: one a processor. Threads that cannot be started are missing, and no more. What `work`
// throws ends it: it is thrown again when all threads have ended.
template <class Work>
void run_on_threads(std::size_t count, std::uint32_t threads, const Work& work) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr thrown;
  const auto loop = [&] {
    try {
      for (std::size_t i = next++; i < count; i = next++) work(i);
    } catch (...) {
      const std::lock_guard lock(mutex);
      thrown = std::current_exception();
      next = count;
    }
  };
  const std::size_t wanted = threads != 0 ? threads : std::max(std::thread::hardware_concurrency(), 1u);
  std::vector<std::thread> others;
  others.reserve(std::min(wanted, count));
  try {
    for (std::size_t i = 1; i < std::min(wanted, count); ++i) others.emplace_back(loop);
  } catch (const std::system_error&) {  // a limit of address space or processes
  }
  loop();
  for (std::thread& one : others) one.join();
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace rondo::player
