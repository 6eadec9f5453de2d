// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/waves_rows.h"

#include <algorithm>
#include <span>
#include <unordered_map>

#include "analyzers/analysis/graph_places.h"
#include "analyzers/analysis/rows.h"
#include "analyzers/text/json.h"
#include "analyzers/text/text.h"
#include "format/codec/schema.h"

namespace rondo::analyzers {

namespace {

using graph::PathStep;
using graph::SyncVerdict;

constexpr std::size_t kMostNamed = 8;  // items of a wave, or regions, that a line of text names

const char* word_of_verdict(SyncVerdict verdict) {
  switch (verdict) {
    case SyncVerdict::needed:
      return "needed";
    case SyncVerdict::superfluous:
      return "superfluous";
    case SyncVerdict::ineffective:
      return "ineffective";
    case SyncVerdict::unknown:
      return "unknown";
  }
  return "";
}

double ratio(std::uint64_t work, std::uint64_t longest) {
  return longest != 0 ? static_cast<double>(work) / static_cast<double>(longest) : 0;
}

void write_number(JsonWriter& json, const char* name, double value) {
  json.key(name);
  json.floating_value(value);
}

// "1.25 ms"; "3 items".
std::string length_text(const Waves& waves, std::uint64_t length) {
  return waves.is_timed() ? duration_text(length) : plural(length, "item");
}

void write_totals(JsonWriter& json, const Waves& waves, const WaveTotals& totals) {
  json.field("items", totals.items);
  json.field("waves", totals.waves);
  json.field("regions", totals.regions);
  json.field("unit", waves.is_timed() ? "ns" : "items");
  json.field("work", totals.work);
  json.field("data", totals.data);
  json.field("program", totals.program);
  write_number(json, "parallelism", ratio(totals.work, totals.data));
  write_number(json, "program_parallelism", ratio(totals.work, totals.program));
  if (!waves.is_timed()) return;
  json.field("timed", totals.timed);
  json.field("below_timer", totals.below_timer);
  write_number(json, "measured_ns", totals.measured);
}

// "118 items in 41 waves, asked 118; T1 7.90 ms, T∞ 3.10 ms, the program's 7.20 ms, measured 7.60 ms".
void append_totals_line(std::string& out, const Waves& waves, const WaveTotals& totals) {
  append(out, "{} in {}, asked {}", plural(totals.items, "item"), plural(totals.waves, "wave"),
         count_text(totals.regions));
  if (waves.is_timed())
    append(out, "; T1 {}, T∞ {}, the program's {}, measured {}", duration_text(totals.work), duration_text(totals.data),
           duration_text(totals.program), duration_text(static_cast<std::uint64_t>(totals.measured)));
  out += '\n';
}

// Renders the steps of both paths while a walk of the capture visits their items.
class PathRows final : public GraphVisitor {
 public:
  PathRows(const Waves& waves, const GraphWalk& walk, const WaveRowsWanted& wanted)
      : waves_(waves), walk_(walk), wanted_(wanted), needed_(waves.needed_steps()) {
    for (const bool of_program : {false, true}) {
      const std::vector<PathStep>& path = path_of(of_program);
      std::uint64_t end = 0;
      rows[of_program].resize(std::min(path.size(), wanted.most));
      for (std::size_t i = 0; i < rows[of_program].size(); ++i) {
        end += waves.length(path[i].item);
        steps_of_[path[i].item].push_back({of_program, i, end});
        last_ = std::max(last_, path[i].item);
      }
    }
  }

  bool item(const graph::Item& item, std::span<const graph::ItemNeed> needs, std::span<const graph::Piece>) override {
    if (const auto found = steps_of_.find(item.number); found != steps_of_.end())
      for (const Step& step : found->second)
        wanted_.as_json ? append_json(item, needs, step) : append_text(item, needs, step);
    return item.number < last_;
  }

  std::vector<std::string> rows[2];  // of the data's path, and of the program's

 private:
  struct Step {
    bool of_program = false;
    std::size_t index = 0;
    std::uint64_t end = 0;  // of the path until there
  };
  const std::vector<PathStep>& path_of(bool of_program) const {
    return of_program ? waves_.program_path() : waves_.data_path();
  }
  // Those because of which the item comes after the one before it.
  template <class Visit>
  void each_need(std::span<const graph::ItemNeed> needs, const Step& step, const Visit& visit) const {
    if (step.of_program || step.index == 0) return;
    const PathStep& at = path_of(false)[step.index];
    const std::uint32_t from = at.through.empty() ? path_of(false)[step.index - 1].item : at.through.back();
    for (const graph::ItemNeed& need : needs)
      if (need.from == from) visit(need);
  }
  std::string_view needed_text(const Step& step) const {
    const std::optional<bool>& needed = needed_[step.index];
    if (!needed) return "perhaps the data needs it, too";
    return *needed ? "the data needs it, too" : "the data does not need it";
  }

