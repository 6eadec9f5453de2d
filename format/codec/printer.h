// SPDX-License-Identifier: Apache-2.0
// Payload bytes to names and values, for any kind of text.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "format/codec/decoder.h"

namespace rondo::codec {

class ValueSink {
 public:
  // What stands in a payload, for tools that change payloads.
  enum class Part : std::uint8_t {
    value,    // a number or handle
    present,  // u8 before what a pointer to one points to; its element and end follow
    count,    // u32 before the elements of a list; they and its end follow
    element,  // no bytes: an element begins here
    chained,  // u16: the file's id of a structure in a pNext chain, which follows
    end,      // no bytes, but for a chain, which ends with a u16 of zero: the list ends here
    data,     // a whole data reference (schema.h)
    text,     // u32 length and the characters
  };
  virtual ~ValueSink() = default;
  // Comes before the calls below that tell what the payload's bytes [offset, offset + bytes) mean.
  virtual void stands_at(const Field&, Part, std::size_t /*offset*/, std::size_t /*bytes*/) {}
  virtual void begin_structure(std::string_view type) = 0;  // then key/value pairs
  virtual void end_structure() = 0;
  virtual void begin_array() = 0;
  virtual void end_array() = 0;
  virtual void key(std::string_view name) = 0;
  virtual void null() = 0;
  virtual void unsigned_value(std::uint64_t v) = 0;
  virtual void signed_value(std::int64_t v) = 0;
  virtual void floating_value(double v, bool single) = 0;
  virtual void boolean(bool v) = 0;
  virtual void enumerant(std::string_view name, std::int64_t v) = 0;  // name empty: unknown
  virtual void flags(EnumId bits, std::uint64_t v) = 0;
  // `index` counts the payload's handles from 0, as in Lowered::handles.
  virtual void handle(HandleType type, std::uint64_t captured, std::uint32_t index) = 0;
  virtual void string(std::string_view v) = 0;
  virtual void bytes(const Digest& digest, std::uint64_t length) = 0;
};

// The parameters of one record, each under its name. pNext chains print as an
// array "pNext" of structures. Same checks and errors as decode().
Result<void> print(ValueSink& sink, const IdMap& ids, CommandId command, std::span<const std::byte> payload,
                   const DecodeLimits& limits = {});

}  // namespace rondo::codec
