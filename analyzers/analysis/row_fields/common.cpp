// SPDX-License-Identifier: Apache-2.0
// The head, the items of work, and what all summaries have.
#include "analyzers/analysis/row_fields/row_fields.h"

namespace rondo::analyzers {

namespace {

constexpr RowField kCommonFields[] = {
    {"(each row)", "capture_digest", "XXH3-128 of the capture's bytes"},
    {"(each row)", "device",
     "of profile the device that played; else the one of which the program made its logical device: name (driver), "
     "several with \", \" between; absent: unknown"},
    {"(each row)", "build",
     "build-id of the captured program, in hexadecimal; absent: it has none, or the capture is redacted"},
    {"(each row)", "job", "name of the run, from --job or RONDO_JOB; absent: none was given"},

    {"analysis", "schema", "number of this schema"},
    {"analysis", "command", "the subcommand that printed the rows"},
    {"analysis", "file", "path of the capture"},
    {"analysis", "capture_id", "128 bits in hexadecimal: which recording this is"},
    {"analysis", "captured_devices", "array: name, driver and api_version of each device that the capture asked for"},
    {"analysis", "devices", "profile: array: the devices that it was played on"},
    {"analysis", "replaced",
     "profile: array: with --replace, a line for each shader that was played in the place of another"},
    {"analysis", "counters",
     "profile: array of objects, with --counters: name, category, description, unit, and of_row, whether a row has the "
     "sum or the mean of its commands"},
    {"analysis", "mode", "profile: natural, waves or isolated"},
    {"analysis", "span", "profile: what was played"},
    {"analysis", "iterations", "profile: how often"},
    {"analysis", "timer_ns", "profile: a tick of the device's clock, in nanoseconds"},
    {"analysis", "cost_ns",
     "profile: what a pair of timestamps with its barriers costs (isolated); it is taken off every time"},
    {"analysis", "rondo", "version of this build"},

    {"draw", "submit", "number of the submit (batch), from 0"},
    {"draw", "draw",
     "number in the submit, in the order of execution, from 0, as rondo trim --draws takes it; null: copies, builds, "
     "..."},
    {"draw", "frame", "number of the frame in which it was submitted, from 0"},
    {"draw", "record", "sequence number of the command, as in rondo dump"},
    {"draw", "at", "sequence number of the submit that executes it"},
    {"draw", "primary", "index of its primary command buffer in the submit; absent: 0"},
    {"draw", "command", "Vulkan command"},
    {"draw", "queue", "VkQueue that executes it"},
    {"draw", "pipeline",
     "VkPipeline that is bound; of a render pass: of its draws, where all have the same; absent: shader objects, or no "
     "draw"},
    {"draw", "pipeline_name", "name that the program gave the pipeline"},
    {"draw", "shaders", "array: stage and digest (XXH3-128) of each shader of the pipeline"},
    {"draw", "labels", "array: debug labels that are open, the outermost first"},
    {"draw", "pass", "number of the render pass in the submit, from 0; absent: outside of render passes"},
    {"draw", "counts", "object: what the command's parameters count (vertices, instances, groups_x, ...)"},
    {"draw", "views", "how many views the subpass is drawn for (multiview); absent: no multiview"},
    {"draw", "item", "graph --draws: number of the render pass"},
    {"draw", "name", "graph --draws: RECORD@SUBMIT"},
    {"draw", "bytes", "not of graph: bytes that it may touch, each once: an upper bound"},
    {"draw", "bytes_unknown", "true: it may touch more than that"},

    {"group", "by", "what the items are grouped by: kind, pipeline, label, pass, shader, submit, frame"},
    {"group", "item", "name of the group"},
    {"group", "n", "items in it"},
    {"group", "share", "part of all items, 0 to 1"},
    {"group", "bytes", "sum of the items' bytes"},
    {"group", "first", "submit and draw number of its first item, \"3:17\""},

    {"summary", "items", "rows that were counted"},
    {"summary", "draws", "of these: draws, dispatches, rays, generated commands"},
    {"summary", "passes", "render passes in the span"},
    {"summary", "shown", "rows that were printed, where --top or --max left some out"},
    {"summary", "too_many", "true: the capture has more to follow than any program needs, and the rest is missing"},
    {"summary", "partial",
     "graph, who, why, sync: true: the capture was read only in part (too_many, cut, damage), so there may be more"},
    {"summary", "cut", "why the capture ends early; absent: it is complete"},
    {"summary", "damage", "graph, who, why, sync: what of the file cannot be read; absent: all can"},
};

}  // namespace

std::span<const RowField> common_row_fields() { return kCommonFields; }

}  // namespace rondo::analyzers
