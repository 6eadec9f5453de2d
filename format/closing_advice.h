// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "format/reader.h"

namespace rondo {

// The end of a sentence that says that `reader`'s file is not complete: `rondo finish` as its remedy, if that
// closes it. A file that was copied in part has its remedy in cut_reason().
inline std::string closing_advice(const Reader& reader) {
  if (!reader.can_be_finished()) return {};
  return ": `rondo finish " + reader.path() + "` closes it, once its program has ended";
}

}  // namespace rondo
