// SPDX-License-Identifier: Apache-2.0
// Which command buffers the submits of a span execute, for `rondo dump`: the numbers of draws, and the rows of commands
// that were recorded before the span. The capture is read twice: look() at each record first, then follow() each.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyzers/options/cli.h"
#include "analyzers/read/command_lists.h"
#include "analyzers/text/dump_rows.h"

namespace rondo::analyzers {

// What a dump is asked for.
struct DumpSpan {
  std::optional<Span> frames, submits;

  bool whole() const { return !frames && !submits; }
  // What comes before a submit, back to the one before it, belongs to it.
  bool contains(const Step& step) const;
  bool contains(std::uint64_t frame, std::uint64_t submit) const;
  bool over(const Step& step) const {
    return (frames && step.frame >= frames->end) || (submits && step.submit >= submits->end);
  }
};

class ExecutedLists {
 public:
  // `span` outlives it.
  explicit ExecutedLists(const DumpSpan& span) : span_(span) {}

  void look(Walk& walk, const Step& step);

  // The batches of a submit. What follows is about this record.
  const std::vector<CommandLists::Batch>& follow(Walk& walk, const Step& step) { return second_.take(walk, step); }
  // The draw number of the record that follow() was given, from the first submit that executes it. None where the
  // record is no draw, or no submit executes it.
  std::optional<DrawNumber> number() const;
  // True if it is a command of a list that was begun before the span and that a submit of the span executes: keep() its
  // row.
  bool needs_row() const;
  void keep(std::string row);

  bool is_kept(const CommandList& list) const { return list.number < first_.size() && first_[list.number].kept; }
  // The kept rows of a list and its secondaries, in the order of execution. `draws`: how many come before it in the
  // submit.
  void each_kept(const CommandList& list, std::uint64_t draws,
                 const std::function<void(std::optional<std::uint64_t> draw, const std::string& row)>& visit) const;

 private:
  struct First {
    std::uint64_t submit = 0, draw = 0;  // where it is executed first, and the draws before it in that submit
    std::uint64_t executions = 0;
    bool kept = false;
  };
  struct Row {
    std::string text;
    std::optional<std::uint64_t> draws_before;  // in its list
    std::size_t secondaries;                    // of its list that come before it
  };
  void execute(const CommandList& list, std::uint64_t submit, std::uint64_t draw, bool in_span, int depth);
  void visit_rows(const CommandList& list, std::uint64_t draws, int depth,
                  const std::function<void(std::optional<std::uint64_t>, const std::string&)>& visit) const;

  const DumpSpan& span_;
  CommandLists lists_, second_;
  std::vector<First> first_;                                  // by CommandList::number
  std::uint64_t executed_ = 0;                                // lists, by look()
  std::uint64_t first_in_span_ = 0;                           // record; 0: none yet
  std::unordered_map<std::uint64_t, std::vector<Row>> rows_;  // by CommandList::number
};

}  // namespace rondo::analyzers
