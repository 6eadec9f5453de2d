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
  virtual ~ValueSink() = default;
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
