// SPDX-License-Identifier: Apache-2.0
#include "oracle_cuts.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <string_view>

#include "json.h"

namespace scenario {

namespace {

// The player rounds up to pages where memory lies at an address.
constexpr std::uint64_t kPages = 65536;

std::string unquoted(const std::string& json) { return json.size() < 2 ? "" : json.substr(1, json.size() - 2); }

std::uint64_t number(const std::string& json) { return json.empty() ? 0 : std::stoull(json); }

// What the calls up to and with record `last` have the player allocate.
void read_calls(OracleReplay& replay, const std::string& capture, std::uint64_t last) {
  const Outcome dump = rondo({"dump", "--format=jsonl", "--grep",
                              "(vkAllocateMemory|vkCreateSwapchainKHR|vkGetSwapchainImagesKHR|vkAcquireNextImageKHR|"
                              "rondoMemoryContents|rondoImageContents)\\(",
                              capture});
  INFO(dump.err);
  REQUIRE(dump.status == 0);
  struct Call {
    std::string object;
    std::uint64_t size = 0, images = 0;
    bool puts_back = false;
  };
  std::vector<Call> calls;
  std::map<std::string, std::size_t> swapchains;  // the calls that made them
  for (const std::string& line : lines(dump.out)) {
    const Json row = Json::parse(line);
    const std::string command = unquoted(row.at("/command"));
    if (row.at("/row") != "\"record\"" || row.at("/by_layer") == "true" || number(row.at("/sequence")) > last) continue;
    // As many images as the program asked for, or was told of.
    const auto has_images = [&](std::uint64_t count) {
      const auto found = swapchains.find(unquoted(row.at("/parameters/swapchain")));
      if (found != swapchains.end()) calls[found->second].images = std::max(calls[found->second].images, count);
    };
    if (command == "vkGetSwapchainImagesKHR") {
      has_images(row.size("/parameters/pSwapchainImages"));
    } else if (command == "vkAcquireNextImageKHR") {
      const std::string result = row.at("/result"), index = row.at("/parameters/pImageIndex");
      if (result == "\"VK_SUCCESS\"" || result == "\"VK_SUBOPTIMAL_KHR\"") has_images(number(index) + 1);
    } else if (command == "rondoMemoryContents" || command == "rondoImageContents") {
      calls.push_back({"", 0, 0, true});
    } else if (row.at("/result") == "\"VK_SUCCESS\"") {
      const bool swapchain = command == "vkCreateSwapchainKHR";
      Call call{unquoted(row.at(swapchain ? "/parameters/pSwapchain" : "/parameters/pMemory"))};
      if (swapchain) swapchains[call.object] = calls.size();
      call.size = number(row.at("/parameters/pAllocateInfo/allocationSize"));
      call.images = number(row.at("/parameters/pCreateInfo/minImageCount"));
      calls.push_back(call);
    }
  }
  for (const Call& call : calls) {
    if (call.puts_back)
      replay.made_before = replay.made.size();
    else if (call.images == 0)
      replay.made.push_back({call.object, call.size});
    for (std::uint64_t i = 0; i < call.images; ++i)
      replay.made.push_back({call.object + ", image " + std::to_string(i), 0});
  }
}

std::string of(const OracleAllocation& a) {
  return "allocation " + std::to_string(a.number) + " of " + std::to_string(a.size) + " bytes";
}

// By object.
std::map<std::string, const OracleAllocation*> named(const OracleReplay& replay, const char* which,
                                                     std::vector<std::string>& problems) {
  std::map<std::string, const OracleAllocation*> all;
  const std::size_t made = replay.made.size(), there = replay.allocations.size();
  if (there < made || (there > made && replay.made_before == 0)) {
    problems.push_back(std::string(which) + ": the player made " + std::to_string(there) + " allocations, not the " +
                       std::to_string(made) + " of the capture's calls");
    return all;
  }
  for (std::size_t i = 0; i < made; ++i) {
    const MadeForCall& call = replay.made[i];
    const OracleAllocation& a = replay.allocations[i < replay.made_before ? i : i + (there - made)];
    if (call.size != 0 && (a.size < call.size || a.size - call.size >= kPages))
      problems.push_back(std::string(which) + ": " + of(a) + " is where " + call.object + " of " +
                         std::to_string(call.size) + " is made");
    all[call.object] = &a;
  }
  return all;
}

// Empty where there is no such allocation: zeros.
std::string contents_of(const OracleReplay& replay, const OracleAllocation* a, std::size_t size) {
  std::string bytes = a != nullptr && a->bytes != 0 ? read_file(replay.contents + "/" + a->file) : "";
  bytes.resize(size, '\0');
  return bytes;
}

// Why it says nothing of contents; empty: it does.
std::string unknown(const OracleAllocation& a) {
  if (!a.problem.empty()) return a.problem;
  return a.digest.empty() ? "never freed" : "";
}

}  // namespace

CutMemory compare_cut(const OracleReplay& begin, const OracleReplay& end, const OracleReplay& cut) {
  CutMemory result;
  const auto before = named(begin, "before the cut", result.problems);
  const auto behind = named(end, "at its end", result.problems);
  for (const auto& [object, a] : named(cut, "the cut", result.problems)) {
    ++result.allocations;
    const auto whole = behind.find(object);
    const auto was = before.find(object);
    std::string why = unknown(*a);
    if (why.empty() && whole == behind.end()) why = "it is in the cut alone";
    if (why.empty()) why = unknown(*whole->second);
    if (why.empty() && was != before.end()) why = unknown(*was->second);
    if (why.empty() && whole->second->size != a->size) why = "in the whole it is " + of(*whole->second);
    if (!why.empty()) {
      result.problems.push_back(object + ", " + of(*a) + ", cannot be compared: " + why);
      continue;
    }
    const OracleAllocation* const old = was != before.end() ? was->second : nullptr;
    const std::size_t size = std::max({a->bytes, whole->second->bytes, old != nullptr ? old->bytes : 0});
    const std::string mine = contents_of(cut, a, size), theirs = contents_of(end, whole->second, size);
    const std::string once = contents_of(begin, old, size);
    std::uint64_t equal = 0, left_out = 0, different = 0;
    std::size_t first = 0;
    for (std::size_t i = 0; i < size; ++i) {
      if (mine[i] == theirs[i])
        equal += mine[i] != 0 ? 1 : 0;
      else if (mine[i] == 0 && theirs[i] == once[i])
        ++left_out;
      else if (different++ == 0)
        first = i;
    }
    result.bytes_equal += equal;
    result.bytes_left_out += left_out;
    result.bytes_different += different;
    if (left_out == 0 && different == 0) ++result.equal;
    const auto byte = [&](const std::string& of) { return std::to_string(static_cast<unsigned char>(of[first])); };
    if (different != 0)
      result.differences.push_back(object + " of " + std::to_string(a->size) + " bytes: " + std::to_string(different) +
                                   " are wrong, the first at " + std::to_string(first) + ": " + byte(mine) + ", not " +
                                   byte(theirs) + " (" + byte(once) + " before)");
  }
  return result;
}

std::string CutMemory::text() const {
  std::string all = std::to_string(equal) + " of " + std::to_string(allocations) + " allocations equal, " +
                    std::to_string(bytes_equal) + " bytes equal, " + std::to_string(bytes_left_out) + " left out, " +
                    std::to_string(bytes_different) + " wrong\n";
  for (const std::vector<std::string>* list : {&differences, &problems})
    for (const std::string& line : *list) all += line + "\n";
  return all;
}

CutMemory memory_of_cut(const std::string& whole, const std::string& cut, const std::string& driver,
                        const std::string& damage) {
  const Json info = Json::parse(rondo({"info", "--json", cut}).out);
  const std::uint64_t first = number(info.at("/session/cut/first_record")),
                      last = number(info.at("/session/cut/last_record"));
  INFO(cut << " has records " << first << " to " << last);
  REQUIRE(first < last + 1);
  const auto replayed = [&](const TemporaryDirectory& directory, const std::string& path, const Words& options,
                            std::uint64_t until) {
    OracleReplay replay;
    replay.contents = directory.path();
    const std::string report = directory.file("report");
    write_file(report, "");
    Command command;
    command.timeout_s = 600;
    use_driver_for_player(command.environment, driver, "");
    use_oracle(command.environment, report, replay.contents);
    command.arguments = {build_root() + "/player/player", "--quiet"};
    command.arguments.insert(command.arguments.end(), options.begin(), options.end());
    command.arguments.push_back(path);
    const Outcome outcome = run_on(driver, command);
    INFO(outcome.both());
    REQUIRE(outcome.status == 0);
    replay.allocations = parse_oracle_report(read_file(report));
    read_calls(replay, path, until);
    return replay;
  };
  const auto played_to = [&](const TemporaryDirectory& directory, std::uint64_t until) {
    return replayed(directory, whole, {"--until", std::to_string(until)}, until);
  };
  const TemporaryDirectory of_begin, of_end, of_cut;
  const Words damaged = damage.empty() ? Words{} : Words{"--damage", damage};
  const OracleReplay begin = first > 1 ? played_to(of_begin, first - 1) : OracleReplay{};
  return compare_cut(begin, played_to(of_end, last), replayed(of_cut, cut, damaged, UINT64_MAX));
}

}  // namespace scenario