  void append_text(const graph::Item& item, std::span<const graph::ItemNeed> needs, const Step& step) {
    std::string& out = rows[step.of_program][step.index];
    append(out, "  {}{}\n", item_text(walk_, item),
           waves_.is_timed() ? text("; {}, then {}", duration_text(waves_.length(item.number)), duration_text(step.end))
                             : std::string());
    each_need(needs, step, [&](const graph::ItemNeed& need) {
      append(out, "      {} {}: {} {}\n", need.possible ? "may need" : "needs",
             text_of(waves_.names()[path_of(false)[step.index - 1].item]), kinds_text(need.kinds),
             place_text(walk_, place_of(walk_, need)));
    });
    if (!step.of_program || step.index == 0) return;
    for (const std::uint32_t number : path_of(true)[step.index].through)
      append(out, "      after {}\n", waves_.order().text_of_operation(number));
    append(out, "      {}\n", needed_text(step));
  }

  void append_json(const graph::Item& item, std::span<const graph::ItemNeed> needs, const Step& step) {
    JsonWriter json(rows[step.of_program][step.index]);
    json.begin_object();
    json.field("row", "path");
    json.field("of", step.of_program ? "program" : "data");
    json.field("step", std::uint64_t{step.index});
    write_graph_item(json, walk_, item);
    json.field("length", waves_.length(item.number));
    json.field("end", step.end);
    if (step.of_program) {
      json.key("operations");
      json.begin_array();
      for (const std::uint32_t number : path_of(true)[step.index].through) {
        json.begin_object();
        json.field("operation", number);
        json.field("text", waves_.order().text_of_operation(number));
        json.end_object();
      }
      json.end_array();
      json.key("needed");
      needed_[step.index] ? json.boolean(*needed_[step.index]) : json.null();
    } else {
      json.key("needs");
      json.begin_array();
      each_need(needs, step, [&](const graph::ItemNeed& need) {
        json.begin_object();
        write_kinds(json, need.kinds);
        json.field("grade", need.possible ? "possible" : "certain");
        write_place(json, walk_, place_of(walk_, need));
        json.end_object();
      });
      json.end_array();
    }
    json.end_object();
    rows[step.of_program][step.index] += '\n';
  }

