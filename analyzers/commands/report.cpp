// SPDX-License-Identifier: Apache-2.0
// rondo report: what a capture does and where its time goes, as one page that needs nothing else.
#include <algorithm>

#include "analyzers/analysis/measured_times.h"
#include "analyzers/analysis/report_gaps.h"
#include "analyzers/analysis/report_memory.h"
#include "analyzers/analysis/report_waves.h"
#include "analyzers/analysis/rows.h"
#include "analyzers/analysis/work_span.h"
#include "analyzers/commands/commands.h"
#include "analyzers/commands/report_rows.h"
#include "analyzers/export/out_file.h"
#include "analyzers/options/cli.h"
#include "analyzers/options/file_arguments.h"
#include "analyzers/options/loop_arguments.h"
#include "analyzers/report_page.h"
#include "analyzers/text/output.h"
#include "analyzers/text/text.h"
#include "format/needed_files.h"
#include "player/interrupt.h"

namespace rondo::analyzers {

namespace {

// of a capture that is profiled whole; of a larger one
constexpr std::uint64_t kMostSubmits = 2'000, kFirstSubmit = 100;

std::string words_of(const SpanRequest& span) {
  switch (span.kind) {
    case SpanRequest::Kind::frames:
      return text("--frames {}:{} ", span.first, span.last);
    case SpanRequest::Kind::submits:
      return text("--submits {}:{} ", span.first, span.last);
    case SpanRequest::Kind::scope:
      return "--scope " +
             shell_word(span.name + (span.occurrence ? "#" + std::to_string(*span.occurrence) : std::string())) + " ";
    case SpanRequest::Kind::whole:
    case SpanRequest::Kind::records:
      break;
  }
  return {};
}

std::string page_of(const std::string& rows) {
  std::string page(report_page::html);
  for (const auto& [mark, content] : {std::pair<std::string_view, std::string_view>{"@STYLE@", report_page::css},
                                      {"@SCRIPT@", report_page::js},
                                      {"@PARTS@", report_page::parts},
                                      {"@GAPS@", report_page::gaps},
                                      {"@WAVES@", report_page::waves},
                                      {"@MEMORY@", report_page::memory},
                                      {"@ROWS@", rows}}) {
    const std::size_t at = page.find(mark);
    page.replace(at, mark.size(), content);
  }
  return page;
}

// A new page is as private as its capture, of which it has names and pictures.
Result<void> write_page(const std::string& path, const std::string& page, const std::string& capture) {
  auto made = OutFile::create(path, capture);
  if (!made) return tl::unexpected(made.error());
  made->write(page);
  return made->keep();
}

// The whole of a small capture; of a large one submits near its begin, after the program's start: what comes before a
// span is played, too.
SpanRequest span_of_report(const SpanRequest& asked, const CaptureInfo& info) {
  if (asked.kind != SpanRequest::Kind::whole || info.submits <= kMostSubmits) return asked;
  const std::uint64_t first = std::min(kFirstSubmit, info.submits - kMostSubmits);
  return {SpanRequest::Kind::submits, first, first + kMostSubmits, {}, {}};
}

}  // namespace

Result<int> run_report(Arguments args) {
  ProfileWanted wanted;
  std::string output;
  bool no_replay = false;
  std::optional<std::string> order_frame;
  LoopArguments loop(3);
  Cli cli(
      "rondo report",
      "Writes one page about a capture, for a browser: what it does, where the time of the device goes, what the host\n"
      "waits for, when the device does nothing and why, what could run at the same time, what must come after what,\n"
      "which barriers are wrong or needless, and how much memory it has. The page needs no network and no other file.\n"
      "The span is played for it, on a device, as by rondo profile, and once at the program's pace, as by rondo gaps.");
  cli.value("-o,--output", "PAGE.html", "where the page goes", output);
  cli.flag("--no-replay", "touch no device: without the times of the device", no_replay);
  cli.value("--order-frame", "N", "the frame whose work graph the page shows (default: a typical one of the span)",
            order_frame);
  loop.add_to(cli);
  const auto parsed = cli.parse(args);
  if (!parsed) return tl::unexpected(parsed.error());
  if (!*parsed) return 0;
  const std::string& file = loop.file();
  if (file.empty()) return fail(Status::unreadable, "FILE is empty: name a capture");
  if (output.empty()) return fail(Status::usage, "-o PAGE.html is required (see rondo report --help)");
  RONDO_TRY(check_output_name(output));
  RONDO_TRY(spare_captures("-o", file, output));
  const NamedOutput named{NamedOutput::Kind::file, output, file};
  auto replay = loop.replay("rondo report", {named});
  if (!replay) return tl::unexpected(replay.error());
  wanted.replay = std::move(*replay);
  const SpanRequest asked = wanted.replay.span;
  std::optional<std::uint64_t> shown_frame;
  if (order_frame) {
    const auto number = parse_count("--order-frame", order_frame, 0);
    if (!number) return tl::unexpected(number.error());
    shown_frame = *number;
  }

  auto walk = Walk::open(file);
  if (!walk) return tl::unexpected(walk.error());
  RONDO_TRY(spare_needed_files(walk->reader(), std::span(&named, 1)));
  const CaptureInfo info = gather(*walk, InfoWanted{false, true, false, false});
  RONDO_TRY(walk->rewind());
  const ReportData data = gather_report_data(*walk);
  auto work = WorkWalk::open(file);
  if (!work) return tl::unexpected(work.error());
  if (asked.kind != SpanRequest::Kind::whole) {
    const auto span = WorkSpan::find(*work, asked);
    if (!span) return tl::unexpected(span.error());
  }
  std::optional<Profile> profiled;
  std::string why = "--no-replay was given";
  wanted.replay.span = span_of_report(asked, info);
  auto order = choose_frame(info, wanted.replay.span, shown_frame);
  if (!order) return tl::unexpected(order.error());
  gather_order(*order, file);
  const ReportSync sync = gather_sync(file, file_word(file));
  // Once is enough for a picture of the gaps.
  player::Options for_gaps = wanted.replay;
  for_gaps.loop = 1;
  FramePictures pictures(wanted.replay.span, info.frames);
  if (!no_replay) {
    pictures.take_from(wanted.replay);
    auto found = profile(*work, wanted);
    if (found)
      profiled = std::move(*found);
    else if (player::Interrupt::signal() != 0 ||
             (asked.kind != SpanRequest::Kind::whole && found.error().status == Status::usage))
      return tl::unexpected(found.error());  // the span is not there
    else
      why = found.error().message;
  }

  ReportRows rows;
  const std::string program =
      info.session.string("/process/program").value_or(info.session.string("/application/name").value_or("a capture"));
  RONDO_TRY(append_head(rows.lines(), *work,
                        {"report", {}, {}, [&](JsonWriter& json) {
                           json.field("program", program);
                           json.field("device", info.devices.empty() ? std::string("an unknown device")
                                                                     : text("{} ({})", info.devices.front().name,
                                                                            info.devices.front().driver));
                           json.field("timed_calls", data.timed_calls);
                           json.field("items", std::uint64_t{profiled ? profiled->rows.size() : 0});
                           json.field("iterations", std::uint64_t{profiled ? profiled->iterations : 0});
                           json.field("span", wanted.replay.span.text());
                         }}));
  const std::string replay_words = words_of(wanted.replay.span) + loop.replay_words();
  ReportSection gaps;
  gaps.command = text("rondo gaps {}{}", replay_words, file_word(file));
  if (profiled)
    gather_gaps(gaps, for_gaps);
  else
    gaps.error = why;
  if (player::Interrupt::signal() != 0) return fail(Status::failed, gaps.error);
  std::optional<MeasuredTimes> times;
  if (profiled && !profiled->of_host) times = MeasuredTimes::of(*profiled);
  const ReportSection waves =
      gather_waves(file, words_of(wanted.replay.span) + file_word(file), wanted.replay.span, times ? &*times : nullptr);
  const ReportSection memory = gather_memory(file, file_word(file));
  const std::string span = wanted.replay.span.text();
  add_report_rows(rows, {file, info, data, *work, span, replay_words, profiled ? &*profiled : nullptr, why, pictures,
                         *order, sync, gaps, waves, memory});
  const std::string page = page_of(rows.array());
  RONDO_TRY(write_page(output, page, file));
  Output out;
  out.line(text("{}: {}{}", printable(output), size_text(page.size()),
                profiled ? "" : text(", without the device's times: {}", why)));
  RONDO_TRY(out.finish());
  RONDO_TRY(walk->intact());
  return 0;
}

}  // namespace rondo::analyzers
