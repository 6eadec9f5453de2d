// SPDX-License-Identifier: Apache-2.0
// Calls as vkcube and its like make them, as argument structures.
#pragma once

#include <vector>

#include "generated/ids.h"

namespace rondo::bench {

struct Call {
  const char* name;
  CommandId command;
  const void* arguments;  // args_<name>; static storage
};
const std::vector<Call>& typical_calls();

}  // namespace rondo::bench
