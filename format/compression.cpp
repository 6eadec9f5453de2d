// SPDX-License-Identifier: Apache-2.0
#include "format/compression.h"

#include <lz4frame.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <memory>
#include <new>
#include <string_view>
#include <vector>

#include "format/planes.h"

namespace rondo {
namespace {

constexpr std::size_t kStep = 64 * 1024;  // one LZ4 block
// Measured on a stream of vkcube's: 47 KB at level 0, 39 KB at 5 (about 500 MB/s),
// 38 KB at 9, which takes three times as long.
constexpr int kThoroughLz4 = 5;
constexpr int kZstdLevel = 3;
constexpr int kZstdWindowLog = 23;  // 8 MiB: more than level 3 ever asks for

// As `new` where it gets none: the libraries take their memory otherwise. The data may be good.
[[noreturn]] void out_of_memory() {
  if (const std::new_handler handler = std::get_new_handler(); handler != nullptr) handler();
  throw std::bad_alloc();
}
void check_memory_of_lz4(std::size_t code) {
  if (LZ4F_isError(code) != 0 && std::string_view(LZ4F_getErrorName(code)) == "ERROR_allocation_failed")
    out_of_memory();
}

LZ4F_preferences_t lz4_preferences(Effort effort) {
  LZ4F_preferences_t p{};
  p.frameInfo.blockSizeID = LZ4F_max64KB;
  p.frameInfo.blockMode = LZ4F_blockLinked;
  p.compressionLevel = effort == Effort::thorough ? kThoroughLz4 : 0;
  return p;
}

}  // namespace

struct Compressor::Contexts {
  LZ4F_cctx* lz4 = nullptr;
  ZSTD_CCtx* zstd = nullptr;
  std::vector<std::byte> out;
  ~Contexts() {
    LZ4F_freeCompressionContext(lz4);
    ZSTD_freeCCtx(zstd);
  }

  bool emit(std::size_t n, const Sink& sink) const { return n == 0 || sink(std::span(out).first(n)); }

  bool run_lz4(std::span<const std::span<const std::byte>> pieces, Effort effort, const Sink& sink) {
    const LZ4F_preferences_t preferences = lz4_preferences(effort);
    if (lz4 == nullptr && LZ4F_isError(LZ4F_createCompressionContext(&lz4, LZ4F_VERSION)) != 0) return false;
    out.resize(LZ4F_compressBound(kStep, &preferences) + LZ4F_HEADER_SIZE_MAX);
    std::size_t n = LZ4F_compressBegin(lz4, out.data(), out.size(), &preferences);
    if (LZ4F_isError(n) != 0 || !emit(n, sink)) return false;
    for (std::span<const std::byte> piece : pieces) {
      while (!piece.empty()) {
        const std::span<const std::byte> step = piece.first(std::min(piece.size(), kStep));
        n = LZ4F_compressUpdate(lz4, out.data(), out.size(), step.data(), step.size(), nullptr);
        if (LZ4F_isError(n) != 0 || !emit(n, sink)) return false;
        piece = piece.subspan(step.size());
      }
    }
    n = LZ4F_compressEnd(lz4, out.data(), out.size(), nullptr);
    return LZ4F_isError(n) == 0 && emit(n, sink);
  }

  bool run_zstd(std::span<const std::span<const std::byte>> pieces, const Sink& sink) {
    if (zstd == nullptr) zstd = ZSTD_createCCtx();
    if (zstd == nullptr) return false;
    ZSTD_CCtx_reset(zstd, ZSTD_reset_session_only);
    ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, kZstdLevel);
    std::uint64_t raw_bytes = 0;
    for (const auto& piece : pieces) raw_bytes += piece.size();
    ZSTD_CCtx_setPledgedSrcSize(zstd, raw_bytes);
    out.resize(ZSTD_CStreamOutSize());
    for (std::size_t i = 0; i <= pieces.size(); ++i) {
      const bool last = i == pieces.size();
      ZSTD_inBuffer in{last ? nullptr : pieces[i].data(), last ? 0 : pieces[i].size(), 0};
      std::size_t rest = 0;
      do {
        ZSTD_outBuffer made{out.data(), out.size(), 0};
        rest = ZSTD_compressStream2(zstd, &made, &in, last ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(rest) != 0 || !emit(made.pos, sink)) return false;
      } while (last ? rest != 0 : in.pos < in.size);
    }
    return true;
  }
};

Compressor::Compressor(Compression codec) : codec_(codec), contexts_(std::make_unique<Contexts>()) {}
Compressor::~Compressor() = default;

std::uint64_t Compressor::bound(std::uint64_t raw_bytes) const {
  // Incompressible blocks are stored as they are: a few bytes for each.
  return codec_ == Compression::none ? raw_bytes : raw_bytes + raw_bytes / 256 + 1024;
}

bool Compressor::compress(std::span<const std::span<const std::byte>> pieces, Effort effort, const Sink& sink) {
  switch (codec_) {
    case Compression::none:
      return std::all_of(pieces.begin(), pieces.end(), [&](const auto& piece) { return piece.empty() || sink(piece); });
    case Compression::lz4:
      return contexts_->run_lz4(pieces, effort, sink);
    case Compression::zstd:
      return contexts_->run_zstd(pieces, sink);
    case Compression::planes:  // whoever has the bytes puts them there
    case Compression::deltas:
      return false;
  }
  return false;
}

