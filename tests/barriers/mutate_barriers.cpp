// SPDX-License-Identifier: Apache-2.0
// mutate-barriers [--keep] CAPTURE FOLDER: asks `rondo sync` of a capture, and of the capture with other
// synchronization.
//   base.rondo          the capture as it is
//   reduced.rondo       without all that is called superfluous
//   narrowed.rondo      that, and all that is too wide as it is enough
//   deleted-N.rondo     the reduced capture without operation N as well, of each that is left (with --keep; else each
//                       is removed again)
// A line of JSON for each. Status 1: a capture cannot be read or written.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "analyzers/analysis/sync_rows.h"
#include "analyzers/prove/tries.h"
#include "analyzers/text/json.h"
#include "analyzers/text/text.h"
#include "format/codec/schema.h"
#include "tests/barriers/deletions.h"
#include "tests/barriers/found_races.h"
#include "tests/barriers/oracle_races.h"

namespace {

using namespace rondo;
using analyzers::JsonWriter;
using analyzers::SyncAnalysis;
using analyzers::SyncFinding;
using analyzers::SyncRule;
using analyzers::text;
using barriers::FoundRaces;
using barriers::OldNumbers;
using barriers::RacePair;
using graph::SyncOp;
using graph::SyncVerdict;

using Pairs = std::set<RacePair>;

using Races = std::set<test::OracleRace>;

template <class Set>
Set without(const Set& all, const Set& some) {
  Set rest;
  std::set_difference(all.begin(), all.end(), some.begin(), some.end(), std::inserter(rest, rest.end()));
  return rest;
}

std::set<std::pair<std::uint64_t, std::uint64_t>> records_of(const Races& races) {
  std::set<std::pair<std::uint64_t, std::uint64_t>> all;
  for (const test::OracleRace& one : races) all.emplace(one.from, one.to);
  return all;
}

std::string subpass_text(std::uint32_t subpass) {
  return subpass == VK_SUBPASS_EXTERNAL ? "EXTERNAL" : text("{}", subpass);
}

// A batch may be submitted before the batch that it waits for. Without the wait it runs first: then the same commands
// race the other way round, or others of the same batches.
bool is_turned(const RacePair& listed, const Pairs& races) {
  return listed.to_at < listed.from_at || std::any_of(races.begin(), races.end(), [&](const RacePair& one) {
           return one.from == listed.to && one.from_at == listed.to_at && one.to == listed.from &&
                  one.to_at == listed.from_at;
         });
}

// A row of the output.
class Row {
 public:
  explicit Row(const char* name) : json_(line_) {
    json_.begin_object();
    json_.field("row", name);
  }
  template <class T>
  Row& add(const char* name, const T& value) {
    json_.field(name, value);
    return *this;
  }
  template <class All, class Text>
  Row& list(const char* name, const All& all, const Text& text_of_one) {
    json_.key(name);
    json_.begin_array();
    for (const auto& one : all) json_.string(text_of_one(one));
    json_.end_array();
    return *this;
  }
  Row& pairs(const char* name, const Pairs& all) {
    constexpr std::size_t kMost = 8;
    add((std::string(name) + "_count").c_str(), std::uint64_t{all.size()});
    return list(name, Pairs(all.begin(), std::next(all.begin(), static_cast<long>(std::min(kMost, all.size())))),
                [](const RacePair& one) { return text_of(one); });
  }
  void print() {
    json_.end_object();
    std::puts(line_.c_str());
  }

 private:
  std::string line_;
  JsonWriter json_;
};

class Mutation {
 public:
  Mutation(std::string folder, bool keeps) : folder_(std::move(folder)), keeps_(keeps) {}

  Result<void> run(const std::string& capture) {
    // Numbered again, from 1 on, so that records of an edited capture can be told.
    RONDO_TRY(write(capture, {}, "base.rondo"));
    auto analysis = SyncAnalysis::of(path("base.rondo"));
    if (!analysis) return tl::unexpected(analysis.error());
    analysis_.emplace(std::move(*analysis));
    auto races = barriers::races_of(path("base.rondo"), {});
    if (!races) return tl::unexpected(races.error());
    const auto& findings = std::as_const(*analysis_).findings();
    Row("capture")
        .add("operations", findings.operations)
        .add("needed", findings.needed)
        .add("superfluous", findings.superfluous)
        .add("unknown", findings.unknown)
        .add("too_many", findings.totals.too_many)
        .pairs("races", races->pairs)
        .print();
    base_ = std::move(*races);
    RONDO_TRY(ask_oracle("base", "base.rondo", {}, base_.pairs));
    RONDO_TRY(reduce());
    RONDO_TRY(narrow());
    for (std::uint32_t i = 1; i < analysis_->questions().log.syncs().size(); ++i)
      if (reduced_syncs_.count(i) == 0) RONDO_TRY(remove(i));
    return {};
  }

