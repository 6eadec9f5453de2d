// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/work_rows.h"

#include <algorithm>
#include <unordered_map>

#include "analyzers/analysis/rows.h"
#include "analyzers/analysis/work_walk.h"
#include "analyzers/text/output.h"
#include "analyzers/text/text.h"

namespace rondo::analyzers {

namespace {

struct Group {
  std::string key;
  std::uint64_t items = 0, bytes = 0;
  std::string first;  // draw_text() of its first item
};

struct Totals {
  std::uint64_t submits = 0, items = 0, draws = 0, passes = 0, shown = 0;  // submits with items
};

class Printer {
 public:
  Printer(const DrawsWanted& wanted, WorkWalk& work, Output& out) : wanted_(wanted), work_(work), out_(out) {}

  Result<void> take(std::span<const WorkItem> items) {
    RONDO_TRY(head());
    totals_.submits += 1;
    for (const WorkItem& item : items) {
      if (item.is_pass) {
        totals_.passes += 1;
        continue;
      }
      totals_.items += 1;
      totals_.draws += item.draw != access::Executed::kNoDraw ? 1 : 0;
      if (wanted_.by != GroupBy::none)
        add(item);
      else if (wanted_.top)
        keep(item);
      else
        print(item);
    }
    return {};
  }

  Result<void> finish(const WorkTotals& totals) {
    RONDO_TRY(head());
    std::stable_sort(groups_.begin(), groups_.end(), [](const Group& a, const Group& b) { return a.items > b.items; });
    for (const Group& group : groups_) {
      if (wanted_.top && totals_.shown >= *wanted_.top) break;
      print(group);
    }
    std::sort(kept_.begin(), kept_.end(), more_bytes);
    for (const WorkItem& item : kept_) print(item);
    line_.clear();
    if (wanted_.as_json)
      summary_json(totals);
    else
      summary_text(totals);
    out_.write(line_);
    return out_.finish();
  }

 private:
  static bool more_bytes(const WorkItem& a, const WorkItem& b) {
    return a.bytes != b.bytes ? a.bytes > b.bytes : a.record < b.record;
  }

  Result<void> head() {
    if (began_) return {};
    began_ = true;
    line_.clear();
    if (wanted_.as_json) return write_head(out_, work_, {"info --draws", wanted_.job, {}, {}});
    if (wanted_.by == GroupBy::none)
      line_ = text("{:<10} {:>9}  {:<24} {}\n", "draw", "record", "command",
                   "counts; pipeline; shaders; pass; labels; bytes at most");
    else
      line_ = text("{:>9} {:>7} {:>11}  {:<10} {}\n", "items", "share", "bytes", "first", name_of(wanted_.by));
    out_.write(line_);
    return {};
  }

  void add(const WorkItem& item) {
    std::string key = key_of(work_, item, wanted_.by);
    const auto [found, fresh] = at_.try_emplace(key, groups_.size());
    if (fresh) groups_.push_back({std::move(key), 0, 0, draw_text(item)});
    Group& group = groups_[found->second];
    group.items += 1;
    if (__builtin_add_overflow(group.bytes, item.bytes, &group.bytes)) group.bytes = UINT64_MAX;
  }

  // The items of the most bytes, as a heap with the least of them on top.
  void keep(const WorkItem& item) {
    if (*wanted_.top == 0) return;
    kept_.push_back(item);
    std::push_heap(kept_.begin(), kept_.end(), more_bytes);
    if (kept_.size() <= *wanted_.top) return;
    std::pop_heap(kept_.begin(), kept_.end(), more_bytes);
    kept_.pop_back();
  }

  void print(const WorkItem& item) {
    totals_.shown += 1;
    line_.clear();
    if (wanted_.as_json) {
      JsonWriter json(line_);
      json.begin_object();
      json.field("row", "draw");
      write_item(json, work_, item);
      json.end_object();
    } else {
      append(line_, "{:<10} {:>9}  {:<24}", draw_text(item), item.record, codec::info(item.command).name);
      const char* between = " ";
      const auto part = [&](const std::string& words) {
        if (words.empty()) return;
        append(line_, "{}{}", between, words);
        between = "; ";
      };
      part(counts_text(item));
      if (item.pipeline != ObjectId::null) part(printable(work_.name(item.pipeline)));
      part(shaders_text(work_, item.pipeline));
      if (item.pass != WorkItem::kNoPass) part(text("pass {}", item.pass));
      if (item.views != 0) part(plural(item.views, "view"));
      part(work_.label_text(item.label_path));
      part(item.bytes_unknown ? text("{} or more", size_text(item.bytes)) : size_text(item.bytes));
    }
    line_ += '\n';
    out_.write(line_);
  }

  void print(const Group& group) {
    totals_.shown += 1;
    const double share = static_cast<double>(group.items) / static_cast<double>(totals_.items);
    line_.clear();
    if (wanted_.as_json) {
      JsonWriter json(line_);
      json.begin_object();
      json.field("row", "group");
      json.field("by", name_of(wanted_.by));
      json.field("item", group.key);
      json.field("n", group.items);
      json.key("share");
      json.floating_value(share);
      json.field("bytes", group.bytes);
      json.field("first", group.first);
      json.end_object();
      line_ += '\n';
    } else {
      append(line_, "{:>9} {:>5.1f} % {:>11}  {:<10} {}\n", group.items, 100 * share, size_text(group.bytes),
             group.first, group.key);
    }
    out_.write(line_);
  }

  void summary_text(const WorkTotals& totals) {
    append(line_, "{} in {}: {} with a draw number, {}\n", plural(totals_.items, "item"),
           plural(totals_.submits, "submit"), count_text(totals_.draws), plural(totals_.passes, "render pass"));
    if (!totals.cut.empty())
      append(line_, "the capture is cut ({}): what it lacks is not in this\n", printable(totals.cut));
    if (totals.too_many) line_ += "the capture has more to follow than any program needs: the rest is not in this\n";
  }

  void summary_json(const WorkTotals& totals) {
    JsonWriter json(line_);
    json.begin_object();
    json.field("row", "summary");
    json.field("items", totals_.items);
    json.field("draws", totals_.draws);
    json.field("passes", totals_.passes);
    json.field("shown", totals_.shown);
    json.field("too_many", totals.too_many);
    if (!totals.cut.empty()) json.field("cut", totals.cut);
    json.end_object();
    line_ += '\n';
  }

  const DrawsWanted& wanted_;
  WorkWalk& work_;
  Output& out_;
  bool began_ = false;
  Totals totals_;
  std::vector<Group> groups_;
  std::unordered_map<std::string, std::size_t> at_;  // index into groups_
  std::vector<WorkItem> kept_;
  std::string line_;
};

}  // namespace

Result<void> print_draws(const std::string& file, const DrawsWanted& wanted) {
  auto work = WorkWalk::open(file);
  if (!work) return tl::unexpected(work.error());
  Output out;
  Printer printer(wanted, *work, out);
  Result<void> printed;
  const auto totals = work->run(wanted.span, WorkWalk::Visit::wanted, [&](std::span<const WorkItem> items) {
    printed = printer.take(items);
    return printed && !out.closed();
  });
  if (!printed) return printed;
  if (!totals) return tl::unexpected(totals.error());
  RONDO_TRY(printer.finish(*totals));
  return work->walk().intact();
}

}  // namespace rondo::analyzers
