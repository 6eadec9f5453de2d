// SPDX-License-Identifier: Apache-2.0
// The names that a program gives its objects. Specification: "Object Debug Annotation".
#pragma once

#include <string>
#include <unordered_map>

#include "format/codec/schema.h"
#include "format/native_view.h"
#include "format/objects.h"

namespace rondo {

using GivenNames = std::unordered_map<ObjectId, std::string>;

// Takes the name that this call gives or, where it is empty, takes back. Other calls change nothing.
void take_name(GivenNames& names, const codec::CommandInfo& command, const NativeView& view);

// "VkImage#3", or "VkImage#3 "shadow map"" where the program gave it that name.
std::string full_name(const GivenNames& names, const ObjectTable& objects, ObjectId id);

}  // namespace rondo