 private:
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  Result<void> write(const std::string& from, const prove::Edits& edits, const std::string& name) const {
    const auto written = prove::write_edited({from, path(name), {}}, edits);
    if (!written) return tl::unexpected(written.error());
    return {};
  }

  struct Tried {
    FoundRaces races;
    std::string refused;  // why the edit cannot be made; empty: it was
  };
  Result<Tried> try_out(const prove::Edits& edits, const std::string& name) const {
    Tried tried;
    if (const auto written = write(path("base.rondo"), edits, name); !written) {
      if (written.error().status != Status::failed) return tl::unexpected(written.error());
      tried.refused = written.error().message;
      return tried;
    }
    auto races = barriers::races_of(path(name), OldNumbers(edits.left_out));
    if (!races) return tl::unexpected(races.error());
    tried.races = std::move(*races);
    return tried;
  }

  // The edits of all findings of a rule. `syncs`: operations that are changed.
  prove::Edits edits_of_all(SyncRule rule, std::set<std::uint32_t>& syncs, std::set<std::string>& refused) const {
    prove::Edits all;
    for (const SyncFinding& finding : std::as_const(*analysis_).findings().all) {
      if (finding.rule != rule) continue;
      // One by one: others of the finding may be tried where one cannot.
      for (const std::uint32_t sync : finding.syncs) {
        SyncFinding one = finding;
        one.sync = sync;
        one.syncs = {sync};
        if (rule == SyncRule::too_wide) one.narrow = analysis_->narrower(sync);
        const auto edits = prove::edits_of(*analysis_, one);
        if (!edits) {
          refused.insert(name_of(sync) + ": " + edits.error().message);
          continue;
        }
        all.add(*edits);
        syncs.insert(sync);
      }
    }
    return all;
  }

  Result<void> reduce() {
    std::set<std::string> refused;
    reduced_ = edits_of_all(SyncRule::superfluous, reduced_syncs_, refused);
    auto tried = try_out(reduced_, "reduced.rondo");
    if (!tried) return tl::unexpected(tried.error());
    races_ = std::move(tried->races);
    if (tried->refused.empty()) RONDO_TRY(ask_oracle("reduced", "reduced.rondo", reduced_.left_out, races_.pairs));
    print_together("reduced", reduced_syncs_, refused, tried->refused, without(races_.pairs, base_.pairs));
    return {};
  }

  // Once more of the capture that was written, by a look at all pairs of accesses.
  Result<void> ask_oracle(const char* what, const std::string& name, const std::set<std::uint64_t>& left_out,
                          const Pairs& pairs) const {
    Row row("oracle");
    row.add("of", what).add("file", name);
    const auto races = barriers::oracle_races(path(name), OldNumbers(left_out));
    if (!races) {
      if (races.error().status != Status::failed) return tl::unexpected(races.error());
      row.add("result", "not asked").add("why", races.error().message).print();
      return {};
    }
    const Races mine = barriers::as_oracle(pairs), only_oracle = without(*races, mine),
                only_sync = without(mine, *races);
    const auto races_text = [](const test::OracleRace& one) { return text("{} -> {}", one.from, one.to); };
    row.add("races", std::uint64_t{races->size()})
        .list("only_oracle", only_oracle, races_text)
        .list("only_sync", only_sync, races_text)
        .add("result", *races == mine                           ? "equal"
                       : records_of(*races) == records_of(mine) ? "equal but for hazards"
                                                                : "different")
        .print();
    return {};
  }

  Result<void> narrow() {
    std::set<std::string> refused;
    std::set<std::uint32_t> syncs;
    prove::Edits edits = edits_of_all(SyncRule::too_wide, syncs, refused);
    edits.add(reduced_);
    const auto tried = try_out(edits, "narrowed.rondo");
    if (!tried) return tl::unexpected(tried.error());
    if (tried->refused.empty()) RONDO_TRY(ask_oracle("narrowed", "narrowed.rondo", edits.left_out, tried->races.pairs));
    print_together("narrowed", syncs, refused, tried->refused, without(tried->races.pairs, base_.pairs));
    return {};
  }