  const Waves& waves_;
  const GraphWalk& walk_;
  const WaveRowsWanted& wanted_;
  const std::vector<std::optional<bool>> needed_;
  std::unordered_map<std::uint32_t, std::vector<Step>> steps_of_;  // by item
  std::uint32_t last_ = 0;
};

void append_more(std::string& out, std::size_t all, std::size_t most) {
  if (all > most) append(out, "  … {} more: --max N shows N\n", count_text(all - most));
}

void append_frames(std::string& out, const Waves& waves, const WaveRowsWanted& wanted) {
  if (waves.frames().size() < 2) return;
  for (std::size_t i = 0; i < waves.frames().size() && i < wanted.most; ++i) {
    const WaveTotals& frame = waves.frames()[i];
    if (wanted.as_json) {
      JsonWriter json(out);
      json.begin_object();
      json.field("row", "frame");
      json.field("frame", frame.frame);
      write_totals(json, waves, frame);
      json.end_object();
      out += '\n';
    } else {
      append(out, "frame {}: ", frame.frame);
      append_totals_line(out, waves, frame);
    }
  }
  if (!wanted.as_json) append_more(out, waves.frames().size(), wanted.most);
}

void append_wave_text(std::string& out, const Waves& waves, std::size_t number, const Wave& wave) {
  append(out, "  {}: {}", number, plural(wave.items.size(), "item"));
  if (waves.is_timed()) append(out, ", {}, longest {}", duration_text(wave.sum), duration_text(wave.longest));
  out += wave.regions.size() == 1 ? ", in region" : ", in regions";
  for (std::size_t i = 0; i < wave.regions.size() && i < kMostNamed; ++i)
    append(out, "{} {}", i == 0 ? "" : ",", wave.regions[i]);
  if (wave.regions.size() > kMostNamed) append(out, ", … {}", wave.regions.back());
  for (std::size_t i = 0; i < wave.items.size() && i < kMostNamed; ++i)
    append(out, "{}{}", i == 0 ? ": " : ", ", text_of(waves.names()[wave.items[i]]));
  out += wave.items.size() > kMostNamed ? ", …\n" : "\n";
}

void append_wave_json(std::string& out, const Waves& waves, std::size_t number, const Wave& wave,
                      std::size_t most_items) {
  const std::span<const std::uint32_t> items(wave.items.data(), std::min(wave.items.size(), most_items));
  JsonWriter json(out);
  json.begin_object();
  json.field("row", "wave");
  json.field("wave", std::uint64_t{number});
  json.field("count", std::uint64_t{wave.items.size()});
  json.field("sum", wave.sum);
  json.field("longest", wave.longest);
  json.key("regions");
  json.begin_array();
  for (const std::uint32_t one : wave.regions) json.unsigned_value(one);
  json.end_array();
  json.key("items");
  json.begin_array();
  for (const std::uint32_t one : items) json.unsigned_value(one);
  json.end_array();
  json.key("names");
  json.begin_array();
  for (const std::uint32_t one : items) json.string(text_of(waves.names()[one]));
  json.end_array();
  json.end_object();
  out += '\n';
}

void append_all_waves(std::string& out, const Waves& waves, const WaveRowsWanted& wanted) {
  const std::vector<Wave> all = waves.waves();
  if (!wanted.as_json && !all.empty()) out += "waves:\n";
  for (std::size_t i = 0; i < all.size() && i < wanted.most; ++i)
    wanted.as_json ? append_wave_json(out, waves, i + 1, all[i], wanted.most_items)
                   : append_wave_text(out, waves, i + 1, all[i]);
  if (!wanted.as_json) append_more(out, all.size(), wanted.most);
}

void append_costs(std::string& out, const Waves& waves, const WaveRowsWanted& wanted) {
  const std::vector<WaveCost> costs = waves.costs();
  if (!wanted.as_json && !costs.empty())
    append(out, "the synchronization that makes that path longest (so much shorter it is without one alone):\n");
  for (const WaveCost& one : costs) {
    const graph::HasOperation& operation = waves.order().graph().operations[one.operation];
    if (!wanted.as_json) {
      append(out, "  {}: {}: {}\n", length_text(waves, one.saves), waves.order().text_of_operation(one.operation),
             word_of_verdict(one.verdict));
      continue;
    }
    JsonWriter json(out);
    json.begin_object();
    json.field("row", "cost");
    json.field("operation", one.operation);
    json.field("record", waves.order().questions().log.ops()[operation.op].record);
    json.key("submit");
    operation.submit != graph::HasOperation::kNoSubmit ? json.unsigned_value(operation.submit) : json.null();
    json.field("text", waves.order().text_of_operation(one.operation));
    json.field("saves", one.saves);
    json.field("verdict", word_of_verdict(one.verdict));
    json.end_object();
    out += '\n';
  }
}

std::string end_text(const Partition& one) {
  switch (one.end) {
    case Partition::End::host_write:
      return text("until the host writes (record {})", one.by);
    case Partition::End::read_back:
      return text("until the host has waited ({}): it could read what was written", one.by);
    case Partition::End::present:
      return text("until an image comes back from the present {}", one.by);
    case Partition::End::capture:
      return "until the end";
  }
  return {};
}

void append_partition(std::string& out, const Waves& waves, std::size_t number, const Partition& one, bool as_json) {
  const std::string first = text_of(waves.names()[one.first]), last = text_of(waves.names()[one.last]);
  if (!as_json) {
    append(out, "  {}: {} of {}, {} to {}, {}\n", number, plural(one.items, "item"), plural(one.submits, "submit"),
           first, last, end_text(one));
    return;
  }
  JsonWriter json(out);
  json.begin_object();
  json.field("row", "partition");
  json.field("partition", std::uint64_t{number});
  json.field("items", one.items);
  json.field("submits", one.submits);
  json.field("first", first);
  json.field("last", last);
  json.field("first_item", one.first);
  json.field("last_item", one.last);
  json.field("end", word_of(one.end));
  json.key("by");
  one.end != Partition::End::capture ? json.unsigned_value(one.by) : json.null();
  json.field("grade", one.is_possible ? "possible" : "certain");
  json.end_object();
  out += '\n';
}

void append_partitions(std::string& out, const Waves& waves, const WaveRowsWanted& wanted) {
  const std::vector<Partition> all = waves.partitions();
  const std::vector<IdleWait> idle = waves.idle_waits();
  if (!wanted.as_json)
    append(out, "{} of device work without the host{}\n", plural(all.size(), "run"), all.empty() ? "" : ":");
  for (std::size_t i = 0; i < all.size() && i < wanted.most; ++i)
    append_partition(out, waves, i + 1, all[i], wanted.as_json);
  if (!wanted.as_json) {
    append_more(out, all.size(), wanted.most);
    if (!idle.empty())
      append(out, "{} of the host after which nothing was read back and nothing needed it:\n",
             plural(idle.size(), "wait"));
  }
  for (std::size_t i = 0; i < idle.size() && i < wanted.most; ++i) {
    const char* const command = codec::info(idle[i].command).name;
    if (!wanted.as_json) {
      append(out, "  {} {}\n", command, idle[i].record);
      continue;
    }
    JsonWriter json(out);
    json.begin_object();
    json.field("row", "wait");
    json.field("record", idle[i].record);
    json.field("command", command);
    json.end_object();
    out += '\n';
  }
  if (!wanted.as_json) append_more(out, idle.size(), wanted.most);
}

}  // namespace

Result<void> append_waves(std::string& out, const Waves& waves, GraphWalk& names, const WaveRowsWanted& wanted) {
  if (!wanted.as_json) append_notes(out, waves.totals(), "");
  append_frames(out, waves, wanted);
  if (!wanted.as_json) {
    const WaveTotals& all = waves.all();
    out += "all: ";
    append_totals_line(out, waves, all);
    if (all.certain_waves != all.waves)
      append(out, "{} if no possible need is one\n", plural(all.certain_waves, "wave"));
    append(out, "parallelism {:.2f} by the data, {:.2f} by the program{}\n", ratio(all.work, all.data),
           ratio(all.work, all.program), waves.is_timed() ? "" : "; each item counts 1, as there is no --profile");
    if (waves.is_timed() && all.timed != all.items)
      append(out, "{} of these items have no time in the profile: they count 0\n", count_text(all.items - all.timed));
    if (all.below_timer != 0)
      append(out, "{} shorter than the clock of the device can tell\n", plural(all.below_timer, "item"));
    if (all.data > all.program)
      out += "the data needs more than the program orders: rondo sync shows races, or Vulkan itself orders it\n";
  }
  append_all_waves(out, waves, wanted);
  PathRows paths(waves, names, wanted);
  const auto totals = names.run(paths);
  if (!totals) return tl::unexpected(totals.error());
  for (const bool of_program : {false, true}) {
    const std::size_t steps = of_program ? waves.program_path().size() : waves.data_path().size();
    if (!wanted.as_json && steps != 0)
      append(out, "the longest path {}, {} in {}:\n", of_program ? "that the program orders" : "that the data needs",
             length_text(waves, of_program ? waves.all().program : waves.all().data), plural(steps, "step"));
    for (const std::string& one : paths.rows[of_program]) out += one;
    if (!wanted.as_json) append_more(out, steps, wanted.most);
  }
  append_costs(out, waves, wanted);
  if (wanted.partition) append_partitions(out, waves, wanted);
  return {};
}

void append_wave_summary(std::string& out, const Waves& waves, const WaveRowsWanted& wanted) {
  const WaveTotals& all = waves.all();
  std::uint64_t needed = 0, unneeded = 0;
  for (const std::optional<bool>& one : waves.needed_steps()) {
    needed += one == true ? 1 : 0;
    unneeded += one == false ? 1 : 0;
  }
  if (!wanted.as_json) {
    append(out, "of the program's {}: the data forces {}, synchronization alone {} more\n",
           length_text(waves, all.program), length_text(waves, std::min(all.data, all.program)),
           length_text(waves, all.program - std::min(all.data, all.program)));
    return;
  }
  JsonWriter json(out);
  json.begin_object();
  json.field("row", "summary");
  write_totals(json, waves, all);
  json.field("certain_waves", all.certain_waves);
  json.field("data_steps", std::uint64_t{waves.data_path().size()});
  json.field("program_steps", std::uint64_t{waves.program_path().size()});
  json.field("needed_steps", needed);
  json.field("unneeded_steps", unneeded);
  json.field("candidates", waves.candidates());
  write_notes(json, waves.totals());
  json.end_object();
  out += '\n';
}

}  // namespace rondo::analyzers
