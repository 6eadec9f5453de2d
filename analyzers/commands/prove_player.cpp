// SPDX-License-Identifier: Apache-2.0
#include "analyzers/commands/prove_player.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>

#include "analyzers/commands/play.h"
#include "analyzers/launch/report_file.h"
#include "analyzers/options/span_arguments.h"
#include "analyzers/text/json.h"
#include "analyzers/text/output.h"
#include "analyzers/text/text.h"
#include "format/outputs.h"
#include "format/temporary_path.h"
#include "player/sandbox/sandbox.h"
#include "player/trust.h"

namespace rondo::analyzers {

namespace {

using prove::Played;

constexpr std::uint64_t kLoops = 5, kTries = 16, kTimedLoops = 10;

Result<TemporaryPath> temporary_file(const char* name, const char* ending) {
  for (const std::string& place : temporary_directories()) {
    TemporaryPath path = TemporaryPath::beside(place + "/" + name, ending);
    if (const int fd = open_output(path.get(), Opening::temporary); fd >= 0) {
      ::close(fd);
      return path;
    }
    path.forget();
  }
  return fail(Status::failed, "no temporary file can be made: set TMPDIR to a directory that has room");
}

// --memory-budget is of what is read of the capture. Programs that this process starts would have that limit, too.
void unlimit_memory() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_DATA, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_DATA, &limit);
}

class ProvePlayer final : public prove::Plays {
 public:
  ProvePlayer(std::vector<std::string> words, std::vector<std::string> words_of_original)
      : words_(std::move(words)), words_of_original_(std::move(words_of_original)) {}

  Result<Played> compare(const std::string& capture, bool is_edited, std::uint64_t loops) override {
    say_what(is_edited ? "an edited capture is played" : "the capture is played as it is");
    auto played = compare_once(capture, is_edited, loops);
    // Some spans cannot be put back. Then each loop plays all.
    if (!played || is_edited || is_fresh_ || played->end != Played::End::failed) return played;
    is_fresh_ = true;
    auto fresh = compare_once(capture, is_edited, loops);
    if (!fresh || fresh->end != Played::End::failed) return fresh;
    is_fresh_ = false;
    return played;
  }

  Result<std::optional<RunResults>> time(const std::string& capture, bool is_edited) override {
    say_what("times are measured");
    auto report = temporary_file("rondo-prove", ".json");
    if (!report) return tl::unexpected(report.error());
    const auto ended = run({"--loop", text("{}", kTimedLoops), "--report", report->get()}, capture, is_edited);
    if (!ended) return tl::unexpected(ended.error());
    if (ended->status != 0 || ended->signal != 0) return std::optional<RunResults>();
    auto results = read_run_results(report->get(), is_edited ? "edited" : "captured");
    if (!results) return tl::unexpected(results.error());
    return std::optional(std::move(*results));
  }

  Result<std::string> path() override {
    auto made = temporary_file("rondo-prove", ".rondo");
    if (!made) return tl::unexpected(made.error());
    edited_ = std::move(*made);
    return edited_.get();
  }

 private:
  void say_what(const char* what) const {
    if (::isatty(STDERR_FILENO) != 0) say(text("--prove: {}", what));
  }

  Result<Ended> run(std::vector<std::string> words, const std::string& capture, bool is_edited) {
    words.insert(words.begin(), "--quiet");
    if (is_fresh_) words.emplace_back("--fresh");
    // A race that is played in another order may never end.
    if (limit_ != 0) words.insert(words.end(), {"--timeout", text("{:.0f}", limit_)});
    words.insert(words.end(), words_.begin(), words_.end());
    if (!is_edited) words.insert(words.end(), words_of_original_.begin(), words_of_original_.end());
    words.push_back(capture);
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    auto ended = run_player(words, {}, nowhere >= 0 ? nowhere : STDERR_FILENO);
    if (nowhere >= 0) ::close(nowhere);
    if (ended && (ended->signal == SIGINT || ended->signal == SIGTERM || ended->signal == SIGHUP))
      return fail(Status::failed, text("--prove: {} ended the replay", signal_name(ended->signal)));
    return ended;
  }

  Result<Played> compare_once(const std::string& capture, bool is_edited, std::uint64_t loops) {
    auto report = temporary_file("rondo-prove", ".json");
    if (!report) return tl::unexpected(report.error());
    const auto begin = std::chrono::steady_clock::now();
    const auto ended = run({"--verify", "--loop", text("{}", loops), "--report", report->get()}, capture, is_edited);
    if (!ended) return tl::unexpected(ended.error());
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (!is_edited) limit_ = 60 + 10 * seconds;
    Played played = read(report->get());
    if (ended->signal != 0)
      played.error = text("the player ended with {}", signal_name(ended->signal));
    else if (ended->status == 0)
      played.end = Played::End::same;
    else if (ended->status == static_cast<int>(Status::different))
      played.end = is_different_ ? Played::End::different : Played::End::nothing;
    else if (ended->status == static_cast<int>(Status::usage))
      played.end = Played::End::nothing;
    if (played.error.empty()) played.error = text("the player ended with status {}", ended->status);
    // The file has a name that means nothing to the user.
    if (const std::string before = capture + ": "; played.error.starts_with(before))
      played.error.erase(0, before.size());
    return played;
  }

