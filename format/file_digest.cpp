// SPDX-License-Identifier: Apache-2.0
#include "format/file_digest.h"

#include <xxhash.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "format/file.h"

namespace rondo {

Result<Digest> digest_of_file(const std::string& path) {
  constexpr std::uint64_t kPiece = std::uint64_t{1} << 20;
  const auto file = File::open(path, false);
  if (!file) return tl::unexpected<Error>(file.error());
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(), XXH3_freeState);
  if (state == nullptr) return fail(Status::failed, path + ": not enough memory for its digest");
  XXH3_128bits_reset(state.get());
  const std::uint64_t bytes = file->bytes();
  std::vector<std::byte> piece(static_cast<std::size_t>(std::min(bytes, kPiece)));
  for (std::uint64_t at = 0; at < bytes; at += piece.size()) {
    const auto part = std::span(piece).first(static_cast<std::size_t>(std::min<std::uint64_t>(bytes - at, piece.size())));
    if (!file->read(at, part))
      return fail(Status::unreadable, path + ": cannot be read at offset " + std::to_string(at));
    XXH3_128bits_update(state.get(), part.data(), part.size());
  }
  const XXH128_hash_t h = XXH3_128bits_digest(state.get());
  return Digest{h.low64, h.high64};
}

}  // namespace rondo
