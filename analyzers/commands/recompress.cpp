// SPDX-License-Identifier: Apache-2.0
// rondo recompress: the same capture, smaller or faster to read.
#include "format/recompress.h"

#include "analyzers/commands/commands.h"
#include "analyzers/options/cli.h"
#include "analyzers/options/file_arguments.h"
#include "analyzers/options/trust_arguments.h"
#include "analyzers/text/output.h"
#include "analyzers/text/text.h"
#include "player/trust.h"

namespace rondo::analyzers {

Result<int> run_recompress(Arguments args) {
  std::string file, output, codec = "zstd";
  bool in_place = false;
  Cli cli("rondo recompress",
          "Writes the same capture with other compression: zstd is smallest, lz4 is faster to read, none is for tools\n"
          "that compress by themselves. Records, numbers and digests stay as they are. Needs no device.");
  cli.positional("FILE", "the capture", file);
  cli.choice("--codec", {"zstd", "lz4", "none"}, "of every chunk (default zstd)", codec);
  cli.value("-o,--output", "OUT", "where the new capture goes; it is there whole, or not at all", output);
  cli.flag("--in-place", "replace FILE", in_place);
  const auto parsed = cli.parse(args);
  if (!parsed) return tl::unexpected(parsed.error());
  if (!*parsed) return 0;
  if (file.empty()) return fail(Status::unreadable, "FILE is empty: name a capture");
  RONDO_TRY(check_output_words("rondo recompress", file, output, in_place));
  const Compression to = codec == "zstd" ? Compression::zstd : codec == "lz4" ? Compression::lz4 : Compression::none;
  const player::Trust trust = player::trust_of(file, false);
  const auto done = recompress(file, in_place ? file : output, to);
  if (!done) return tl::unexpected(done.error());
  if (trust == player::Trust::trusted) trust_written(in_place ? file : output);
  Output out;
  out.line(text("{}: {} → {}", printable(in_place ? file : output), size_text(done->before), size_text(done->after)));
  RONDO_TRY(out.finish());
  return 0;
}

}  // namespace rondo::analyzers