  // What the report says, if there is one. The end is for the caller to say.
  Played read(const std::string& report) {
    Played played;
    is_different_ = false;
    const auto json = read_json(report);
    if (!json) return played;
    for (const auto& [index, device] : json->members("/devices"))
      append(played.devices, "{}{}", played.devices.empty() ? "" : ", ", device);
    played.error = json->string("/error").value_or("");
    const auto difference = json->string("/verification/first_difference");
    is_different_ = difference.has_value();
    played.is_unstable = json->number("/verification/again/unstable").value_or(0) != 0;
    if (difference) played.first = prove::parse_difference(*difference);
    return played;
  }
  static std::optional<JsonText> read_json(const std::string& path) {
    const auto content = content_of(path);
    if (!content) return std::nullopt;
    auto json = JsonText::parse(*content);
    if (!json) return std::nullopt;
    return std::move(*json);
  }
  static std::optional<std::string> content_of(const std::string& path) {
    std::string content;
    std::FILE* const file = std::fopen(path.c_str(), "rb");
    if (file == nullptr) return std::nullopt;
    char part[65536];
    for (std::size_t got; (got = std::fread(part, 1, sizeof part, file)) != 0;) content.append(part, got);
    const bool is_read = std::ferror(file) == 0;
    std::fclose(file);
    return is_read ? std::optional(std::move(content)) : std::nullopt;
  }

  const std::vector<std::string> words_, words_of_original_;
  bool is_fresh_ = false;
  bool is_different_ = false;  // of the report that was read last
  double limit_ = 0;           // of a replay, in seconds; 0: none
  TemporaryPath edited_;
};

}  // namespace

void ProveArguments::add_to(Cli& cli) {
  cli.flag("--prove", "play the capture without what is superfluous and with races reordered, and compare", asked_);
  cli.value("--loops", "N", "of --prove: loops that are compared (default 5)", loops_);
  cli.value("--tries", "N", "of --prove: findings that are tried (default 16)", tries_);
  cli.values("--device", "[K=]NAME|INDEX|UUID", "of --prove: play on this device, as of player", devices_);
  cli.flag("--trust", "of --prove: trust FILE as a capture that you recorded here yourself", trust_);
  cli.choice("--sandbox", player::sandbox_modes(), "of --prove: as of player", sandbox_);
  files_.add_to(cli);
}

Result<void> ProveArguments::check() const {
  const bool has_others = loops_ || tries_ || !devices_.empty() || trust_ || sandbox_ != "auto" || files_.any();
  if (!asked_ && has_others)
    return fail(
        Status::usage,
        "--loops, --tries, --device, --trust, --sandbox, --allow-files and --file-remap are options of --prove: "
        "rondo sync alone plays nothing");
  for (const auto& [option, given] : {std::pair{"--loops", &loops_}, std::pair{"--tries", &tries_}}) {
    const auto count = parse_count(option, *given, 1);
    if (!count) return tl::unexpected(count.error());
    if (*count == 0) return fail(Status::usage, text("{}: at least 1 (see rondo sync --help)", option));
  }
  return {};
}

Result<prove::Proofs> ProveArguments::prove(const std::string& file, const SyncAnalysis& analysis,
                                            std::span<SyncFinding* const> findings) const {
  prove::ProveOptions options;
  options.file = file;
  auto access = files_.access();
  if (!access) return tl::unexpected(access.error());
  std::vector<std::string> words{"--sandbox=" + sandbox_}, of_original;
  // An edited capture is another file: it is as much to be trusted as what it was made of.
  if (player::trust_of(file, trust_) == player::Trust::trusted) words.emplace_back("--trust");
  for (const std::string& device : devices_) words.insert(words.end(), {"--device", device});
  for (const std::string& one : access->allowed) of_original.insert(of_original.end(), {"--allow-files", one});
  for (const FileAccess::Remap& one : access->remaps)
    of_original.insert(of_original.end(), {"--file-remap", one.from + "=" + one.to});
  options.files = std::move(*access);
  options.loops = parse_count("--loops", loops_, kLoops).value_or(kLoops);
  options.tries = parse_count("--tries", tries_, kTries).value_or(kTries);
  unlimit_memory();
  ProvePlayer player(std::move(words), std::move(of_original));
  return rondo::prove::prove(analysis, findings, options, player);
}

void append_proofs(std::string& out, const prove::Proofs& proofs) {
  append(out, "{} of {} proven on {}\n", proofs.proven, plural(proofs.tried, "finding"), printable(proofs.devices));
  if (!proofs.times.empty())
    append(out, "{}: {}\n",
           proofs.together == 1 ? std::string("with the one that is superfluous or too wide changed")
                                : text("with all {} that are superfluous or too wide changed", proofs.together),
           proofs.times);
  if (!proofs.overlap.empty())
    append(out,
           "submits were played with a pause after each: without it the capture as it is gives other bits, first {}\n",
           proofs.overlap);
  if (proofs.not_tried != 0) append(out, "{} not tried: --tries N tries more\n", plural(proofs.not_tried, "finding"));
  if (proofs.proven != 0)
    out +=
        "equal bits on this device show that nothing was lost here, and what it costs; that nothing needs a barrier "
        "elsewhere is what the analysis says\n";
}

void write_proofs(JsonWriter& json, const prove::Proofs& proofs) {
  json.field("devices", proofs.devices);
  json.field("tried", proofs.tried);
  json.field("proven", proofs.proven);
  json.field("not_tried", proofs.not_tried);
  json.field("together", proofs.together);
  if (!proofs.times.empty()) json.field("times", proofs.times);
  if (!proofs.overlap.empty()) json.field("pauses", proofs.overlap);
}

}  // namespace rondo::analyzers
