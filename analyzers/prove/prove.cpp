// SPDX-License-Identifier: Apache-2.0
#include "analyzers/prove/prove.h"

#include <algorithm>
#include <cmath>

#include "analyzers/measure/comparison.h"
#include "analyzers/prove/tries.h"
#include "analyzers/text/text.h"

namespace rondo::prove {

namespace {

using analyzers::append;
using analyzers::printable;
using analyzers::SyncFinding;
using analyzers::SyncProof;
using analyzers::SyncRule;
using analyzers::text;

constexpr std::size_t kTurns = 5;  // of each side, for times

std::string place_of(const Played& played) {
  const Difference& first = played.first;
  if (first.object.empty()) return printable(played.error);
  std::string out = printable(first.object);
  if (first.byte) append(out, " + {:#x}", *first.byte);
  if (first.submit) append(out, " (after submit {})", *first.submit);
  return out;
}

std::string seconds_text(double seconds) {
  return seconds < 1e-3 ? text("{:.4g} us", seconds * 1e6)
         : seconds < 1  ? text("{:.4g} ms", seconds * 1e3)
                        : text("{:.4g} s", seconds);
}

// "7.6 ms -> 7.1 ms: faster (-6.6 %, 95 % interval -7.0 to -6.2 %, of the device)".
std::string times_text(const analyzers::ComparedRow& row) {
  const auto percent = [](double ratio) { return 100 * (ratio - 1); };
  std::string out = text("{} -> {}: {} ({:+.1f} %", seconds_text(row.old_median), seconds_text(row.new_median),
                         analyzers::verdict_text(row.judged.verdict), percent(row.judged.ratio));
  if (row.judged.lower && row.judged.upper)
    append(out, ", 95 % interval {:+.1f} to {:+.1f} %", percent(*row.judged.lower), percent(*row.judged.upper));
  return out + (row.metric == "gpu_seconds" ? ", of the device)" : ")");
}

void set_place(SyncProof& proof, const Played& played) {
  proof.object = played.first.object;
  proof.byte = played.first.byte;
  proof.submit = played.first.submit;
}

SyncProof not_proven(std::string why) { return {false, std::move(why), 0, 0, {}, {}, {}}; }

// A finding that can be left out or narrowed, and how.
struct Candidate {
  SyncFinding* finding;
  Edits edits;
};

class Prover {
 public:
  Prover(const analyzers::SyncAnalysis& analysis, const ProveOptions& options, Plays& plays)
      : analysis_(analysis), options_(options), plays_(plays) {}

  Result<Proofs> run(std::span<SyncFinding* const> all) {
    const std::vector<SyncFinding*> findings = chosen(all);
    const auto why = why_no_baseline();
    if (!why) return tl::unexpected(why.error());
    if (!why->empty()) {
      for (SyncFinding* one : findings) one->proof = not_proven(*why);
    } else {
      RONDO_TRY(try_overlap());
      RONDO_TRY(try_superfluous(findings));
      RONDO_TRY(try_races(findings));
    }
    for (const SyncFinding* one : findings) done_.proven += one->proof && one->proof->is_proven ? 1 : 0;
    return done_;
  }

 private:
  std::vector<SyncFinding*> chosen(std::span<SyncFinding* const> all) {
    std::vector<SyncFinding*> findings;
    for (SyncFinding* one : all) {
      if (one->rule == SyncRule::ineffective) {
        one->proof = not_proven("it is to be corrected, not removed; the race is tried as a finding of its own");
        continue;
      }
      if (one->rule == SyncRule::replaceable) {
        one->proof = not_proven("the barrier in its place is for the program to make");
        continue;
      }
      if (one->rule >= SyncRule::needed) continue;
      if (findings.size() < options_.tries) {
        findings.push_back(one);
        continue;
      }
      ++done_.not_tried;
      one->proof = not_proven(text("it was not tried: {} are tried (--tries)", options_.tries));
    }
    done_.tried = findings.size();
    return findings;
  }

