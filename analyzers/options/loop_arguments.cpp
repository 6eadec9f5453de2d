// SPDX-License-Identifier: Apache-2.0
#include "analyzers/options/loop_arguments.h"

#include <utility>

#include "analyzers/text/text.h"
#include "format/needed_files.h"

namespace rondo::analyzers {

void LoopArguments::add_to(Cli& cli) {
  loop_help_ = text("how often the span is played for the medians (default {})", loop_by_default_);
  cli.positional("FILE", "the capture", file_);
  spans_.add_to(cli);
  cli.value("--loop", "N", loop_help_.c_str(), loop_);
  cli.values("--device", "[K=]NAME|INDEX|UUID", "play on this device, as of player", devices_);
  cli.values("--replace", "SELECTOR=FILE.spv", "with another shader in a captured one's place, as of player",
             replacements_);
  files_.add_to(cli);
  budgets_.add_timeout_to(cli);
  trusting_.add_to(cli, "FILE");
}

Result<player::Options> LoopArguments::replay(const char* command, std::vector<NamedOutput> outputs) {
  player::Options replay;
  replay.file = file_;
  if (file_.empty()) return fail(Status::unreadable, "FILE is empty: name a capture");
  auto span = spans_.request();
  if (!span) return tl::unexpected(span.error());
  replay.span = std::move(*span);
  const auto iterations = parse_count("--loop", loop_, loop_by_default_);
  if (!iterations) return tl::unexpected(iterations.error());
  if (*iterations == 0) return fail(Status::usage, text("--loop: at least 1 (see {} --help)", command));
  replay.loop = *iterations;
  replay.warmup = 1;
  replay.quiet = true;
  for (const std::string& device : devices_) {
    auto choice = player::parse_device(device);
    if (!choice) return tl::unexpected(choice.error());
    replay.devices.push_back(std::move(*choice));
  }
  auto replace = player::parse_replacements(replacements_);
  if (!replace) return tl::unexpected(replace.error());
  replay.replace = std::move(*replace);
  for (const player::Replacement& one : replay.replace) RONDO_TRY(spare_file("the shader", one.file, outputs));
  auto access = files_.access();
  if (!access) return tl::unexpected(access.error());
  replay.files = std::move(*access);
  FileAccess reads = replay.files;
  for (const player::Replacement& one : replay.replace) reads.allowed.push_back(one.file);
  const auto trust = trusting_.protect(file_, reads, std::move(outputs));
  if (!trust) return tl::unexpected(trust.error());
  replay.trust = *trust != player::Trust::foreign;
  replay.sandbox = player::SandboxMode::off;  // protect() did that
  replay.clamp_shaders = trusting_.clamps_shaders();
  RONDO_TRY(budgets_.start(file_));
  return replay;
}

std::string LoopArguments::replay_words() const {
  std::string words;
  for (const std::string& device : devices_) append(words, "--device {} ", shell_word(device));
  for (const std::string& one : replacements_) append(words, "--replace {} ", shell_word(one));
  if (trusting_.clamps_shaders()) words += "--clamp-shaders ";
  return words;
}

}  // namespace rondo::analyzers
