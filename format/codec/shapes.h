// SPDX-License-Identifier: Apache-2.0
// What encoder, decoder and printer must agree on, beyond the rows themselves.
#pragma once

#include <cstring>

#include "format/codec/schema.h"

namespace rondo::codec {

// Structures inside structures, pNext chains included. Vulkan's own nesting
// stays below 8; the bound keeps hostile files off the stack.
inline constexpr int kMaxDepth = 24;
// Structures in one pNext chain.
inline constexpr int kMaxChain = 1024;

// Copied as it lies in native memory.
inline bool is_plain(const Field& field) {
  switch (field.element) {
    case Element::unsigned_int:
    case Element::signed_int:
    case Element::floating:
    case Element::bool32:
    case Element::enumerant:
    case Element::flags:
    case Element::byte:
    case Element::character:
      return true;
    default:
      return false;
  }
}

// Shape::many is a data reference.
inline bool is_data(const Field& field) {
  return is_plain(field) && field.rule != RuleId::strided && field.rule != RuleId::template_data;
}

inline bool is_pointer(Shape shape) {
  switch (shape) {
    case Shape::one:
    case Shape::many:
    case Shape::string:
    case Shape::strings:
    case Shape::many_pointers:
      return true;
    default:
      return false;
  }
}

// How a union stands in the file: one member, or all its bytes.
struct UnionForm {
  const Field* member = nullptr;  // the selected row; null: see `raw`
  bool raw = false;               // its bytes as they lie; else nothing at all
};

// `selector`: the selecting member's value; ignored if the field has none.
// Bytes are only kept where none of them is a pointer that matters.
inline UnionForm union_form(const Field& field, std::uint32_t selector) {
  const StructInfo& type = info(static_cast<StructId>(field.type));
  bool pointers = false;
  for (const Field& row : type.fields) {
    if (field.selector != kNoSelector && row.selection == selector) return {&row, false};
    pointers = pointers || is_pointer(row.shape);
  }
  return {nullptr, !pointers};
}

// The object type that an untyped handle has; none: print it as a number.
HandleType untyped_handle_type(const Field& field, std::uint32_t selector);

template <class T>
T load(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

inline std::uint64_t load_unsigned(const void* from, std::size_t size) {
  switch (size) {
    case 1:
      return load<std::uint8_t>(from);
    case 2:
      return load<std::uint16_t>(from);
    case 4:
      return load<std::uint32_t>(from);
    default:
      return load<std::uint64_t>(from);
  }
}

}  // namespace rondo::codec
