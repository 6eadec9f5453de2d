// SPDX-License-Identifier: Apache-2.0
#include "layer/driver/hidden.h"

#include <map>
#include <mutex>
#include <new>
#include <string>
#include <unordered_set>

#include "layer/recorder/json.h"
#include "layer/recorder/log.h"
#include "layer/recorder/recorder.h"

namespace rondo::layer {

namespace {

// The most names that are kept. No driver has as many; a program can ask for any number of names, and these must not
// fill the capture.
constexpr std::size_t kMost = 1024;

struct Thing {
  std::string reason;
  std::string asked;  // how the program asked for it; empty: it did not
  bool written = false;
};

struct Things {
  std::mutex lock;
  std::map<std::string, Thing, std::less<>> by_name;
};

Things& things() {
  static auto* const all = new Things;  // outlives every destructor
  return *all;
}

void remember(std::string_view name, std::string_view reason, std::string_view how) {
  Things& all = things();
  const std::lock_guard guard(all.lock);
  auto found = all.by_name.find(name);
  if (found == all.by_name.end()) {
    if (all.by_name.size() == kMost) return;
    found = all.by_name.emplace(name, Thing{std::string(reason), {}, false}).first;
  }
  if (how.empty() || !found->second.asked.empty()) return;
  found->second.asked = how;
  found->second.written = false;
}

// Members of the same name in sessions that come later add to those before.
std::string session() {
  Things& all = things();
  const std::lock_guard guard(all.lock);
  JsonWriter json;
  bool any = false;
  json.begin_object().key("hidden").begin_object();
  for (auto& [name, thing] : all.by_name) {
    if (thing.written) continue;
    any = thing.written = true;
    json.key(name).begin_object();
    json.key("reason").value(thing.reason);
    if (thing.reason == kUnknownToBuild) json.key("unknown").value(true);
    if (!thing.asked.empty()) json.key("asked").value(thing.asked);
    json.end_object();
  }
  json.end_object().end_object();
  return any ? json.text() : std::string();
}

}  // namespace

void hidden(std::string_view what, std::string_view reason) noexcept try {
  if (!log_enabled(LogLevel::info)) return;
  static auto* const said = new std::unordered_set<std::string>;
  static std::mutex lock;
  const std::lock_guard guard(lock);
  if (said->emplace(what).second) log(LogLevel::info, "hidden: " + std::string(what) + ": " + std::string(reason));
} catch (const std::bad_alloc&) {
}

void hide(std::string_view name, std::string_view reason) noexcept try {
  hidden(name, reason);
  remember(name, reason, {});
} catch (const std::bad_alloc&) {
}

void ask(std::string_view name, std::string_view reason, std::string_view how) noexcept try {
  hidden(name, reason);
  remember(name, reason, how);
} catch (const std::bad_alloc&) {
}

void write_hidden() noexcept try {
  if (recording()) g_hot.writer->add_session(session());
} catch (const std::bad_alloc&) {
}

}  // namespace rondo::layer
