// SPDX-License-Identifier: Apache-2.0
#include "player/verify/observer.h"

#include <cstdio>

#include "format/unverified.h"

namespace rondo::player {

namespace {
constexpr std::size_t kKeptMessages = 20;
}

void Observer::validation_message(const std::string& text) {
  const std::lock_guard lock(mutex_);
  if (messages_.size() < kKeptMessages) messages_.push_back(text);
  ++message_count_;
}

std::vector<std::string> Observer::validation_messages() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> all = messages_;
  if (message_count_ > all.size()) all.push_back("… and " + std::to_string(message_count_ - all.size()) + " more");
  return all;
}

void Observer::show_progress(std::uint64_t frame, std::uint64_t frames) {
  std::fprintf(stderr, "\rframe %llu of %llu", static_cast<unsigned long long>(frame),
               static_cast<unsigned long long>(frames));
}

void Observer::clear_progress() {
  if (progress) std::fputs("\r\033[K", stderr);
}

bool Observer::first_to_differ(Comparison& counts, const Compared& one, const Digest& replayed) {
  note(one, replayed);
  ++counts.compared;
  if (one.captured != replayed) return verification.first_difference.empty();
  ++counts.equal;
  return false;
}

void Observer::apart_from_times(Comparison& counts, const Compared& one) {
  note(one, one.captured);
  ++counts.compared;
  ++counts.equal;
  ++counts.apart_from_times;
}

bool Observer::alike(Comparison& counts, const Compared& one, double psnr) {
  std::optional<double>& least = verification.least_psnr;
  if (!least || psnr < *least) least = psnr;
  if (!wanted_psnr || psnr < *wanted_psnr) return false;
  note(one, one.captured);
  ++counts.compared;
  ++counts.equal;
  ++counts.by_psnr;
  return true;
}

// Both replays compare the same in the same order, but for what one of them could not read: that ends it.
void Observer::note(const Compared& one, const Digest& found) {
  if (before_ == nullptr) {
    if (seen_.size() < kMostSeen) seen_.push_back({one.record, found});
    return;
  }
  if (next_ >= before_->size() || (*before_)[next_].record != one.record) {
    next_ = before_->size();
    return;
  }
  ++again_.compared;
  if ((*before_)[next_++].digest != found) {
    if (again_.unstable++ == 0) again_.first_unstable = one.what;
  } else if (found != one.captured) {
    if (again_.stable_different++ == 0) again_.first_stable_difference = one.what;
  }
}

std::string Again::text() const {
  if (!error.empty()) return "the second replay, which tells what is stable, failed: " + error;
  if (compared == 0) return "a second replay could not compare what the first did";
  const std::string all = std::to_string(compared);
  if (unstable == 0 && stable_different == 0)  // later iterations of a loop differ
    return "a second replay, of one iteration, found all " + all + " equal to the capture";
  if (unstable == 0) return "a second replay found all " + all + " as the first did: the replay is stable there";
  std::string text = "a second replay found " + std::to_string(unstable) + " of " + all +
                     " otherwise than the first, the first at " + first_unstable +
                     ": there the device's own results differ from run to run";
  text += stable_different == 0
              ? "; all that is stable is equal to the capture"
              : "; " + std::to_string(stable_different) + " that are stable differ from the capture, the first at " +
                    first_stable_difference;
  return text;
}

void Observer::skip(Comparison& counts, const std::string& what, const std::string& why) {
  ++counts.unverified;
  if (!verification.first_unverified.empty()) return;
  verification.first_unverified = what + ": " + why;
  verification.submit_compares = submit_compares(why);
}

}  // namespace rondo::player
