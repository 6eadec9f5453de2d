// SPDX-License-Identifier: Apache-2.0
// What was given to queues and is not known to have ended: by the waits of the
// capture alone, whatever a driver may have done since. A program that ends or
// reuses what such work uses was lucky when it was captured; the player waits.
#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>
#include <utility>
#include <vector>

#include "format/objects.h"

namespace rondo::player::validity {

// A batch: the number-th that this queue was given. {0, 0}: none.
struct Place {
  ObjectId queue = ObjectId::null;
  std::uint64_t number = 0;
};

class Work {
 public:
  Place next(ObjectId queue);               // a further batch
  void use(ObjectId object, Place place);   // … uses this
  void depend(Place place, Place earlier);  // … began when that had ended
  void finish(Place place);                 // it ended, and so what it waited for
  void finish_queue(ObjectId queue);        // all of it
  void finish_device(ObjectId device, const ByObject<Object>& objects);
  Place last(ObjectId queue) const;  // that the queue was given; {0, 0}: none
  bool running(Place place) const;
  void submitted(Place place);       // … is a submit's, and no acquire's or present's
  bool submits_ended() const;        // all of them
  bool uses(ObjectId object) const;  // something that runs does
  void forget(ObjectId object) { uses_.erase(object); }
  std::size_t bytes() const;  // about
  // Queues with work that uses it, each once.
  void queues_of(ObjectId object, std::vector<ObjectId>& out) const;

 private:
  struct Queue {
    ObjectId id = ObjectId::null;
    std::uint64_t given = 0, finished = 0;
    std::uint64_t submitted = 0;           // the last one that is a submit's
    std::deque<std::vector<Place>> waits;  // of the batches behind `finished`
  };
  Queue* find(ObjectId id);
  const Queue* find(ObjectId id) const { return const_cast<Work*>(this)->find(id); }

  std::vector<Queue> queues_;  // few
  struct Use {
    Place last;
    std::vector<Place> others;  // of further queues
  };
  std::unordered_map<ObjectId, Use> uses_;
};

}  // namespace rondo::player::validity
