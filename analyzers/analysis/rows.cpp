// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/rows.h"

#include "analyzers/read/device_info.h"
#include "analyzers/text/text.h"
#include "format/file_digest.h"
#include "format/hex.h"

namespace rondo::analyzers {

namespace {

constexpr RowField kFields[] = {
    {"analysis", "schema", "number of this schema"},
    {"analysis", "command", "the subcommand that printed the rows"},
    {"analysis", "file", "path of the capture"},
    {"analysis", "capture_id", "128 bits in hexadecimal: which recording this is"},
    {"analysis", "capture_digest", "XXH3-128 of the file's bytes"},
    {"analysis", "captured_devices", "array: name, driver and api_version of each device that the capture asked for"},
    {"analysis", "devices", "profile: array: the devices that it was played on"},
    {"analysis", "replaced",
     "profile: array: with --replace, a line for each shader that was played in the place of another"},
    {"analysis", "counters",
     "profile: array of objects, with --counters: name, category, description, unit, and of_row, whether a row has the "
     "sum or the mean of its commands"},
    {"analysis", "mode", "profile: natural or isolated"},
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

    {"item", "item", "graph: number of the item, from 0, in the order of execution"},
    {"item", "kind",
     "work (a command), pass (a whole render pass), transition (a barrier that changes a layout or an owner), host (a "
     "call that touches memory), present, lifetime (a call that ends, resets, records again, updates or submits again "
     "what work has used)"},
    {"item", "name", "RECORD@SUBMIT, as --around takes it; RECORD: a call"},
    {"item", "(as of draw)", "the fields of the row draw, without bytes; submit is null where no submit executes it"},
    {"item", "render_pass", "of a pass: VkRenderPass; empty: dynamic rendering"},
    {"item", "draws", "of a pass: draws in it"},
    {"item", "end_record", "of a pass: sequence number of its end"},
    {"item", "commands", "of a pass: commands in it, with its begin and end"},
    {"item", "touches",
     "array: object; of buffers, memories and query pools begin and end in bytes or queries; of images parts (aspects, "
     "mip, mips, layer, layers); on: what lies on the bytes, where that is not one resource; reads, writes"},
    {"item", "needs",
     "array: item and name of what must come before, or join; kinds (RAW, WAR, WAW, layout, query, LIFETIME); grade: "
     "certain or "
     "possible; and where, as of touches: without a range nobody knows it"},

    {"item", "needs/order",
     "with --both: ordered; race: nothing orders it; not-visible: a race, ordered, but what was written is not made "
     "visible; specification: Vulkan itself orders it; unknown: not ordered, but nobody knows what both touch"},
    {"item", "needs/by", "with --both: array: record and text of what orders it, the first ones"},
    {"item", "after",
     "with --has, instead of touches and needs: array: operation that it comes after, in these stages"},

    {"operation", "operation", "graph --has: number of the operation"},
    {"operation", "kind",
     "barrier, event, dependency, implicit dependency, semaphore, host wait, submit; signal: where "
     "the first scope of a later one ends"},
    {"operation", "record", "the command or call"},
    {"operation", "submit", "that executes the command; null: unknown, or a call"},
    {"operation", "labels", "array: labels of the command"},
    {"operation", "text", "what it is, with its scopes"},
    {"operation", "items",
     "array: items of its first scope since the operations in `operations` that are linked as first"},
    {"operation", "names", "array: the names of these items"},
    {"operation", "operations",
     "array: earlier operation, link and stages. first: in these stages its first scope is part of this one's; chain: "
     "what it orders in these stages comes before this one; second: what comes after this one in these stages comes "
     "after it, too"},

    {"join", "join", "graph: number of the join: several items that others need together"},
    {"join", "items", "array: numbers of items that it stands for"},
    {"join", "joins", "array: numbers of earlier joins that are part of it"},

    {"use", "(as of item)", "the fields of the row item, without needs"},
    {"use", "grade", "certain; possible: it touches what shares the memory of the image"},
    {"use", "reads_versions", "array: the versions of the resource that the item reads; absent: it does not read"},
    {"use", "writes_version", "the version that it makes, counted from 1; absent: it does not write"},
    {"use", "touches", "array, as of item: parts of the resource"},

    {"group", "by", "what the items are grouped by: kind, pipeline, label, pass, shader, submit, frame"},
    {"group", "item", "name of the group"},
    {"group", "n", "items in it"},
    {"group", "share", "part of all items, 0 to 1"},
    {"group", "bytes", "sum of the items' bytes"},
    {"group", "first", "submit and draw number of its first item, \"3:17\""},

    {"time", "by", "what the rows are of: command (an item each), kind, pipeline, label, pass, shader, submit, frame"},
    {"time", "item",
     "submit and draw number, \"3:17\", render pass \"pass 3:0\", or the name of the group; of --by label the path of "
     "labels: its time holds that of the labels in it"},
    {"time", "(as of draw)", "of an item: the fields of the row draw"},
    {"time", "render_pass", "of a render pass: VkRenderPass; empty: dynamic rendering"},
    {"time", "draws", "of a render pass: draws in it"},
    {"time", "end_record", "of a render pass: sequence number of its end"},
    {"time", "begin_ns", "of an item: when it began in the last iteration, in nanoseconds from the first timestamp on"},
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

    {"reason", "reason", "why: data, or synchronization"},
    {"reason", "item", "of data: the item, in the order of rondo graph, that needs …"},
    {"reason", "needs", "… this one, which is a step nearer to the first"},
    {"reason", "kinds", "of data: array: RAW, WAR, WAW, layout, query"},
    {"reason", "grade", "of data: certain, or possible"},
    {"reason", "places", "of data: what both touch, as text, at most 4"},
    {"reason", "record", "of synchronization: the command, submit or call"},
    {"reason", "text", "of synchronization: what it is"},

    {"sync", "rule",
     "race, ineffective, superfluous, too-wide; with --all also replaceable, needed, unknown and ambiguous (a race "
     "with "
     "a host write that may be the device's own)"},
    {"sync", "id", "the same for the same cause, in another capture of the program too"},
    {"sync", "grade",
     "certain; proven: by --prove; possible: of a race that shaders may not run into, or of resources that may not "
     "meet; of a superfluous "
     "one that has others like it"},
    {"sync", "occurrences", "findings of this cause; the row has the first one"},
    {"sync", "other_records", "records of the next ones, at most 8"},
    {"sync", "record",
     "the synchronization command; of a dependency of subpasses where its pass begins; of a semaphore the submit that "
     "waits for it; of a wait of the host the call"},
    {"sync", "at", "the record that executes it first"},
    {"sync", "submit", "likewise, counted from 0; null: a wait of the host"},
    {"sync", "command", "its Vulkan command"},
    {"sync", "kind", "barrier, event, dependency, semaphore, or host wait"},
    {"sync", "semaphore", "of a semaphore"},
    {"sync", "signalled_by", "of a semaphore: the record of the submit that signals it"},
    {"sync", "render_pass", "of a dependency of subpasses"},
    {"sync", "executed", "how many times it is executed"},
    {"sync", "labels", "of its first execution, the outermost first"},
    {"sync", "barriers",
     "its barriers: object where it has one, src_stages, src_access, dst_stages, dst_access; of a too wide one unused, "
     "or enough: the scopes that are enough"},
    {"sync", "needed_like", "of a superfluous one: other commands with the same scopes and resources that are needed"},
    {"sync", "needed_for", "what only it orders, at most 4 pairs: from, to, as RECORD@SUBMIT"},
    {"sync", "hazards",
     "of a race: RAW, WAR, WAW; LIFETIME: the host ends or changes what the first may still use; OWNER: another queue "
     "family owns what the second reads"},
    {"sync", "from",
     "the earlier one of its commands: record, at, submit (null: a call), command, labels, stages, access; transition: "
     "its layout transition"},
    {"sync", "to", "likewise the later one"},
    {"sync", "places",
     "ranges of it, at most 8: object, and parts or begin and end, as of needs in rondo graph; of LIFETIME: the "
     "objects"},
    {"sync", "more_places", "ranges that are not in places"},
    {"sync", "ordered", "true: the program orders both, but does not make visible what is written"},
    {"sync", "cure", "what would order it, as text"},
    {"sync", "proof",
     "of --prove: proven, text, loops that were compared, together (findings that were changed at once); of what "
     "differs "
     "first object, byte and submit"},

    {"summary", "items", "rows that were counted"},
    {"summary", "draws", "of these: draws, dispatches, rays, generated commands"},
    {"summary", "passes", "render passes in the span"},
    {"summary", "shown", "rows that were printed, where --top or --max left some out"},
    {"summary", "needs", "graph: needs of all items"},
    {"summary", "operations", "graph --has: operations; sync: synchronization commands"},
    {"summary", "races", "graph --both: needs of all items that nothing orders"},
    {"summary", "resource", "who: the resource"},
    {"summary", "versions", "who: how many versions of it there are"},
    {"summary", "data", "why: true: the second needs the first"},
    {"summary", "synchronization",
     "why: whether the program orders all accesses of the first before those of the second: "
     "all, some, none"},
    {"summary", "unordered", "why: one that it does not order"},
    {"summary", "visibility",
     "why: of what the second must see of the first, and the program orders: whether it makes it visible: all, some, "
     "none; absent: there is nothing of that"},
    {"summary", "invisible", "why: a place and two accesses to it, of which the second does not see the first"},
    {"summary", "lacks", "why: array: record and text of a command on the way that names too little for that"},
    {"summary", "devices", "sync --prove: what it was played on, as text"},
    {"summary", "tried", "sync --prove: findings that were tried"},
    {"summary", "proven", "sync --prove: of these"},
    {"summary", "not_tried", "sync --prove: findings beyond --tries"},
    {"summary", "together", "sync --prove: superfluous and too wide ones that were changed at once"},
    {"summary", "times", "sync --prove: the capture's time and that without these, as text"},
    {"summary", "pauses",
     "sync --prove: what differs first where the capture is played without a pause after each submit"},
    {"summary", "race", "sync: findings of the rule"},
    {"summary", "ineffective", "sync: likewise"},
    {"summary", "superfluous", "sync: likewise"},
    {"summary", "too-wide", "sync: likewise"},
    {"summary", "replaceable", "sync: likewise"},
    {"summary", "superfluous_commands", "sync: synchronization commands that are superfluous"},
    {"summary", "operations", "sync: synchronization commands, and dependencies of subpasses, of the capture"},
    {"summary", "needed", "sync: of these"},
    {"summary", "unknown", "sync: of these, those of which nobody knows what they are for"},
    {"summary", "ambiguous", "sync: races with host writes that may be the device's own, by cause: no findings"},
    {"summary", "never_began", "graph, who, why, sync: submits that wait for a signal that the capture does not have"},
    {"summary", "timed", "profile: items that have a time"},
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
    {"summary", "too_many", "true: the capture has more to follow than any program needs, and the rest is missing"},
    {"summary", "partial",
     "graph, who, why, sync: true: the capture was read only in part (too_many, cut, damage), so there may be more"},
    {"summary", "cut", "why the capture ends early; absent: it is complete"},
    {"summary", "damage", "graph, who, why, sync: what of the file cannot be read; absent: all can"},
};

}  // namespace

std::span<const RowField> row_fields() { return kFields; }

Result<void> append_head(std::string& out, std::string_view command, WorkNames& work,
                         const std::function<void(JsonWriter&)>& more) {
  const Reader& reader = work.walk().reader();
  const auto digest = digest_of_file(reader.path());
  if (!digest) return tl::unexpected(digest.error());
  JsonWriter json(out);
  json.begin_object();
  json.field("row", "analysis");
  json.field("schema", kRowSchema);
  json.field("command", command);
  json.field("file", reader.path());
  json.field("capture_id", hex_text(std::as_bytes(std::span(reader.header().capture_id))));
  json.field("capture_digest", to_string(*digest));
  json.key("captured_devices");
  json.begin_array();
  for (const DeviceRow& device : captured_devices(reader.path())) {
    json.begin_object();
    json.field("object", device.object);
    json.field("name", device.name);
    json.field("driver", device.driver);
    json.field("api_version", device.api_version);
    json.end_object();
  }
  json.end_array();
  json.field("rondo", RONDO_VERSION);
  if (more) more(json);
  json.end_object();
  out += '\n';
  return {};
}

void write_work(JsonWriter& json, const WorkNames& work, const WorkItem& item) {
  json.key("submit");
  item.submit != access::Executed::kNoSubmit ? json.unsigned_value(item.submit) : json.null();
  json.key("draw");
  item.draw != access::Executed::kNoDraw ? json.unsigned_value(item.draw) : json.null();
  json.field("frame", item.frame);
  json.field("record", item.record);
  json.field("at", item.at);
  json.field("command", codec::info(item.command).name);
  if (item.queue != ObjectId::null) json.field("queue", work.objects().name(item.queue));
  if (item.pipeline != ObjectId::null) {
    json.field("pipeline", work.objects().name(item.pipeline));
    if (const std::string* given = work.given_name(item.pipeline)) json.field("pipeline_name", *given);
    json.key("shaders");
    json.begin_array();
    for (const StageShader& shader : work.shaders(item.pipeline)) {
      json.begin_object();
      json.field("stage", shader.stage);
      json.field("digest", to_string(shader.digest));
      json.end_object();
    }
    json.end_array();
  }
  json.key("labels");
  json.begin_array();
  for (const std::string_view label : work.labels(item.label_path)) json.string(label);
  json.end_array();
  if (item.pass != WorkItem::kNoPass) json.field("pass", item.pass);
  if (item.draw != access::Executed::kNoDraw) {
    json.key("counts");
    json.begin_object();
    const auto names = access::count_names(item.command);
    for (std::size_t i = 0; i < names.size(); ++i) json.field(names[i], item.counts[i]);
    json.end_object();
  }
  if (item.views != 0) json.field("views", item.views);
}

void write_item(JsonWriter& json, const WorkNames& work, const WorkItem& item) {
  write_work(json, work, item);
  json.field("bytes", item.bytes);
  if (item.bytes_unknown) json.field("bytes_unknown", true);
}

std::string draw_text(const WorkItem& item) {
  return item.draw != access::Executed::kNoDraw ? text("{}:{}", item.submit, item.draw) : text("{}:-", item.submit);
}

std::string counts_text(const WorkItem& item) {
  if (item.draw == access::Executed::kNoDraw) return {};
  const auto names = access::count_names(item.command);
  if (names.size() == 3 && names[0] == std::string_view("groups_x"))
    return text("groups {} {} {}", item.counts[0], item.counts[1], item.counts[2]);
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) append(out, "{}{} {}", i == 0 ? "" : ", ", names[i], item.counts[i]);
  return out;
}

std::string shaders_text(const WorkNames& work, ObjectId pipeline) {
  std::string out;
  for (const StageShader& shader : work.shaders(pipeline))
    append(out, "{}{} {}", out.empty() ? "" : ", ", shader.stage, to_string(shader.digest).substr(0, 8));
  return out;
}

}  // namespace rondo::analyzers
