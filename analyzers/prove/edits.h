// SPDX-License-Identifier: Apache-2.0
// What is changed in the records of a capture to try a finding of `rondo sync`. Records are named by their sequence
// numbers in the capture.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "format/external_files.h"
#include "format/objects.h"
#include "format/result.h"
#include "model/effects.h"

namespace rondo::prove {

// Other scopes of a barrier, or none of it.
struct BarrierEdit {
  std::uint32_t barrier = 0;  // number in its command, as graph::SyncOp::barriers counts them
  bool drops = false;
  VkPipelineStageFlags2 src_stages = 0, dst_stages = 0;
  VkAccessFlags2 src_access = 0, dst_access = 0;
};

// The same of a dependency of subpasses.
struct DependencyEdit {
  ObjectId pass = ObjectId::null;
  std::uint32_t dst_subpass = 0;  // VK_SUBPASS_EXTERNAL: after the pass
  BarrierEdit edit;               // its number counts the dependencies of the pass that have this dst_subpass
};

// A submit no longer waits for a semaphore, or no longer signals it. Each batch of the call that does so. Signals of
// timeline semaphores stay: others may wait for the value.
struct SemaphoreEdit {
  std::uint64_t record = 0;
  ObjectId semaphore = ObjectId::null;
  bool is_wait = true;
};

// Commands [first, last] of one command buffer are recorded elsewhere: right after, or right before, the command
// `place`, which may be in another command buffer. They keep the states that were set for them. A barrier of all
// stages and accesses stands before them and after them, so that nothing else gets another order.
struct Move {
  std::uint64_t first = 0, last = 0, place = 0;
  bool is_before = false;
};

struct Edits {
  std::set<std::uint64_t> left_out;  // whole records
  std::map<std::uint64_t, std::vector<BarrierEdit>> barriers;
  std::vector<DependencyEdit> dependencies;
  std::vector<SemaphoreEdit> semaphores;
  std::optional<Move> move;
  std::map<std::uint64_t, std::uint64_t> earlier;  // a record, and the earlier one before which it comes
  // The host waits for the device before, or after, these records. They are calls of a device or a queue.
  std::set<std::uint64_t> waits_before, waits_after;
  // Checkpoints between two records say nothing where the order is another one: [first, last] has none.
  std::optional<std::pair<std::uint64_t, std::uint64_t>> unchecked;
  // Without the contents that are compared after each submit but the last: the player idles the device there.
  bool overlaps = false;

  void add(const Edits& other);  // of several findings; at most one of both moves something
};

struct EditedCapture {
  std::string file, output;
  FileAccess files = {};  // that may be read where `file` needs them; `output` needs none
};

// Writes all records of a complete capture again, in their order, with the edits. There is a whole output, or none.
// Status::unreadable: the capture is cut or damaged. Status::failed: an edit cannot be made, and the message is the
// reason; or the output cannot be written.
struct Edited {
  std::uint64_t checks = 0;      // records of the output that say what is to be compared
  std::uint64_t overlapped = 0;  // that Edits::overlaps left out
};
Result<Edited> write_edited(const EditedCapture& capture, const Edits& edits);

}  // namespace rondo::prove
