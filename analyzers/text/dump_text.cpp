// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "analyzers/text/dump_rows.h"
#include "analyzers/text/names.h"
#include "analyzers/text/text.h"
#include "format/codec/printer.h"
#include "format/hex.h"

namespace rondo::analyzers {

namespace {

// name=value, name={name=value, …}, name=[…]. Structures of a pNext chain
// have their type in front.
class TextSink : public codec::ValueSink {
 public:
  TextSink(std::string& out, const Walk& walk) : out_(out), walk_(walk) {}

  void begin_structure(std::string_view type) override {
    separate();
    if (!open_.empty() && open_.back().chain) out_ += type;
    push('{', false);
  }
  void end_structure() override { pop('}'); }
  void begin_array() override {
    separate();
    push('[', chain_next_);
    chain_next_ = false;
  }
  void end_array() override {
    const bool empty_chain = open_.back().chain && !open_.back().filled;
    pop(']');
    if (!empty_chain) return;
    out_.resize(before_key_);  // most chains are empty: not worth a word
    filled() = filled_before_key_;
  }
  void key(std::string_view name) override {
    before_key_ = out_.size();
    filled_before_key_ = filled();
    separate();
    append(out_, "{}=", name);
    after_key_ = true;
    chain_next_ = name == "pNext";
  }
  void null() override { value("null"); }
  void unsigned_value(std::uint64_t v) override { value(std::to_string(v)); }
  void signed_value(std::int64_t v) override { value(std::to_string(v)); }
  void floating_value(double v, bool single) override {
    value(single ? text("{}", static_cast<float>(v)) : text("{}", v));
  }
  void boolean(bool v) override { value(v ? "true" : "false"); }
  void enumerant(std::string_view name, std::int64_t v) override {
    value(name.empty() ? std::to_string(v) : std::string(name));
  }
  void flags(EnumId bits, std::uint64_t v) override { value(flags_text(bits, v)); }
  void handle(HandleType type, std::uint64_t captured, std::uint32_t index) override {
    value(object_text(walk_, type, captured, index));
  }
  void string(std::string_view v) override {
    std::string quoted = "\"";
    for (const char c : printable(v)) {
      if (c == '"') quoted += '\\';
      quoted += c;
    }
    value(quoted += '"');
  }
  void bytes(const Digest& digest, std::uint64_t length) override {
    value(text("blob {} ({})", to_string(digest), plural(length, "byte")));
  }

 private:
  struct Open {
    bool filled = false;
    bool chain = false;  // an array of pNext structures
  };

  void value(std::string_view v) {
    separate();
    out_ += v;
  }
  void separate() {
    if (after_key_) {
      after_key_ = false;
      return;
    }
    if (filled()) out_ += ", ";
    filled() = true;
  }
  bool& filled() { return open_.empty() ? top_filled_ : open_.back().filled; }
  void push(char bracket, bool chain) {
    out_ += bracket;
    open_.push_back({false, chain});
  }
  void pop(char bracket) {
    out_ += bracket;
    open_.pop_back();
  }

  std::string& out_;
  const Walk& walk_;
  bool after_key_ = false;
  bool chain_next_ = false;
  bool top_filled_ = false;
  std::size_t before_key_ = 0;  // where the last key begins, and what stood there
  bool filled_before_key_ = false;
  std::vector<Open> open_;
};

// "libfoo.so.1+0x1234"; where its name is not to be told the start of its build-id; of no module the address alone.
std::string place_text(const CallerFrame& frame) {
  if (frame.module == nullptr) return text("0x{:x}", frame.offset);
  const std::string& path = frame.module->path;
  return text(
      "{}+0x{:x}",
      path.empty() ? text("[{:.8}]", hex_text(frame.module->build_id)) : printable(path.substr(path.rfind('/') + 1)),
      frame.offset);
}

void append_source(std::string& out, const SourcePlace& place, std::string_view where) {
  append(out, "{:>14}{}", "", place.function.empty() ? "?" : printable(place.function));
  if (!place.file.empty()) append(out, " at {}:{}", printable(place.file), place.line);
  append(out, " ({})\n", where);
}

class TextRows : public DumpRows {
 public:
  explicit TextRows(Symbols* symbols) : symbols_(symbols) {}

  void file(std::string& out, Reader& reader) override {
    append(out, "file {}: {} bytes, version {}.{}, {}\n", printable(reader.path()), count_text(reader.file_bytes()),
           reader.header().version_major, reader.header().version_minor,
           reader.complete() ? "complete" : text("cut: {}", reader.cut_reason()));
  }

  void summary(std::string& out, const DumpSummary& s) override {
    first_ns_ = s.first_ns;
    append(out, "summary: {}, {}, {}, {}; {} hermetic, {} replayable, {} unsupported{}\n", plural(s.records, "record"),
           plural(s.calls, "call"), plural(s.frames, "frame"), plural(s.submits, "submit"), count_text(s.hermetic),
           count_text(s.replayable), count_text(s.unsupported),
           s.damage.empty() ? "" : text("; damaged: {}", s.damage));
  }