  // Whether the capture itself gives the bits that it has. Empty: it does. Else why nothing can be proven here.
  Result<std::string> why_no_baseline() {
    const auto played = plays_.compare(options_.file, false, options_.loops);
    if (!played) return tl::unexpected(played.error());
    done_.devices = played->devices;
    switch (played->end) {
      case Played::End::same:
        return std::string();
      case Played::End::nothing:
        return fail(Status::usage, text("{}: --prove: {}", options_.file, played->error));
      case Played::End::failed:
        return fail(Status::failed, text("{}: --prove cannot play it as it is: {}", options_.file, played->error));
      case Played::End::different:
        break;
    }
    if (played->is_unstable)
      return text("the capture as it is gives other bits from one replay to the next here: {}", place_of(*played));
    return text(
        "the capture as it is gives other bits here than where it was captured: {}; play it on the captured "
        "device (--device), or record it here",
        place_of(*played));
  }

  // Contents are read after each submit, and the device idles there. So what is ordered across submits is also tried
  // without that.
  Result<void> try_overlap() {
    Edits edits;
    edits.overlaps = true;
    const auto played = play(edits, true);
    if (!played) return tl::unexpected(played.error());
    if (played->end == Played::End::same) overlaps_ = true;
    // Nothing was left out, or nothing would be left.
    if (played->end == Played::End::nothing) return {};
    if (!overlaps_) done_.overlap = place_of(*played);
    return {};
  }

  // Writes an edited capture and plays it. `overlapped`: only if that leaves out something, and something is left;
  // else Played::End::nothing.
  Result<Played> play(const Edits& edits, bool overlapped) {
    const auto path = plays_.path();
    if (!path) return tl::unexpected(path.error());
    Edits all = edits;
    all.overlaps = overlapped;
    const auto written = write_edited({options_.file, *path, options_.files}, all);
    if (!written) {
      if (written.error().status != Status::failed) return tl::unexpected(written.error());
      return Played{.error = written.error().message};
    }
    if (overlapped && (written->overlapped == 0 || written->checks == 0)) return Played{.end = Played::End::nothing};
    return plays_.compare(*path, true, options_.loops);
  }

  // As the user sees the capture; and without the pauses for comparisons, where the capture itself can be played so.
  Result<Played> play_both(const Edits& edits) {
    auto played = play(edits, false);
    if (!played || played->end != Played::End::same || !overlaps_) return played;
    auto again = play(edits, true);
    if (!again || again->end == Played::End::nothing) return played;
    return again;
  }

  SyncProof why_not(const Played& played, const SyncFinding& finding) const {
    SyncProof proof;
    proof.loops = options_.loops;
    const char* const how = finding.rule == SyncRule::too_wide ? "with what is enough" : "without it";
    if (played.end == Played::End::different)
      proof.text = text("the bits are others {}: {}", how, place_of(played));
    else
      proof.text = text("it cannot be played {}: {}", how, printable(played.error));
    set_place(proof, played);
    return proof;
  }

  SyncProof shown(const SyncFinding& finding, std::uint64_t together) const {
    SyncProof proof;
    proof.is_proven = true;
    proof.loops = options_.loops;
    proof.together = together;
    proof.text = text("the bits are the same in {} {}", plural(options_.loops, "loop"),
                      finding.rule == SyncRule::too_wide ? "with what is enough" : "without it");
    if (finding.syncs.size() > 1) append(proof.text, ", in all {} places", finding.syncs.size());
    if (together > 1) append(proof.text, "; {} changed at once", plural(together - 1, "other finding"));
    return proof;
  }

  Result<void> try_superfluous(const std::vector<SyncFinding*>& findings) {
    std::vector<Candidate> candidates;
    for (SyncFinding* one : findings) {
      if (one->rule == SyncRule::race) continue;
      auto edits = edits_of(analysis_, *one);
      if (edits)
        candidates.push_back({one, std::move(*edits)});
      else
        one->proof = not_proven(edits.error().message);
    }
    if (candidates.empty()) return {};
    const auto played = play_both(together(candidates));
    if (!played) return tl::unexpected(played.error());
    if (played->end == Played::End::same) return settle(candidates);
    if (candidates.size() == 1) {
      candidates[0].finding->proof = why_not(*played, *candidates[0].finding);
      return {};
    }
    std::vector<Candidate> alike;
    for (Candidate& one : candidates) {
      const auto alone = play_both(one.edits);
      if (!alone) return tl::unexpected(alone.error());
      if (alone->end == Played::End::same) {
        one.finding->proof = shown(*one.finding, 1);
        alike.push_back(std::move(one));
      } else {
        one.finding->proof = why_not(*alone, *one.finding);
      }
    }
    if (alike.empty() || alike.size() == candidates.size()) return {};
    const auto rest = play_both(together(alike));
    if (!rest) return tl::unexpected(rest.error());
    return rest->end == Played::End::same ? settle(alike) : Result<void>();
  }

