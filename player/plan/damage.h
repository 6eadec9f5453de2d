// SPDX-License-Identifier: Apache-2.0
// Damage done to a plan on purpose: the player's hidden option --damage, with
// which tests prove that a verification finds what is wrong (docs/testing.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "format/result.h"

namespace rondo::player {

// SEQUENCE, or NAME#K: the K-th record of that command, counted from 0 over
// those that are played; NAME#*: all of them.
struct RecordSelector {
  std::uint64_t sequence = 0;  // 0: by name
  std::string command;
  std::uint64_t index = 0;
  bool all = false;
  std::string text() const;
};

struct Damage {
  enum class Kind {
    none,
    drop,          // drop:RECORD: as if it were not in the file
    swap,          // swap:RECORD:RECORD: they change places
    corrupt,       // corrupt:RECORD[:LEAF[=VALUE]]: a scalar, or the first byte of data
    handle,        // handle:RECORD[:N]: the N-th handle becomes another live object of its type
    corrupt_blob,  // corrupt-blob:K: the K-th blob is other bytes than its digest says
    swap_submits,  // swap-submits:I:J: two batches change their command buffers
    move_memory,   // move-memory:N: as if captured where resources lay N bytes further on
  };
  Kind kind = Kind::none;
  RecordSelector record, other;
  std::string leaf;                    // a member's name or an index; empty: the first
  std::optional<std::uint64_t> value;  // that the leaf gets; else one next to its own
  std::uint64_t a = 0, b = 0;          // K, N, I and J
};

struct Damaged {
  std::string what;    // was changed: a structure's member, or a handle's type
  std::string object;  // that the handle names now, as messages do
};

// As the command line has it. An error says what is wrong with it.
Result<Damage> parse_damage(const std::string& text);

}  // namespace rondo::player
