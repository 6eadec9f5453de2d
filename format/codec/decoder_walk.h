// SPDX-License-Identifier: Apache-2.0
// One payload on its way to native memory: used by decoder*.cpp only.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "format/codec/cursor.h"
#include "format/codec/decoder.h"

namespace rondo::codec {

// Offsets are 32 bits wide.
constexpr std::size_t kMostDecodedBytes = 0xfffffff0u;

// Native memory is addressed by offsets into Lowered::bytes, which moves as it
// grows. Every function returns false once `error_` is set.
class Decoder {
 public:
  Decoder(Lowered& out, const IdMap& ids, const CommandInfo& command, std::span<const std::byte> payload,
          const DecodeLimits& limits)
      : out_(out), ids_(ids), command_(command), in_(payload), limit_(std::min(limits.max_bytes, kMostDecodedBytes)) {}

  Result<void> run();

 private:
  bool structure(const StructInfo& type, std::size_t base, bool in_chain, int depth);
  bool field(const Field& f, std::size_t base, int depth);
  bool element(const Field& f, std::size_t at, std::size_t owner, int depth);
  bool elements(const Field& f, std::size_t at, std::size_t count, std::size_t owner, int depth);
  bool scalar(const Field& f, std::size_t at);
  bool handle(const Field& f, std::size_t at, HandleType type);
  bool one(const Field& f, std::size_t at, std::size_t owner, int depth);
  bool many(const Field& f, std::size_t base, int depth);
  bool many_pointers(const Field& f, std::size_t base, int depth);
  bool data(const Field& f, std::size_t base);
  bool text(const Field& f, std::size_t at);
  bool string(const Field& f, std::size_t base, std::size_t at);
  bool strings(const Field& f, std::size_t base);
  bool chain(const Field& f, std::size_t at, int depth);
  bool template_data(const Field& f, std::size_t base, int depth);
  bool template_entry(const Field& f, std::size_t target, std::size_t bytes, int depth);

  bool allocate(std::size_t bytes, std::size_t& at);
  bool allocate_with_holes(std::size_t bytes, std::size_t& at);
  void point(std::size_t pointer, std::size_t target);
  bool read_count(const Field& f, std::uint32_t& count);
  bool counts_agree(const Field& f, std::size_t base, std::uint64_t found);
  bool strides_agree();
  std::uint32_t geometries(std::size_t base, std::size_t index) const;
  bool native_count(const Field& f, std::size_t base, std::uint64_t& count) const;
  bool is_required(const Field& f, std::size_t base) const;
  bool accept_null(const Field& f, std::size_t base);
  bool accept_null_element(const Field& f);
  bool accept_null_handles(const Field& f, std::size_t list, std::size_t count);
  bool refuse_null(const Field& f) { return member_ = f.name, refuse("is null but must not be"); }
  // Elements behind a pointer: nothing is required of what the driver writes.
  template <class Read>
  bool behind(const Field& f, Read read) {
    const bool outer = std::exchange(in_output_, in_output_ || (f.flags & kOutput) != 0);
    const bool fine = read();
    in_output_ = outer;
    return fine;
  }

  bool copy(std::size_t at, std::size_t bytes) {
    const std::byte* from = in_.take(bytes);
    if (from == nullptr) return too_short();
    if (bytes != 0) std::memcpy(out_.bytes.data() + at, from, bytes);
    return true;
  }
  template <class T>
  bool read(T& value) {
    return in_.read(value) || too_short();
  }
  bool too_short() { return refuse("the payload ends too early"); }
  bool refuse(const std::string& what) {
    error_ = std::string(command_.name) + (member_ != nullptr ? std::string(".") + member_ : "") +
             " at payload offset " + std::to_string(in_.offset()) + ": " + what;
    return false;
  }

  struct Strided {
    const Field* field;
    std::size_t base;
    std::uint32_t stride;  // as its elements were read
  };

  Lowered& out_;
  const IdMap& ids_;
  const CommandInfo& command_;
  Cursor in_;
  std::size_t limit_;
  std::vector<Strided> strided_;
  bool in_output_ = false;        // behind a pointer that the driver writes through
  const char* member_ = nullptr;  // the field being read, for messages
  std::string error_;
};

}  // namespace rondo::codec
