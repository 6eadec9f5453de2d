// SPDX-License-Identifier: Apache-2.0
// rondo redact: a capture without what identifies a person or a place.
#include "analyzers/trim/redact.h"

#include <algorithm>
#include <filesystem>

#include "analyzers/commands/commands.h"
#include "analyzers/options/cli.h"
#include "analyzers/options/file_arguments.h"
#include "analyzers/options/trust_arguments.h"
#include "analyzers/text/json.h"
#include "analyzers/text/output.h"
#include "analyzers/text/text.h"
#include "player/trust.h"

namespace rondo::analyzers {

namespace {

const std::vector<std::string> kParts{"session", "application", "names", "labels", "shaders"};

using PartsKept = std::vector<std::string>;

bool keeps(const PartsKept& kept, const char* part) { return std::find(kept.begin(), kept.end(), part) != kept.end(); }

// "/modules/3", where that is neither a driver nor the loader: names and build-ids of the program and its libraries
// tell which program it is, and what is installed.
bool is_private_module(const JsonText& session, const std::string& pointer) {
  const std::string modules = "/modules/";
  if (!pointer.starts_with(modules) || pointer.find('/', modules.size()) != std::string::npos) return false;
  const auto role = session.string((pointer + "/role").c_str());
  return role != "driver" && role != "loader";
}

// Without what `rondo capture --session minimal` leaves out, and the name of the file that a cut was made from.
std::string session_without(const std::string& session, bool keeps_process, bool keeps_application) {
  if (keeps_process && keeps_application) return session;
  const auto json = JsonText::parse(session);
  if (!json) return "{}";  // no recorder writes one that is not JSON: nothing of it is known to be harmless
  const auto drops = [&](const std::string& pointer) {
    if (pointer.starts_with("/application/") && pointer != "/application/api_version") return !keeps_application;
    for (const char* one : {"/process/program", "/process/directory", "/process/command_line", "/process/environment",
                            "/process/pid", "/process/start_unix_ns", "/cut/file"})
      if (pointer == one) return !keeps_process;
    return !keeps_process && is_private_module(*json, pointer);
  };
  return json->edited(drops, [&](const std::string& one) {
    if (keeps_process) return one;
    return one.starts_with('/') ? std::filesystem::path(one).filename().string() : trim::without_paths(one);
  });
}

}  // namespace

Result<int> run_redact(Arguments args) {
  std::string file, output, keep;
  bool in_place = false;
  Cli cli(
      "rondo redact",
      "Writes the same capture without what identifies a person or a place: command line, directory, environment, "
      "paths\n"
      "and libraries; names of the program, its objects and labels; names, paths and sources in shaders. It plays and\n"
      "verifies as before. Pictures, models and shader code stay: they are what is played. Needs no device.");
  cli.positional("FILE", "the capture", file);
  cli.value("-o,--output", "OUT", "where the new capture goes; it is there whole, or not at all", output);
  cli.flag("--in-place", "replace FILE", in_place);
  cli.value("--keep", "PART,...", "what stays all the same: session, application, names, labels, shaders", keep);
  const auto parsed = cli.parse(args);
  if (!parsed) return tl::unexpected(parsed.error());
  if (!*parsed) return 0;
  if (file.empty()) return fail(Status::unreadable, "FILE is empty: name a capture");
  RONDO_TRY(check_output_words("rondo redact", file, output, in_place));
  const auto kept = parse_list("--keep", keep, kParts);
  if (!kept) return tl::unexpected(kept.error());
  trim::RedactOptions options;
  options.file = file;
  options.output = in_place ? file : output;
  options.keeps_application = keeps(*kept, "application");
  options.keeps_names = keeps(*kept, "names");
  options.keeps_labels = keeps(*kept, "labels");
  options.keeps_shaders = keeps(*kept, "shaders");
  options.session = [&](const std::string& session) {
    return session_without(session, keeps(*kept, "session"), options.keeps_application);
  };
  const player::Trust trust = player::trust_of(file, false);
  const auto done = trim::redact(options);
  if (!done) return tl::unexpected(done.error());
  if (trust == player::Trust::trusted) trust_written(options.output);
  Output out;
  out.line(text(
      "{}: {} → {}; left out or replaced: {}, {}, the texts of {}{}", printable(options.output),
      size_text(done->before), size_text(done->after), plural(done->texts, "text"), plural(done->tags, "tag"),
      plural(done->shaders, "shader"),
      done->missing == 0 ? std::string() : text("; {} are missing in it, as before", plural(done->missing, "number"))));
  out.line(text("`rondo info --privacy {}` lists what stays", printable(options.output)));
  RONDO_TRY(out.finish());
  return 0;
}

}  // namespace rondo::analyzers
