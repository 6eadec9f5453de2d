// SPDX-License-Identifier: Apache-2.0
// Contents of images of several samples, sample by sample (model/gpu/samples.h): which images can have them, and
// where.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "player/devices/devices.h"
#include "player/run/run.h"

namespace rondo::player {

// Why the samples of such an image cannot be read and written on this device; empty: they can.
std::string why_no_samples(const VkImageCreateInfo& info, const LiveDevices& live, const LiveDevice& target);

// How an image was made; null: it was not by a call of its own. Valid as long as the storage is.
const VkImageCreateInfo* info_of_image(const Plan& plan, ObjectId image, std::vector<std::byte>& storage);

// Makes those that are wanted, and made in front of the op, so that their samples can be read: changes their
// creates, before preflight. The ids of those that this device can read and write so.
std::set<ObjectId> make_samples_readable(Plan& plan, std::uint32_t end, const LiveDevices& live, const Targets& targets,
                                         const std::function<bool(ObjectId)>& wanted);

// Those whose samples checkpoints compare are made so; Plan::samples_read has them.
void make_compared_samples_readable(Plan& plan, const LiveDevices& live, const Targets& targets);

// Preflight: what a device lacks to write the samples that a capture brings.
void check_sampled_contents(const Plan& plan, std::uint32_t device, const LiveDevices& live, const LiveDevice& target,
                            std::vector<std::string>& shortfalls);

// exec_sampled_contents.cpp: a rondoImageContents of an image of several samples.
Result<void> write_sampled_contents(Run& run, const Op& op, std::byte* args, const VkImageCreateInfo& info,
                                    const LiveQueue& queue);

}  // namespace rondo::player
