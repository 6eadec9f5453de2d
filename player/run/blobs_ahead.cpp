// SPDX-License-Identifier: Apache-2.0
#include "player/run/blobs_ahead.h"

#include <algorithm>
#include <exception>

#include "format/address_space.h"

namespace rondo::player {

BlobsAhead::BlobsAhead(const Plan& plan, Reader& reader, std::size_t ahead)
    : plan_(plan), reader_(reader), ahead_(ahead), thread_([this] { work(); }) {}

BlobsAhead::~BlobsAhead() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  news_.notify_all();
  thread_.join();
}

Result<Reader::Bytes> BlobsAhead::read(std::size_t index) {
  try {
    return reader_.blob(plan_.late_blobs[index].digest);
  } catch (const std::exception& error) {
    return fail(Status::failed, plan_.path + ": " + failure_text(error));
  }
}

void BlobsAhead::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    news_.wait(lock,
               [this] { return ends_ || (next_ < plan_.late_blobs.size() && (ready_.empty() || bytes_ < ahead_)); });
    if (ends_) return;
    const std::size_t index = next_++;
    const std::uint64_t turn = turn_;
    lock.unlock();
    Result<Reader::Bytes> bytes = read(index);
    lock.lock();
    if (turn != turn_) continue;
    bytes_ += static_cast<std::size_t>(plan_.late_blobs[index].bytes);
    ready_.emplace_back(index, std::move(bytes));
    news_.notify_all();
  }
}

std::size_t BlobsAhead::entry_of(std::uint32_t op) const {
  const auto found = std::lower_bound(plan_.late_blobs.begin(), plan_.late_blobs.end(), op,
                                      [](const LateBlob& one, std::uint32_t wanted) { return one.op < wanted; });
  return static_cast<std::size_t>(found - plan_.late_blobs.begin());
}

void BlobsAhead::go_to(std::uint32_t op) {
  const std::size_t index = entry_of(op);
  {
    const std::lock_guard lock(mutex_);
    if (ready_.empty() ? next_ == index : ready_.front().first == index) return;
    ready_.clear();
    bytes_ = 0;
    next_ = index;
    ++turn_;
  }
  news_.notify_all();
}

Result<Reader::Bytes> BlobsAhead::take(std::uint32_t op) {
  go_to(op);
  std::unique_lock lock(mutex_);
  news_.wait(lock, [this] { return !ready_.empty(); });
  const std::size_t index = ready_.front().first;
  Result<Reader::Bytes> bytes = std::move(ready_.front().second);
  ready_.pop_front();
  bytes_ -= static_cast<std::size_t>(plan_.late_blobs[index].bytes);
  lock.unlock();
  news_.notify_all();
  return bytes;
}

}  // namespace rondo::player
