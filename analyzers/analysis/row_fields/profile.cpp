// SPDX-License-Identifier: Apache-2.0
// The rows of rondo profile.
#include "analyzers/analysis/row_fields/row_fields.h"

namespace rondo::analyzers {

namespace {

constexpr RowField kProfileFields[] = {
    {"time", "by",
     "what the rows are of: command (an item each), kind, pipeline, label, pass, shader, submit, frame; "
     "with --mode waves: wave, a group of items that the program's own synchronization separates"},
    {"time", "item",
     "submit and draw number, \"3:17\", render pass \"pass 3:0\", or the name of the group; of --by label the path of "
     "labels: its time holds that of the labels in it"},
    {"time", "(as of draw)", "of an item: the fields of the row draw"},
    {"time", "render_pass", "of a render pass: VkRenderPass; empty: dynamic rendering"},
    {"time", "draws", "of a render pass: draws in it"},
    {"time", "end_record", "of a render pass: sequence number of its end"},
    {"time", "first_record", "with --mode waves: the record of the first item of the group"},
    {"time", "last_record", "with --mode waves: likewise of the last one"},
    {"time", "names", "with --mode waves: array: the names of its items, as of rondo graph"},
    {"time", "begin_ns",
     "of an item or a wave: when it began in the last iteration, in nanoseconds from the first timestamp on"},
    {"time", "n", "items in the row"},
    {"time", "min_ns", "the shortest time of an iteration, in nanoseconds; of a group: the sum of its items"},
    {"time", "median_ns", "likewise the median"},
    {"time", "p95_ns", "likewise what 95 % of the iterations do not exceed"},
    {"time", "share", "of the medians of all items, 0 to 1"},
    {"time", "bytes", "bytes that its items may touch: an upper bound"},
    {"time", "gb_per_s", "bytes by median: an upper bound, in 10^9 bytes a second"},
    {"time", "below_timer", "true: shorter than ten ticks an item, so the time says little"},
    {"time", "host", "true: the device gave no timestamps, and the time is that of the host for a submit"},
    {"time", "counted", "of --statistics: draws and dispatches in the row that have statistics"},
    {"time", "uncounted", "of --statistics: draws and dispatches in the row that have none; absent: none of these"},
    {"time", "input_assembly_vertices",
     "pipeline statistics, summed over these draws and dispatches, of one iteration; of a render pass over its draws"},
    {"time", "input_assembly_primitives", "likewise"},
    {"time", "vertex_invocations", "likewise"},
    {"time", "geometry_invocations", "likewise"},
    {"time", "geometry_primitives", "likewise: that geometry shaders emit"},
    {"time", "clipping_invocations", "likewise: primitives that come to clipping"},
    {"time", "clipping_primitives", "likewise: primitives that come out of it"},
    {"time", "fragment_invocations", "likewise"},
    {"time", "tessellation_control_patches", "likewise"},
    {"time", "tessellation_evaluation_invocations", "likewise"},
    {"time", "compute_invocations", "likewise: workgroups by their size"},
    {"time", "task_invocations", "likewise; absent: 0 in all rows, or meshShaderQueries is not enabled"},
    {"time", "mesh_invocations", "likewise"},
    {"time", "commands_counted", "of --counters: commands in the row that have counters"},
    {"time", "commands_uncounted", "of --counters: commands in the row that have none; absent: none of these"},
    {"time", "counters",
     "object: performance counters by name, of one iteration; sums or means over these commands, as the row analysis "
     "says"},

    {"counter", "name", "profile --list-counters: what --counters calls it"},
    {"counter", "category", "as the driver says"},
    {"counter", "description", "as the driver says"},
    {"counter", "unit", "bytes, %, ns, cycles, ...; empty: events"},
    {"counter", "of_row", "whether a row of several commands has their sum or their mean"},
    {"counter", "scope", "what the device counts it around: command, render pass or command buffer"},
    {"counter", "usable", "false: it is not read, because it is not of commands, or takes several passes"},

    {"summary", "timed", "profile, export: items that have a time"},
    {"summary", "repeated",
     "profile: items without one, in secondaries that one command buffer executes more than once"},
    {"summary", "device_without_ns",
     "profile: the device's time for the span, median, without timestamps around items; absent: unknown"},
    {"summary", "device_with_ns", "profile: likewise with them"},
    {"summary", "host_without_ns", "profile: from the first submit to the last wait, on the host, without them"},
    {"summary", "host_with_ns", "profile: likewise with them"},
    {"summary", "perturbation", "profile: how much longer the span takes with them, 0.02 is 2 %"},
    {"summary", "lacks_statistics",
     "profile: true: the device lacks pipelineStatisticsQuery, and the rows have no statistics"},
    {"summary", "counted", "profile: draws and dispatches that have statistics"},
    {"summary", "uncounted", "profile: those that have none"},
    {"summary", "in_own_queries",
     "profile: of these: where a statistics query of the program's own is, or may be, active"},
    {"summary", "lacks_counters",
     "profile: true: the device lacks VK_KHR_performance_query, and the rows have no counters"},
    {"summary", "commands_counted", "profile: commands that have performance counters"},
    {"summary", "commands_uncounted", "profile: those that have none"},
};

}  // namespace

std::span<const RowField> profile_row_fields() { return kProfileFields; }

}  // namespace rondo::analyzers
