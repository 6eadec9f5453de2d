// SPDX-License-Identifier: Apache-2.0
#include "player/observer.h"

#include <cstdio>

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
  if (message_count_ > all.size())
    all.push_back("… and " + std::to_string(message_count_ - all.size()) + " more");
  return all;
}

void Observer::show_progress(std::uint64_t frame, std::uint64_t frames) {
  std::fprintf(stderr, "\rframe %llu of %llu", static_cast<unsigned long long>(frame),
               static_cast<unsigned long long>(frames));
}

void Observer::clear_progress() {
  if (progress) std::fputs("\r\033[K", stderr);
}

bool Observer::first_to_differ(Comparison& counts, const Digest& captured, const Digest& replayed) {
  ++counts.compared;
  if (captured != replayed) return verification.first_difference.empty();
  ++counts.equal;
  return false;
}

void Observer::apart_from_times(Comparison& counts) {
  ++counts.compared;
  ++counts.equal;
  ++counts.apart_from_times;
}

bool Observer::alike(Comparison& counts, double psnr) {
  std::optional<double>& least = verification.least_psnr;
  if (!least || psnr < *least) least = psnr;
  if (!wanted_psnr || psnr < *wanted_psnr) return false;
  ++counts.compared;
  ++counts.equal;
  ++counts.by_psnr;
  return true;
}

void Observer::skip(Comparison& counts, const std::string& why) {
  ++counts.unverified;
  if (verification.first_unverified.empty()) verification.first_unverified = why;
}

}  // namespace rondo::player
