// SPDX-License-Identifier: Apache-2.0
// SPIR-V word by word. Shaders of captures are hostile: SPIRV-Cross gets none of their bytes, but
// declarations that were checked here and written anew, without functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "format/result.h"

namespace rondo::shaders {

// A scalar, or three of them as the size of a workgroup.
struct Constant {
  std::uint32_t type = 0;
  std::optional<std::uint32_t> spec_id;
  std::uint64_t value = 0;  // as it lies in the module: of a specialization constant the default
  std::string text;         // "64", "constant 6 (64)"; equal for constants that are the same
  std::vector<std::uint32_t> parts;
};

struct Type {
  std::uint32_t operation = 0;  // SpvOp
  std::uint32_t width = 0;      // bits of a scalar
  bool is_signed = false;
  std::uint32_t element = 0;    // of arrays, vectors and matrices; what a pointer points to
  std::uint32_t storage = 0;    // of pointers
  std::string length;           // of arrays: the constant's text; empty: of no fixed length
  std::uint64_t count = 0;      // elements, where that is a plain number
  std::vector<std::uint32_t> members;
  std::uint64_t leaves = 1;     // written out, how many scalars and the like
  std::uint32_t depth = 0;
};

struct Variable {
  std::uint32_t id = 0, type = 0, storage = 0;  // `type`: what it points to
};

struct Entry {
  std::string name;
  std::uint32_t model = 0, function = 0;
  std::vector<std::uint32_t> interface;
  std::vector<std::vector<std::uint32_t>> modes;  // each: the mode, and what it is told
  std::set<std::uint32_t> used;                   // variables that its functions name
};

struct Module {
  std::uint32_t version = 0;  // 0x00010300
  std::vector<std::uint32_t> capabilities;
  std::vector<Entry> entries;
  std::vector<Variable> variables;
  std::map<std::uint32_t, Type> types;
  std::map<std::uint32_t, Constant> constants;
  std::map<std::uint32_t, std::string> names;
  std::uint32_t work_group_size = 0;  // the constant that is it; 0: none
  std::vector<std::uint32_t> declarations;
};

// The error is the end of a sentence that begins with a name: "is not SPIR-V: …".
Result<Module> parse_module(std::span<const std::byte> bytes);

}  // namespace rondo::shaders
