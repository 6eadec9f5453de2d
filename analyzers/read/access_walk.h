// SPDX-License-Identifier: Apache-2.0
// A capture put through the access model.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "analyzers/options/cli.h"
#include "analyzers/read/walk.h"
#include "model/access/model.h"

namespace rondo::analyzers {

struct AccessWanted {
  std::optional<Span> frames, submits;  // neither: all
};

struct AccessTotals {
  access::Coverage coverage;  // of what was wanted
  bool too_many = false;      // access::Model::too_many
  bool any = false;           // a record was in what was wanted
  std::uint64_t frames = 0, submits = 0;
  std::string cut;  // why the capture ends early; empty: it is complete
};

// `visit` is given what is executed there, in order, and says whether it wants more. The walk is at its beginning.
Result<AccessTotals> walk_accesses(Walk& walk, const AccessWanted& wanted,
                                   const std::function<bool(const access::Executed&)>& visit);

}  // namespace rondo::analyzers
