// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <vector>

#include "analyzers/launch/launch.h"
#include "analyzers/read/coverage.h"
#include "analyzers/read/session_modules.h"
#include "analyzers/text/info_output.h"
#include "analyzers/text/json_values.h"
#include "analyzers/text/text.h"

namespace rondo::analyzers {

namespace {

void label(std::string& out, std::string_view name, std::string_view words) { append(out, "{:<12}{}\n", name, words); }

std::string bytes_text(std::uint64_t bytes) { return text("{} bytes ({})", count_text(bytes), size_text(bytes)); }

std::string joined(const std::vector<std::string>& parts) {
  std::string out;
  for (const std::string& part : parts) append(out, "{}{}", out.empty() ? "" : ", ", printable(part));
  return out.empty() ? "none" : out;
}

void append_ending(std::string& out, const CaptureInfo& info) {
  if (!info.complete) {
    label(out, "cut", info.cut_reason);
    label(out, "",
          info.can_be_finished
              ? text("once its program has ended, 'rondo finish {}' closes it; 'player --salvage' plays it as it is",
                     printable(info.path))
              : "'player --salvage' plays what comes before; nothing in the file brings back the rest");
    return;
  }
  std::string words = "complete";
  const bool died = info.footer && info.footer->ending == static_cast<std::uint32_t>(Ending::finished);
  if (died)
    words += info.footer->exit_signal != 0
                 ? text(", finished after {} ended the program", signal_name(info.footer->exit_signal))
                 : ", finished after its program had ended without closing it";
  if (info.footer && info.footer->ending == static_cast<std::uint32_t>(Ending::stopped))
    words += ", but the recorder stopped before the program did";
  if (info.gaps != 0)
    words += text("; {} missing: {} plays up to the first", plural(info.gaps, "sequence number"),
                  died ? "player" : "'player --salvage'");
  label(out, "ending", words);
}

// What stood between the program and the device, by what it exports: files and build-ids.
void append_modules(std::string& out, const JsonText& session) {
  const std::vector<SessionModule> modules = session_modules(session);
  for (const std::string_view role : {"program", "loader", "layer", "driver"})
    for (const SessionModule& one : modules) {
      if (one.role != role) continue;
      const bool linked = !one.file.empty() && !one.path.ends_with("/" + one.file) && one.path != one.file;
      label(out, role == "program" ? "build" : role,
            printable(text("{}{}, build-id {}", one.path, linked ? " (" + one.file + ")" : "",
                           one.build_id.empty() ? "none" : one.build_id)));
    }
}

void append_session(std::string& out, const CaptureInfo& info) {
  const auto row = [&](const char* name, const char* pointer) {
    if (const auto value = info.session.shown(pointer)) label(out, name, printable(*value));
  };
  row("program", "/process/program");
  row("command", "/process/command_line");
  row("directory", "/process/directory");
  row("environment", "/process/environment");
  row("application", "/application");
  row("host", "/host");
  append_modules(out, info.session);
  row("settings", "/capture");
  if (const auto frames = info.session.string("/cut_request/frames"))
    label(out, "cut request", text("frames {}", printable(*frames)));
  row("recorder", "/rondo");
  row("stopped", "/stopped");
  const JsonText& session = info.session;
  if (const auto span = session.string("/cut/span"); span) {
    std::string devices;
    for (const auto& [index, name] : session.members("/cut/devices"))
      append(devices, "{}{}", devices.empty() ? "" : ", ", name);
    label(out, "part of",
          printable(text("{} ({}): {}, its records {} to {}; cut on {}", session.string("/cut/file").value_or("?"),
                         session.string("/cut/capture").value_or("?"), *span,
                         session.number("/cut/first_record").value_or(0),
                         session.number("/cut/last_record").value_or(0), devices)));
    if (const auto anew = session.number("/cut/checkpoints_of_these_devices").value_or(0); anew != 0)
      label(out, "",
            text("what {} compared with in {} is of that device, not of the captured one",
                 anew == 1 ? "1 image, buffer or memory is" : text("{} images, buffers and memories are", anew),
                 plural(session.number("/cut/checkpoints").value_or(0), "checkpoint")));
    if (const auto images = session.number("/cut/images_as_these_devices_lay_them_out").value_or(0); images != 0)
      label(out, "", text("{} lie as that driver lays them out: no other plays it", plural(images, "image")));
    if (const auto images = session.number("/cut/images_kept_after_undefined").value_or(0); images != 0)
      label(out, "", text("{} that it lets be undefined begin as that driver kept them", plural(images, "image")));
    if (const auto shaders = session.number("/cut/clamped_shaders").value_or(0); shaders != 0)
      label(out, "", text("it was made by a replay with {} clamped (--clamp-shaders)", plural(shaders, "shader")));
  }
}

// What the program asked for in a line each; the others by reason.
void append_hidden(std::string& out, const CaptureInfo& info) {
  std::map<std::string, std::vector<std::string>> by_reason;
  for (const HiddenThing& thing : info.hidden)
    if (thing.asked.empty())
      by_reason[thing.reason].push_back(thing.name);
    else
      label(out, "asked for", printable(text("{}, and {}: hidden: {}", thing.name, thing.asked, thing.reason)));
  for (const auto& [reason, names] : by_reason) label(out, "hidden", text("{}: {}", printable(reason), joined(names)));
}

void append_devices(std::string& out, const CaptureInfo& info) {
  for (const DeviceRow& device : info.devices) {
    label(out, "device",
          text("{}: {}, {}, Vulkan {}, vendor 0x{:x}, device 0x{:x}, driver {}", device.object, printable(device.name),
               device.type, device.api_version, device.vendor_id, device.device_id, printable(device.driver)));
    for (std::size_t i = 0; i < device.memory_types.size(); ++i)
      label(out, "", text("memory type {}: {}", i, device.memory_types[i]));
    for (std::size_t i = 0; i < device.queue_families.size(); ++i)
      label(out, "", text("queue family {}: {}", i, device.queue_families[i]));
  }
  if (!info.instance_extensions.empty())
    label(out, "instance", text("extensions: {}", joined(info.instance_extensions)));
  for (const LogicalDeviceRow& device : info.logical_devices) {
    label(out, "enabled", text("{} of {}: extensions: {}", device.object, device.physical, joined(device.extensions)));
    label(out, "", text("features: {}", joined(device.features)));
  }
}

// Which files it needs, or has with all that is in them.
void append_files(std::string& out, const CaptureInfo& info) {
  if (info.call_chains != 0)
    label(out, "callers",
          text("{} through {} (rondo dump, --symbols)", plural(info.call_chains, "call chain"),
               plural(info.call_modules.size(), "module")));
  label(out, "hermetic",
        info.hermetic()
            ? "yes: it needs no files"
            : text("no: it needs the {} below ('player --allow-files', '--file-remap'); 'rondo pack {} -o OUT' takes "
                   "them in",
                   plural(info.files_needed(), "file"), printable(info.path)));
  for (const ExternalFile& file : info.files)
    label(out, "file used",
          text("{}: {}, {} of it in {}, {}", printable(file.path), bytes_text(file.identity.bytes),
               size_text(file.referenced_bytes), plural(file.blobs, "blob"), file_check_text(file)));
}

void append_counts(std::string& out, const CaptureInfo& info) {
  const auto kinds = std::count_if(info.commands.begin(), info.commands.end(),
                                   [](const auto& row) { return row.first.starts_with("vk"); });
  label(out, "records",
        text("{} of {} on {}; sequence numbers to {}, {} asked by the layer", plural(info.calls, "call"),
             plural(static_cast<std::uint64_t>(kinds), "command"), plural(info.threads, "thread"), info.last_sequence,
             count_text(info.by_layer)));
  if (info.ambiguous != 0)
    label(out, "", text("{} that may hold the device's own writes", plural(info.ambiguous, "host write")));
  if (info.undated != 0)
    label(out, "",
          text("{} that may have been made before or after the end of work that uses the bytes: no wait says "
               "which",
               plural(info.undated, "host write")));
  if (info.unsupported != 0)
    label(out, "", text("{} that this build does not know", plural(info.unsupported, "record")));
  if (info.unfinished != 0) label(out, "", text("{} in which the process died", plural(info.unfinished, "call")));
  label(out, "frames", count_text(info.frames));
  label(out, "submits", count_text(info.submits));
  label(out, "time",
        text("{} from the first to the last call that is timed", duration_text(info.last_ns - info.first_ns)));
  label(out, "blobs",
        text("{} unique, {}; {} of {}", count_text(info.unique_blobs), bytes_text(info.unique_blob_bytes),
             plural(info.blob_references, "reference"), bytes_text(info.referenced_blob_bytes)));
  if (info.missing_blobs != 0)
    label(out, "",
          text("{} that are not in the file: 'player --salvage' plays what comes before the first",
               plural(info.missing_blobs, "reference")));
  append_files(out, info);
  for (const auto& [type, totals] : info.chunks)
    label(out, "chunks",
          text("{:<10} {:>5}, {:>12} bytes stored, {:>12} unpacked", chunk_text(type), totals.chunks,
               count_text(totals.stored_bytes), count_text(totals.raw_bytes)));
}

void append_commands(std::string& out, const CaptureInfo& info) {
  std::vector<std::pair<std::string, CommandCount>> rows(info.commands.begin(), info.commands.end());
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.second.calls > b.second.calls; });
  out += "commands\n";
  for (const auto& [name, count] : rows) {
    append(out, "  {:>10} {}", count_text(count.calls), printable(name));
    if (count.failed != 0) append(out, " ({} returned an error)", count_text(count.failed));
    out += '\n';
  }
  out += "objects\n";
  for (const auto& [name, count] : info.objects) append(out, "  {:>10} {}\n", count_text(count), name);
}

