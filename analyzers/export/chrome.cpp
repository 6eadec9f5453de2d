// SPDX-License-Identifier: Apache-2.0
#include "analyzers/export/chrome.h"

#include <map>
#include <utility>

#include "analyzers/analysis/rows.h"
#include "analyzers/export/device_clock.h"
#include "analyzers/export/out_file.h"
#include "analyzers/text/json.h"
#include "analyzers/text/text.h"

namespace rondo::analyzers {

namespace {

constexpr std::uint32_t kHost = 1;  // number of the process; devices have those after it

// Lanes of a queue: items of one do not overlap.
class Lanes {
 public:
  // The number of a lane that is free from `begin` on.
  std::uint32_t take(std::uint64_t begin, std::uint64_t end) {
    auto found = free_from_.upper_bound(begin);
    std::uint32_t lane = count_;
    if (found == free_from_.begin())
      count_ += 1;
    else
      lane = free_from_.extract(--found).mapped();  // the one that was busy last
    free_from_.emplace(end, lane);
    return lane;
  }

 private:
  std::multimap<std::uint64_t, std::uint32_t> free_from_;  // lane, by the end of its last item
  std::uint32_t count_ = 0;
};

class Chrome final : public Exporter {
 public:
  Chrome(const ExportSource& source, OutFile out, std::string path)
      : source_(source), path_(std::move(path)), clock_(source), out_(std::move(out)) {
    out_.write("{\"traceEvents\":[");
  }
  void item(const GraphWalk& walk, const ExportedItem& exported) override;
  Result<std::vector<ExportedFile>> finish(const GraphWalk& walk, const GraphTotals& totals) override;

 private:
  struct Queue {
    Lanes lanes;
    std::map<std::uint32_t, bool> named;
  };
  // An event: `fill(json)` adds its fields.
  template <class Fill>
  void write(const char* phase, std::uint32_t process, std::uint64_t thread, const Fill& fill) {
    line_ = is_first_ ? "\n" : ",\n";
    is_first_ = false;
    JsonWriter json(line_);
    json.begin_object();
    json.field("ph", phase);
    json.field("pid", process);
    json.field("tid", thread);
    fill(json);
    json.end_object();
    out_.write(line_);
  }
  // Microseconds, with nanoseconds as three digits after the point.
  static void write_time(JsonWriter& json, const char* name, std::uint64_t ns) {
    json.key(name);
    json.value(text("{}.{:03}", ns / 1000, ns % 1000));
  }
  void name(const char* what, std::uint32_t process, std::uint64_t thread, const std::string& words) {
    write("M", process, thread, [&](JsonWriter& json) {
      json.field("name", what);
      json.key("args");
      json.begin_object();
      json.field("name", words);
      json.end_object();
    });
  }
  void write_flow(const char* phase, std::uint32_t process, std::uint64_t thread, std::uint64_t ns, std::uint64_t id);

