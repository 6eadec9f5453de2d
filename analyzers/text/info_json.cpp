// SPDX-License-Identifier: Apache-2.0
#include "analyzers/read/coverage.h"
#include "analyzers/text/info_output.h"
#include "analyzers/text/json.h"
#include "analyzers/text/json_values.h"
#include "analyzers/text/text.h"
#include "format/hex.h"

namespace rondo::analyzers {

namespace {

void write_strings(JsonWriter& json, const char* name, const std::vector<std::string>& values) {
  json.key(name);
  json.begin_array();
  for (const std::string& value : values) json.string(value);
  json.end_array();
}

void write_devices(JsonWriter& json, const CaptureInfo& info) {
  json.key("devices");
  json.begin_array();
  for (const DeviceRow& device : info.devices) {
    json.begin_object();
    json.field("object", device.object);
    json.field("name", device.name);
    json.field("type", device.type);
    json.field("api_version", device.api_version);
    json.field("driver", device.driver);
    json.field("vendor_id", device.vendor_id);
    json.field("device_id", device.device_id);
    write_strings(json, "memory_types", device.memory_types);
    write_strings(json, "queue_families", device.queue_families);
    json.end_object();
  }
  json.end_array();
  write_strings(json, "instance_extensions", info.instance_extensions);
  json.key("logical_devices");
  json.begin_array();
  for (const LogicalDeviceRow& device : info.logical_devices) {
    json.begin_object();
    json.field("object", device.object);
    json.field("physical_device", device.physical);
    write_strings(json, "extensions", device.extensions);
    write_strings(json, "features", device.features);
    json.end_object();
  }
  json.end_array();
}

void write_hidden(JsonWriter& json, const CaptureInfo& info) {
  json.key("hidden");
  json.begin_array();
  for (const HiddenThing& thing : info.hidden) {
    json.begin_object();
    json.field("name", thing.name);
    json.field("reason", thing.reason);
    if (!thing.asked.empty()) json.field("asked", thing.asked);
    json.field("unknown", thing.unknown);
    json.end_object();
  }
  json.end_array();
}

void write_counts(JsonWriter& json, const CaptureInfo& info) {
  json.field("calls", info.calls);
  json.field("by_layer", info.by_layer);
  json.field("ambiguous", info.ambiguous);
  json.field("undated", info.undated);
  json.field("unsupported", info.unsupported);
  json.field("unfinished", info.unfinished);
  json.field("last_sequence", info.last_sequence);
  json.field("threads", info.threads);
  json.field("frames", info.frames);
  json.field("submits", info.submits);
  json.field("first_ns", info.first_ns);
  json.field("last_ns", info.last_ns);
  json.key("commands");
  json.begin_object();
  for (const auto& [name, count] : info.commands) {
    json.key(name);
    json.begin_object();
    json.field("calls", count.calls);
    json.field("failed", count.failed);
    json.end_object();
  }
  json.end_object();
  json.key("objects");
  json.begin_object();
  for (const auto& [name, count] : info.objects) json.field(name, count);
  json.end_object();
  json.key("blobs");
  json.begin_object();
  json.field("unique", info.unique_blobs);
  json.field("unique_bytes", info.unique_blob_bytes);
  json.field("references", info.blob_references);
  json.field("total_bytes", info.referenced_blob_bytes);
  json.field("missing", info.missing_blobs);
  json.end_object();
  json.key("chunks");
  json.begin_object();
  for (const auto& [type, totals] : info.chunks) {
    json.key(chunk_text(type));
    json.begin_object();
    json.field("count", totals.chunks);
    json.field("stored_bytes", totals.stored_bytes);
    json.field("raw_bytes", totals.raw_bytes);
    json.end_object();
  }
  json.end_object();
}

void write_files(JsonWriter& json, const CaptureInfo& info) {
  json.field("call_chains", std::uint64_t{info.call_chains});
  json.key("call_modules");
  json.begin_array();
  for (const auto& [number, module] : info.call_modules) {
    json.begin_object();
    json.field("module", number);
    if (!module.path.empty()) json.field("path", module.path);
    if (!module.build_id.empty()) json.field("build_id", hex_text(module.build_id));
    json.end_object();
  }
  json.end_array();
  json.field("hermetic", info.hermetic());
  json.key("files");
  json.begin_array();
  for (const ExternalFile& file : info.files) {
    json.begin_object();
    json.field("path", file.path);
    json.field("bytes", file.identity.bytes);
    json.field("device", file.identity.device);
    json.field("inode", file.identity.inode);
    json.field("mtime_ns", file.identity.mtime_ns);
    json.field("check", file.embedded() ? "embedded" : file.check == FileCheck::digest ? "digest" : "identity");
    json.field("referenced_bytes", file.referenced_bytes);
    json.field("blobs", file.blobs);
    json.end_object();
  }
  json.end_array();
}

// Nanoseconds of the capture's clock; nothing where none were recorded.
void write_span(JsonWriter& json, std::uint64_t start_ns, std::uint64_t end_ns) {
  if (end_ns == 0) return;
  json.field("start_ns", start_ns);
  json.field("end_ns", end_ns);
}

void write_submits(JsonWriter& json, const CaptureInfo& info, bool times) {
  json.key("submit_rows");
  json.begin_array();
  for (const SubmitRow& row : info.submit_rows) {
    json.begin_object();
    json.field("submit", row.number);
    json.field("sequence", row.sequence);
    json.field("queue", row.queue);
    json.field("command_buffers", row.command_buffers);
    json.field("commands", row.commands);
    if (times) write_span(json, row.start_ns, row.end_ns);
    if (times && row.waited_ns != 0) json.field("waited_ns", row.waited_ns);
    json.end_object();
  }
  json.end_array();
}

void write_frames(JsonWriter& json, const CaptureInfo& info, bool times) {
  json.key("frame_rows");
  json.begin_array();
  for (const FrameRow& row : info.frame_rows) {
    json.begin_object();
    json.field("frame", row.number);
    json.field("first_sequence", row.first_sequence);
    json.field("present_sequence", row.last_sequence);
    json.field("calls", row.calls);
    json.field("submits", row.submits);
    json.field("commands", row.commands);
    if (times) write_span(json, row.start_ns, row.end_ns);
    if (times && row.submitted_ns != 0) json.field("submitted_ns", row.submitted_ns);
    if (times && row.waited_ns != 0) json.field("waited_ns", row.waited_ns);
    json.end_object();
  }
  json.end_array();
}

void write_scopes(JsonWriter& json, const CaptureInfo& info, bool times) {
  json.key("scope_rows");
  json.begin_array();
  for (const ScopeRow& row : info.scope_rows) {
    json.begin_object();
    json.field("scope", row.name);
    json.field("occurrence", row.occurrence);
    json.field("kind", row.kind);
    json.field("first_sequence", row.first_sequence);
    json.field("last_sequence", row.last_sequence);
    json.field("ended", row.ended);
    json.field("submits", row.submits);
    if (times) write_span(json, row.start_ns, row.end_ns);
    json.end_object();
  }
  json.end_array();
}

}  // namespace

void append_info_json(std::string& out, const CaptureInfo& info, const InfoShown& shown) {
  JsonWriter json(out, /*indented=*/true);
  json.begin_object();
  write_file_members(
      json, FileFacts{info.path, info.file_bytes, info.header, info.complete, info.cut_reason, info.footer, info.gaps});
  json.key("session");
  json.value(info.session.compact());
  write_devices(json, info);
  write_hidden(json, info);
  write_counts(json, info);
  write_files(json, info);
  write_strings(json, "damaged", info.damaged);
  write_strings(json, "notes", info.notes);
  write_strings(json, "refused", info.refused);
  if (!info.not_replayable.empty()) json.field("cannot_be_replayed", info.not_replayable);
  if (shown.submits) write_submits(json, info, shown.times);
  if (shown.frames) write_frames(json, info, shown.times);
  if (shown.scopes) write_scopes(json, info, shown.times);
  if (shown.shaders) write_shaders(json, info.shader_rows);
  if (shown.coverage) {
    json.key("coverage");
    write_coverage_of(json, info.commands);
  }
  json.end_object();
  out += '\n';
}

}  // namespace rondo::analyzers
