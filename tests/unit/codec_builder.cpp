// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/codec_builder.h"

#include <cstring>
#include <optional>

#include "format/codec/shapes.h"

namespace rondo::test {

using codec::CountKind;
using codec::Element;
using codec::Field;
using codec::Shape;
using codec::StructInfo;

std::vector<DictionaryRow> own_dictionary() {
  std::vector<DictionaryRow> rows;
  for (const auto& c : codec::commands())
    if (c.args != StructId::none)
      rows.push_back(
          {DictionaryKind::command, static_cast<std::uint16_t>(c.id), codec::info(c.args).encoding_hash, c.name});
  for (const auto& s : codec::structures())
    if (s.stype != codec::kNull && s.size != 0)
      rows.push_back({DictionaryKind::structure, static_cast<std::uint16_t>(s.id), s.encoding_hash, s.name});
  return rows;
}

const codec::IdMap& own_ids() {
  static const codec::IdMap ids = codec::IdMap::match(own_dictionary());
  return ids;
}

const void* relocate(codec::Lowered& lowered, const std::map<Digest, std::vector<std::byte>>& blobs) {
  std::byte* base = lowered.bytes.data();
  for (const std::uint32_t at : lowered.pointers) {
    std::uint64_t target = 0;
    std::memcpy(&target, base + at, sizeof target);
    const std::byte* real = base + target;
    std::memcpy(base + at, &real, sizeof real);
  }
  for (const codec::BlobRef& blob : lowered.blobs) {
    const std::byte* real = blobs.at(blob.digest).data();
    std::memcpy(base + blob.offset, &real, sizeof real);
  }
  return base;
}

const void* NativeBuilder::build(CommandId command) {
  const StructInfo& args = codec::info(codec::info(command).args);
  std::byte* base = allocate(args.size);
  fill(args, base, 0);
  return base;
}

std::byte* NativeBuilder::allocate(std::size_t bytes) {
  // Exactly as large as asked, so that the sanitizer sees every byte too many.
  memory_.push_back(std::make_unique<std::byte[]>(bytes));
  return memory_.back().get();
}

void NativeBuilder::scribble(std::byte* at, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) at[i] = static_cast<std::byte>(below(256));
}

char* NativeBuilder::string() {
  const std::size_t length = below(12);
  auto* text = reinterpret_cast<char*>(allocate(length + 1));
  for (std::size_t i = 0; i < length; ++i) text[i] = static_cast<char>('a' + below(26));
  return text;
}

// Writes every member that is the count of an array next to it, before the
// arrays are built: several may share one.
void NativeBuilder::choose_counts(const StructInfo& type, std::byte* base, int depth) {
  Counts chosen;
  for (const Field& f : type.fields) {
    if (f.count.kind != CountKind::member || chosen.contains(f.count.a)) continue;
    bool large = sometimes(8);
    for (const Field& other : type.fields)  // captured outputs decode to space, not to their bytes
      if (other.count.a == f.count.a && ((other.flags & codec::kOutput) != 0 || !codec::is_plain(other))) large = false;
    const std::size_t elements = depth > 2 ? 0 : large ? 50 + below(200) : below(4);
    const std::uint64_t value = elements * f.count.divisor;
    std::memcpy(base + f.count.a, &value, f.count.a_size);
    chosen[f.count.a] = elements;
  }
}

void NativeBuilder::fill(const StructInfo& type, std::byte* base, int depth) {
  for (const Field& f : type.fields)
    if (f.shape == Shape::value || f.shape == Shape::array || f.shape == Shape::text)
      scribble(base + f.offset, f.size * (f.shape == Shape::value ? 1 : f.count.constant));
  choose_counts(type, base, depth);
  for (const Field& f : type.fields) {
    if (f.rule == RuleId::strided) {
      const auto stride = static_cast<std::uint32_t>(f.size + 4 * below(3));
      std::memcpy(base + f.selector, &stride, sizeof stride);
    }
    if (f.element == Element::union_type && f.selector != codec::kNoSelector && !sometimes(4)) {
      const auto rows = codec::info(static_cast<StructId>(f.type)).fields;
      const std::uint32_t selector = rows[below(rows.size())].selection;
      std::memcpy(base + f.selector, &selector, sizeof selector);
    }
    if (f.element == Element::untyped_handle && !sometimes(4)) {
      const auto object_type = static_cast<std::uint32_t>(below(26));
      std::memcpy(base + f.selector, &object_type, sizeof object_type);
    }
  }
  for (const Field& f : type.fields) field(type, f, base, depth);
}

std::size_t NativeBuilder::native_count(const Field& f, const std::byte* base) {
  const codec::Count& c = f.count;
  std::uint64_t value = 0;
  switch (c.kind) {
    case CountKind::none:
      return 1;
    case CountKind::constant:
      return c.constant;
    case CountKind::rule:
      return FakeContext::kTemplateBytes;
    case CountKind::member:
      value = codec::load_unsigned(base + c.a, c.a_size);
      break;
    case CountKind::dereferenced: {
      const auto* p = codec::load<const std::byte*>(base + c.a);
      value = p == nullptr ? 0 : codec::load_unsigned(p, c.a_size);
      break;
    }
    case CountKind::path: {
      const auto* p = codec::load<const std::byte*>(base + c.a);
      value = p == nullptr ? 0 : codec::load_unsigned(p + c.b, c.b_size);
      break;
    }
  }
  return static_cast<std::size_t>((value + c.constant) / c.divisor);
}

