// SPDX-License-Identifier: Apache-2.0
// Writes a small capture that asks its readers for much.
//   bombs session IN OUT   a session of 256 MiB, in some kilobytes
//   bombs objects IN OUT   the records of IN, and 400,000 buffers after them
//   bombs groups IN OUT    the records of IN, each dispatch with 65,535 * 65,535 groups
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "format/codec/decoder.h"
#include "format/offline_writer.h"
#include "format/reader.h"

namespace rondo::fuzz {
namespace {

constexpr std::size_t kSessionBytes = std::size_t{256} << 20;
constexpr std::uint64_t kBuffers = 400'000;
// Within the limits of every device, and minutes of work. Not in three dimensions: lavapipe counts groups in
// 32 bits.
constexpr std::array<std::uint32_t, 3> kGroups = {65535, 65535, 1};
constexpr std::uint64_t kFirstHandle = std::uint64_t{1} << 40;  // that no buffer of the source has

Result<void> add_with_many_groups(OfflineWriter& writer, Record record) {
  std::vector<std::byte> payload(record.payload.begin(), record.payload.end());
  if (payload.size() < sizeof kGroups) return fail(Status::unreadable, "a dispatch has no group counts");
  std::memcpy(payload.data() + payload.size() - sizeof kGroups, kGroups.data(), sizeof kGroups);
  record.payload = payload;
  return writer.add(record);
}

Result<void> write_bomb(std::string_view what, const std::string& in, const std::string& out) {
  auto reader = Reader::open(in);
  if (!reader) return tl::unexpected<Error>(reader.error());
  const auto ids = codec::IdMap::match((*reader)->dictionary());
  auto writer = OfflineWriter::create(out, in, Compression::zstd, (*reader)->dictionary());
  if (!writer) return tl::unexpected<Error>(writer.error());
  for (const BlobInfo& blob : (*reader)->blobs()) {
    const auto bytes = (*reader)->blob(blob.digest);
    if (!bytes) return tl::unexpected<Error>(bytes.error());
    RONDO_TRY((*writer)->add_blob(blob.digest, **bytes));
  }
  Record buffer;
  std::vector<std::byte> payload;
  for (;;) {
    const auto record = (*reader)->next();
    if (!record) return tl::unexpected<Error>(record.error());
    if (!*record) break;
    if (what == "groups" && ids.command((*record)->command) == CommandId::vkCmdDispatch) {
      RONDO_TRY(add_with_many_groups(**writer, **record));
      continue;
    }
    RONDO_TRY((*writer)->add(**record));
    if (ids.command((*record)->command) != CommandId::vkCreateBuffer) continue;
    buffer = **record;
    payload.assign(buffer.payload.begin(), buffer.payload.end());
  }
  buffer.payload = payload;
  if (what == "objects" && payload.size() < sizeof(std::uint64_t)) return fail(Status::usage, in + ": makes no buffer");
  for (std::uint64_t i = 0; what == "objects" && i < kBuffers; ++i) {
    const std::uint64_t handle = kFirstHandle + i;  // of vkCreateBuffer's last parameter
    std::memcpy(payload.data() + payload.size() - sizeof handle, &handle, sizeof handle);
    RONDO_TRY((*writer)->add(buffer));
  }
  for (const std::string& session : (*reader)->sessions()) RONDO_TRY((*writer)->add_session(session));
  if (what == "session") {
    std::string text(kSessionBytes, ' ');
    text.front() = '{';
    text.back() = '}';
    RONDO_TRY((*writer)->add_session(text));
  }
  const auto finished = (*writer)->finish();
  if (!finished) return tl::unexpected<Error>(finished.error());
  return {};
}

}  // namespace
}  // namespace rondo::fuzz

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "bombs: session|objects|groups IN OUT\n");
    return 2;
  }
  const auto done = rondo::fuzz::write_bomb(argv[1], argv[2], argv[3]);
  if (!done) std::fprintf(stderr, "bombs: %s\n", done.error().message.c_str());
  return done ? 0 : 1;
}
