// SPDX-License-Identifier: Apache-2.0
#include "trims.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <regex>
#include <set>

namespace scenario {

namespace {
const std::string kCompared = "[a-z -]+";  // the first of what is told
}

Cut cut(const Recording& capture, const Words& span, const std::string& driver, const std::string& settings) {
  Cut made;
  Command command;
  use_driver_for_player(command.environment, driver, settings);
  command.arguments = {build_root() + "/analyzers/rondo", "trim"};
  command.arguments.insert(command.arguments.end(), span.begin(), span.end());
  command.arguments.insert(command.arguments.end(), {capture.path, "-o", made.path});
  made.run = run_on(driver, command);
  return made;
}

void cut_verifies(const Cut& cut, const std::string& driver, const std::string& settings) {
  INFO(cut.run.both());
  REQUIRE(cut.run.status == 0);
  const Outcome once = player({"--verify", "--timeout", "60", cut.path}, driver, settings);
  INFO(once.both());
  CHECK(once.status == 0);
  const Compared one = compared(once, kCompared);
  CHECK(one.equal > 0);
  const Outcome looped = player({"--verify", "--loop", "3", "--timeout", "60", cut.path}, driver, settings);
  INFO(looped.both());
  CHECK(looped.status == 0);
  CHECK(compared(looped, kCompared).equal == 4 * one.equal);
}

std::vector<DumpRow> dump_rows(const std::string& path) {
  const Outcome outcome = rondo({"dump", path});
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  static const std::regex name("Vk[A-Za-z]+#[0-9]+"), command(" ((vk|rondo)[A-Za-z0-9]+)\\(");
  std::vector<DumpRow> rows;
  for (const std::string& line : lines(outcome.out)) {
    std::smatch match;
    if (!std::regex_search(line, match, command)) continue;
    DumpRow row{match[1], line, {}};
    for (std::sregex_iterator at(line.begin(), line.end(), name), end; at != end; ++at)
      if (std::find(row.objects.begin(), row.objects.end(), at->str()) == row.objects.end())
        row.objects.push_back(at->str());
    rows.push_back(std::move(row));
  }
  return rows;
}

namespace {

bool is(const std::string& object, const char* type) { return object.rfind(std::string(type) + "#", 0) == 0; }

// What a record of before the cut says of an object: all that it names is needed with that.
bool says_of(const DumpRow& row, const std::string& object) {
  const auto begins = [&](const char* with) { return row.command.rfind(with, 0) == 0; };
  if (begins("vkBindBuffer")) return is(object, "VkBuffer");
  if (begins("vkBindImage")) return is(object, "VkImage");
  if (begins("vkQueueBindSparse")) return is(object, "VkBuffer") || is(object, "VkImage");
  if (begins("vkUpdateDescriptorSet")) return is(object, "VkDescriptorSet");
  if (begins("vkUpdateIndirectExecutionSet")) return is(object, "VkIndirectExecutionSetEXT");
  if (begins("vkCmd")) return row.objects[0] == object;
  if (begins("vkAcquireNextImage") || begins("vkGetSwapchainImages")) return is(object, "VkSwapchainKHR");
  if (begins("rondoEventSet")) return is(object, "VkEvent");
  return false;
}

}  // namespace

std::string needless_objects(const Cut& cut) {
  if (cut.run.out.find("anything that addresses may lead to is kept") != std::string::npos) return {};
  const std::vector<DumpRow> rows = dump_rows(cut.path);
  const auto begin = std::find_if(rows.begin(), rows.end(), [](const DumpRow& row) {
    return row.command == "rondoPrelude" || row.command == "rondoCut";
  });
  REQUIRE(begin != rows.end());
  std::map<std::string, std::vector<const DumpRow*>> about;
  std::vector<std::string> made;
  for (auto row = rows.begin(); row != begin; ++row)
    for (const std::string& object : row->objects) {
      std::vector<const DumpRow*>& all = about[object];
      if (all.empty()) made.push_back(object);
      if (all.empty() || says_of(*row, object)) all.push_back(&*row);
    }
  std::set<std::string> needed;
  std::vector<std::string> open;
  const auto need = [&](const std::string& object) {
    if (needed.insert(object).second) open.push_back(object);
  };
  for (auto row = begin; row != rows.end(); ++row)
    for (const std::string& object : row->objects) need(object);
  while (!open.empty()) {
    const std::string object = open.back();
    open.pop_back();
    for (const DumpRow* row : about[object])
      for (const std::string& other : row->objects) need(other);
  }
  std::string needless;
  for (const std::string& object : made)
    // Queues do the work of putting back.
    if (needed.count(object) == 0 && !is(object, "VkQueue") && !is(object, "VkPhysicalDevice"))
      needless += object + " of " + about[object][0]->text.substr(0, 200) + "\n";
  return needless;
}

}  // namespace scenario
