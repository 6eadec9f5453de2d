// SPDX-License-Identifier: Apache-2.0
#include "analyzers/export/perfetto.h"

#include <algorithm>
#include <map>
#include <protozero/pbf_writer.hpp>
#include <unordered_map>
#include <utility>

#include "analyzers/analysis/rows.h"
#include "analyzers/export/device_clock.h"
#include "analyzers/export/out_file.h"
#include "analyzers/text/text.h"

namespace rondo::analyzers {

namespace {

using Tag = protozero::pbf_tag_type;
using Message = protozero::pbf_writer;

// Numbers of fields and values in Perfetto's .proto files. tests/export/perfetto_fields.proto has them by name.
constexpr Tag kTracePacket = 1;
namespace packet {
constexpr Tag timestamp = 8, sequence = 10, track_event = 11, interned = 12, flags = 13, render_stage = 53,
              track_descriptor = 60, first_on_sequence = 87;
constexpr std::uint32_t cleared = 1, needs_state = 2;
}  // namespace packet
namespace interned {
constexpr Tag contexts = 23, specifications = 24;
}
namespace specification {
constexpr Tag iid = 1, name = 2, description = 3, category = 4;
constexpr std::int32_t other = 0, graphics = 1, compute = 2;
}  // namespace specification
namespace context {
constexpr Tag iid = 1, pid = 2, api = 3;
constexpr std::int32_t vulkan = 2;
}  // namespace context
namespace stage {
constexpr Tag event_id = 1, duration = 2, context = 5, extra_data = 6, render_pass = 9, submission = 10, gpu = 11,
              hw_queue = 13, stage = 14, name = 17;
constexpr Tag extra_name = 1, extra_value = 2;
}  // namespace stage
namespace track {
constexpr Tag uuid = 1, name = 2, process = 3, thread = 4, parent = 5, counter = 8;
constexpr Tag process_pid = 1, process_name = 6;
constexpr Tag thread_pid = 1, thread_tid = 2, thread_name = 5;
constexpr Tag counter_unit = 3;
constexpr std::int32_t size_bytes = 3;
}  // namespace track
namespace event {
constexpr Tag annotations = 4, type = 9, track = 11, categories = 22, name = 23, counter_value = 30, flows = 47,
              ending_flows = 48;
constexpr std::int32_t begin = 1, end = 2, instant = 3, counter = 4;
constexpr Tag annotation_unsigned = 3, annotation_string = 6, annotation_name = 10;
}  // namespace event

constexpr std::int32_t kPid = 1;  // of the captured process: the capture need not say which one it was
constexpr std::uint64_t kProcessTrack = 1, kMemoryTrack = 2, kAboutTrack = 3;
std::uint64_t thread_track(std::uint32_t thread) { return (std::uint64_t{1} << 32) + thread; }
std::uint64_t queue_track(ObjectId queue) { return (std::uint64_t{2} << 32) + index_of(queue); }

class Perfetto final : public Exporter {
 public:
  Perfetto(const ExportSource& source, OutFile out, std::string path)
      : source_(source), path_(std::move(path)), clock_(source), out_(std::move(out)) {
    write([&](Message& to) {
      to.add_uint32(packet::flags, packet::cleared);
      to.add_bool(packet::first_on_sequence, true);
      Message track(to, packet::track_descriptor);
      track.add_uint64(track::uuid, kProcessTrack);
      Message process(track, track::process);
      process.add_int32(track::process_pid, kPid);
      process.add_string(track::process_name,
                         source_.program.empty() ? "captured program" : printable(source_.program));
    });
  }

  void item(const GraphWalk& walk, const ExportedItem& exported) override;
  Result<std::vector<ExportedFile>> finish(const GraphWalk& walk, const GraphTotals& totals) override;

 private:
  // A packet of the one sequence. `fill(message)` adds its fields.
  template <class Fill>
  void write(const Fill& fill) {
    packet_.clear();
    Message to(packet_);
    to.add_uint32(packet::sequence, 1);
    fill(to);
    bytes_.clear();
    Message trace(bytes_);
    trace.add_message(kTracePacket, packet_);
    out_.write(bytes_);
  }
  // A TrackEvent at a time. `fill(event)` adds more of its fields.
  template <class Fill>
  void write_event(std::uint64_t ns, std::int32_t type, std::uint64_t track, const Fill& fill) {
    write([&](Message& to) {
      to.add_uint64(packet::timestamp, ns);
      Message one(to, packet::track_event);
      one.add_enum(event::type, type);
      one.add_uint64(event::track, track);
      fill(one);
    });
  }
  void write_track(std::uint64_t uuid, const std::string& name);
  // Numbers of interned specifications, from 1 on; they are written at their first use.
  std::uint64_t specification(const std::string& name, const std::string& description, std::int32_t category);
  void use_context(ObjectId device);
  void write_stage(const GraphWalk& walk, const ExportedItem& exported, const PlacedTime& time);
  void write_calls();
  void write_memory();
  void write_about(const GraphTotals& totals);