  static Edits together(const std::vector<Candidate>& candidates) {
    Edits all;
    for (const Candidate& one : candidates) all.add(one.edits);
    return all;
  }

  // All of them at once leave the same bits.
  Result<void> settle(const std::vector<Candidate>& candidates) {
    for (const Candidate& one : candidates) one.finding->proof = shown(*one.finding, candidates.size());
    done_.together = candidates.size();
    return measure(together(candidates));
  }

  // In turns, A B B A A B …, as rondo measure does.
  Result<void> measure(const Edits& edits) {
    const auto path = plays_.path();
    if (!path) return tl::unexpected(path.error());
    if (const auto written = write_edited({options_.file, *path, options_.files}, edits); !written)
      return tl::unexpected(written.error());
    analyzers::Side sides[2];
    for (std::size_t turn = 1; turn <= kTurns; ++turn)
      for (const std::size_t which : {(turn - 1) % 2, turn % 2}) {
        auto results = plays_.time(which == 0 ? options_.file : *path, which == 1);
        if (!results) return tl::unexpected(results.error());
        if (!*results || (*results)->samples.empty()) return {};
        sides[which].push_back(std::move(**results));
      }
    analyzers::ComparisonRules rules;
    rules.statistic = analyzers::Statistic::fastest;
    rules.differs_on_purpose = true;
    const auto compared = analyzers::compare_sides(sides[0], sides[1], rules);
    if (!compared) return {};
    const analyzers::ComparedRow* best = nullptr;
    for (const analyzers::ComparedRow& row : compared->rows)
      if (row.gates && (row.metric == "gpu_seconds" || (row.metric == "seconds" && best == nullptr))) best = &row;
    if (best != nullptr) done_.times = times_text(*best);
    return {};
  }

  Result<void> try_races(const std::vector<SyncFinding*>& findings) {
    std::vector<const analyzers::SyncRace*> races;
    for (const SyncFinding* one : findings)
      if (one->rule == SyncRule::race) races.push_back(&one->race);
    if (races.empty()) return {};
    const auto orders = orders_of(options_.file, races);
    if (!orders) return tl::unexpected(orders.error());
    auto next = orders->begin();
    for (SyncFinding* one : findings) {
      if (one->rule != SyncRule::race) continue;
      const Result<Orders>& own = *next++;
      if (!own) {
        one->proof = not_proven(own.error().message);
        continue;
      }
      auto proof = try_race(*own);
      if (!proof) return tl::unexpected(proof.error());
      one->proof = std::move(*proof);
    }
    return {};
  }

  Result<SyncProof> try_race(const Orders& orders) {
    SyncProof proof;
    proof.loops = options_.loops;
    const std::string how = orders.needs_all ? "with the write before the submit, and after the work" : "reordered";
    std::string why;
    bool is_played = false;
    for (const Edits& way : orders.ways) {
      const auto played = play(way, false);
      if (!played) return tl::unexpected(played.error());
      switch (played->end) {
        case Played::End::different:
          proof.is_proven = true;
          proof.text = text("{}, the first {} is {}", orders.needs_all ? "with the write moved" : how,
                            played->first.byte ? "differing byte" : "that differs", place_of(*played));
          set_place(proof, *played);
          return proof;
        case Played::End::same:
          is_played = true;
          break;
        default:
          why = played->end == Played::End::nothing ? "nothing that could be compared is left: " + played->error
                                                    : played->error;
      }
      if (is_played && !orders.needs_all) break;
    }
    proof.text = !is_played ? text("it cannot be played in another order: {}", printable(why))
                            : text("{} the same in {} {}",
                                   orders.needs_all ? "checkpoints between both cannot be compared, and all others are"
                                                    : "the bits are",
                                   plural(options_.loops, "loop"), how);
    return proof;
  }

  const analyzers::SyncAnalysis& analysis_;
  const ProveOptions& options_;
  Plays& plays_;
  bool overlaps_ = false;
  Proofs done_;
};

}  // namespace

Result<Proofs> prove(const analyzers::SyncAnalysis& analysis, std::span<SyncFinding* const> findings,
                     const ProveOptions& options, Plays& plays) {
  return Prover(analysis, options, plays).run(findings);
}

}  // namespace rondo::prove