namespace {

// Runs `step(input, output)`, which consumes and produces some and says whether
// to go on, until the output is full (and the frame over, when `whole`).
enum class Step { more, ended, bad };
template <class F>
bool pump(const Source& source, std::span<std::byte> out, bool whole, F step) {
  std::size_t filled = 0;
  bool ended = false;
  for (std::span<const std::byte> in = source(); !in.empty(); in = source()) {
    while (!in.empty() || (!ended && filled == out.size())) {
      if (ended) return false;  // bytes behind the end of the frame
      const std::size_t before = filled, left = in.size();
      const Step result = step(in, out, filled);
      if (result == Step::bad) return false;
      ended = result == Step::ended;
      if (!whole && filled == out.size()) return true;
      if (!ended && in.size() == left && filled == before) break;  // needs more input
    }
    if (!in.empty()) return false;
  }
  return filled == out.size() && ended;
}

bool decompress_lz4(const Source& source, std::span<std::byte> out, bool whole) {
  LZ4F_dctx* context = nullptr;
  const std::size_t made_context = LZ4F_createDecompressionContext(&context, LZ4F_VERSION);
  check_memory_of_lz4(made_context);
  if (LZ4F_isError(made_context) != 0) return false;
  const std::unique_ptr<LZ4F_dctx, decltype(&LZ4F_freeDecompressionContext)> owner(context,
                                                                                   LZ4F_freeDecompressionContext);
  return pump(source, out, whole, [&](std::span<const std::byte>& in, std::span<std::byte> to, std::size_t& filled) {
    std::size_t taken = in.size(), made = to.size() - filled;
    LZ4F_decompressOptions_t options{};
    options.stableDst = 1;  // what is in `out` stays there
    const std::size_t rest = LZ4F_decompress(context, to.data() + filled, &made, in.data(), &taken, &options);
    check_memory_of_lz4(rest);
    if (LZ4F_isError(rest) != 0) return Step::bad;
    in = in.subspan(taken);
    filled += made;
    return rest == 0 ? Step::ended : Step::more;
  });
}

bool decompress_zstd(const Source& source, std::span<std::byte> out, bool whole) {
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> owner(ZSTD_createDCtx(), ZSTD_freeDCtx);
  ZSTD_DCtx* const context = owner.get();
  if (context == nullptr) out_of_memory();
  ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, kZstdWindowLog);
  // The library reads frames of its old versions, too, which know no limit of their window.
  constexpr std::uint8_t kMagic[] = {0x28, 0xb5, 0x2f, 0xfd};
  std::size_t consumed = 0;
  return pump(source, out, whole, [&](std::span<const std::byte>& in, std::span<std::byte> to, std::size_t& filled) {
    for (std::size_t i = 0; i < in.size() && consumed + i < sizeof kMagic; ++i)
      if (static_cast<std::uint8_t>(in[i]) != kMagic[consumed + i]) return Step::bad;
    ZSTD_inBuffer from{in.data(), in.size(), 0};
    ZSTD_outBuffer made{to.data(), to.size(), filled};
    const std::size_t rest = ZSTD_decompressStream(context, &made, &from);
    if (ZSTD_getErrorCode(rest) == ZSTD_error_memory_allocation) out_of_memory();
    if (ZSTD_isError(rest) != 0) return Step::bad;
    in = in.subspan(from.pos);
    consumed += from.pos;
    filled = made.pos;
    return rest == 0 ? Step::ended : Step::more;
  });
}

}  // namespace

bool decompress(Compression codec, const Source& source, std::span<std::byte> out, bool whole) {
  switch (codec) {
    case Compression::none: {
      std::size_t filled = 0;
      for (std::span<const std::byte> in = source(); !in.empty(); in = source()) {
        const std::size_t n = std::min(in.size(), out.size() - filled);
        std::copy_n(in.data(), n, out.data() + filled);
        filled += n;
        if (n < in.size()) return !whole;
      }
      return filled == out.size();
    }
    case Compression::lz4:
      return decompress_lz4(source, out, whole);
    case Compression::zstd:
      return decompress_zstd(source, out, whole);
    case Compression::planes:
    case Compression::deltas: {
      if (!whole) return out.size() <= kBeforePlanes && decompress_zstd(source, out, whole);
      if (out.size() < kBeforePlanes || !decompress_zstd(source, out, whole)) return false;
      const std::span<std::byte> bytes = out.subspan(kBeforePlanes);
      std::vector<std::byte> planes(bytes.begin(), bytes.end());
      if (codec == Compression::deltas) take_deltas(planes);
      take_from_planes(planes, bytes);
      return true;
    }
  }
  return false;
}

bool plausible(Compression codec, std::uint64_t stored_bytes, std::uint64_t raw_bytes) {
  switch (codec) {
    case Compression::none:
      return stored_bytes == raw_bytes;
    case Compression::lz4:  // a match adds at most 255 bytes for each byte of its length
      return raw_bytes / 255 <= stored_bytes;
    case Compression::zstd:  // a run of 128 KiB takes 4 bytes
    case Compression::planes:
    case Compression::deltas:
      return raw_bytes / 32768 <= stored_bytes;
  }
  return false;
}

bool declares(Compression codec, std::span<const std::byte> first_bytes, std::uint64_t raw_bytes) {
  if (codec == Compression::none || codec == Compression::lz4) return true;
  const unsigned long long declared = ZSTD_getFrameContentSize(first_bytes.data(), first_bytes.size());
  return declared == raw_bytes || declared == ZSTD_CONTENTSIZE_UNKNOWN;
}

}  // namespace rondo
