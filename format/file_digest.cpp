// SPDX-License-Identifier: Apache-2.0
#include "format/file_digest.h"

#include <algorithm>
#include <vector>

#include "format/file.h"

namespace rondo {

Result<Digest> digest_of_file(const std::string& path) {
  constexpr std::uint64_t kPiece = std::uint64_t{1} << 20;
  const auto file = File::open(path, false);
  if (!file) return tl::unexpected<Error>(file.error());
  Digester digester;
  const std::uint64_t bytes = file->bytes();
  std::vector<std::byte> piece(static_cast<std::size_t>(std::min(bytes, kPiece)));
  for (std::uint64_t at = 0; at < bytes; at += piece.size()) {
    const auto part =
        std::span(piece).first(static_cast<std::size_t>(std::min<std::uint64_t>(bytes - at, piece.size())));
    if (!file->read(at, part))
      return fail(Status::unreadable, path + ": cannot be read at offset " + std::to_string(at));
    digester.add(part);
  }
  return digester.digest();
}

}  // namespace rondo
