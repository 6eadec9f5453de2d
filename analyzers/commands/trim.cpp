// SPDX-License-Identifier: Apache-2.0
// rondo trim: a span of a capture as a capture of its own.
#include "analyzers/trim/trim.h"

#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <filesystem>

#include "analyzers/commands/commands.h"
#include "analyzers/commands/cut.h"
#include "analyzers/options/budgets.h"
#include "analyzers/options/cli.h"
#include "analyzers/options/file_arguments.h"
#include "analyzers/options/trust_arguments.h"
#include "analyzers/text/json.h"
#include "analyzers/text/output.h"
#include "analyzers/text/text.h"
#include "analyzers/trim/draws.h"
#include "player/quantities.h"

namespace rondo::analyzers {

namespace {

// What the new file says of where it is from; `earlier`: likewise of the source, if that is a cut itself.
std::string session_of(const trim::Outcome& outcome, const std::string& file, const std::vector<std::string>& earlier) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.key("cut");
  json.begin_object();
  json.field("capture", outcome.source_id);
  json.field("file", std::filesystem::path(file).filename().string());
  json.field("span", outcome.span);
  json.field("first_record", outcome.records.first);
  json.field("last_record", outcome.records.last);
  json.field("frame", outcome.frame);
  json.field("submit", outcome.submit);
  json.field("submit_calls_before", outcome.submits_again);
  json.key("devices");
  json.begin_array();
  for (const std::string& device : outcome.devices) json.string(device);
  json.end_array();
  json.field("checkpoints", outcome.compared);
  json.field("checkpoints_of_these_devices", outcome.recomputed);
  json.field("images_as_these_devices_lay_them_out", outcome.raw_images);
  json.field("images_kept_after_undefined", outcome.kept_images);
  json.field("clamped_shaders", outcome.clamped_shaders);
  json.field("rondo", RONDO_VERSION);
  if (!earlier.empty()) {
    json.key("earlier");
    json.begin_array();
    for (const std::string& one : earlier) json.string(one);
    json.end_array();
  }
  json.end_object();
  json.end_object();
  return text;
}

// The source's, but for what was asked of it, and what it says of its own cut.
std::vector<std::string> sessions_of(const trim::Outcome& outcome, const std::string& file,
                                     const std::vector<std::string>& source) {
  std::vector<std::string> kept, earlier;
  for (const std::string& one : source) {
    const auto json = JsonText::parse(one);
    const bool asks = json && json->size("") == 1 && json->size("/cut_request") != 0;
    const bool cut = json && json->size("") == 1 && json->size("/cut") != 0;
    if (!asks && !cut) kept.push_back(one);
    if (!cut) continue;
    for (const auto& [index, text] : json->members("/cut/earlier")) earlier.push_back(text);
    earlier.push_back(json->string("/cut/span").value_or("") + " of " + json->string("/cut/capture").value_or(""));
  }
  kept.push_back(session_of(outcome, file, earlier));
  return kept;
}

// One line, drawn again and again, where somebody looks.
class Progress {
 public:
  void operator()(const char* what, double done) {
    if (!shown_) return;
    const int percent = static_cast<int>(std::lround(std::min(done, 1.0) * 100));
    if (percent == last_ && what_ == what) return;
    last_ = percent;
    what_ = what;
    constexpr int width = 40;
    const int filled = percent * width / 100;
    std::fprintf(stderr, "\r%-9s [%.*s%*s] %3d %%", what, filled, "########################################",
                 width - filled, "", percent);
    std::fflush(stderr);
  }
  ~Progress() {
    if (last_ >= 0) std::fputs("\r\033[K", stderr);
  }

 private:
  const bool shown_ = ::isatty(STDERR_FILENO) != 0;
  std::string what_;
  int last_ = -1;
};

}  // namespace