void NativeBuilder::field(const StructInfo& type, const Field& f, std::byte* base, int depth) {
  std::byte* at = base + f.offset;
  const bool required = (f.flags & (codec::kRequired | codec::kOutput)) == codec::kRequired;
  const auto store = [&](const void* pointer) { std::memcpy(at, &pointer, sizeof pointer); };
  switch (f.shape) {
    case Shape::value:
      if (f.element == Element::structure || f.element == Element::union_type) element(f, at, base, depth);
      return;
    case Shape::array:
      if (f.element == Element::structure || f.element == Element::union_type)
        for (std::size_t i = 0; i < f.count.constant; ++i) element(f, at + i * f.size, base, depth);
      return;
    case Shape::text:
      return;
    case Shape::stype:
      std::memcpy(at, &type.stype, sizeof type.stype);
      return;
    case Shape::dropped:
      scribble(at, f.size);
      return;
    case Shape::pnext:
      return store(chain(depth));
    case Shape::string:
      return store(!required && sometimes(4) ? nullptr : string());
    case Shape::one: {
      bool counts = false;
      for (const Field& other : type.fields)
        counts = counts || (other.count.kind == CountKind::dereferenced && other.count.a == f.offset);
      if (!counts && !required && (depth > 3 || sometimes(4))) return store(nullptr);
      std::byte* target = allocate(f.size);
      store(target);
      scribble(target, f.size);
      if (counts) {
        const std::uint64_t value = below(4);
        std::memcpy(target, &value, f.size);
        return;
      }
      element(f, target, base, depth);
      // Counts of arrays elsewhere (vkAllocateCommandBuffers): no array of their own bounds them.
      for (const Field& other : type.fields) {
        if (other.count.kind != CountKind::path || other.count.a != f.offset) continue;
        if (codec::load_unsigned(target + other.count.b, other.count.b_size) < 300) continue;
        const std::uint64_t value = below(4);
        std::memcpy(target + other.count.b, &value, other.count.b_size);
      }
      return;
    }
    case Shape::many: {
      if (!required && sometimes(4) && f.count.kind != CountKind::rule) return store(nullptr);
      const std::size_t n = native_count(f, base);
      std::size_t stride = f.size;
      if (f.rule == RuleId::strided) stride = codec::load<std::uint32_t>(base + f.selector);
      std::byte* list = allocate(n == 0 ? 0 : (n - 1) * stride + f.size);
      store(list);
      for (std::size_t i = 0; i < n; ++i) {
        scribble(list + i * stride, f.size);
        element(f, list + i * stride, base, depth);
      }
      return;
    }
    case Shape::strings:
    case Shape::many_pointers: {
      if (!required && sometimes(4)) return store(nullptr);
      const std::size_t n = native_count(f, base);
      std::byte* list = allocate(n * sizeof(void*));
      store(list);
      for (std::size_t i = 0; i < n; ++i) {
        const std::byte* target = nullptr;
        if (f.shape == Shape::strings) {
          target = reinterpret_cast<const std::byte*>(string());
        } else if ((f.flags & codec::kRequiredElements) != 0 || !sometimes(4)) {
          // build_ranges arrays have up to four elements (choose_counts).
          std::byte* elements = allocate(4 * std::size_t{f.size});
          for (std::size_t k = 0; k < 4; ++k) element(f, elements + k * f.size, base, depth + 1);
          target = elements;
        }
        std::memcpy(list + i * sizeof target, &target, sizeof target);
      }
      return;
    }
  }
}

void NativeBuilder::element(const Field& f, std::byte* at, std::byte* owner, int depth) {
  if (f.element == Element::structure) return fill(codec::info(static_cast<StructId>(f.type)), at, depth + 1);
  if (f.element != Element::union_type) return;
  scribble(at, f.size);
  const std::uint32_t selector = f.selector == codec::kNoSelector ? 0 : codec::load<std::uint32_t>(owner + f.selector);
  const codec::UnionForm form = codec::union_form(f, selector);
  if (form.member != nullptr) field(codec::info(static_cast<StructId>(f.type)), *form.member, at, depth + 1);
}

void* NativeBuilder::chain(int depth) {
  if (depth > 2 || !sometimes(3)) return nullptr;
  static const std::vector<StructId> links = [] {
    std::vector<StructId> found;
    for (const StructInfo& s : codec::structures())
      if (s.stype != codec::kNull && s.size != 0) found.push_back(s.id);
    return found;
  }();
  void* head = nullptr;
  for (std::size_t i = 1 + below(2); i > 0; --i) {
    const StructInfo& type = codec::info(links[below(links.size())]);
    std::byte* link = allocate(type.size);
    fill(type, link, depth + 1);
    std::memcpy(link + 8, &head, sizeof head);
    head = link;
  }
  return head;
}

}  // namespace rondo::test
