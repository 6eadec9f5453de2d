// SPDX-License-Identifier: Apache-2.0
// rondo accesses: what each command touches, as text or JSON lines.
#include <memory>

#include "analyzers/commands/commands.h"
#include "analyzers/options/budgets.h"
#include "analyzers/options/cli.h"
#include "analyzers/read/access_walk.h"
#include "analyzers/text/access_rows.h"
#include "analyzers/text/output.h"
#include "analyzers/text/text.h"
#include "model/access/model.h"

namespace rondo::analyzers {

namespace {

class Printer final : public AccessReader {
 public:
  Printer(AccessRows& rows, bool summary_only, const model::Placement* placement)
      : rows_(rows), summary_only_(summary_only), placement_(placement) {}

  bool executed(const access::Executed& executed) override {
    if (summary_only_ || (executed.touches.empty() && executed.reach.unknown == 0 && executed.effects.empty()))
      return !out_.closed();
    return print([&](std::string& row) { rows_.command(row, executed, placement_); });
  }
  bool batch(const model::Batch& batch) override {
    return print([&](std::string& row) { rows_.batch(row, batch); });
  }
  bool begins(const model::Batch& batch, bool later) override {
    return !later || print([&](std::string& row) { rows_.begins(row, batch); });
  }
  bool never_begins(const model::Batch& batch) override {
    return print([&](std::string& row) { rows_.never_begins(row, batch); });
  }
  bool host(const model::HostSync& sync) override {
    return print([&](std::string& row) { rows_.host(row, sync); });
  }
  void summary(const AccessTotals& totals) {
    print([&](std::string& row) { rows_.summary(row, totals); });
  }
  Output& out() { return out_; }

 private:
  template <class Write>
  bool print(const Write& write) {
    row_.clear();
    write(row_);
    out_.write(row_);
    return !out_.closed();
  }

  AccessRows& rows_;
  const bool summary_only_;
  const model::Placement* placement_;
  Output out_;
  std::string row_;
};

}  // namespace

Result<int> run_accesses(Arguments args) {
  std::string file;
  std::string format = "text";
  bool summary_only = false;
  AccessWanted wanted;
  Cli cli(
      "rondo accesses",
      "Prints what each command touches when it is executed: buffers by byte range, images by subresource, how and\n"
      "in which stages, where that lies in memory, and on which queue; then of how many commands all of that is\n"
      "known. Needs no device.");
  cli.positional("FILE", "the capture", file);
  cli.choice("--format", {"text", "jsonl"}, "of the rows (default text)", format);
  cli.span("--frames", "only what frames A to B - 1 execute", wanted.frames);
  cli.span("--submits",
           "only what submits A to B - 1 execute, and calls since the submit before; with --frames: of these",
           wanted.submits);
  cli.flag("--sync", "also what orders commands: barriers, submits with their semaphores, waits of the host",
           wanted.synchronization);
  cli.flag("--summary", "only of how many commands all is known", summary_only);
  cli.footer(
      "A row begins with the sequence number of the command, in the order of execution; `submit 0 by 51` names the\n"
      "submit and its record. `4:8` are the bytes (or queries, mips, layers) from 4 to 7: an upper bound, as a shader\n"
      "may touch less. `all of it`: surely all of that is replaced. `in` names exactly the bytes of the memory, and\n"
      "`within` bytes of which only the driver knows which ones are touched. Host writes are the bytes that changed.\n"
      "docs/rondo-accesses.md has the fields of JSON lines.");
  Budgets budgets;
  budgets.add_to(cli);
  const auto parsed = cli.parse(args);
  if (!parsed) return tl::unexpected(parsed.error());
  if (!*parsed) return 0;

  if (file.empty()) return fail(Status::unreadable, "FILE is empty: name a capture");
  RONDO_TRY(budgets.start(file));
  auto walk = Walk::open(file);
  if (!walk) return tl::unexpected(walk.error());
  if (summary_only) wanted.synchronization = false;
  const std::unique_ptr<AccessRows> rows =
      format == "jsonl" ? access_json_rows(walk->objects()) : access_text_rows(walk->objects());
  model::Placement placement;
  if (!summary_only) wanted.placement = &placement;
  Printer printer(*rows, summary_only, wanted.placement);
  auto walked = walk_accesses(*walk, wanted, printer);
  const Result<void> intact = walk->intact();
  const bool found = !walked || walked->any || !intact || printer.out().closed() || (!wanted.frames && !wanted.submits);
  if (walked && !intact) walked->damage = intact.error().message;
  if (walked && found) printer.summary(*walked);
  RONDO_TRY(printer.out().finish());
  if (!walked && !walk->damage()) return tl::unexpected(walked.error());
  RONDO_TRY(intact);
  if (!found)
    return fail(Status::usage, text("{}: no record is in these frames or submits: it has {} and {}, from 0", file,
                                    plural(walked->frames, "frame"), plural(walked->submits, "submit")));
  return 0;
}

}  // namespace rondo::analyzers