  const ExportSource& source_;
  const std::string path_;
  DeviceClock clock_;
  OutFile out_;
  bool is_first_ = true;
  std::map<ObjectId, std::uint32_t> processes_;  // by device
  std::map<ObjectId, std::uint32_t> queue_numbers_;
  std::map<ObjectId, Queue> queues_;
  std::uint64_t items_ = 0, untimed_ = 0;
  std::string line_;
};

void Chrome::write_flow(const char* phase, std::uint32_t process, std::uint64_t thread, std::uint64_t ns,
                        std::uint64_t id) {
  write(phase, process, thread, [&](JsonWriter& json) {
    json.field("name", "submit");
    json.field("cat", "submit");
    json.field("id", id);
    write_time(json, "ts", ns);
    if (*phase == 'f') json.field("bp", "e");  // it ends at the event that holds it
  });
}

void Chrome::item(const GraphWalk& walk, const ExportedItem& exported) {
  const WorkItem& work = exported.item.work;
  if (is_of_host(exported.item.kind)) return;
  const auto time = clock_.place(walk, exported);
  if (!time) {
    untimed_ += 1;
    return;
  }
  const ObjectId device = device_of_queue(walk, work.queue);
  const auto [process, fresh] =
      processes_.try_emplace(device, kHost + 1 + static_cast<std::uint32_t>(processes_.size()));
  if (fresh) name("process_name", process->second, 0, printable(walk.name(device)));
  const auto queue = queue_numbers_.try_emplace(work.queue, static_cast<std::uint32_t>(queue_numbers_.size())).first;
  Queue& lanes = queues_[work.queue];
  const std::uint32_t lane = lanes.lanes.take(time->begin_ns, time->begin_ns + time->duration_ns);
  const std::uint64_t thread = (std::uint64_t{queue->second} + 1) * 1'000'000 + lane;
  if (lanes.named.try_emplace(lane, true).second)
    name("thread_name", process->second, thread,
         lane == 0 ? printable(walk.name(work.queue)) : text("{}, lane {}", printable(walk.name(work.queue)), lane));
  write("X", process->second, thread, [&](JsonWriter& json) {
    json.field("name", short_name(walk, work));
    json.field("cat", work.is_pass ? "render pass" : "device");
    write_time(json, "ts", time->begin_ns);
    write_time(json, "dur", time->duration_ns);
    json.key("args");
    json.begin_object();
    json.field("record", work.record);
    json.field("submit", work.submit);
    json.field("frame", work.frame);
    if (const std::string labels = walk.label_text(work.label_path); !labels.empty()) json.field("labels", labels);
    if (const std::string counts = counts_text(work); !counts.empty()) json.field("counts", counts);
    if (work.is_pass) json.field("draws", work.draws);
    for (const StageShader& shader : walk.shaders(work.pipeline))
      json.field("shader." + shader.stage, to_string(shader.digest));
    if (exported.time != nullptr && exported.time->below_timer) json.field("below_timer", true);
    json.end_object();
  });
  if (const HostCall* const call = source_.call_of(work.at)) {
    const std::uint64_t id = std::uint64_t{exported.item.number} + 1;
    write_flow("s", kHost, call->thread, call->start_ns, id);
    write_flow("f", process->second, thread, time->begin_ns, id);
  }
  items_ += 1;
}

Result<std::vector<ExportedFile>> Chrome::finish(const GraphWalk&, const GraphTotals& totals) {
  name("process_name", kHost, 0, source_.program.empty() ? "captured program" : printable(source_.program));
  std::map<std::uint32_t, bool> threads;
  for (const HostCall& call : source_.calls) {
    if (threads.try_emplace(call.thread, true).second)
      name("thread_name", kHost, call.thread, text("thread {}", call.thread));
    write("X", kHost, call.thread, [&](JsonWriter& json) {
      json.field("name", call.command->name);
      json.field("cat", call.waits ? "host wait" : "host");
      write_time(json, "ts", call.start_ns);
      write_time(json, "dur", call.end_ns - call.start_ns);
      json.key("args");
      json.begin_object();
      json.field("record", call.record);
      json.end_object();
    });
  }
  for (const MemoryPoint& point : source_.memory) {
    const std::uint64_t ns = point.ns != 0 ? point.ns : source_.first_ns;
    write("C", kHost, 0, [&](JsonWriter& json) {
      json.field("name", "allocated device memory");
      write_time(json, "ts", ns);
      json.key("args");
      json.begin_object();
      json.field("bytes", point.bytes);
      json.end_object();
    });
  }
  line_ = "\n],\"displayTimeUnit\":\"ns\",\"otherData\":";
  JsonWriter json(line_);
  json.begin_object();
  for (const auto& [what, value] : about(source_)) json.field(what, value);
  if (!totals.cut.empty()) json.field("cut", totals.cut);
  if (!totals.damage.empty()) json.field("damage", totals.damage);
  json.end_object();
  out_.write(line_ + "}\n");
  const std::uint64_t bytes = out_.bytes();
  RONDO_TRY(out_.keep());
  std::string words =
      text("{} of the host, {} of a device", plural(source_.calls.size(), "call"), plural(items_, "item"));
  if (untimed_ != 0) append(words, ", {} without a time left out", count_text(untimed_));
  return std::vector<ExportedFile>{{path_, bytes, std::move(words)}};
}

}  // namespace

Result<std::unique_ptr<Exporter>> chrome_exporter(const ExportSource& source, const std::string& path) {
  auto out = OutFile::create(path, source.file);
  if (!out) return tl::unexpected(out.error());
  return std::make_unique<Chrome>(source, std::move(*out), path);
}

}  // namespace rondo::analyzers
