// SPDX-License-Identifier: Apache-2.0
// rondo pack: a capture that needs no files, of one that does.
#include "format/pack.h"

#include <filesystem>

#include "analyzers/commands/commands.h"
#include "analyzers/options/cli.h"
#include "analyzers/options/file_arguments.h"
#include "analyzers/options/trust_arguments.h"
#include "analyzers/text/output.h"
#include "analyzers/text/text.h"
#include "player/trust.h"

namespace rondo::analyzers {

Result<int> run_pack(Arguments args) {
  std::string file, output;
  FileArguments files;
  Cli cli(
      "rondo pack",
      "Writes the same capture with the bytes that it only refers to (RONDO_FILES=reference): OUT plays without the\n"
      "files. Records, numbers and digests stay as they are. Needs no device.");
  cli.positional("FILE", "the capture", file);
  cli.value("-o,--output", "OUT", "where the new capture goes; it is there whole, or not at all", output);
  files.add_to(cli);
  const auto parsed = cli.parse(args);
  if (!parsed) return tl::unexpected(parsed.error());
  if (!*parsed) return 0;
  if (file.empty()) return fail(Status::unreadable, "FILE is empty: name a capture");
  if (output.empty()) return fail(Status::usage, "-o OUT is required (see rondo pack --help)");
  RONDO_TRY(check_output_name(output));
  std::error_code unknown;
  if (std::filesystem::equivalent(file, output, unknown))
    return fail(Status::usage, text("{}: -o names the capture itself: name another file", printable(output)));
  const auto access = files.access();
  if (!access) return tl::unexpected(access.error());
  const player::Trust trust = player::trust_of(file, false);
  const auto done = pack(file, output, *access);
  if (!done) return tl::unexpected(done.error());
  if (trust == player::Trust::trusted) trust_written(output);
  Output out;
  out.line(text("{}: {} → {}, {}", printable(output), size_text(done->before), size_text(done->after),
                done->files == 0 ? std::string("needed no files before")
                                 : text("with {} of {}", plural(done->blobs, "blob"), plural(done->files, "file"))));
  RONDO_TRY(out.finish());
  return 0;
}

}  // namespace rondo::analyzers
