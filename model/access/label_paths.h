// SPDX-License-Identifier: Apache-2.0
// Debug labels that are open on each queue while its command buffers are executed. A label may begin in one submit and
// end in another. Specification: "Queue Labels", "Command Buffer Labels".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "format/check.h"
#include "format/objects.h"

namespace rondo::access {

// One thread. A path is a number: equal paths have the same one, and 0 is the empty path.
class LabelPaths {
 public:
  // The number of a name. A hostile file's names end somewhere: what has no room is "".
  std::uint32_t name(std::string_view text);

  enum class Of : std::uint8_t { queue, commands };
  void begin(ObjectId queue, Of of, std::uint32_t name);
  void end(ObjectId queue, Of of);  // nothing where none is open
  std::uint32_t path(ObjectId queue) const;

  std::vector<std::string_view> names(std::uint32_t path) const;

 private:
  friend struct test::Tamper;
  // Deeper labels are counted, and not part of the path.
  static constexpr std::size_t kDeepest = 64;
  static constexpr std::size_t kMostBytes = std::size_t{1} << 26;  // of all names, …
  static constexpr std::size_t kLongest = 1024;                    // … and of one: the rest of it is not kept
  struct Open {
    std::vector<std::uint32_t> names;
    std::uint64_t deeper = 0;
  };
  struct Queue {
    Open open[2];  // by Of
    std::uint32_t path = 0;
  };
  void changed(Queue& queue);
  std::uint32_t longer(std::uint32_t path, std::uint32_t name);

  std::vector<std::string> texts_{std::string()};
  std::unordered_map<std::string, std::uint32_t> text_at_{{std::string(), 0}};
  std::size_t bytes_ = 0;
  // Each path as a pair: the number of the path without its last name (a smaller number), and that last name.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> paths_{{0, 0}};
  std::unordered_map<std::uint64_t, std::uint32_t> path_at_;  // by both
  std::unordered_map<ObjectId, Queue> queues_;
};

}  // namespace rondo::access
