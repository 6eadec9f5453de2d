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
#include <utility>
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
  std::uint32_t operation = 0;          // of OpSpecConstantOp: the SpvOp …
  std::vector<std::uint32_t> operands;  // … and what it is applied to
};

struct Type {
  std::uint32_t operation = 0;  // SpvOp
  std::uint32_t width = 0;      // bits of a scalar
  bool is_signed = false;
  std::uint32_t element = 0;    // of arrays, vectors and matrices; what a pointer points to
  std::uint32_t storage = 0;    // of pointers
  std::string length;           // of arrays: the constant's text; empty: of no fixed length
  std::uint64_t count = 0;      // elements, where that is a plain number
  std::uint32_t length_id = 0;  // of arrays of a fixed length: the constant
  std::vector<std::uint32_t> members;
  std::uint64_t leaves = 1;  // written out, how many scalars and the like
  std::uint32_t depth = 0;
  std::uint32_t dimension = 0;  // of images: SpvDim
  std::uint32_t sampled = 0;    // likewise: 1 with a sampler, 2 without
};

// The decorations that say where a resource, an input or an output is, and how its bytes lie.
struct Decorated {
  std::optional<std::uint32_t> set, binding, location;
  std::uint32_t array_stride = 0;  // bytes; 0: not said
  bool block = false, buffer_block = false, patch = false;
};
struct DecoratedMember {
  std::uint32_t offset = 0, matrix_stride = 0;  // bytes
  std::optional<std::uint32_t> location;
  bool row_major = false;
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
  // Likewise, and the member of a structure that is reached; kWhole: the variable is used otherwise.
  std::set<std::pair<std::uint32_t, std::uint32_t>> used_members;
  std::vector<std::uint32_t> locals;  // types of the variables of its functions
};
inline constexpr std::uint32_t kWhole = ~std::uint32_t{};

struct Module {
  std::uint32_t version = 0;  // 0x00010300
  std::vector<std::uint32_t> capabilities;
  std::vector<std::string> extensions;  // of SPIR-V
  std::vector<Entry> entries;
  std::vector<Variable> variables;
  std::vector<Variable> unknown;  // of descriptors whose types are not understood: `type` is 0
  std::map<std::uint32_t, Type> types;
  std::map<std::uint32_t, Constant> constants;
  std::map<std::uint32_t, std::string> names;
  std::map<std::uint32_t, Decorated> decorated;
  std::map<std::pair<std::uint32_t, std::uint32_t>, DecoratedMember> decorated_members;  // by structure and member
  std::uint32_t work_group_size = 0;  // the constant that is it; 0: none
  std::vector<std::uint32_t> declarations;
};

// The error is the end of a sentence that begins with a name: "is not SPIR-V: …".
Result<Module> parse_module(std::span<const std::byte> bytes);

}  // namespace rondo::shaders
