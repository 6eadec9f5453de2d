// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "analyzers/text/dump_rows.h"
#include "analyzers/text/json.h"
#include "analyzers/text/json_values.h"
#include "analyzers/text/names.h"
#include "analyzers/text/text.h"
#include "format/codec/printer.h"
#include "format/hex.h"

namespace rondo::analyzers {

namespace {

// Structures of a pNext chain have their type as the member "structure".
class JsonSink : public codec::ValueSink {
 public:
  JsonSink(JsonWriter& json, const Walk& walk) : json_(json), walk_(walk) {}

  void begin_structure(std::string_view type) override {
    json_.begin_object();
    if (!chains_.empty() && chains_.back()) json_.field("structure", type);
    chains_.push_back(false);
  }
  void end_structure() override {
    json_.end_object();
    chains_.pop_back();
  }
  void begin_array() override {
    json_.begin_array();
    chains_.push_back(chain_next_);
    chain_next_ = false;
  }
  void end_array() override {
    json_.end_array();
    chains_.pop_back();
  }
  void key(std::string_view name) override {
    json_.key(name);
    chain_next_ = name == "pNext";
  }
  void null() override { json_.null(); }
  void unsigned_value(std::uint64_t v) override { json_.unsigned_value(v); }
  void signed_value(std::int64_t v) override { json_.signed_value(v); }
  void floating_value(double v, bool single) override { json_.floating_value(v, single); }
  void boolean(bool v) override { json_.boolean(v); }
  void enumerant(std::string_view name, std::int64_t v) override {
    if (name.empty())
      json_.signed_value(v);
    else
      json_.string(name);
  }
  void flags(EnumId bits, std::uint64_t v) override {
    const FlagNames flags = flag_names(bits, v);
    json_.begin_array();
    for (const std::string_view name : flags.names) json_.string(name);
    if (flags.unknown != 0) json_.string(text("0x{:x}", flags.unknown));
    json_.end_array();
  }
  void handle(HandleType type, std::uint64_t captured, std::uint32_t index) override {
    if (captured == 0)
      json_.null();
    else
      json_.string(object_text(walk_, type, captured, index));
  }
  void string(std::string_view v) override { json_.string(v); }
  void bytes(const Digest& digest, std::uint64_t length) override {
    json_.begin_object();
    json_.field("blob", to_string(digest));
    json_.field("bytes", length);
    json_.end_object();
  }

 private:
  JsonWriter& json_;
  const Walk& walk_;
  bool chain_next_ = false;
  std::vector<bool> chains_;  // one a container that is open: an array of pNext structures?
};

void write_callers(JsonWriter& json, const CallerFrames& callers) {
  if (callers.frames.empty()) return;
  json.key("callers");
  json.begin_array();
  for (const CallerFrame& frame : callers.frames) {
    json.begin_object();
    if (frame.module != nullptr && !frame.module->path.empty())
      json.field("module", frame.module->path);
    else if (frame.module != nullptr)
      json.field("build_id", hex_text(frame.module->build_id));
    json.field("offset", frame.offset);
    for (std::size_t i = 0; i < frame.places.size(); ++i) {
      const bool inlined = i + 1 < frame.places.size();
      if (i == 0 && inlined) {
        json.key("inlined");
        json.begin_array();
      }
      if (inlined) json.begin_object();
      if (!frame.places[i].function.empty()) json.field("function", frame.places[i].function);
      if (!frame.places[i].file.empty()) {
        json.field("file", frame.places[i].file);
        json.field("line", frame.places[i].line);
      }
      if (!inlined) continue;
      json.end_object();
      if (i + 2 == frame.places.size()) json.end_array();
    }
    json.end_object();
  }
  json.end_array();
  if (callers.truncated) json.field("callers_truncated", true);
}

class JsonRows : public DumpRows {
 public:
  explicit JsonRows(Symbols* symbols) : symbols_(symbols) {}

  void file(std::string& out, Reader& reader) override {
    JsonWriter json(out);
    json.begin_object();
    json.field("row", "file");
    write_file_members(json, reader);
    json.key("session");
    json.value(JsonText::merge(reader.sessions()).compact());
    json.end_object();
    out += '\n';
  }

