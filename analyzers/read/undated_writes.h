// SPDX-License-Identifier: Apache-2.0
// Host writes that the layer found while work ended that may use their bytes. The capture does not say
// whether such a write was made before the end of that work or after it.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "analyzers/read/walk.h"
#include "model/access/late_writes.h"
#include "model/parameters.h"

namespace rondo::analyzers {

class UndatedWrites {
 public:
  explicit UndatedWrites(Walk& walk);

  // Every step of the walk, in order. True: it is such a host write. An error: an array that the access model
  // looks at is not in the capture.
  Result<bool> take(const Step& step);

 private:
  void place(const Step& step);

  Walk& walk_;
  const bool any_;  // the capture says when work ended
  model::Parameters parameters_;
  std::unordered_map<ObjectId, std::uint64_t> bytes_;  // of buffers, images and memories
  std::unordered_map<ObjectId, access::LateWrites::Place> places_;
  access::LateWrites writes_;
};

// How many there are.
Result<std::uint64_t> count_undated_writes(const std::string& path);

}  // namespace rondo::analyzers
