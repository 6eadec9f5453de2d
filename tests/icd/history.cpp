// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "tests/icd/state.h"

namespace fake {

namespace {

using rondo::codec::info;

// Enough for every test, and no harm under a fuzzer.
constexpr std::size_t kMaxRemembered = 1u << 20;

}  // namespace

History& history() {
  static History& one = *new History;
  return one;
}

CurrentCall& current_call() {
  thread_local CurrentCall call;
  return call;
}

void History::reset(const Settings& settings) {
  const std::lock_guard lock(mutex_);
  violations_.clear();
  calls_.clear();
  counts_.clear();
  any_device_ = false;
  for (const Failure& f : settings.failures) counts_[f.command] = 0;
}

bool History::first_device() {
  const std::lock_guard lock(mutex_);
  return !std::exchange(any_device_, true);
}

VkResult History::note(CommandId id) {
  const Settings& wanted = settings();  // before the lock: the first use resets the history
  const std::lock_guard lock(mutex_);
  if (calls_.size() < kMaxRemembered) calls_.push_back(id);
  const char* name = info(id).name;
  if (!wanted.log.empty())
    if (std::FILE* file = std::fopen(wanted.log.c_str(), "a"); file != nullptr) {
      std::fprintf(file, "%s\n", name);
      std::fclose(file);
    }
  if (counts_.empty()) return VK_SUCCESS;
  const auto counted = counts_.find(name);
  if (counted == counts_.end()) return VK_SUCCESS;
  ++counted->second;
  for (const Failure& f : wanted.failures) {
    if (f.command != name || (f.call != 0 && f.call != counted->second)) continue;
    if (f.signal != 0) std::raise(f.signal);
    return f.result;
  }
  return VK_SUCCESS;
}

void History::violated(const std::string& command, const std::string& what, bool harmless) {
  const Settings& wanted = settings();
  const std::lock_guard lock(mutex_);
  if (violations_.size() < kMaxRemembered) violations_.push_back({command, what, harmless});
  if (wanted.print || wanted.abort) std::fprintf(stderr, "fake driver: %s: %s\n", command.c_str(), what.c_str());
  if (wanted.abort) std::abort();
}

std::vector<Violation> History::violations() const {
  const std::lock_guard lock(mutex_);
  return violations_;
}

void History::clear_violations() {
  const std::lock_guard lock(mutex_);
  violations_.clear();
}

std::vector<std::string> History::calls() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  for (const CommandId id : calls_) names.emplace_back(info(id).name);
  return names;
}

namespace {

void note(const std::string& what, bool harmless) {
  CurrentCall& call = current_call();
  call.violated = true;
  history().violated(call.id == CommandId::none ? "a queue" : info(call.id).name, what, harmless);
}

}  // namespace

void violation(const std::string& what) { note(what, false); }
void harmless(const std::string& what) { note(what, true); }
void passed_over(const std::string& what) { history().violated(info(current_call().id).name, what, true); }

void sloppy(const std::string& what) {
  if (settings().sloppy) violation(what);
}

std::vector<Violation> violations() { return history().violations(); }
void clear_violations() { history().clear_violations(); }
std::vector<std::string> calls() { return history().calls(); }
std::size_t live_objects() { return count_objects(); }

}  // namespace fake
