// SPDX-License-Identifier: Apache-2.0
// rondo extract: what a capture holds, as files: its shaders, without a device; what its images and buffers hold
// (extract_contents.h).
#include "analyzers/commands/commands.h"
#include "analyzers/commands/extract_contents.h"
#include "analyzers/commands/extract_place.h"
#include "analyzers/options/budgets.h"
#include "analyzers/options/cli.h"
#include "analyzers/options/file_arguments.h"
#include "analyzers/options/trust_arguments.h"
#include "analyzers/read/shader_list.h"
#include "analyzers/read/walk.h"
#include "analyzers/text/output.h"
#include "analyzers/text/output_directory.h"
#include "analyzers/text/text.h"
#include "format/needed_files.h"

namespace rondo::analyzers {

namespace {

void print_shader(Output& out, const ShaderRow& row) {
  std::string line = text("{}{} {} bytes, ", to_string(row.digest), row.missing || row.binary ? "" : ".spv", row.bytes);
  if (!row.damage.empty()) {
    line += printable(row.damage);
  } else {
    line += shaders::version_text(row.reflection.version);
    for (const shaders::EntryPoint& entry : row.reflection.entry_points)
      line += "; " + printable(shaders::text_of(entry));
    for (const shaders::SpecConstant& constant : row.reflection.constants)
      line += "; specialization constant " + shaders::text_of(constant);
  }
  line += ";";
  for (const ShaderUse& use : row.uses) line += " " + use.object;
  out.line(line);
}

// `records`: how many were read. What a killed program left is not damaged, and has all shaders that it had made.
Result<void> has_all_shaders(Walk& walk, std::uint64_t records) {
  RONDO_TRY(walk.intact());
  const Reader& reader = walk.reader();
  const std::string path = printable(reader.path());
  if (!reader.complete() && (records == 0 || !reader.can_be_finished()))
    return fail(Status::unreadable, text("{}: shaders may be missing: {}", path, reader.cut_reason()));
  if (const std::uint64_t gaps = reader.gaps(); gaps != 0)
    return fail(Status::unreadable, text("{}: shaders may be missing: {} missing, and nothing after the first is used",
                                         path, plural(gaps, "record")));
  return {};
}

// A name is that of the captured bytes: what has others there was edited, and is the user's.
Result<void> extract_shaders(Walk& walk, const OutputDirectory& directory, const std::string& output, Output& out) {
  ShaderList list;
  Step step;
  Result<void> read;
  std::uint64_t records = 0;
  for (;;) {
    const auto more = walk.next(step);
    if (!more) read = tl::unexpected(more.error());
    if (!more || !*more) break;
    records += 1;
    list.take(walk, step);
  }
  Result<void> written;
  std::vector<std::string> edited;
  const auto rows = list.finish(walk, [&](const ShaderRow& row, std::span<const std::byte> bytes) {
    const std::string name = to_string(row.digest) + ".spv";
    if (directory.has_other(name, bytes))
      edited.push_back(name);
    else
      written = directory.write(name, bytes);
    return written.has_value();
  });
  for (const std::string& name : edited)
    say(text("{}/{}: is another shader now and stays: move it away to get the captured one", printable(output), name));
  if (!written) return written;
  std::uint64_t missing = 0;
  for (const ShaderRow& row : rows) {
    print_shader(out, row);
    missing += row.missing ? 1 : 0;
  }
  if (read && missing != 0)
    return fail(Status::unreadable, text("{}: {} not whole in it", printable(walk.reader().path()),
                                         missing == 1 ? "a shader is" : std::to_string(missing) + " shaders are"));
  if (!read && !walk.damage()) return read;
  return has_all_shaders(walk, records);
}

}  // namespace

namespace {

Result<int> run_shaders(const std::string& file, const std::string& output) {
  auto walk = Walk::open(file);
  if (!walk) return tl::unexpected(walk.error());
  const NamedOutput named{NamedOutput::Kind::contents, output, {}};
  RONDO_TRY(spare_needed_files(walk->reader(), std::span(&named, 1)));
  const auto directory = OutputDirectory::open(output);
  if (!directory) return tl::unexpected(directory.error());
  Output out;
  const Result<void> done = extract_shaders(*walk, *directory, output, out);
  RONDO_TRY(out.finish());
  if (!done) return tl::unexpected(done.error());
  return 0;
}

}  // namespace

Result<int> run_extract(Arguments args) {
  ContentsRequest request;
  FileArguments files;
  bool shaders = false;
  TrustArguments trusting;
  Cli cli("rondo extract",
          "Writes what a capture holds as files, and says a line of each. Shaders need no device; for images and\n"
          "buffers the capture is played up to --at, and what they hold there is read.");
  cli.positional("IN", "the capture", request.file);
  cli.positionals("OBJECT",
                  "images and buffers, as VkImage#12 or by the name that the program gave; all, if none is named",
                  request.objects);
  cli.flag("--shaders", "every shader's SPIR-V: DIGEST.spv", shaders);
  cli.flag("--images", "images, each mip, layer and aspect a PNG or KTX2 file, and images.json", request.images);
  cli.flag("--buffers", "buffers, each a file of its bytes, and buffers.json", request.buffers);
  cli.flag("--png", "also a picture of depth, stencil, float, integer, compressed and 3D images: …-view.png",
           request.pictures);
  cli.flag("--sheet", "also sheet.png: small pictures of all images in one", request.sheet);
  cli.value("-o,--output", "DIR", "where the files go; made if it is not there", request.output);
  cli.value("--at", "frame:K|submit:K|draw:S:N",
            "what they hold behind that frame or submit, or just after draw N of submit S; without it, at the end",
            request.at);
  cli.values("--device", "[K=]NAME|INDEX|UUID", "play on this device, as of player", request.devices);
  files.add_to(cli);
  Budgets budgets;
  budgets.add_timeout_to(cli);
  trusting.add_to(cli, "IN");
  cli.flag("--validate", "under the validation layer; any message is status 1", request.validate);
  const auto parsed = cli.parse(args);
  if (!parsed) return tl::unexpected(parsed.error());
  if (!*parsed) return 0;
  const bool contents = request.images || request.buffers;
  if (!shaders && !contents)
    return fail(Status::usage,
                "nothing to extract is named: --images, --buffers or --shaders (see rondo extract --help)");
  if (shaders && contents)
    return fail(Status::usage,
                "--shaders needs no device: it stands without --images and --buffers (see rondo extract --help)");
  if (shaders &&
      (request.at || !request.devices.empty() || !request.objects.empty() || request.validate || files.any()))
    return fail(Status::usage,
                "OBJECT, --at, --device, --validate, --allow-files and --file-remap go with --images and --buffers "
                "(see rondo extract --help)");
  if ((request.pictures || request.sheet) && !request.images)
    return fail(Status::usage, "--png and --sheet go with --images (see rondo extract --help)");
  if (request.output.empty()) return fail(Status::usage, "-o DIR is required (see rondo extract --help)");
  auto access = files.access();
  if (!access) return tl::unexpected(access.error());
  std::vector<NamedOutput> outputs{{NamedOutput::Kind::contents, request.output, {}}};
  const auto place = parse_extract_place(request.at);
  if (!place) return tl::unexpected(place.error());
  if (place->draw) outputs.push_back({NamedOutput::Kind::file, step_path_for(request.output), {}});
  const auto trust = trusting.protect(request.file, *access, std::move(outputs));
  if (!trust) return tl::unexpected(trust.error());
  request.trust = *trust;
  request.clamp_shaders = trusting.clamps_shaders();
  RONDO_TRY(budgets.start(request.file));
  if (shaders) return run_shaders(request.file, request.output);
  request.access = std::move(*access);
  RONDO_TRY(extract_contents(request));
  return 0;
}

}  // namespace rondo::analyzers
