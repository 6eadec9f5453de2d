// SPDX-License-Identifier: Apache-2.0
#include "format/codec/printer.h"

#include "format/codec/cursor.h"
#include "format/codec/shapes.h"
#include "format/codec/template_data.h"

namespace rondo::codec {
namespace {

// Walks a payload that decode() has accepted, so that every read succeeds.
class Printer {
 public:
  Printer(ValueSink& sink, const IdMap& ids, std::span<const std::byte> payload)
      : sink_(sink), ids_(ids), in_(payload) {}

  void fields(const StructInfo& type, bool in_chain);

 private:
  // The members of one structure that select others, by offset.
  struct Selectors {
    struct Entry {
      std::uint16_t offset;
      std::uint32_t value;
    };
    Entry entries[4] = {};
    std::size_t used = 0;
    std::uint32_t at(std::uint16_t offset) const {
      for (std::size_t i = 0; i < used; ++i)
        if (entries[i].offset == offset) return entries[i].value;
      return 0;
    }
  };

  void field(const Field& f, const Selectors& selectors);
  void element(const Field& f, const Selectors& selectors);
  void array(const Field& f, std::size_t count, const Selectors& selectors);
  void list(const Field& f, std::size_t count, const Selectors& selectors);
  void scalar(const Field& f, const std::byte* from);
  void raw_union(const Field& f, const std::byte* from);
  void data(const Field& f);
  void text(const Field& f);
  void chain(const Field& f);
  void template_data(const Field& f);
  void structure(const StructInfo& type, bool in_chain) {
    sink_.begin_structure(type.name);
    fields(type, in_chain);
    sink_.end_structure();
  }
  void flat(const StructInfo& type, const std::byte* from);
  using Part = ValueSink::Part;
  // The next `bytes` of the payload are that.
  void say(const Field& f, Part part, std::size_t bytes = 0) { sink_.stands_at(f, part, in_.offset(), bytes); }
  std::uint32_t number() {
    std::uint32_t n = 0;
    in_.read(n);
    return n;
  }
  template <class T>
  T plain(const Field& f) {
    T value = 0;
    say(f, Part::value, sizeof value);
    in_.read(value);
    return value;
  }
  std::uint32_t counted(const Field& f) {
    say(f, Part::count, sizeof(std::uint32_t));
    return number();
  }
  // What a pointer points to that may be null.
  void maybe(const Field& f, const Selectors& selectors) {
    std::uint8_t present = 0;
    say(f, Part::present, sizeof present);
    in_.read(present);
    if (present == 0) return sink_.null();
    say(f, Part::element);
    element(f, selectors);
    say(f, Part::end);
  }

