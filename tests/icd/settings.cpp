// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <cstdlib>

#include "format/codec/schema.h"
#include "tests/icd/order_pool.h"
#include "tests/icd/state.h"

namespace fake {

namespace {

using rondo::EnumId;
using rondo::codec::Enumerant;
using rondo::codec::enumerants;

[[noreturn]] void refuse(const char* variable, const std::string& error) {
  std::fprintf(stderr, "fake driver: %s: %s\n", variable, error.c_str());
  std::_Exit(2);
}

bool parse_number(const std::string& text, std::uint64_t& number) {
  char* end = nullptr;
  number = std::strtoull(text.c_str(), &end, 0);
  return !text.empty() && *end == '\0';
}

// SEED, or FIRST-LAST.
bool parse_seeds(const std::string& text, Settings& settings) {
  std::uint64_t first = 0, last = 0;
  const std::size_t dash = text.find('-');
  if (!parse_number(text.substr(0, dash), first)) return false;
  if (dash != std::string::npos && !parse_number(text.substr(dash + 1), last)) return false;
  if (dash == std::string::npos) last = first;
  settings.order = first;
  settings.orders = last - first + 1;
  return first <= last && settings.orders != 0;
}

Settings from_environment() {
  Settings parsed;
  if (const char* text = std::getenv("RONDO_FAKE_ICD")) {
    std::string error;
    parsed = parse_settings(text, error);
    if (!error.empty()) refuse("RONDO_FAKE_ICD", error);
  }
  // Beside the other settings: it is for runs of many seeds.
  if (const char* text = std::getenv("RONDO_FAKE_ICD_ORDER")) {
    if (!parse_seeds(text, parsed)) refuse("RONDO_FAKE_ICD_ORDER", "is neither a seed nor FIRST-LAST");
  }
  parsed.print = true;
  return parsed;
}

Settings& current() {
  static Settings& one = *new Settings([] {
    Settings first = from_environment();
    history().reset(first);
    return first;
  }());
  return one;
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(at, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

bool parse_result(const std::string& name, VkResult& result) {
  for (const Enumerant& e : enumerants(EnumId::VkResult))
    if (name == e.name) {
      result = static_cast<VkResult>(e.value);
      return true;
    }
  return false;
}

bool parse_signal(const std::string& name, int& signal) {
  if (name == "SIGSEGV") signal = SIGSEGV;
  if (name == "SIGABRT") signal = SIGABRT;
  return signal != 0;
}

// command:n:result;command:n:result
bool parse_failures(const std::string& text, std::vector<Failure>& failures) {
  for (const std::string& one : split(text, ';')) {
    const auto parts = split(one, ':');
    Failure f;
    if (parts.size() != 3 || rondo::codec::command_by_name(parts[0]) == CommandId::none ||
        !(parse_result(parts[2], f.result) || parse_signal(parts[2], f.signal)))
      return false;
    f.command = parts[0];
    f.call = parts[1] == "*" ? 0 : std::strtoull(parts[1].c_str(), nullptr, 10);
    if (f.call == 0 && parts[1] != "*") return false;
    failures.push_back(f);
  }
  return true;
}

bool apply(Settings& s, const std::string& key, const std::string& value) {
  if (key == "fail") return parse_failures(value, s.failures);
  if (key == "log") {
    s.log = value;
    return !value.empty();
  }
  if (key == "contents") {
    s.contents = value;
    return !value.empty();
  }
  if (key == "peak") {
    s.peak = value;
    return !value.empty();
  }
  if (key == "order") return parse_seeds(value, s);
  if (key == "lacks") {
    s.lacks = split(value, ';');
    return !value.empty();
  }
  if (key == "offers") {
    s.offers = split(value, ';');
    return !value.empty();
  }
  if (key == "leaks") {
    s.leaks = value == "violation";
    return s.leaks;
  }
  if (key == "sloppy") {
    s.sloppy = value == "violation";
    return s.sloppy;
  }
  if (key == "handles") {
    if (value == "recycled")
      s.handles = Handles::recycled;
    else if (value == "duplicate")
      s.handles = Handles::duplicate;
    else if (value == "unique")
      s.handles = Handles::unique;
    else
      return false;
    return true;
  }
  std::uint64_t n = 0;
  if (!parse_number(value, n)) return false;
  if (key == "buffer-alignment")
    s.buffer_alignment = n;
  else if (key == "image-padding")
    s.image_padding = n;
  else if (key == "atom")
    s.atom = n;
  else if (key == "import-alignment")
    s.import_alignment = n;
  else if (key == "budget")
    s.budget = n;
  else if (key == "lost-after")
    s.lost_after = n;
  else if (key == "lost-in")
    s.lost_in = n;
  else if (key == "addresses")
    s.addresses = n;
  else if (key == "devices")
    s.devices = static_cast<std::uint32_t>(n);
  else if (key == "interface")
    s.interface = static_cast<std::uint32_t>(n);
  else if (key == "version")
    s.version = static_cast<std::uint32_t>(n);
  else if (key == "newest-instance")
    s.newest_instance = static_cast<std::uint32_t>(n);
  else if (key == "keeps")
    s.keeps = n != 0;
  else if (key == "unified")
    s.unified = n != 0;
  else if (key == "timeouts")
    s.timeouts = n;
  else if (key == "delay-us")
    s.delay_us = static_cast<std::uint32_t>(n);
  else if (key == "timestamps")
    s.timestamps = n != 0;
  else if (key == "timed-work")
    s.timed_work = n != 0;
  else if (key == "device-clock")
    s.device_clock = n != 0;
  else if (key == "barrier-us")
    s.barrier_us = static_cast<std::uint32_t>(n);
  else if (key == "present-us")
    s.present_us = static_cast<std::uint32_t>(n);
  else if (key == "counters")
    s.counters = n != 0;
  else if (key == "lazy")
    s.lazy = n != 0;
  else if (key == "abort")
    s.abort = n != 0;
  else
    return false;
  const auto power_of_two = [](std::uint64_t v) { return v != 0 && (v & (v - 1)) == 0; };
  return power_of_two(s.buffer_alignment) && power_of_two(s.atom) && power_of_two(s.import_alignment) &&
         s.image_padding >= 1 && s.image_padding <= 16 && s.devices >= 1 && s.devices <= 4 && s.interface >= 2 &&
         s.interface <= 5 && s.version >= 3;
}

}  // namespace

Settings parse_settings(const std::string& text, std::string& error) {
  Settings parsed;
  for (const std::string& part : split(text, ',')) {
    if (part.empty()) continue;
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos || !apply(parsed, part.substr(0, equals), part.substr(equals + 1)))
      error = "'" + part + "' is no setting (docs/testing.md, \"The fake driver\")";
  }
  return parsed;
}

const Settings& settings() { return current(); }

void reset(const Settings& wanted) {
  reset_objects();
  reset_memory();
  order::reset();
  current() = wanted;
  history().reset(wanted);
}

}  // namespace fake
