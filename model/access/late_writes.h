// SPDX-License-Identifier: Apache-2.0
// Host writes that the program made without a wait for submitted work (rondoWorkEnded): which
// of them came after the end of work that may touch their bytes, and of which nobody knows it.
// No device. One thread.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "format/byte_ranges.h"
#include "format/check.h"
#include "model/access/model.h"

namespace rondo::access {

class LateWrites {
 public:
  // Where a buffer or image lies. `memory` 0: its pages are bound one by one, or nowhere.
  struct Place {
    ObjectId memory = ObjectId::null;
    std::uint64_t offset = 0, size = 0;  // bytes
  };
  struct World {
    std::function<Place(ObjectId)> place;
    // Whether the work of this submit, and of all before it on its queue, was waited for. By its record.
    std::function<bool(std::uint64_t)> is_over;
  };
  explicit LateWrites(World world);
  LateWrites(const LateWrites&) = delete;
  LateWrites& operator=(const LateWrites&) = delete;

  // Every record that is not the layer's own, in order.
  void take(const model::Call& call);
  // Of the record that was taken last, if it is a host write: submits (their records) after whose end it
  // was made and that may touch its bytes; of each queue the last one, unless that is over.
  std::span<const std::uint64_t> after() const { return after_; }
  // … it was found as work ended that may touch its bytes: it may have been made before or after that.
  bool is_unsure() const { return is_unsure_; }
  std::size_t bytes() const { return ranges_ * 64; }  // approximate

 private:
  friend struct test::Tamper;
  struct Submit {
    std::uint64_t record = 0;
    std::map<ObjectId, Ranges> touched;  // bytes of memories
    bool touches_all = false;
  };
  struct Queue {
    ObjectId device = ObjectId::null;
    std::uint64_t submitted = 0;                     // calls that succeeded
    std::uint64_t ended = 0;                         // of those: had ended when later host writes were made
    std::uint64_t perhaps_from = 0, perhaps_to = 0;  // those that may have ended, half-open
    std::deque<Submit> submits;                      // the last of them
  };
  void touch(const Executed& executed);
  void touch(ObjectId object, std::uint64_t offset, std::uint64_t size);
  void submitted(const model::Call& call);
  void ended(const model::Call& call);
  void written(const model::Call& call);
  static std::size_t ranges_of(const Submit& submit);
  void lose_ranges_of(const Submit& submit);
  static bool meets(const Submit& submit, const model::Call& call);

  const World world_;
  Model model_;
  Submit current_;  // that is being taken
  std::map<ObjectId, Queue> queues_;
  std::size_t ranges_ = 0;  // of all submits
  std::vector<std::uint64_t> after_;
  bool is_unsure_ = false;
};

}  // namespace rondo::access
