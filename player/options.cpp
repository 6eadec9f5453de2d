// SPDX-License-Identifier: Apache-2.0
#include "player/options.h"

#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "format/file.h"
#include "player/console.h"
#include "player/help_table.h"
#include "player/quantities.h"
#include "player/unexpected_words.h"

namespace rondo::player {

namespace {

// What --verify has behind its sign; nothing, where it has none.
Result<std::optional<double>> parse_verify(const std::string& text) {
  if (text.empty() || text == "true") return std::optional<double>();  // CLI11's word for a flag alone
  const std::string_view kind = "psnr:";
  double value = 0;
  const char* const last = text.data() + text.size();
  const bool known = text.starts_with(kind);
  const auto [end, error] = std::from_chars(text.data() + (known ? kind.size() : 0), last, value);
  if (!known || error != std::errc() || end != last || !std::isfinite(value) || value < 0)
    return fail(Status::usage, "--verify: '" + text + "' is not psnr:N, with the least PSNR of images in dB (40, say)");
  return std::optional<double>(value);
}

bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code none;
  if (std::filesystem::exists(a, none) && !std::filesystem::is_regular_file(a, none)) return false;  // /dev/null
  if (std::filesystem::equivalent(a, b, none)) return true;
  return std::filesystem::weakly_canonical(a, none) == std::filesystem::weakly_canonical(b, none);
}

// Whether a descriptor of this process leads to that file.
bool is_open_here(const struct stat& file) {
  std::error_code error;
  for (std::filesystem::directory_iterator entry("/proc/self/fd", error), end; !error && entry != end;
       entry.increment(error)) {
    struct stat one {};
    if (::stat(entry->path().c_str(), &one) == 0 && one.st_dev == file.st_dev && one.st_ino == file.st_ino) return true;
  }
  return false;
}

// Opening a named pipe waits for its reader, so one is refused. A pipe that is open already (/dev/stdout,
// /dev/fd/N) is written to.
Result<void> check_kind(const std::string& path) {
  struct stat there {};
  struct statfs system {};
  if (::stat(path.c_str(), &there) != 0) return {};
  const bool waits = S_ISFIFO(there.st_mode) &&
                     (::statfs(path.c_str(), &system) != 0 || system.f_type != PIPEFS_MAGIC) && !is_open_here(there);
  if (waits || S_ISSOCK(there.st_mode))
    return fail(Status::failed, path + ": is no regular file, and is not written to");
  return {};
}

// Nothing that is written is something that is read, or written otherwise.
Result<void> check_outputs(const Options& o) {
  std::vector<std::pair<std::string, std::string>> written, read{{"the capture", o.file}};
  if (!o.report.empty()) written.emplace_back("--report", o.report);
  if (!o.pipeline_cache.empty()) written.emplace_back("--pipeline-cache", o.pipeline_cache);
  for (const std::string& flag : o.benchmark_flags)
    if (flag.starts_with(kBenchmarkOut)) written.emplace_back("--benchmark_out", flag.substr(kBenchmarkOut.size()));
  for (const Replacement& one : o.replace) read.emplace_back("the shader", one.file);
  for (std::size_t i = 0; i < written.size(); ++i) {
    RONDO_TRY(check_kind(written[i].second));
    for (const auto& [what, file] : read)
      if (is_same_file(written[i].second, file))
        return fail(Status::usage, written[i].first + " would overwrite " + what + " " + file);
    for (std::size_t k = 0; k < i; ++k)
      if (is_same_file(written[i].second, written[k].second))
        return fail(Status::usage,
                    written[i].first + " and " + written[k].first + " would write the same file " + written[i].second);
  }
  return {};
}

// At most one of them says it.
Result<SpanRequest> parse_span(const std::string* frames, const std::string* submits, const std::string* scope) {
  if ((frames != nullptr) + (submits != nullptr) + (scope != nullptr) > 1)
    return fail(Status::usage, "a span is either --frames, --submits or --scope");
  if (frames != nullptr) return parse_range(*frames, SpanRequest::Kind::frames, "--frames");
  if (submits != nullptr) return parse_range(*submits, SpanRequest::Kind::submits, "--submits");
  if (scope != nullptr) return parse_scope(*scope);
  return SpanRequest{};
}

// What can be said before anything is played; nothing is made or opened.
Result<void> check_report(const std::string& path, const std::string& pictures) {
  if (path.empty()) return fail(Status::usage, "--report needs a file");
  std::error_code none;
  if (std::filesystem::is_directory(path, none))
    return fail(Status::usage, path + ": is a directory: --report needs a file");
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  const std::string looked_at = std::filesystem::exists(path, none) ? path : parent.empty() ? "." : parent.string();
  // That directory is still to be made.
  if (!pictures.empty() && !std::filesystem::exists(looked_at, none)) return {};
  if (::access(looked_at.c_str(), W_OK) != 0)
    return fail(Status::failed, path + ": the report cannot be written: " + errno_text(errno));
  return {};
}

}  // namespace

