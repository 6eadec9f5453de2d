// SPDX-License-Identifier: Apache-2.0
// Holds the plan against the devices that are to play it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "format/result.h"
#include "player/devices/devices.h"
#include "player/plan/plan.h"
#include "player/run/run.h"
#include "player/trust.h"

namespace rondo::player {

// Lists everything that a target lacks, a line each, as one Status::device
// error: extensions, feature bits, queue families, memory types, limits and
// formats. Where the target numbers its queue families otherwise, the plan's
// blocks are changed to say so: afterwards the plan is immutable. What the captured device gave the program beyond its
// own limits it gives again; of images only in a trusted capture, for no driver checks their sizes.
Result<void> preflight(Plan& plan, const Loader& loader, const LiveDevices& devices, const Targets& targets,
                       Trust trust);

// The captured device with the captured driver: everything fits as it is.
bool is_the_captured_device(const CapturedPhysicalDevice& captured, const LiveDevice& target);

// Which of the target's families stands for each captured one, each for one only.
std::map<std::uint32_t, std::uint32_t> map_families(const Plan& plan, const CapturedDevice& captured,
                                                    const LiveDevice& target, std::vector<std::string>& shortfalls);
// By the names under which commands were called.
void check_version(const CapturedDevice& captured, const LiveDevice& target, std::vector<std::string>& shortfalls);
// preflight_features.cpp, preflight_formats.cpp, preflight_limits.cpp: a line for each shortfall.
void check_features(const CapturedDevice& captured, const LiveDevices& devices, const LiveDevice& target,
                    std::vector<std::string>& shortfalls);
void check_images(const Plan& plan, std::uint32_t device, const LiveDevices& devices, const LiveDevice& target,
                  bool captured_here, std::vector<std::string>& shortfalls);
void check_limits(const Plan& plan, std::uint32_t device, const LiveDevice& target, bool captured_here,
                  std::vector<std::string>& shortfalls);

// A plan's block with its pointers relocated and its handles null: what
// preflight reads. Valid until the next call with the same storage.
template <class Args>
const Args& native_block(const Plan& plan, const Op& op, std::vector<std::byte>& storage) {
  storage.assign(plan.arena.at(op.block), plan.arena.at(op.block) + op.block_bytes);
  for (std::uint32_t i = 0; i < op.pointers; ++i) {
    const std::uint32_t at = plan.pointers[op.first_pointer + i];
    std::uint64_t value;
    std::memcpy(&value, storage.data() + at, sizeof value);
    value += reinterpret_cast<std::uint64_t>(storage.data());
    std::memcpy(storage.data() + at, &value, sizeof value);
  }
  const std::uint64_t null = 0;
  for (std::uint32_t i = 0; i < op.patches; ++i)
    std::memcpy(storage.data() + plan.patches[op.first_patch + i].offset, &null, sizeof null);
  return *reinterpret_cast<const Args*>(storage.data());
}

}  // namespace rondo::player
