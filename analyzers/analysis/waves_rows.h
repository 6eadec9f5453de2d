// SPDX-License-Identifier: Apache-2.0
// How `rondo waves` prints what it found: as text, and as JSON lines.
#pragma once

#include <cstddef>
#include <string>

#include "analyzers/analysis/waves.h"

namespace rondo::analyzers {

struct WaveRowsWanted {
  bool as_json = false;
  bool partition = false;             // also the runs of device work without the host
  std::size_t most = SIZE_MAX;        // rows of each kind
  std::size_t most_items = SIZE_MAX;  // of a row `wave`: items and names
};

// All rows but the first one and the last one. `names`: another walk of the capture, at its beginning, which this runs.
Result<void> append_waves(std::string& out, const Waves& waves, GraphWalk& names, const WaveRowsWanted& wanted);
// The last row, or the last lines.
void append_wave_summary(std::string& out, const Waves& waves, const WaveRowsWanted& wanted);

}  // namespace rondo::analyzers
