// SPDX-License-Identifier: Apache-2.0
#include "player/devices/targets.h"

#include <charconv>

#include "format/counts.h"
#include "format/printable.h"

namespace rondo::player {

// Only digits before the sign make it an index.
Result<DeviceChoice> parse_device(const std::string& text) {
  DeviceChoice choice;
  choice.wanted = text;
  const std::size_t sign = text.find('=');
  if (sign != std::string::npos && sign != 0 && text.find_first_not_of("0123456789") == sign) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + sign, choice.captured);
    if (error != std::errc() || end != text.data() + sign || choice.captured == kNone)
      return fail(Status::usage, "--device: '" + text + "' names no captured device");
    choice.wanted = text.substr(sign + 1);
  }
  if (choice.wanted.empty()) return fail(Status::usage, "--device needs a name, index or UUID");
  return choice;
}

Result<Targets> choose_targets(std::span<const DeviceChoice> choices, const Plan& plan, const LiveDevices& live,
                               std::vector<ChosenDevice>& chosen) {
  Targets targets;
  targets.list = &live.list();
  for (const DeviceChoice& choice : choices)
    if (choice.captured != kNone && choice.captured >= plan.devices.size())
      return fail(Status::usage, "--device " + std::to_string(choice.captured) + "=…: the capture has " +
                                     plural(plan.devices.size(), "device") + ", counted from 0");
  for (std::uint32_t d = 0; d < plan.devices.size(); ++d) {
    const DeviceChoice* choice = nullptr;
    for (const DeviceChoice& c : choices)
      if (c.captured == d || (c.captured == kNone && (choice == nullptr || choice->captured == kNone))) choice = &c;
    std::string reason = "as asked";
    const CapturedPhysicalDevice& captured = plan.physical_devices[plan.devices[d].physical];
    const auto index = choice != nullptr ? live.find(choice->wanted) : live.choose(captured, reason);
    if (!index) return tl::unexpected<Error>(index.error());
    const LiveDevice& device = live[*index];
    std::string name(fixed_text(device.properties.deviceName));
    if (!device.driver.empty()) name += " (" + device.driver + ")";
    chosen.push_back({plan.devices[d].id, name, reason});
    targets.of.push_back(*index);
  }
  return targets;
}

}  // namespace rondo::player