  ValueSink& sink_;
  const IdMap& ids_;
  Cursor in_;
  std::uint32_t handles_ = 0;
};

bool selects(const StructInfo& type, std::uint16_t offset) {
  for (const Field& f : type.fields)
    if (f.selector == offset && (f.element == Element::union_type || f.element == Element::untyped_handle)) return true;
  return false;
}

void Printer::fields(const StructInfo& type, bool in_chain) {
  Selectors selectors;
  for (const Field& f : type.fields) {
    if (f.shape == Shape::stype || f.shape == Shape::dropped) continue;
    if (f.shape == Shape::pnext && in_chain) continue;
    if (f.shape == Shape::value && f.size == sizeof(std::uint32_t) && selectors.used < std::size(selectors.entries) &&
        selects(type, f.offset)) {
      Cursor peek = in_;
      selectors.entries[selectors.used].offset = f.offset;
      peek.read(selectors.entries[selectors.used++].value);
    }
    sink_.key(f.name);
    field(f, selectors);
  }
}

void Printer::field(const Field& f, const Selectors& selectors) {
  switch (f.shape) {
    case Shape::value:
      return element(f, selectors);
    case Shape::array:
      return array(f, f.count.constant, selectors);
    case Shape::text:
    case Shape::string:
      return text(f);
    case Shape::one:
      return maybe(f, selectors);
    case Shape::many: {
      if (is_data(f)) return data(f);
      if (f.rule == RuleId::template_data) return template_data(f);
      const std::uint32_t n = counted(f);
      if (n == kNull) return sink_.null();
      if (f.rule == RuleId::strided) plain<std::uint32_t>(f);
      return list(f, n, selectors);
    }
    case Shape::strings: {
      const std::uint32_t n = counted(f);
      if (n == kNull) return sink_.null();
      sink_.begin_array();
      for (std::uint32_t i = 0; i < n; ++i) {
        say(f, Part::element);
        text(f);
      }
      say(f, Part::end);
      return sink_.end_array();
    }
    case Shape::many_pointers: {
      const std::uint32_t n = counted(f);
      if (n == kNull) return sink_.null();
      sink_.begin_array();
      for (std::uint32_t i = 0; i < n; ++i) {
        say(f, Part::element);
        if (f.rule == RuleId::build_ranges) {
          const std::uint32_t inner = counted(f);
          inner == kNull ? sink_.null() : list(f, inner, selectors);
          continue;
        }
        maybe(f, selectors);
      }
      say(f, Part::end);
      return sink_.end_array();
    }
    case Shape::pnext:
      return chain(f);
    case Shape::stype:
    case Shape::dropped:
      return;
  }
}

void Printer::element(const Field& f, const Selectors& selectors) {
  switch (f.element) {
    case Element::structure:
      return structure(info(static_cast<StructId>(f.type)), false);
    case Element::union_type: {
      const StructInfo& type = info(static_cast<StructId>(f.type));
      const UnionForm form = union_form(f, f.selector == kNoSelector ? 0 : selectors.at(f.selector));
      sink_.begin_structure(type.name);
      if (form.member != nullptr) {
        sink_.key(form.member->name);
        field(*form.member, {});
      } else if (form.raw) {
        say(f, Part::value, f.size);
        raw_union(f, in_.take(f.size));
      }
      return sink_.end_structure();
    }
    case Element::handle:
    case Element::untyped_handle: {
      std::uint64_t captured = 0;
      say(f, Part::value, sizeof captured);
      in_.read(captured);
      const HandleType type = f.element == Element::handle ? static_cast<HandleType>(f.type)
                                                           : untyped_handle_type(f, selectors.at(f.selector));
      return type == HandleType::none ? sink_.unsigned_value(captured) : sink_.handle(type, captured, handles_++);
    }
    case Element::opaque:
      return sink_.null();
    default:
      say(f, Part::value, f.size);
      return scalar(f, in_.take(f.size));
  }
}

void Printer::array(const Field& f, std::size_t count, const Selectors& selectors) {
  sink_.begin_array();
  for (std::size_t i = 0; i < count; ++i) element(f, selectors);
  sink_.end_array();
}

// An array whose count stands in the payload.
void Printer::list(const Field& f, std::size_t count, const Selectors& selectors) {
  sink_.begin_array();
  for (std::size_t i = 0; i < count; ++i) {
    say(f, Part::element);
    element(f, selectors);
  }
  say(f, Part::end);
  sink_.end_array();
}

void Printer::scalar(const Field& f, const std::byte* from) {
  if (from == nullptr) return sink_.null();
  const std::uint64_t bits = load_unsigned(from, f.size);
  switch (f.element) {
    case Element::signed_int: {
      const unsigned unused = 64 - 8 * f.size;
      return sink_.signed_value(static_cast<std::int64_t>(bits << unused) >> unused);
    }
    case Element::floating:
      return f.size == sizeof(float) ? sink_.floating_value(static_cast<double>(load<float>(from)), true)
                                     : sink_.floating_value(load<double>(from), false);
    case Element::bool32:
      return bits <= 1 ? sink_.boolean(bits != 0) : sink_.unsigned_value(bits);
    case Element::enumerant: {
      const std::int64_t value = static_cast<std::int32_t>(bits);
      return sink_.enumerant(enumerant_name(static_cast<EnumId>(f.type), value), value);
    }
    case Element::flags:
      return sink_.flags(static_cast<EnumId>(f.type), bits);
    default:
      return sink_.unsigned_value(bits);
  }
}

// A union without a selector: every reading of its bytes, under its name.
void Printer::raw_union(const Field& f, const std::byte* from) {
  const StructInfo& type = info(static_cast<StructId>(f.type));
  if (from == nullptr) return;
  for (const Field& row : type.fields) {
    if (row.shape == Shape::dropped) continue;
    sink_.key(row.name);
    if (row.element == Element::structure) {
      sink_.begin_structure(info(static_cast<StructId>(row.type)).name);
      flat(info(static_cast<StructId>(row.type)), from);
      sink_.end_structure();
    } else if (row.element == Element::union_type) {
      sink_.begin_structure(info(static_cast<StructId>(row.type)).name);
      raw_union(row, from);
      sink_.end_structure();
    } else if (row.shape == Shape::array) {
      sink_.begin_array();
      for (std::size_t i = 0; i < row.count.constant; ++i) scalar(row, from + i * row.size);
      sink_.end_array();
    } else {
      scalar(row, from);
    }
  }
}

void Printer::flat(const StructInfo& type, const std::byte* from) {
  for (const Field& f : type.fields) {
    sink_.key(f.name);
    scalar(f, from + f.offset);
  }
}

void Printer::data(const Field& f) {
  std::uint8_t kind = 0;
  std::uint64_t bytes = 0;
  Cursor peek = in_;
  peek.read(kind);
  constexpr std::size_t head = sizeof kind + sizeof bytes;
  if (kind != kDataNull) peek.read(bytes);
  say(f, Part::data,
      kind == kDataNull ? sizeof kind : head + (kind == kDataBlob ? sizeof(Digest) : static_cast<std::size_t>(bytes)));
  in_.take(kind == kDataNull ? sizeof kind : head);
  if (kind == kDataNull) return sink_.null();
  if (kind == kDataBlob) {
    Digest digest;
    in_.read(digest.low);
    in_.read(digest.high);
    return sink_.bytes(digest, bytes);
  }
  const std::byte* from = in_.take(static_cast<std::size_t>(bytes));
  if (from == nullptr) return sink_.null();
  if (f.element == Element::byte) return sink_.bytes(digest_of({from, static_cast<std::size_t>(bytes)}), bytes);
  sink_.begin_array();
  for (std::uint64_t i = 0; i < bytes; i += f.size) scalar(f, from + i);
  sink_.end_array();
}

// One object for each entry: what it is, then its descriptors.
void Printer::template_data(const Field& f) {
  const std::uint32_t entries = counted(f);
  if (entries == kNull) return sink_.null();
  plain<std::uint32_t>(f);  // bytes of the native data
  sink_.begin_array();
  for (std::uint32_t i = 0; i < entries; ++i) {
    say(f, Part::element);
    const auto type = plain<std::uint32_t>(f);
    const auto count = plain<std::uint32_t>(f);
    plain<std::uint64_t>(f);  // offset
    plain<std::uint64_t>(f);  // stride
    sink_.begin_structure("VkDescriptorUpdateTemplateEntry");
    sink_.key("descriptorType");
    sink_.enumerant(enumerant_name(EnumId::VkDescriptorType, type), type);
    sink_.key("descriptors");
    const TemplateItem item = template_item(type);
    if (item == TemplateItem::bytes) {
      say(f, Part::value, count);
      const std::byte* from = in_.take(count);
      sink_.bytes(digest_of({from, count}), count);
    } else {
      sink_.begin_array();
      for (std::uint32_t k = 0; k < count; ++k) {
        if (item == TemplateItem::image || item == TemplateItem::buffer) {
          structure(
              info(item == TemplateItem::image ? StructId::VkDescriptorImageInfo : StructId::VkDescriptorBufferInfo),
              false);
          continue;
        }
        std::uint64_t captured = 0;
        say(f, Part::value, sizeof captured);
        in_.read(captured);
        sink_.handle(item == TemplateItem::texel_view ? HandleType::VkBufferView : acceleration_structure(type),
                     captured, handles_++);
      }
      sink_.end_array();
    }
    sink_.end_structure();
  }
  say(f, Part::end);
  sink_.end_array();
}

void Printer::text(const Field& f) {
  Cursor peek = in_;
  std::uint32_t length = 0;
  peek.read(length);
  say(f, Part::text, sizeof length + (length == kNull ? 0 : length));
  number();
  if (length == kNull) return sink_.null();
  const std::byte* from = in_.take(length);
  if (from == nullptr) return sink_.null();
  sink_.string({reinterpret_cast<const char*>(from), length});
}

void Printer::chain(const Field& f) {
  sink_.begin_array();
  std::uint16_t file_id = 0;
  for (Cursor peek = in_; peek.read(file_id) && file_id != 0; peek = in_) {
    say(f, Part::chained, sizeof file_id);
    in_.take(sizeof file_id);
    structure(info(ids_.structure(file_id)), true);
  }
  say(f, Part::end, sizeof file_id);
  in_.take(sizeof file_id);
  sink_.end_array();
}

}  // namespace

Result<void> print(ValueSink& sink, const IdMap& ids, CommandId command, std::span<const std::byte> payload,
                   const DecodeLimits& limits) {
  // The decoder's checks, once, before anything is printed.
  static thread_local Lowered lowered;
  RONDO_TRY(decode(lowered, ids, command, payload, limits));
  Printer(sink, ids, payload).fields(info(info(command).args), false);
  return {};
}

}  // namespace rondo::codec
