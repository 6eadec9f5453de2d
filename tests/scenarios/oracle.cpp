// SPDX-License-Identifier: Apache-2.0
#include "oracle.h"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>

#include "json.h"

namespace scenario {

namespace {

using Allocations = std::vector<OracleAllocation>;
using ByDigest = std::multimap<std::string, const OracleAllocation*>;

// The capture layer rounds up to the alignment of what it imports, at most this.
constexpr std::uint64_t kRounding = 65536;

bool same_size(const OracleAllocation& captured, const OracleAllocation& replayed) {
  return captured.size >= replayed.size && captured.size <= (replayed.size + kRounding - 1) / kRounding * kRounding;
}

// That with these contents and, as nearly as can be known, this size: the largest that fits.
ByDigest::iterator find_same(ByDigest& all, const OracleAllocation& captured) {
  auto best = all.end();
  const auto range = all.equal_range(captured.digest);
  for (auto one = range.first; one != range.second; ++one)
    if (one->second->bytes == captured.bytes && same_size(captured, *one->second) &&
        (best == all.end() || one->second->size > best->second->size))
      best = one;
  return best;
}

std::string describe(const OracleAllocation& a) {
  return "allocation " + std::to_string(a.number) + " of " + std::to_string(a.size) + " bytes, type " +
         std::to_string(a.type) + ": " + std::to_string(a.bytes) + " bytes of contents, " + a.digest;
}

// Images that the player makes in a swapchain's place: those the program was told of, or that it made
// itself, several of one perhaps.
int virtual_images(const std::string& path) {
  std::set<std::string> images;
  const Outcome dump =
      rondo({"dump", "--format=jsonl", "--grep", "vkGetSwapchainImagesKHR|VkBindImageMemorySwapchainInfoKHR", path});
  for (const std::string& line : lines(dump.out)) {
    const Json row = Json::parse(line);
    const std::string made = "/parameters/pBindInfos/0/pNext/0";
    if (row.at(made + "/structure") == "\"VkBindImageMemorySwapchainInfoKHR\"")
      images.insert(row.at(made + "/swapchain") + row.at(made + "/imageIndex"));
    if (row.at("/command") != "\"vkGetSwapchainImagesKHR\"") continue;
    for (int i = 0;; ++i) {
      const std::string image = row.at("/parameters/pSwapchainImages/" + std::to_string(i));
      if (image.find("VkImage") == std::string::npos) break;
      images.insert(image);
    }
  }
  return static_cast<int>(images.size());
}

}  // namespace

std::vector<OracleAllocation> parse_oracle_report(const std::string& text) {
  Allocations allocations;
  std::map<std::uint64_t, std::size_t> place;
  std::string first_process;
  for (const std::string& line : lines(text)) {
    std::istringstream words(line);
    std::string what, process;
    std::uint64_t number = 0;
    words >> what >> process >> number;
    if (!words) throw std::runtime_error("the oracle said: " + line);
    if (first_process.empty()) first_process = process;
    if (process != first_process) continue;
    if (what == "allocated") {
      OracleAllocation a;
      a.number = number;
      a.file = process + "-" + std::to_string(number);
      words >> a.size >> a.type;
      place[number] = allocations.size();
      allocations.push_back(a);
    } else {
      OracleAllocation& a = allocations.at(place.at(number));
      if (what == "bound") {
        a.bound = true;
      } else if (what == "freed") {
        a.freed = true;
        words >> a.digest >> a.bytes;
      } else if (what == "unread" || what == "unzeroed") {
        a.freed = a.freed || what == "unread";
        std::getline(words >> std::ws, a.problem);
        a.problem = what + ": " + a.problem;
      } else {
        throw std::runtime_error("the oracle said: " + line);
      }
    }
    if (words.fail()) throw std::runtime_error("the oracle said: " + line);
  }
  return allocations;
}

OracleResult compare_oracle(const std::vector<OracleAllocation>& captured,
                            const std::vector<OracleAllocation>& replayed, int virtual_images) {
  OracleResult result;
  ByDigest there;
  int unread_there = 0;
  for (const OracleAllocation& a : replayed) {
    if (!a.problem.empty()) result.problems.push_back("replay: " + describe(a) + " " + a.problem);
    if (!a.freed)
      result.problems.push_back("the player never freed " + describe(a));
    else if (a.digest.empty())
      ++unread_there;
    else if (!a.untouched())
      there.emplace(a.digest, &a);
  }
  int leaked_and_untold = 0;
  for (const OracleAllocation& a : captured) {
    if (!a.problem.empty()) result.problems.push_back("capture: " + describe(a) + " " + a.problem);
    if (!a.freed) {
      result.leaked.push_back(a.size);
      continue;
    }
    if (a.digest.empty()) {
      --unread_there;
      continue;
    }
    if (a.untouched()) continue;
    const auto same = find_same(there, a);
    if (same == there.end()) {
      result.differences.push_back("no allocation of the replay had the contents and size of " + describe(a));
    } else {
      ++result.equal;
      there.erase(same);
    }
  }
  // A leaked allocation that nothing lived in may be untouched at the player's free.
  for (const OracleAllocation& a : captured)
    if (!a.freed && !a.bound) ++leaked_and_untold;
  const int most =
      static_cast<int>(result.leaked.size()) + virtual_images + static_cast<int>(result.differences.size());
  const int extra = static_cast<int>(there.size()) + unread_there;
  if (extra > most || extra < most - leaked_and_untold) {
    result.problems.push_back("the replay freed " + std::to_string(extra) +
                              " allocations that the capture did not, not " + std::to_string(most) + " (" +
                              std::to_string(result.leaked.size()) + " leaked, " + std::to_string(virtual_images) +
                              " virtual swapchain images, " + std::to_string(result.differences.size()) +
                              " different):");
    for (const auto& [digest, a] : there) result.problems.push_back("replay: " + describe(*a));
  }
  return result;
}

std::string OracleResult::text() const {
  constexpr std::size_t kNamed = 8;
  std::string all = std::to_string(equal) + " allocations freed by both are equal, " + std::to_string(leaked.size()) +
                    " leaked by the program";
  for (std::size_t i = 0; i < leaked.size(); ++i) all += (i == 0 ? ": sizes " : ", ") + std::to_string(leaked[i]);
  all += "\n";
  for (const std::vector<std::string>* list : {&differences, &problems}) {
    for (std::size_t i = 0; i < std::min(kNamed, list->size()); ++i) all += (*list)[i] + "\n";
    if (list->size() > kNamed) all += "… and " + std::to_string(list->size() - kNamed) + " more\n";
  }
  return all;
}

OracleRun replay_under_oracle(const Recording& recording, const std::string& driver, const std::string& settings,
                              const std::string& damage, int runs) {
  const TemporaryDirectory directory;
  const std::string report = directory.file("replay");
  write_file(report, "");
  Command command;
  use_driver_for_player(command.environment, driver, settings);
  use_oracle(command.environment, report);
  command.arguments = {build_root() + "/player/player", "--fresh", "--loop", std::to_string(runs)};
  if (!damage.empty()) command.arguments.insert(command.arguments.end(), {"--damage", damage});
  command.arguments.push_back(recording.path);
  OracleRun run;
  // Damaged, it may do what no program may.
  run.outcome = damage.empty() ? run_on(driver, command) : scenario::run(command);
  const Allocations once = parse_oracle_report(read_file(recording.oracle));
  Allocations wanted;
  for (int i = 0; i < runs; ++i) wanted.insert(wanted.end(), once.begin(), once.end());
  run.result = compare_oracle(wanted, parse_oracle_report(read_file(report)), runs * virtual_images(recording.path));
  return run;
}

}  // namespace scenario