  Result<void> record(std::string& out, Walk& walk, const Step& step, const DrawNumber* number) override {
    append(out, "{:>8} t{:<3}", step.record.sequence, step.record.thread);
    if (step.record.has_times)
      append(out, "{:>14.6f}ms+{:<10.6f}", milliseconds(step.record.start_ns - first_ns_),
             milliseconds(step.record.end_ns - step.record.start_ns));
    else
      append(out, "{:>16} {:<10}", "-", "");
    out += ' ';
    RONDO_TRY(append_call(out, walk, step));
    if (step.by_layer()) out += " [by the layer]";
    if ((step.record.flags & kRecordAmbiguous) != 0) out += " [ambiguous]";
    if (number != nullptr) {
      append(out, " [draw {}:{}", number->submit, number->draw);
      if (number->executions > 1) append(out, ", executed {} times", count_text(number->executions));
      out += ']';
    }
    out += '\n';
    append_callers(out, callers_of(walk, step, symbols_));
    return {};
  }

  void executes(std::string& out, const ExecutesRow& row) override {
    append(out, "{:>13}submit {} executes {}", "", row.submit, row.command_buffer);
    if (row.first_record == 0)
      out += ", which this capture does not record";
    else
      append(out, ": {} from record {} on{}", plural(row.commands, "command"), row.first_record,
             row.recorded_before ? ", before this span:" : "");
    out += '\n';
  }

  Result<std::string> command(Walk& walk, const Step& step) override {
    std::string row = text("{:>8} t{:<3} ", step.record.sequence, step.record.thread);
    RONDO_TRY(append_call(row, walk, step));
    return row;
  }

  void executed(std::string& out, std::uint64_t submit, std::optional<std::uint64_t> draw,
                const std::string& command) override {
    append(out, "{:>15}{:<10}{}\n", "", text("{}:{}", submit, draw ? std::to_string(*draw) : "-"), command);
  }

 private:
  void append_callers(std::string& out, const CallerFrames& callers) const {
    if (callers.frames.empty()) return;
    if (symbols_ == nullptr) {
      append(out, "{:>13}from", "");
      for (const CallerFrame& frame : callers.frames) append(out, " {}", place_text(frame));
      out += callers.truncated ? " …\n" : "\n";
      return;
    }
    for (const CallerFrame& frame : callers.frames) {
      const std::string place = place_text(frame);
      if (frame.places.empty()) append_source(out, {}, place);
      for (std::size_t i = 0; i < frame.places.size(); ++i)
        append_source(out, frame.places[i], i + 1 < frame.places.size() ? "inlined" : place);
    }
    if (callers.truncated) append(out, "{:>14}…\n", "");
  }

  static double milliseconds(std::uint64_t ns) { return static_cast<double>(ns) / 1e6; }
  Symbols* const symbols_;
  std::uint64_t first_ns_ = 0;
};

}  // namespace

std::unique_ptr<DumpRows> text_rows(Symbols* symbols) { return std::make_unique<TextRows>(symbols); }

CallerFrames callers_of(const Walk& walk, const Step& step, Symbols* symbols) {
  CallerFrames out;
  if (!step.is_call()) return out;
  const CallChains& callers = walk.callers();
  const CallChain* const chain = callers.chain(callers.number_of(step.record.thread));
  if (chain == nullptr) return out;
  out.truncated = chain->truncated;
  for (const RondoFrame& frame : chain->frames) {
    CallerFrame& one = out.frames.emplace_back(CallerFrame{callers.module(frame.module), frame.offset, {}});
    if (symbols != nullptr && one.module != nullptr) one.places = symbols->at(*one.module, one.offset);
  }
  return out;
}

std::string object_text(const Walk& walk, HandleType type, std::uint64_t captured, std::uint32_t index) {
  if (captured == 0) return "null";
  const auto& ids = walk.resolution().ids;
  if (index < ids.size() && ids[index] != ObjectId::null) return walk.objects().name(ids[index]);
  return text("{}@0x{:x}", codec::info(type).name, captured);
}

Result<void> append_call(std::string& out, Walk& walk, const Step& step) {
  append(out, "{}(", printable(walk.name(step)));
  if (step.command == nullptr) {
    append(out, "? {} of a command unknown to this build)", plural(step.record.payload.size(), "byte"));
    return {};
  }
  TextSink sink(out, walk);
  RONDO_TRY(codec::print(sink, walk.ids(), step.command->id, step.record.payload));
  out += ')';
  const std::string result = result_text(*step.command, step.record);
  if (!result.empty()) append(out, " = {}", result);
  return {};
}

}  // namespace rondo::analyzers
