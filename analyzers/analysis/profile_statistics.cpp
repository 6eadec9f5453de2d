// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/profile_statistics.h"

#include <algorithm>

#include "analyzers/text/text.h"

namespace rondo::analyzers {

namespace {

// By bit of VkQueryPipelineStatisticFlagBits, as player::Statistics.
struct Name {
  const char* field;
  const char* heading;
};
constexpr std::array<Name, player::kStatistics> kStatisticNames{{
    {"input_assembly_vertices", "vertices"},
    {"input_assembly_primitives", "primitives"},
    {"vertex_invocations", "vertex runs"},
    {"geometry_invocations", "geometry runs"},
    {"geometry_primitives", "geometry prims"},
    {"clipping_invocations", "clipped"},
    {"clipping_primitives", "clip output"},
    {"fragment_invocations", "fragment runs"},
    {"tessellation_control_patches", "control patches"},
    {"tessellation_evaluation_invocations", "evaluation runs"},
    {"compute_invocations", "compute runs"},
    {"task_invocations", "task runs"},
    {"mesh_invocations", "mesh runs"},
}};
constexpr std::size_t kFirstOfMeshes = 11;
constexpr std::size_t kWidth = 13;  // of a column, at least

std::size_t width_of(std::size_t bit) {
  return std::max(std::string_view(kStatisticNames[bit].heading).size(), kWidth);
}

}  // namespace

void write_statistics(JsonWriter& json, const Profile& p, const ProfileRow& row) {
  if (row.statistics == player::kNone) return;
  const RowStatistics& counts = p.statistics[row.statistics];
  if (counts.counted + counts.uncounted == 0) return;
  json.field("counted", counts.counted);
  if (counts.uncounted != 0) json.field("uncounted", counts.uncounted);
  if (counts.counted == 0) return;
  for (std::size_t bit = 0; bit < player::kStatistics; ++bit)
    if (bit < kFirstOfMeshes || p.all_statistics.sum[bit] != 0) json.field(kStatisticNames[bit].field, counts.sum[bit]);
}

void write_statistics_summary(JsonWriter& json, const Profile& p) {
  if (p.lacks_statistics) json.field("lacks_statistics", true);
  if (p.statistics.empty()) return;
  json.field("counted", p.all_statistics.counted);
  json.field("uncounted", p.all_statistics.uncounted);
  json.field("in_own_queries", p.in_own_queries);
}

std::string statistics_heading(const Profile& p) {
  std::string out;
  for (std::size_t bit = 0; bit < player::kStatistics; ++bit)
    if (p.all_statistics.sum[bit] != 0) append(out, " {:>{}}", kStatisticNames[bit].heading, width_of(bit));
  return out;
}

std::string statistics_columns(const Profile& p, const ProfileRow& row) {
  std::string out;
  for (std::size_t bit = 0; bit < player::kStatistics; ++bit) {
    if (p.all_statistics.sum[bit] == 0) continue;
    const bool has = row.statistics != player::kNone && p.statistics[row.statistics].counted != 0;
    append(out, " {:>{}}", has ? count_text(p.statistics[row.statistics].sum[bit]) : "-", width_of(bit));
  }
  return out;
}

std::string statistics_totals(const Profile& p) {
  if (p.lacks_statistics)
    return "this device counts no pipeline statistics (it lacks pipelineStatisticsQuery): the rows have "
           "none\n";
  if (p.statistics.empty()) return {};
  const RowStatistics& all = p.all_statistics;
  std::string out = text("statistics of {} of {} draws and dispatches, of one iteration of their own\n",
                         count_text(all.counted), count_text(all.counted + all.uncounted));
  if (all.uncounted == 0) return out;
  if (p.in_own_queries != 0)
    append(out,
           "{} without statistics, because a statistics query of the program's own is, or may be, active "
           "there\n",
           count_text(p.in_own_queries));
  if (p.in_own_queries < all.uncounted)
    append(out,
           "{} without statistics: in secondaries that one command buffer executes more than once, or on "
           "queues that count none\n",
           count_text(all.uncounted - p.in_own_queries));
  return out;
}

}  // namespace rondo::analyzers
