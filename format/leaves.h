// SPDX-License-Identifier: Apache-2.0
// The scalars and bytes of a lowered block, found by the codec's rows: for what
// looks at all of them, whatever the command.
#pragma once

#include <cstddef>
#include <cstdint>

#include "format/codec/decoder.h"
#include "format/codec/shapes.h"

namespace rondo {

struct Leaf {
  const codec::StructInfo* owner;
  const codec::Field* field;
  std::size_t base;    // of the owner, in Lowered::bytes
  std::size_t offset;  // of the first element; of the pointer where `blob`
  std::size_t count;   // elements, which lie side by side
  bool blob;           // the bytes are elsewhere
};

// Calls visitor.leaf(Leaf) for every one that is the caller's to set: not for
// what a driver writes, nor for structure types, strings and template data.
// A visitor that has text(owner, field, offset of the pointer) is given strings, too (those in arrays are not).
// Structures that visitor.enters(StructInfo) refuses are left out.
template <class Visitor>
class LeafWalk {
 public:
  LeafWalk(const codec::Lowered& lowered, Visitor& visitor) : lowered_(lowered), visitor_(visitor) {}

  void run(const codec::CommandInfo& command) {
    structure(codec::info(command.args), 0, 0);
    for (const codec::StructRef& chained : lowered_.chained) structure(codec::info(chained.id), chained.offset, 1);
  }

 private:
  using Field = codec::Field;
  using Element = codec::Element;
  using Shape = codec::Shape;

  std::uint64_t word(std::size_t at) const { return codec::load<std::uint64_t>(&lowered_.bytes[at]); }

  void structure(const codec::StructInfo& type, std::size_t base, int depth) {
    if (depth > codec::kMaxDepth || !visitor_.enters(type)) return;
    for (const Field& f : type.fields)
      if ((f.flags & codec::kOutput) == 0 || (f.flags & codec::kCompared) != 0) field(type, f, base, depth);
  }

  void field(const codec::StructInfo& owner, const Field& f, std::size_t base, int depth) {
    const std::size_t at = base + f.offset;
    switch (f.shape) {
      case Shape::value:
        return elements(owner, f, base, at, 1, depth);
      case Shape::array:
        return elements(owner, f, base, at, f.count.constant, depth);
      case Shape::one:
        if (const std::uint64_t target = word(at); target != 0) elements(owner, f, base, target, 1, depth);
        return;
      case Shape::many: {
        if (f.rule == RuleId::template_data || f.rule == RuleId::strided) return;
        const std::uint64_t target = word(at);
        if (target != 0) return elements(owner, f, base, target, count(f, base), depth);
        if (!codec::is_data(f)) return;
        for (const codec::BlobRef& blob : lowered_.blobs)
          if (blob.offset == at) visitor_.leaf(Leaf{&owner, &f, base, at, blob.bytes / f.size, true});
        return;
      }
      case Shape::many_pointers: {
        const std::uint64_t list = word(at);
        if (list == 0 || f.rule != RuleId::none) return;
        for (std::size_t i = 0, n = count(f, base); i < n; ++i)
          if (const std::uint64_t target = word(list + i * 8); target != 0) elements(owner, f, base, target, 1, depth);
        return;
      }
      case Shape::string:
        if constexpr (requires { visitor_.text(owner, f, at); })
          if (word(at) != 0) visitor_.text(owner, f, at);
        return;
      default:
        return;
    }
  }

  void elements(const codec::StructInfo& owner, const Field& f, std::size_t base, std::size_t at, std::size_t n,
                int depth) {
    if (n == 0) return;
    if (f.element == Element::structure) {
      const codec::StructInfo& type = codec::info(static_cast<StructId>(f.type));
      if (visitor_.enters(type))
        for (std::size_t i = 0; i < n; ++i) structure(type, at + i * f.size, depth + 1);
    } else if (f.element == Element::union_type) {
      const std::uint32_t selector =
          f.selector == codec::kNoSelector ? 0 : codec::load<std::uint32_t>(&lowered_.bytes[base + f.selector]);
      const codec::UnionForm form = codec::union_form(f, selector);
      const codec::StructInfo& type = codec::info(static_cast<StructId>(f.type));
      if (form.member != nullptr)
        field(type, *form.member, at, depth + 1);
      else if (form.raw && !type.fields.empty())
        visitor_.leaf(Leaf{&owner, &f, base, at, 1, false});
    } else if (codec::is_plain(f) && f.element != Element::character) {
      visitor_.leaf(Leaf{&owner, &f, base, at, n, false});
    }
  }

  // The decoder has made sure that so many are there.
  std::size_t count(const Field& f, std::size_t base) const {
    const codec::Count& c = f.count;
    std::uint64_t n = 0;
    switch (c.kind) {
      case codec::CountKind::constant:
        return c.constant;
      case codec::CountKind::member:
        n = codec::load_unsigned(&lowered_.bytes[base + c.a], c.a_size);
        break;
      case codec::CountKind::dereferenced:
        if (const std::uint64_t target = word(base + c.a); target != 0)
          n = codec::load_unsigned(&lowered_.bytes[target], c.a_size);
        break;
      case codec::CountKind::path:
        if (const std::uint64_t target = word(base + c.a); target != 0)
          n = codec::load_unsigned(&lowered_.bytes[target + c.b], c.b_size);
        break;
      case codec::CountKind::none:
      case codec::CountKind::rule:
        return 0;
    }
    return static_cast<std::size_t>((n + c.constant) / c.divisor);
  }

  const codec::Lowered& lowered_;
  Visitor& visitor_;
};

}  // namespace rondo