  const ExportSource& source_;
  const std::string path_;
  DeviceClock clock_;
  OutFile out_;
  std::map<std::string, std::uint64_t> specifications_;                  // by name and category
  std::map<ObjectId, std::int32_t> gpus_;                                // by device: gpu_id
  std::map<ObjectId, std::uint64_t> queues_;                             // their specifications
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> flows_;  // by record of a submit
  std::uint64_t stages_ = 0, untimed_ = 0;
  std::uint64_t first_ns_ = 0;  // of all that is written
  std::string packet_, bytes_;
};

void Perfetto::write_track(std::uint64_t uuid, const std::string& name) {
  write([&](Message& to) {
    Message track(to, packet::track_descriptor);
    track.add_uint64(track::uuid, uuid);
    track.add_uint64(track::parent, kProcessTrack);
    track.add_string(track::name, name);
  });
}

std::uint64_t Perfetto::specification(const std::string& name, const std::string& description, std::int32_t category) {
  const auto [found, fresh] =
      specifications_.try_emplace(text("{} {}", category, name), std::uint64_t{specifications_.size()} + 1);
  if (!fresh) return found->second;
  write([&](Message& to) {
    to.add_uint32(packet::flags, packet::needs_state);
    Message interned(to, packet::interned);
    Message one(interned, interned::specifications);
    one.add_uint64(specification::iid, found->second);
    one.add_string(specification::name, name);
    one.add_string(specification::description, description);
    one.add_enum(specification::category, category);
  });
  return found->second;
}

void Perfetto::use_context(ObjectId device) {
  if (!gpus_.try_emplace(device, static_cast<std::int32_t>(gpus_.size())).second) return;
  write([&](Message& to) {
    to.add_uint32(packet::flags, packet::needs_state);
    Message interned(to, packet::interned);
    Message one(interned, interned::contexts);
    one.add_uint64(context::iid, index_of(device));
    one.add_int32(context::pid, kPid);
    one.add_enum(context::api, context::vulkan);
  });
}

void Perfetto::write_stage(const GraphWalk& walk, const ExportedItem& exported, const PlacedTime& time) {
  const WorkItem& work = exported.item.work;
  const std::string command = codec::info(work.command).name;
  const ObjectId device = device_of_queue(walk, work.queue);
  use_context(device);
  const auto [queue, fresh] = queues_.try_emplace(work.queue, 0);
  if (fresh) {
    queue->second = specification(printable(walk.name(work.queue)), "queue", specification::other);
    write_track(queue_track(work.queue), text("begins on {}", printable(walk.name(work.queue))));
  }
  const bool counts_groups = !access::count_names(work.command).empty() &&
                             std::string_view(access::count_names(work.command)[0]).starts_with("groups");
  const std::uint64_t stage = specification(work.is_pass ? "render pass" : command, command,
                                            exported.item.kind == graph::ItemKind::pass ? specification::graphics
                                            : counts_groups                             ? specification::compute
                                                                                        : specification::other);
  const std::string name = short_name(walk, work);
  const std::uint64_t id = std::uint64_t{exported.item.number} + 1;
  write([&](Message& to) {
    to.add_uint64(packet::timestamp, time.begin_ns);
    to.add_uint32(packet::flags, packet::needs_state);
    Message one(to, packet::render_stage);
    one.add_uint64(stage::event_id, id);
    one.add_uint64(stage::duration, time.duration_ns);
    one.add_uint64(stage::context, index_of(device));
    const auto extra = [&](const char* what, const std::string& value) {
      if (value.empty()) return;
      Message pair(one, stage::extra_data);
      pair.add_string(stage::extra_name, what);
      pair.add_string(stage::extra_value, value);
    };
    extra("record", std::to_string(work.record));
    extra("submit", std::to_string(work.submit));
    extra("frame", std::to_string(work.frame));
    extra("labels", walk.label_text(work.label_path));
    extra("counts", counts_text(work));
    if (work.pipeline != ObjectId::null) extra("pipeline", printable(walk.name(work.pipeline)));
    for (const StageShader& shader : walk.shaders(work.pipeline))
      extra(("shader." + shader.stage).c_str(), to_string(shader.digest));
    if (work.is_pass) extra("draws", std::to_string(work.draws));
    if (exported.time != nullptr && exported.time->below_timer) extra("below_timer", "true");
    if (work.render_pass != ObjectId::null) one.add_uint64(stage::render_pass, index_of(work.render_pass));
    one.add_uint32(stage::submission, static_cast<std::uint32_t>(work.submit));
    one.add_int32(stage::gpu, gpus_[device]);
    one.add_uint64(stage::hw_queue, queue->second);
    one.add_uint64(stage::stage, stage);
    one.add_string(stage::name, name);
  });
  // A stage cannot have a flow, so a mark of no length has it.
  const bool has_call = source_.call_of(work.at) != nullptr;
  write_event(time.begin_ns, event::instant, queue_track(work.queue), [&](Message& one) {
    one.add_string(event::categories, "device");
    one.add_string(event::name, name);
    const std::uint64_t flows[] = {id};
    if (has_call) one.add_packed_fixed64(event::ending_flows, std::begin(flows), std::end(flows));
  });
  if (has_call) flows_[work.at].push_back(id);
  if (stages_++ == 0 || time.begin_ns < first_ns_) first_ns_ = time.begin_ns;
}

void Perfetto::item(const GraphWalk& walk, const ExportedItem& exported) {
  if (is_of_host(exported.item.kind)) return;
  if (const auto time = clock_.place(walk, exported))
    write_stage(walk, exported, *time);
  else
    untimed_ += 1;
}

void Perfetto::write_calls() {
  std::map<std::uint32_t, bool> threads;
  for (const HostCall& call : source_.calls) {
    if (threads.try_emplace(call.thread, true).second)
      write([&](Message& to) {
        Message track(to, packet::track_descriptor);
        track.add_uint64(track::uuid, thread_track(call.thread));
        track.add_uint64(track::parent, kProcessTrack);
        Message thread(track, track::thread);
        thread.add_int32(track::thread_pid, kPid);
        thread.add_int32(track::thread_tid, static_cast<std::int32_t>(call.thread & 0x3fffffff) + kPid + 1);
        thread.add_string(track::thread_name, text("thread {}", call.thread));
      });
    write_event(call.start_ns, event::begin, thread_track(call.thread), [&](Message& one) {
      one.add_string(event::categories, call.waits ? "host wait" : "host");
      one.add_string(event::name, call.command->name);
      {
        Message record(one, event::annotations);
        record.add_string(event::annotation_name, "record");
        record.add_uint64(event::annotation_unsigned, call.record);
      }
      if (const auto found = flows_.find(call.record); found != flows_.end())
        one.add_packed_fixed64(event::flows, found->second.begin(), found->second.end());
    });
    write_event(call.end_ns, event::end, thread_track(call.thread), [](Message&) {});
  }
}

void Perfetto::write_memory() {
  bool has_track = false;
  for (const MemoryPoint& point : source_.memory) {
    const std::uint64_t ns = point.ns != 0 ? point.ns : source_.first_ns;
    if (!std::exchange(has_track, true))
      write([&](Message& to) {
        Message track(to, packet::track_descriptor);
        track.add_uint64(track::uuid, kMemoryTrack);
        track.add_uint64(track::parent, kProcessTrack);
        track.add_string(track::name, "allocated device memory");
        Message counter(track, track::counter);
        counter.add_enum(track::counter_unit, track::size_bytes);
      });
    write_event(ns, event::counter, kMemoryTrack, [&](Message& one) {
      one.add_int64(event::counter_value, static_cast<std::int64_t>(std::min<std::uint64_t>(point.bytes, INT64_MAX)));
    });
  }
}

// What the trace is of, and what its times are: a mark at its begin.
void Perfetto::write_about(const GraphTotals& totals) {
  write_track(kAboutTrack, "about this trace");
  std::uint64_t begin = source_.first_ns;
  if (stages_ != 0 && (begin == 0 || first_ns_ < begin)) begin = first_ns_;
  write_event(begin, event::instant, kAboutTrack, [&](Message& one) {
    one.add_string(event::name, "rondo export");
    const auto say = [&](std::string_view name, const std::string& value) {
      if (value.empty()) return;
      Message pair(one, event::annotations);
      pair.add_string(event::annotation_name, name.data(), name.size());
      pair.add_string(event::annotation_string, printable(value));
    };
    for (const auto& [name, value] : about(source_)) say(name, value);
    say("cut", totals.cut);
    say("damage", totals.damage);
  });
}

Result<std::vector<ExportedFile>> Perfetto::finish(const GraphWalk&, const GraphTotals& totals) {
  write_calls();
  write_memory();
  write_about(totals);
  const std::uint64_t bytes = out_.bytes();
  RONDO_TRY(out_.keep());
  std::string words =
      text("{} of the host, {} of a device", plural(source_.calls.size(), "call"), plural(stages_, "item"));
  if (untimed_ != 0) append(words, ", {} without a time left out", count_text(untimed_));
  return std::vector<ExportedFile>{{path_, bytes, std::move(words)}};
}

}  // namespace

Result<std::unique_ptr<Exporter>> perfetto_exporter(const ExportSource& source, const std::string& path) {
  auto out = OutFile::create(path, source.file);
  if (!out) return tl::unexpected(out.error());
  return std::make_unique<Perfetto>(source, std::move(*out), path);
}

}  // namespace rondo::analyzers
