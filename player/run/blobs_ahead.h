// SPDX-License-Identifier: Apache-2.0
// Bytes of host writes that a plan has no room for: a thread reads and unpacks them in
// front of the run, in the order of their ops, a budget ahead.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "format/reader.h"
#include "player/plan/plan.h"

namespace rondo::player {

class BlobsAhead {
 public:
  // `reader` is this one's alone from here on. `ahead`: bytes that wait for the run at most, but one blob at least.
  BlobsAhead(const Plan& plan, Reader& reader, std::size_t ahead);
  BlobsAhead(const BlobsAhead&) = delete;
  BlobsAhead& operator=(const BlobsAhead&) = delete;
  ~BlobsAhead();

  // The run goes on with this op.
  void go_to(std::uint32_t op);
  // The bytes of that op, one of Plan::late_blobs. Waits for them; fails as Reader::blob() does.
  Result<Reader::Bytes> take(std::uint32_t op);

 private:
  void work();
  Result<Reader::Bytes> read(std::size_t index);  // fails where there is no memory, too
  std::size_t entry_of(std::uint32_t op) const;   // the first entry of that op or a later one

  const Plan& plan_;
  Reader& reader_;  // the thread's
  const std::size_t ahead_;
  std::mutex mutex_;
  std::condition_variable news_;
  // Guarded by mutex_:
  std::size_t next_ = 0;    // index into Plan::late_blobs: is read next
  std::uint64_t turn_ = 0;  // how often go_to() changed that: what was being read then is not kept
  std::deque<std::pair<std::size_t, Result<Reader::Bytes>>> ready_;
  std::size_t bytes_ = 0;  // of them
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace rondo::player