Result<int> run_trim(Arguments args) {
  std::string file, output, codec = "zstd", leave_out;
  std::optional<std::string> frames, submits, scope, draws, budget;
  std::vector<std::string> devices;
  FileArguments files;
  bool in_place = false, quiet = false, validate = false;
  TrustArguments trusting;
  Cli cli(
      "rondo trim",
      "Writes a part of a capture as a capture that stands alone: what the part needs of what came before it is put\n"
      "back in front of it, or made again by the calls that made it. Plays FILE up to the part, on a device. Without\n"
      "--frames, --submits and --scope: the frames that the capture was asked for (RONDO_FRAMES, rondo trigger).");
  cli.positional("FILE", "the capture", file);
  cli.value("--frames", "A:B", "from frame A up to, not with, B", frames);
  cli.value("--submits", "A:B", "likewise of submits", submits);
  cli.value("--scope", "NAME[#K]", "every time that a scope is entered, or the K-th, from 0", scope);
  cli.value("--draws", "SUBMIT:A[:B]", "draw or dispatch A of a submit, or from A up to, not with, B", draws);
  cli.value("-o,--output", "OUT", "where the new capture goes; it is there whole, or not at all", output);
  cli.flag("--in-place", "replace FILE", in_place);
  cli.values("--device", "[K=]NAME|INDEX|UUID", "where FILE is played, as of player", devices);
  cli.choice("--codec", {"zstd", "lz4", "none"}, "of every chunk (default zstd)", codec);
  files.add_to(cli);
  cli.value("--memory-budget", "MIB", "host memory for the capture; half of the machine's", budget);
  Budgets budgets;
  budgets.add_timeout_to(cli);
  cli.flag("--validate", "under VK_LAYER_KHRONOS_validation: any message is an error", validate);
  cli.flag("--quiet", "print errors only", quiet);
  trusting.add_to(cli, "FILE");
  cli.hidden("--leave-out", leave_out);
  const auto parsed = cli.parse(args);
  if (!parsed) return tl::unexpected(parsed.error());
  if (!*parsed) return 0;
  if (file.empty()) return fail(Status::unreadable, "FILE is empty: name a capture");
  RONDO_TRY(check_output_words("rondo trim", file, output, in_place));
  const int spans = (frames ? 1 : 0) + (submits ? 1 : 0) + (scope ? 1 : 0) + (draws ? 1 : 0);
  if (spans > 1)
    return fail(Status::usage, "--frames, --submits, --scope and --draws exclude each other (see rondo trim --help)");

  trim::Options options;
  options.file = file;
  options.output = in_place ? file : output;
  auto access = files.access();
  if (!access) return tl::unexpected(access.error());
  options.files = std::move(*access);
  const auto trust = trusting.protect(file, options.files, {{NamedOutput::Kind::file, options.output, file}});
  if (!trust) return tl::unexpected(trust.error());
  if (spans == 0) {
    const auto asked = requested_cut(file);
    if (!asked) return tl::unexpected(asked.error());
    if (!*asked)
      return fail(Status::usage,
                  text("{}: nothing in it asks for a cut: --frames, --submits, --scope or --draws says what to keep "
                       "(see rondo trim --help)",
                       printable(file)));
    frames = text("{}:{}", (*asked)->first, (*asked)->last);
  }
  std::optional<trim::DrawRange> drawn;
  if (draws) {
    const auto range = trim::parse_draws(printable(*draws));
    if (!range) return tl::unexpected(range.error());
    drawn = *range;
  }
  Result<SpanRequest> span = draws    ? SpanRequest{}
                             : scope  ? parse_scope(*scope)
                             : frames ? parse_range(*frames, SpanRequest::Kind::frames, "--frames")
                                      : parse_range(*submits, SpanRequest::Kind::submits, "--submits");
  if (!span) return tl::unexpected(span.error());
  options.span = std::move(*span);
  for (const std::string& device : devices) {
    auto choice = player::parse_device(device);
    if (!choice) return tl::unexpected(choice.error());
    options.devices.push_back(std::move(*choice));
  }
  if (budget) {
    const auto bytes = player::parse_mebibytes(*budget);
    if (!bytes) return fail(Status::usage, "--memory-budget: " + bytes.error().message);
    options.memory_budget = *bytes;
  }
  options.codec = codec == "zstd" ? Compression::zstd : codec == "lz4" ? Compression::lz4 : Compression::none;
  options.validate = validate;
  options.trust = *trust;
  options.clamp_shaders = trusting.clamps_shaders();
  options.leave_out = leave_out;
  options.sessions = [&file](const trim::Outcome& outcome, const std::vector<std::string>& source) {
    return sessions_of(outcome, file, source);
  };
  RONDO_TRY(budgets.start(file));
  Result<trim::Outcome> done = fail(Status::failed, "");
  {
    Progress progress;
    if (!quiet) options.progress = [&progress](const char* what, double part) { progress(what, part); };
    done = drawn ? trim::trim_draws(options, *drawn) : trim::trim(options);
  }
  if (!done) {
    // Nobody named these on the command line.
    if (done.error().lines.empty() && spans == 0 && done.error().status == Status::usage)
      return fail(Status::usage, done.error().message +
                                     "; the capture itself asks for these frames: --frames, --submits or "
                                     "--scope chooses others");
    return tl::unexpected(done.error());
  }
  if (*trust == player::Trust::trusted) trust_written(options.output);
  if (quiet) return 0;
  Output out;
  for (std::size_t i = 0; i < done->devices.size(); ++i)
    out.line(text("played on {}: {}", printable(done->devices[i]), printable(done->device_reasons[i])));
  for (const std::string& note : done->shader_notes) out.line(note);
  out.line(text("{}: {} → {}; records {} to {}, {} of {} objects from before, {} put back", printable(options.output),
                size_text(done->bytes_before), size_text(done->bytes), done->records.first, done->records.last,
                done->objects, done->objects_before, size_text(done->contents_bytes)));
  if (done->submits_again != 0)
    out.line(text("{} before the part {} again what it needs", plural(done->submits_again, "submitting call"),
                  done->submits_again == 1 ? "makes" : "make"));
  if (done->known != done->commands)
    out.line(
        text("of {} of {} all that they touch is known: for the others anything that addresses may lead to is kept",
             done->known, plural(done->commands, "command")));
  if (done->raw_images != 0)
    out.line(text("{} of several samples, or that cannot be copied, as {} lays {} out: only that driver plays this",
                  plural(done->raw_images, "image"), printable(done->devices.empty() ? "" : done->devices[0]),
                  done->raw_images == 1 ? "it" : "them"));
  if (done->kept_images != 0)
    out.line(text("the part uses on what it lets be undefined: the texels of {} are put back as {} kept them",
                  plural(done->kept_images, "image"), printable(done->devices.empty() ? "" : done->devices[0])));
  if (drawn && done->compared == 0)
    out.line(
        "nothing that the last draw leaves can be read and is known to be written: player --verify has nothing to "
        "compare");
  if (done->recomputed != 0 && drawn)
    out.line(text("the contents in it are those of {}: player --verify compares other devices with that one",
                  printable(done->devices.empty() ? "" : done->devices[0])));
  if (done->recomputed != 0 && !drawn)
    out.line(text("{} not as captured on {}: the new capture has this device's",
                  done->recomputed == 1 ? "1 checkpoint was" : text("{} checkpoints were", done->recomputed),
                  printable(done->devices.empty() ? "" : done->devices[0])));
  RONDO_TRY(out.finish());
  return 0;
}

}  // namespace rondo::analyzers