// Milliseconds since the first timed call, and how long.
std::string wait_text(std::uint64_t submitted_ns, std::uint64_t waited_ns) {
  if (submitted_ns == 0 || waited_ns < submitted_ns) return text("{:>12}", "-");
  return text("{:>12.6f}", static_cast<double>(waited_ns - submitted_ns) / 1e6);
}

std::string times_text(const CaptureInfo& info, std::uint64_t start_ns, std::uint64_t end_ns) {
  if (end_ns == 0) return text("{:>14} {:>12}", "-", "-");
  return text("{:>14.6f} {:>12.6f}", static_cast<double>(start_ns - info.first_ns) / 1e6,
              static_cast<double>(end_ns - start_ns) / 1e6);
}

void append_submits(std::string& out, const CaptureInfo& info, bool times) {
  append(out, "{:>8} {:>10} {:<14} {:>8} {:>9}{}\n", "submit", "sequence", "queue", "buffers", "commands",
         times ? text(" {:>14} {:>12} {:>12}", "start ms", "call ms", "to wait ms") : "");
  for (const SubmitRow& row : info.submit_rows)
    append(
        out, "{:>8} {:>10} {:<14} {:>8} {:>9}{}\n", row.number, row.sequence, row.queue, row.command_buffers,
        row.commands,
        times ? " " + times_text(info, row.start_ns, row.end_ns) + " " + wait_text(row.start_ns, row.waited_ns) : "");
}

