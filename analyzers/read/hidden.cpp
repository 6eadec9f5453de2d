// SPDX-License-Identifier: Apache-2.0
#include "analyzers/read/hidden.h"

#include <algorithm>
#include <functional>

#include "analyzers/text/text.h"
#include "format/codec/extensions.h"

namespace rondo::analyzers {

namespace {

// The most names in the sentence; `rondo info` lists all.
constexpr std::size_t kNamed = 3;

// True for an instance extension. Every desktop has some that are hidden, and they say nothing about the device.
bool is_of_instances(const HiddenThing& thing) {
  const codec::ExtensionInfo* const known = codec::extension_by_name(thing.name);
  return known != nullptr && !known->device;
}

using Wanted = std::function<bool(const HiddenThing&)>;

// "VK_A (why), VK_B (why) and 2 more"; empty: there is none.
std::string list(const std::vector<HiddenThing>& things, bool with_reasons, const Wanted& is_wanted) {
  std::string out;
  std::size_t count = 0;
  for (const HiddenThing& thing : things) {
    if (!is_wanted(thing) || ++count > kNamed) continue;
    append(out, "{}{}", out.empty() ? "" : ", ", thing.name);
    if (with_reasons) append(out, " ({})", thing.reason);
  }
  if (count > kNamed) append(out, " and {} more", count - kNamed);
  return out;
}

}  // namespace

std::vector<HiddenThing> hidden_things(const JsonText& session) {
  std::vector<HiddenThing> things;
  for (const auto& [name, members] : session.members("/hidden")) {
    const auto thing = JsonText::parse(members);
    if (!thing) continue;
    things.push_back({name, thing->string("/reason").value_or(""), thing->string("/asked").value_or(""),
                      thing->shown("/unknown") == "true"});
  }
  std::stable_partition(things.begin(), things.end(), [](const HiddenThing& thing) { return !thing.asked.empty(); });
  return things;
}

std::string hidden_sentence(const std::vector<HiddenThing>& things, bool made_device) {
  constexpr const char* kMore = "`rondo info` lists what was hidden";
  const std::string asked = list(things, true, [](const HiddenThing& thing) { return !thing.asked.empty(); });
  if (!asked.empty()) return text("the program asked for what is hidden while it is captured: {}; {}", asked, kMore);
  if (!made_device)
    if (const std::string all = list(things, true, [](const HiddenThing& thing) { return !is_of_instances(thing); });
        !all.empty())
      return text("the program made no device, and may miss what is hidden while it is captured: {}; {}", all, kMore);
  const std::string unknown = list(things, false, [](const HiddenThing& thing) { return thing.unknown; });
  if (!unknown.empty())
    return text(
        "the driver is newer than this build of Rondo, which does not know {} and hides what it does not "
        "know; {}",
        unknown, kMore);
  const auto is_version = [](const HiddenThing& thing) { return thing.name.starts_with("Vulkan "); };
  const std::string version = list(things, false, is_version);
  if (version.empty()) return {};
  return text("the driver has {}, which is newer than what this build of Rondo records; {}", version, kMore);
}

}  // namespace rondo::analyzers
