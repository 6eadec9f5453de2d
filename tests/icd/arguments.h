// SPDX-License-Identifier: Apache-2.0
// A call's parameters, kept after the call: a copy of all that they point to,
// without what the specification says to ignore, and a digest that knows no
// handle and no address.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "format/codec/schema.h"
#include "generated/ids.h"

namespace fake {

using rondo::CommandId;
using rondo::StructId;

class Arguments {
 public:
  // `args`: the command's args_<name>. Outputs become null.
  Arguments(CommandId command, const void* args);
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  template <class T>
  const T& as() const {
    return *static_cast<const T*>(root_);
  }
  const std::byte* root() const { return static_cast<const std::byte*>(root_); }
  CommandId command() const { return command_; }

  // Zeroed and aligned to 16 bytes; lives as long as the arguments.
  std::byte* allocate(std::size_t bytes);

 private:
  CommandId command_;
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::size_t used_ = 0, room_ = 0;
  void* root_ = nullptr;
};

// Elements of an array, from the structure that the field is in.
std::size_t count_of(const rondo::codec::Field& field, const std::byte* owner);

}  // namespace fake