Result<ParsedOptions> parse_options(int argc, const char* const* argv) {
  ParsedOptions parsed;
  Options& o = parsed.options;
  std::vector<std::string> devices, replace, remaps, allowed;
  std::string damage, frames, submits, scope, budget, verify, validate, format, sandbox = "auto";
  CLI::App app{
      "Replays a Rondo capture.\n"
      "Exit: 0 done, 1 failed, 2 wrong usage, 3 not a readable capture, 4 this device cannot run it,\n"
      "5 different, 6 external file, 7 timeout."};
  app.name("player");
  app.set_version_flag("--version", "",
                       "Print version, commit, version of the format and of the Vulkan registry, and exit");
  app.add_option("FILE", o.file, "The capture (.rondo)");
  app.add_flag("--list-devices", o.list_devices, "Print the Vulkan devices of this machine and exit");
  app.add_option("--device", devices,
                 "Play on this device: NAME (a part, any case), INDEX or UUID; K=… for captured device K only")
      ->type_name("[K=]NAME|INDEX|UUID")
      ->allow_extra_args(false);
  app.add_option("--frames", frames, "The span: frames from A up to, not with, B; what comes before runs once")
      ->type_name("A:B");
  app.add_option("--submits", submits, "The span: submits (VkSubmitInfo batches) A:B")->type_name("A:B");
  app.add_option("--scope", scope,
                 "The span: a label or scope, every time it is entered or the K-th from 0 (init, deinit: before the "
                 "first submit, behind the last wait)")
      ->type_name("NAME[#K]");
  app.add_flag("--fresh", o.fresh, "Play each iteration of --loop from nothing: instance, devices and all");
  app.add_flag("--paced", o.paced,
               "Make each call of the span no earlier than in the capture, counted from the span's first call");
  app.add_option("--warmup", o.warmup, "Iterations in front of those of --loop, not timed")
      ->type_name("N")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1000000000}));
  app.add_option("--memory-budget", budget,
                 "Host memory for the capture and for what a loop puts back; half of the machine's")
      ->type_name("MIB");
  app.add_option("--jobs", o.jobs, "Threads that make the pipelines in front of the span; one a processor")
      ->type_name("N")
      ->check(CLI::Range(1u, 1024u));
  app.add_option("--pipeline-cache", o.pipeline_cache,
                 "Keep what drivers make of pipelines in FILE, for the next replays")
      ->type_name("FILE");
  app.add_option("--leave-out", o.leave_out)->group("");
  app.add_option("--loop", o.loop,
                 "Play the span N times (without one: first submit to last wait), its state put back between")
      ->type_name("N")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1000000000}));
  app.add_option("--replace", replace,
                 "Play FILE.spv in a shader's place: VkShaderModule#N, VkPipeline#N.STAGE, VkShaderEXT#N, the begin of "
                 "a digest, all@ENTRYPOINT")
      ->type_name("SELECTOR=FILE.spv")
      ->allow_extra_args(false);
  app.add_option("--allow-files", allowed, "Read files below DIR where a capture needs them (rondo info lists them)")
      ->type_name("DIR")
      ->allow_extra_args(false);
  app.add_option("--file-remap", remaps,
                 "Read NEW where a capture needs OLD, a file or a directory; the longest OLD counts")
      ->type_name("OLD=NEW")
      ->allow_extra_args(false);
  app.add_flag(
      "--benchmark", o.benchmark,
      "Measure the span by google-benchmark, with all of its --benchmark_* options (--benchmark_format=json, …)");
  app.add_flag("--verify", verify,
               "Compare with the capture's checkpoints; status 5 if anything differs; --verify=psnr:N: "
               "images whose digests differ need N dB")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  app.add_option("--screenshot", o.screenshots, "Write every presented image to DIR/frame-NNNNNN.png")
      ->type_name("DIR");
  app.add_option("--difference", o.differences,
                 "Write a picture of each image that --verify finds different to DIR: captured, replayed, difference")
      ->type_name("DIR");
  app.add_flag("--window", o.window, "Show what is presented in windows of DISPLAY or WAYLAND_DISPLAY");
  app.add_option("--report", o.report, "Write what happened as JSON")->type_name("FILE.json");
  app.add_flag("--clamp-shaders", o.clamp_shaders,
               "Keep the accesses of shaders within their arrays and buffers, where that can be done; not "
               "for measuring");
  app.add_flag("--validate", validate,
               "Play under the validation layer; any message is status 1; --validate=sync: with its synchronization "
               "validation");
  app.add_flag("--require-complete", o.require_complete,
               "Refuse a capture whose recording stopped before the program did");
  app.add_flag("--salvage", o.salvage,
               "Play a cut or damaged capture up to its last whole submit; without one, what came before the first");
  app.add_option("--until", o.until, "Stop behind the record with this sequence number")
      ->type_name("SEQ")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 62));
  add_choice(app, "--sandbox", sandbox_modes(),
             "auto: play foreign captures in a sandbox; require: all, and only where it is whole; off: none", sandbox);
  app.add_flag("--trust", o.trust,
               "Trust the capture as one that you recorded here yourself: play it without a sandbox");
  app.add_option("--timeout", o.timeout, "Give up after S seconds, with status 7")
      ->type_name("S")
      ->check([](const std::string& text) {
        const auto seconds = parse_seconds(text);
        return seconds ? std::string() : seconds.error().message;
      });
  app.add_flag("--quiet", o.quiet, "Print errors only");
  add_choice(app, "--format", {"text", "junit"},
             "junit: standard output is the verdict as JUnit XML, for CI; text else", format);
  app.add_option("--damage", damage)->group("");
  if (argc > 1 && argv[argc - 1] == kHelpTable) {
    parsed.exit = true;
    parsed.exit_text = help_table(app, "player [OPTIONS] FILE");
    return parsed;
  }
  // CLI11 would take the next word for the value.
  std::vector<const char*> words;
  for (int i = 0; i < argc; ++i)
    if (const std::string_view word = argv[i]; i != 0 && (word.starts_with("--benchmark_") || word.starts_with("--v=")))
      o.benchmark_flags.push_back(argv[i]);
    else
      words.push_back(argv[i]);
  for (int i = 1; i < argc; ++i)
    if (const std::string_view word = argv[i]; word.starts_with("--") && word.ends_with('='))
      return fail(Status::usage, std::string(word) + ": a value is missing; see player --help");
  try {
    app.parse(static_cast<int>(words.size()), words.data());
  } catch (const CLI::CallForHelp&) {
    parsed.exit = true;
    parsed.exit_text = app.help();
    return parsed;
  } catch (const CLI::CallForVersion&) {
    parsed.exit = parsed.version = true;
    return parsed;
  } catch (const CLI::ParseError& error) {
    return fail(Status::usage, parse_error_text(app, error) + "; see player --help");
  }
  if (o.file.empty() && !o.list_devices) return fail(Status::usage, "no capture is given; see player --help");
  if (app.count("--screenshot") != 0 && o.screenshots.empty())
    return fail(Status::usage, "--screenshot needs a directory");
  if (app.count("--difference") != 0 && o.differences.empty())
    return fail(Status::usage, "--difference needs a directory");
  if (!o.differences.empty() && app.count("--verify") == 0)
    return fail(Status::usage, "--difference shows what --verify finds: it goes with --verify");
  if (app.count("--report") != 0)
    RONDO_TRY(check_report(o.report, o.screenshots.empty() ? o.differences : o.screenshots));
  for (const std::string& text : devices) {
    auto choice = parse_device(text);
    if (!choice) return tl::unexpected<Error>(choice.error());
    o.devices.push_back(*choice);
  }
  o.verify = app.count("--verify") != 0;
  auto psnr = parse_verify(verify);
  if (!psnr) return tl::unexpected<Error>(psnr.error());
  o.psnr = *psnr;
  o.validate = app.count("--validate") != 0;
  o.validate_sync = validate == "sync";
  if (o.validate && !o.validate_sync && validate != "true")
    return fail(Status::usage, "--validate: '" + validate + "' is not sync");
  o.sandbox = parse_sandbox(sandbox);
  auto replacements = parse_replacements(replace);
  if (!replacements) return tl::unexpected<Error>(replacements.error());
  o.replace = std::move(*replacements);
  auto files = parse_file_access(remaps, allowed);
  if (!files) return tl::unexpected<Error>(files.error());
  o.files = std::move(*files);
  auto span =
      parse_span(app.count("--frames") != 0 ? &frames : nullptr, app.count("--submits") != 0 ? &submits : nullptr,
                 app.count("--scope") != 0 ? &scope : nullptr);
  if (!span) return tl::unexpected<Error>(span.error());
  o.span = *span;
  if (app.count("--memory-budget") != 0) {
    const auto bytes = parse_mebibytes(budget);
    if (!bytes) return fail(Status::usage, "--memory-budget: " + bytes.error().message);
    o.memory_budget = *bytes;
  }
  if (app.count("--pipeline-cache") != 0 && o.pipeline_cache.empty())
    return fail(Status::usage, "--pipeline-cache needs a file");
  if (!o.benchmark_flags.empty() && !o.benchmark)
    return fail(Status::usage, o.benchmark_flags.front() + " is for --benchmark");
  if (o.benchmark && (app.count("--loop") != 0 || o.fresh || !o.screenshots.empty() || o.window))
    return fail(Status::usage,
                "--benchmark decides by itself how often the span is played: not with --loop, --fresh, --screenshot or "
                "--window");
  if (o.benchmark && o.paced)
    return fail(Status::usage, "--paced plays as slowly as the program did: not with --benchmark");
  // google-benchmark takes its options from the environment, too.
  if (const char* out = std::getenv("BENCHMARK_OUT");
      o.benchmark && out != nullptr && *out != '\0' &&
      std::none_of(o.benchmark_flags.begin(), o.benchmark_flags.end(),
                   [](const std::string& flag) { return flag.starts_with(kBenchmarkOut); }))
    o.benchmark_flags.push_back(std::string(kBenchmarkOut) + out);
  RONDO_TRY(check_outputs(o));
  o.junit = format == "junit";
  if (o.junit && (o.benchmark || o.list_devices))
    return fail(Status::usage, "--format junit is the verdict of a replay: not with --benchmark or --list-devices");
  // Standard output is what --benchmark_format or --format says, and nothing else.
  o.quiet = o.quiet || o.benchmark || o.junit;
  if (!damage.empty()) {
    auto parsed_damage = parse_damage(damage);
    if (!parsed_damage) return tl::unexpected<Error>(parsed_damage.error());
    o.damage = *parsed_damage;
  }
  return parsed;
}

}  // namespace rondo::player
