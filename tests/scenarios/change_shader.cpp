// SPDX-License-Identifier: Apache-2.0
// change-shader IN OUT DIGEST WORD VALUE: copies a capture with one word of a shader changed, and all digests
// right.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "format/offline_writer.h"
#include "format/reader.h"

namespace {

using namespace rondo;

using Bytes = std::vector<std::byte>;

void replace_all(Bytes& in, std::span<const std::byte> from, std::span<const std::byte> to) {
  for (auto at = in.begin(); (at = std::search(at, in.end(), from.begin(), from.end())) != in.end();
       at += static_cast<std::ptrdiff_t>(to.size()))
    std::copy(to.begin(), to.end(), at);
}

Result<void> change(const std::string& in, const std::string& out, const std::string& wanted, std::size_t word,
                    std::uint32_t value) {
  auto reader = Reader::open(in);
  if (!reader) return tl::unexpected<Error>(reader.error());
  auto writer = OfflineWriter::create(out, in, Compression::lz4, (*reader)->dictionary());
  if (!writer) return tl::unexpected<Error>(writer.error());
  Digest old{}, fresh{};
  bool found = false;
  for (const BlobInfo& blob : (*reader)->blobs()) {
    const auto bytes = (*reader)->blob(blob.digest);
    if (!bytes) return tl::unexpected<Error>(bytes.error());
    Bytes changed = **bytes;
    Digest digest = blob.digest;
    if (to_string(digest) == wanted && word * sizeof value < changed.size()) {
      std::memcpy(changed.data() + word * sizeof value, &value, sizeof value);
      old = digest;
      digest = fresh = digest_of(changed);
      found = true;
    }
    RONDO_TRY((*writer)->add_blob(digest, changed));
  }
  if (!found) return fail(Status::usage, in + ": has no such shader, or it has no such word");
  while (true) {
    auto record = (*reader)->next();
    if (!record) return tl::unexpected<Error>(record.error());
    if (!*record) break;
    Bytes payload((*record)->payload.begin(), (*record)->payload.end());
    replace_all(payload, std::as_bytes(std::span(&old, 1)), std::as_bytes(std::span(&fresh, 1)));
    Record copy = **record;
    copy.payload = payload;
    RONDO_TRY((*writer)->add(copy));
  }
  for (const std::string& session : (*reader)->sessions()) RONDO_TRY((*writer)->add_session(session));
  const auto bytes = (*writer)->finish();
  if (!bytes) return tl::unexpected<Error>(bytes.error());
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  const auto done = change(argv[1], argv[2], argv[3], std::strtoull(argv[4], nullptr, 0),
                           static_cast<std::uint32_t>(std::strtoul(argv[5], nullptr, 0)));
  if (!done) std::fprintf(stderr, "change-shader: %s\n", done.error().message.c_str());
  return done ? 0 : 1;
}
