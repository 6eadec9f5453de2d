// SPDX-License-Identifier: Apache-2.0
// rondo extract: what a capture holds, as files. Each kind of thing has a function; the directory, and how
// a file comes to be there whole or not at all, are theirs together.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "analyzers/cli.h"
#include "analyzers/commands.h"
#include "analyzers/output.h"
#include "analyzers/shader_list.h"
#include "analyzers/text.h"
#include "analyzers/walk.h"
#include "format/file.h"

namespace rondo::analyzers {

namespace {

// Where files go, by their contents' digest.
class Directory {
 public:
  static Result<Directory> open(const std::string& path) {
    std::error_code error;
    std::filesystem::create_directories(path, error);
    if (std::filesystem::is_directory(path, error)) return Directory(path);
    const bool there = std::filesystem::exists(path, error);
    return fail(there ? Status::usage : Status::failed,
                text("{}: {}", printable(path), there ? "is no directory: -o takes one" : "no directory can be made there"));
  }

  // A file that is there and has these contents is left alone.
  Result<void> write(const std::string& name, std::span<const std::byte> bytes) const {
    const std::string path = path_ + "/" + name;
    if (holds(path, bytes)) return {};
    std::string temporary = path_ + "/." + name + ".XXXXXX";
    const int fd = ::mkstemp(temporary.data());
    if (fd < 0) return failure(path);
    int error = write_all(fd, bytes);
    // As any other new file, not as a temporary one.
    const mode_t mask = ::umask(0);
    ::umask(mask);
    if (error == 0 && ::fchmod(fd, 0666 & ~mask) != 0) error = errno;
    if (::close(fd) != 0 && error == 0) error = errno;
    if (error == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
    if (error == 0) return {};
    ::unlink(temporary.c_str());
    errno = error;
    return failure(path);
  }

 private:
  explicit Directory(std::string path) : path_(std::move(path)) {}

  static tl::unexpected<Error> failure(const std::string& path) {
    return fail(Status::failed, text("{}: cannot be written: {}", printable(path), errno_text(errno)));
  }
  static int write_all(int fd, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const ssize_t written = ::write(fd, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return errno;
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    return 0;
  }
  static bool holds(const std::string& path, std::span<const std::byte> bytes) {
    const auto file = File::open(path, /*writable=*/false);
    if (!file || file->bytes() != bytes.size()) return false;
    std::vector<std::byte> has(bytes.size());
    return file->read(0, has) && digest_of(has) == digest_of(bytes);
  }

  std::string path_;
};

void print_shader(Output& out, const ShaderRow& row) {
  std::string line = text("{}{} {} bytes, ", to_string(row.digest), row.missing || row.binary ? "" : ".spv", row.bytes);
  if (!row.damage.empty()) {
    line += printable(row.damage);
  } else {
    line += shaders::version_text(row.reflection.version);
    for (const shaders::EntryPoint& entry : row.reflection.entry_points) line += "; " + printable(shaders::text_of(entry));
    for (const shaders::SpecConstant& constant : row.reflection.constants)
      line += "; specialization constant " + shaders::text_of(constant);
  }
  line += ";";
  for (const ShaderUse& use : row.uses) line += " " + use.object;
  out.line(line);
}

Result<void> extract_shaders(Walk& walk, const Directory& directory, Output& out) {
  ShaderList list;
  Step step;
  Result<void> read;
  for (;;) {
    const auto more = walk.next(step);
    if (!more) read = tl::unexpected(more.error());
    if (!more || !*more) break;
    list.take(walk, step);
  }
  Result<void> written;
  const auto rows = list.finish(walk, [&](const ShaderRow& row, std::span<const std::byte> bytes) {
    written = directory.write(to_string(row.digest) + ".spv", bytes);
    return written.has_value();
  });
  if (!written) return written;
  std::uint64_t missing = 0;
  for (const ShaderRow& row : rows) {
    print_shader(out, row);
    missing += row.missing ? 1 : 0;
  }
  if (read && missing != 0)
    return fail(Status::unreadable, text("{}: {} not whole in it", printable(walk.reader().path()),
                                         missing == 1 ? "a shader is" : std::to_string(missing) + " shaders are"));
  return read;
}

}  // namespace

Result<int> run_extract(Arguments args) {
  std::string file, output;
  bool shaders = false;
  Cli cli("rondo extract",
          "Writes what a capture holds as files, named by the digests of their contents, and says a line of each.\n"
          "Needs no device.");
  cli.positional("IN", "the capture", file);
  cli.flag("--shaders", "every shader's SPIR-V: DIGEST.spv", shaders);
  cli.value("-o,--output", "DIR", "where the files go; made if it is not there", output);
  const auto parsed = cli.parse(args);
  if (!parsed) return tl::unexpected(parsed.error());
  if (!*parsed) return 0;
  if (!shaders) return fail(Status::usage, "nothing to extract is named: --shaders (see rondo extract --help)");
  if (output.empty()) return fail(Status::usage, "-o DIR is required (see rondo extract --help)");
  auto walk = Walk::open(file);
  if (!walk) return tl::unexpected(walk.error());
  const auto directory = Directory::open(output);
  if (!directory) return tl::unexpected(directory.error());
  Output out;
  const Result<void> done = extract_shaders(*walk, *directory, out);
  RONDO_TRY(out.finish());
  if (!done) return tl::unexpected(done.error());
  if (walk->damage()) return tl::unexpected(*walk->damage());
  return 0;
}

}  // namespace rondo::analyzers
