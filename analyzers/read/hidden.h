// SPDX-License-Identifier: Apache-2.0
// What the layer hid from the program, as the capture's session says it (docs/format.md, "hidden").
#pragma once

#include <string>
#include <vector>

#include "analyzers/text/json.h"

namespace rondo::analyzers {

struct HiddenThing {
  std::string name;  // an extension, a version, a feature bit or a structure type
  std::string reason;
  std::string asked;     // how the program asked for it; empty: it did not
  bool unknown = false;  // to the registry that the recorder was built with
};

// Sorted by name; what the program asked for comes first.
std::vector<HiddenThing> hidden_things(const JsonText& session);

// What somebody who has just made the capture should know of it, in one sentence; empty: nothing.
std::string hidden_sentence(const std::vector<HiddenThing>& things, bool made_device);

}  // namespace rondo::analyzers
