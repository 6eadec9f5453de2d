// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/rows.h"

#include "analyzers/read/device_info.h"
#include "analyzers/read/session_modules.h"
#include "analyzers/text/text.h"
#include "format/file_digest.h"
#include "format/hex.h"

namespace rondo::analyzers {

namespace {

// Begins the head, and leaves it open.
CapturedDevices begin_head(JsonWriter& json, WorkNames& work, const Head& head, const std::string& digest) {
  const Reader& reader = work.walk().reader();
  CapturedDevices devices = captured_devices(reader.path());
  json.begin_object();
  json.field("row", "analysis");
  json.field("schema", kRowSchema);
  json.field("command", head.command);
  json.field("file", reader.path());
  json.field("capture_id", hex_text(std::as_bytes(std::span(reader.header().capture_id))));
  json.field("capture_digest", digest);
  json.key("captured_devices");
  json.begin_array();
  for (const DeviceRow& device : devices.asked) {
    json.begin_object();
    json.field("object", device.object);
    json.field("name", device.name);
    json.field("driver", device.driver);
    json.field("api_version", device.api_version);
    json.end_object();
  }
  json.end_array();
  json.field("rondo", RONDO_VERSION);
  if (head.more) head.more(json);
  return devices;
}

}  // namespace

Result<void> write_head(Output& out, WorkNames& work, const Head& head) {
  const Reader& reader = work.walk().reader();
  const auto digest = digest_of_file(reader.path());
  if (!digest) return tl::unexpected(digest.error());
  std::string line;
  JsonWriter json(line);
  const CapturedDevices devices = begin_head(json, work, head, to_string(*digest));
  const std::string device = listed(head.played_on.empty() ? devices.used : head.played_on);
  const std::string build = program_build(JsonText::merge(reader.sessions()));
  const auto write_origin = [&](JsonWriter& to) {
    if (!device.empty()) to.field("device", device);
    if (!build.empty()) to.field("build", build);
    if (!head.job.empty()) to.field("job", head.job);
  };
  write_origin(json);
  json.end_object();
  out.write(line += '\n');
  std::string members;
  JsonWriter row(members);
  row.begin_object();
  row.field("capture_digest", to_string(*digest));
  write_origin(row);
  row.end_object();
  out.add_to_rows(members.substr(1, members.size() - 2));  // without the brackets
  return {};
}

Result<void> append_head(std::string& out, WorkNames& work, const Head& head) {
  const auto digest = digest_of_file(work.walk().reader().path());
  if (!digest) return tl::unexpected(digest.error());
  JsonWriter json(out);
  begin_head(json, work, head, to_string(*digest));
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
  if (item.primary != 0) json.field("primary", item.primary);
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
