// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/report_waves.h"

#include "analyzers/analysis/graph_rows.h"
#include "analyzers/analysis/waves.h"
#include "analyzers/analysis/waves_rows.h"
#include "analyzers/text/text.h"

namespace rondo::analyzers {

namespace {

constexpr std::size_t kMostWaveRows = 1'000, kMostNamedOfWave = 8;

// Short enough a difference to say nothing of it.
constexpr double kLittleOfPath = 0.02;

std::string wave_sentence(const Waves& waves) {
  const WaveTotals& all = waves.all();
  if (all.items == 0) return {};
  const auto length = [&](std::uint64_t value) {
    return waves.is_timed() ? duration_text(value) : plural(value, "item");
  };
  std::string out = text("Of {} of device work the data forces {} into one chain", length(all.work), length(all.data));
  if (all.program <= all.data ||
      static_cast<double>(all.program - all.data) < kLittleOfPath * static_cast<double>(all.program))
    return out + ", and the program's synchronization hardly more.";
  append(out, ", and the program's synchronization {}", length(all.program));
  const std::vector<WaveCost> costs = waves.costs();
  if (!costs.empty() && costs.front().saves != 0)
    append(out, "; without {} alone it would be {} less", waves.order().text_of_operation(costs.front().operation),
           length(costs.front().saves));
  return out + ".";
}

}  // namespace

ReportSection gather_waves(const std::string& file, const std::string& words, const SpanRequest& span,
                           const MeasuredTimes* times) {
  ReportSection section;
  section.command = text("rondo waves {}", words);
  const auto fails = [&](const Error& error) {
    section.error = error.message;
    return section;
  };
  const auto waves = Waves::of(file, span, times);
  if (!waves) return fails(waves.error());
  auto names = GraphWalk::open(file);
  if (!names) return fails(names.error());
  WaveRowsWanted wanted;
  wanted.as_json = true;
  wanted.most = kMostWaveRows;
  wanted.most_items = kMostNamedOfWave;
  std::string rows;
  if (const auto appended = append_waves(rows, *waves, *names, wanted); !appended) return fails(appended.error());
  append_wave_summary(rows, *waves, wanted);
  section.lines = with_prefix(rows, "waves");
  append_notes(section.notes, waves->totals(), "");
  section.sentence = wave_sentence(*waves);
  return section;
}

}  // namespace rondo::analyzers