  void summary(std::string& out, const DumpSummary& s) override {
    JsonWriter json(out);
    json.begin_object();
    json.field("row", "summary");
    json.field("records", s.records);
    json.field("calls", s.calls);
    json.field("hermetic", s.hermetic);
    json.field("replayable", s.replayable);
    json.field("unsupported", s.unsupported);
    json.field("frames", s.frames);
    json.field("submits", s.submits);
    json.field("last_sequence", s.last_sequence);
    if (!s.damage.empty()) json.field("damage", s.damage);
    json.end_object();
    out += '\n';
  }

  Result<void> record(std::string& out, Walk& walk, const Step& step, const DrawNumber* number) override {
    const Record& record = step.record;
    JsonWriter json(out);
    json.begin_object();
    json.field("row", "record");
    json.field("sequence", record.sequence);
    json.field("thread", record.thread);
    json.field("frame", step.frame);
    json.field("submit", step.submit);
    if (number != nullptr) {
      json.field("draw_submit", number->submit);
      json.field("draw", number->draw);
      json.field("executions", number->executions);
    }
    if (record.has_times) {
      json.field("start_ns", record.start_ns);
      json.field("end_ns", record.end_ns);
    }
    if (step.by_layer()) json.field("by_layer", true);
    if ((record.flags & kRecordAmbiguous) != 0) json.field("ambiguous", true);
    RONDO_TRY(write_command(json, walk, step));
    json.end_object();
    out += '\n';
    return {};
  }

  void executes(std::string& out, const ExecutesRow& row) override {
    JsonWriter json(out);
    json.begin_object();
    json.field("row", "executes");
    json.field("submit", row.submit);
    json.field("batch", row.batch);
    json.field("command_buffer", row.command_buffer);
    json.field("first_record", row.first_record);
    json.field("commands", row.commands);
    json.field("recorded_before", row.recorded_before);
    json.end_object();
    out += '\n';
  }

  // The members that follow those of executed(), as an object without its opening bracket.
  Result<std::string> command(Walk& walk, const Step& step) override {
    std::string row;
    JsonWriter json(row);
    json.begin_object();
    json.field("sequence", step.record.sequence);
    json.field("thread", step.record.thread);
    RONDO_TRY(write_command(json, walk, step));
    json.end_object();
    return row.substr(1);
  }

  void executed(std::string& out, std::uint64_t submit, std::optional<std::uint64_t> draw,
                const std::string& command) override {
    append(out, "{{\"row\":\"executed\",\"submit\":{},", submit);
    if (draw) append(out, "\"draw\":{},", *draw);
    append(out, "{}\n", command);
  }

 private:
  Result<void> write_command(JsonWriter& json, Walk& walk, const Step& step) const {
    json.field("command", walk.name(step));
    if (step.unfinished()) json.field("unfinished", true);
    if (step.command == nullptr)
      json.field("unsupported", true);
    else
      RONDO_TRY(write_call(json, walk, step));
    write_callers(json, callers_of(walk, step, symbols_));
    return {};
  }
  static Result<void> write_call(JsonWriter& json, Walk& walk, const Step& step) {
    using codec::Returns;
    const Record& record = step.record;
    if (step.command->returns != Returns::nothing) {
      json.key("result");
      if (!record.has_return)
        json.null();
      else if (step.command->returns == Returns::unsigned32 || step.command->returns == Returns::unsigned64)
        json.unsigned_value(static_cast<std::uint64_t>(record.return_value));
      else
        json.string(result_text(*step.command, record));
    }
    json.key("parameters");
    json.begin_object();
    JsonSink sink(json, walk);
    RONDO_TRY(codec::print(sink, walk.ids(), step.command->id, record.payload));
    json.end_object();
    return {};
  }

  Symbols* const symbols_;
};

}  // namespace

std::unique_ptr<DumpRows> json_rows(Symbols* symbols) { return std::make_unique<JsonRows>(symbols); }

}  // namespace rondo::analyzers
