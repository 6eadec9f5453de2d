// SPDX-License-Identifier: Apache-2.0
// The fake driver from outside, in the same process: tests and fuzz targets.
// docs/testing.md, "The fake driver", has the settings' meaning.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "format/vulkan.h"
#include "generated/ids.h"

namespace fake {

enum class Handles { recycled, duplicate, unique };

struct Failure {
  std::string command;     // as called
  std::uint64_t call = 1;  // its n-th call fails; 0: every one
  VkResult result = VK_ERROR_UNKNOWN;
  int signal = 0;  // not 0: it crashes with that instead
};

struct Settings {
  Handles handles = Handles::recycled;
  std::vector<Failure> failures;
  VkDeviceSize buffer_alignment = 1024;
  VkDeviceSize image_padding = 2;  // an image's rows are so many times as long as they need be
  VkDeviceSize atom = 256;         // nonCoherentAtomSize
  VkDeviceSize import_alignment = 65536;
  std::uint64_t budget = 0;                  // bytes of memory allocated at once; 0: as the heaps say
  std::uint64_t addresses = 0x100000000000;  // device addresses begin here
  std::uint64_t timeouts = 0;                // of each wait that may time out, so many do first
  std::uint64_t lost_after = 0;              // submits after which the first device is lost; 0: never
  std::uint64_t lost_in = 0;                 // the first device is lost when a queue of its begins its so-manieth batch
  std::uint32_t delay_us = 0;                // a queue takes so long for every batch
  bool timestamps = true;                    // its queues have them
  // Timestamps tell the work that the queue did: a microsecond for each workgroup, 100 ns for each vertex. Else each is
  // a microsecond later than the last one of its pool.
  bool timed_work = false;
  // Timestamps are of a clock that runs on: queues take as long as `timed_work` says (device_clock.h).
  bool device_clock = false;
  std::uint32_t barrier_us = 0;  // of that clock: so long a queue does nothing at each barrier
  std::uint32_t present_us = 0;  // a present takes the host so long
  bool counters = false;         // performance counters (VK_KHR_performance_query; counters.cpp)
  // A seed: work runs in a random order of those that the program allows, and what it did not make visible is stale
  // (order_pool.h).
  std::optional<std::uint64_t> order;
  std::uint64_t orders = 1;  // so many seeds, from `order` on: each instance takes the next
  bool lazy = false;         // queues work while somebody waits, or from the third "not ready" on
  std::uint32_t devices = 1;
  std::uint32_t interface = 5;     // of loaders and drivers; before 3 surfaces are the loader's own
  bool keeps = false;              // a transition from the undefined layout leaves the contents, as software drivers do
  bool unified = false;            // one memory type: host visible, coherent, device local
  std::vector<std::string> lacks;  // extensions and features that it does not have
  std::vector<std::string> offers;             // device extensions beyond those that it knows, with any name
  std::uint32_t version = 3;                   // of Vulkan 1.x, as it says
  std::uint32_t newest_instance = UINT32_MAX;  // of Vulkan 1.x: newer ones are refused
  bool leaks = false;                          // what is alive when its device is destroyed is a violation
  bool abort = false;                          // a violation ends the process
  bool sloppy = false;                         // what is wrong and does no harm is a violation too
  bool print = false;                          // violations on standard error
  std::string log;                             // file: the name of every call
  std::string contents;                        // file: what each memory held at its end (memory.h)
  std::string peak;                            // file: the most bytes that vkAllocateMemory gave at one time (memory.h)
};

// "key=value,key=value" over `base`; an error message in `error` if it is wrong.
Settings parse_settings(const std::string& text, std::string& error);

// Forgets every object, violation and call. No work may be pending.
void reset(const Settings& settings = {});
const Settings& settings();

PFN_vkVoidFunction VKAPI_CALL get_instance_proc_addr(VkInstance instance, const char* name);

struct Violation {
  std::string command;
  std::string what;
  bool harmless = false;  // driver.h
};
std::vector<Violation> violations();
void clear_violations();
std::vector<std::string> calls();  // names, in the order in which they came in
std::size_t live_objects();        // of every type but physical devices and queues

}  // namespace fake
