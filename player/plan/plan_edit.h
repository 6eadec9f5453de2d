// SPDX-License-Identifier: Apache-2.0
// Parameters of a plan's ops, changed where they lie, before any run.
#pragma once

#include <cstring>

#include "player/plan/plan.h"

namespace rondo::player {

// A member of the structure that an op's parameter points to.
template <class Args, class Info, class Struct>
VkFlags& flags_of(Plan& plan, std::uint32_t op, const Info* Args::*parameter, VkFlags Struct::*member) {
  std::byte* block = plan.arena.at(plan.ops[op].block);
  std::uint64_t info = 0;  // still an offset
  std::memcpy(&info, &(reinterpret_cast<Args*>(block)->*parameter), sizeof info);
  return reinterpret_cast<Info*>(block + info)->*member;
}

// To a create of a buffer, or of an image: wherever its usage stands (plan_widen.cpp).
void add_buffer_usage(Plan& plan, std::uint32_t op, VkBufferUsageFlags bits);
void add_image_usage(Plan& plan, std::uint32_t op, VkImageUsageFlags bits);

// The first object of this type among those that an op names; 0: none.
inline ObjectId named(const Plan& plan, const Op& op, HandleType type) {
  for (std::uint32_t i = 0; i < op.patches; ++i)
    if (const ObjectId id = plan.patches[op.first_patch + i].id; plan.objects.objects()[id].type == type) return id;
  return ObjectId::null;
}

}  // namespace rondo::player
