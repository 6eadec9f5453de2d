// SPDX-License-Identifier: Apache-2.0
// What the strings of commands and structures say: which of them come from the program and may identify somebody.
#pragma once

#include <cstdint>

#include "format/codec/schema.h"

namespace rondo::codec {

enum class TextKind : std::uint8_t {
  unknown,      // of a member that texts.cpp does not list yet: a unit test holds that there is none
  fixed,        // has a meaning to Vulkan, a driver or a shader: extensions, layers, entry points, settings
  application,  // VkApplicationInfo: the program and its engine
  object_name,
  label,    // of queues and command buffers; debug markers
  message,  // that a program passes to debug messengers
  scope,    // of Rondo's scopes
  path,     // of a file of the captured machine
  note,     // the recorder's own sentences
};

// `field`: of `owner`, of Shape::string or Shape::strings.
TextKind text_kind(const StructInfo& owner, const Field& field);

}  // namespace rondo::codec
