// SPDX-License-Identifier: Apache-2.0
// What a shader asks of the program that uses it. Nothing of the bytes is trusted. No device, no globals;
// any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "format/result.h"

namespace rondo::shaders {

// Types are text, equal where the types are: "vec4", "float[4 stride 16]", "struct {0 vec4, 16 float}".
struct Member {
  std::uint32_t offset = 0;  // bytes
  std::uint64_t bytes = 0;   // 0: not known, as of what has no fixed length
  std::string type;
};

struct Binding {
  std::uint32_t set = 0, binding = 0;
  std::string kind;   // "storage buffer", "sampled image", …
  std::string type;   // of what is no block
  std::string array;  // "[4]"; empty: it is none
  std::vector<Member> members;
  bool read_only = false;
  bool used = false;  // by the functions of the entry point
  std::string name;
};

struct PushConstants {
  std::vector<Member> members;
  std::uint32_t begin = 0, end = 0;  // bytes
  bool used = false;
};

// An input or output, or a member of a block of them; of rays what a shader is given, or gives.
struct Location {
  std::string kind;  // "input", "output", "incoming ray payload", …
  std::uint32_t location = 0, component = 0, index = 0;
  std::string type;
  bool used = false;
  std::string name;
};

struct EntryPoint {
  std::string name;
  std::uint32_t model = 0;         // SpvExecutionModel
  std::string local_size;          // "64 x 1 x 1", "constant 6 (64) x 1 x 1"; empty: it has none
  std::vector<std::string> modes;  // sorted, those that other stages depend on: "input triangles"
  std::vector<Binding> bindings;   // by set and binding
  std::optional<PushConstants> push_constants;
  std::vector<Location> locations;
};

struct SpecConstant {
  std::uint32_t id = 0;
  std::string type;
  std::uint32_t bytes = 0;  // of a map entry
  std::string default_value;
  std::string name;
};

struct Reflection {
  std::uint32_t version = 0;  // 0x00010300
  std::vector<std::uint32_t> capabilities;
  std::vector<SpecConstant> constants;  // by id
  std::vector<EntryPoint> entry_points;
};

// The error (Status::unreadable) is the end of a sentence that begins with a name: "is not SPIR-V: …".
Result<Reflection> reflect(std::span<const std::byte> code);

// text.cpp: one line each.
std::string text_of(const Binding& binding);
std::string text_of(const std::vector<Member>& members);
std::string text_of(const PushConstants& push);
std::string text_of(const Location& location);
std::string text_of(const SpecConstant& constant);
std::string text_of(const EntryPoint& entry);  // all of it
std::string version_text(std::uint32_t version);

}  // namespace rondo::shaders