  static void print_together(const char* row, const std::set<std::uint32_t>& syncs,
                             const std::set<std::string>& refused, const std::string& why_not, const Pairs& fresh) {
    Row(row)
        .add("changed", std::uint64_t{syncs.size()})
        .list("not_tried", refused, [](const std::string& one) { return one; })
        .add("refused", why_not)
        .pairs("new_races", fresh)
        .print();
  }

  Result<void> remove(std::uint32_t number) {
    const SyncOp& sync = analysis_->sync(number);
    const graph::SyncResult& result = analysis_->result(number);
    Row row("deleted");
    row.add("operation", number).add("name", name_of(number)).add("kind", analyzers::word_of(sync.kind));
    row.add("called", result.verdict == SyncVerdict::needed        ? "needed"
                      : result.verdict == SyncVerdict::ineffective ? "ineffective"
                                                                   : "unknown");
    row.add("changes", sync.changes).add("needs", result.need_count);
    Pairs listed, quiet;  // `rondo sync` names no race of quiet needs: perhaps both do not touch the same
    for (const std::uint32_t need : result.needs) {
      const graph::SyncQuestion& question = analysis_->questions().all()[need];
      (question.is_quiet ? quiet : listed).insert(barriers::pair_of(analysis_->questions(), question));
    }
    row.pairs("listed", listed).pairs("quiet", quiet);
    const auto deletion = barriers::deletion_of(sync);
    if (!deletion) {
      row.add("result", "not tried").add("why", deletion.error().message).print();
      return {};
    }
    prove::Edits edits = deletion->edits;
    edits.add(reduced_);
    const std::string name = text("deleted-{}.rondo", number);
    const auto tried = try_out(edits, name);
    if (!tried) return tl::unexpected(tried.error());
    row.add("how", deletion->how).add("file", name);
    if (!tried->refused.empty()) {
      row.add("result", "not tried").add("why", tried->refused).print();
      return {};
    }
    const Pairs fresh = without(tried->races.pairs, races_.pairs);
    const Pairs missing = without(listed, tried->races.pairs), named = without(tried->races.named, races_.named);
    row.pairs("new_races", fresh).pairs("missing", missing).pairs("named", named);
    row.add("result", fresh.empty()     ? listed.empty() && !quiet.empty() ? "quiet" : "no race"
                      : listed.empty()  ? "unlisted races"
                      : missing.empty() ? "as listed"
                      : std::all_of(missing.begin(), missing.end(),
                                    [&](const RacePair& one) { return is_turned(one, tried->races.pairs); })
                          ? "in another order"
                      : missing.size() == listed.size() ? "other races"
                                                        : "some listed");
    row.print();
    RONDO_TRY(ask_oracle("deleted", name, edits.left_out, tried->races.pairs));
    if (!keeps_) std::filesystem::remove(path(name));
    return {};
  }

  std::string name_of(std::uint32_t number) const {
    const SyncOp& sync = analysis_->sync(number);
    std::string name = text("{} {}", codec::info(sync.command).name, sync.record);
    if (sync.kind == SyncOp::Kind::dependency)
      analyzers::append(name, " dependency {} -> {} of {}", subpass_text(sync.barriers[0].src_subpass),
                        subpass_text(sync.barriers[0].dst_subpass), analysis_->walk().name(sync.pass));
    if (sync.kind == SyncOp::Kind::semaphore)
      analyzers::append(name, " waits for {}", analysis_->walk().name(sync.semaphore));
    return name;
  }

  const std::string folder_;
  const bool keeps_;
  std::optional<SyncAnalysis> analysis_;
  FoundRaces base_, races_;  // of the capture, and of the reduced one
  prove::Edits reduced_;
  std::set<std::uint32_t> reduced_syncs_;
};

}  // namespace

int main(int argc, char** argv) {
  const bool keeps = argc > 1 && std::strcmp(argv[1], "--keep") == 0;
  if (argc != (keeps ? 4 : 3)) {
    std::fputs("usage: mutate-barriers [--keep] CAPTURE FOLDER\n", stderr);
    return 2;
  }
  const auto done = Mutation(argv[argc - 1], keeps).run(argv[argc - 2]);
  if (done) return 0;
  std::fprintf(stderr, "mutate-barriers: %s\n", done.error().message.c_str());
  return 1;
}