void append_frames(std::string& out, const CaptureInfo& info, bool times) {
  append(out, "{:>8} {:>10} {:>10} {:>8} {:>8} {:>9}{}\n", "frame", "first", "present", "calls", "submits", "commands",
         times ? text(" {:>14} {:>12} {:>12}", "start ms", "ms", "to wait ms") : "");
  for (const FrameRow& row : info.frame_rows)
    append(out, "{:>8} {:>10} {:>10} {:>8} {:>8} {:>9}{}\n", row.number, row.first_sequence, row.last_sequence,
           row.calls, row.submits, row.commands,
           times ? " " + times_text(info, row.start_ns, row.end_ns) + " " + wait_text(row.submitted_ns, row.waited_ns)
                 : "");
}

void append_scopes(std::string& out, const CaptureInfo& info, bool times) {
  append(out, "{:<32} {:<13} {:>10} {:>10} {:>8}{}\n", "scope", "kind", "first", "last", "submits",
         times ? text(" {:>14} {:>12}", "start ms", "ms") : "");
  for (const ScopeRow& row : info.scope_rows)
    append(out, "{:<32} {:<13} {:>10} {:>10} {:>8}{}\n", text("{}#{}", printable(row.name), row.occurrence), row.kind,
           row.first_sequence, row.ended ? std::to_string(row.last_sequence) : "never", row.submits,
           times ? " " + times_text(info, row.start_ns, row.end_ns) +
                       (row.kind == "command label" ? "  (the submitting calls)" : "")
                 : "");
}

}  // namespace

const char* file_check_text(const ExternalFile& file) {
  if (file.embedded()) return "embedded";
  return file.check == FileCheck::digest ? "known by digest" : "known by identity";
}

const char* chunk_text(std::uint16_t type) {
  switch (static_cast<ChunkType>(type)) {
    case ChunkType::padding:
      return "padding";
    case ChunkType::session:
      return "session";
    case ChunkType::dictionary:
      return "dictionary";
    case ChunkType::records:
      return "records";
    case ChunkType::blobs:
      return "blobs";
    case ChunkType::index:
      return "index";
    case ChunkType::segment:
      return "segment";
    case ChunkType::files:
      return "files";
    case ChunkType::references:
      return "references";
  }
  return "unknown";
}

void append_info(std::string& out, const CaptureInfo& info, const InfoShown& shown) {
  label(out, "file",
        text("{}: {}, version {}.{}", printable(info.path), bytes_text(info.file_bytes), info.header.version_major,
             info.header.version_minor));
  append_ending(out, info);
  for (const std::string& damage : info.damaged) label(out, "damaged", printable(damage));
  if (!info.not_replayable.empty())
    label(out, "replay", text("cannot be replayed: {}", printable(info.not_replayable)));
  label(out, "recorded", utc_text(info.header.created_unix_ns));
  if (shown.submits || shown.frames || shown.scopes || shown.shaders) {
    if (shown.submits) append_submits(out, info, shown.times);
    if (shown.frames) append_frames(out, info, shown.times);
    if (shown.scopes) append_scopes(out, info, shown.times);
    if (shown.shaders) append_shaders(out, info.shader_rows);
    return;
  }
  append_session(out, info);
  append_devices(out, info);
  append_hidden(out, info);
  append_counts(out, info);
  for (const std::string& note : info.notes) label(out, "note", note);
  for (const std::string& refused : info.refused) label(out, "refused", printable(refused));
  append_commands(out, info);
  if (shown.coverage) append_coverage_of(out, info.commands);
}

}  // namespace rondo::analyzers
