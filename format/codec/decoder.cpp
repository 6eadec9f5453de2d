// SPDX-License-Identifier: Apache-2.0
#include "format/codec/decoder.h"

#include <algorithm>
#include <cstddef>

#include "format/codec/decoder_walk.h"
#include "format/codec/rules.h"
#include "format/codec/shapes.h"
#include "generated/args.h"

namespace rondo::codec {
namespace {

constexpr std::size_t kAlignment = 16;
// Memory with holes (a template's data, elements of their own stride) may be
// larger than what the payload fills of it, but not without measure.
constexpr std::size_t kHoles = std::size_t{4} << 20;
constexpr std::size_t kHolesPerByte = 64;

}  // namespace

Result<void> Decoder::run() {
  const StructInfo& type = info(command_.args);
  std::size_t base = 0;
  bool fine = allocate(type.size, base) && structure(type, base, false, 0) && strides_agree();
  if (fine && in_.remaining() != 0) {
    member_ = nullptr;
    fine = refuse("holds " + std::to_string(in_.remaining()) + " bytes too many");
  }
  if (!fine) return fail(Status::unreadable, std::move(error_));
  return {};
}

bool Decoder::allocate(std::size_t bytes, std::size_t& at) {
  // Empty arrays get an address of their own too: their pointer is not null.
  const std::size_t rounded = (std::max<std::size_t>(bytes, 1) + kAlignment - 1) / kAlignment * kAlignment;
  if (bytes > limit_ || rounded > limit_ - std::min(limit_, out_.bytes.size()))
    return refuse("needs more than " + std::to_string(limit_) + " bytes of memory");
  at = out_.bytes.size();
  out_.bytes.resize(at + rounded);
  return true;
}

bool Decoder::allocate_with_holes(std::size_t bytes, std::size_t& at) {
  if (bytes > kHoles + kHolesPerByte * in_.remaining())
    return refuse("claims " + std::to_string(bytes) + " bytes of memory for less than the payload holds");
  return allocate(bytes, at);
}

void Decoder::point(std::size_t pointer, std::size_t target) {
  const std::uint64_t value = target;
  std::memcpy(out_.bytes.data() + pointer, &value, sizeof value);
  out_.pointers.push_back(static_cast<std::uint32_t>(pointer));
}

bool Decoder::structure(const StructInfo& type, std::size_t base, bool in_chain, int depth) {
  if (depth > kMaxDepth) return refuse(std::string(type.name) + " is nested too deeply");
  if (type.flat) return copy(base, type.size);
  for (const Field& f : type.fields) {
    if (f.shape == Shape::dropped) continue;
    if (f.shape == Shape::stype) {
      std::memcpy(out_.bytes.data() + base + f.offset, &type.stype, sizeof type.stype);
      continue;
    }
    if (f.shape == Shape::pnext && in_chain) continue;
    member_ = f.name;
    if (!field(f, base, depth)) return false;
  }
  return true;
}

bool Decoder::field(const Field& f, std::size_t base, int depth) {
  const std::size_t at = base + f.offset;
  switch (f.shape) {
    case Shape::value:
      if (!element(f, at, base, depth)) return false;
      return f.element != Element::handle || load<std::uint64_t>(&out_.bytes[at]) != 0 || accept_null(f, base);
    case Shape::array:
      return elements(f, at, f.count.constant, base, depth);
    case Shape::text:
      return text(f, at);
    case Shape::one:
      return one(f, at, base, depth);
    case Shape::many:
      return is_data(f) ? data(f, base) : many(f, base, depth);
    case Shape::string:
      return string(f, base, at);
    case Shape::strings:
      return strings(f, base);
    case Shape::many_pointers:
      return many_pointers(f, base, depth);
    case Shape::pnext:
      return chain(f, at, depth);
    case Shape::stype:
    case Shape::dropped:
      return true;
  }
  return true;
}

bool Decoder::scalar(const Field& f, std::size_t at) {
  if (!copy(at, f.size)) return false;
  if (f.semantic != Semantic::none) out_.marks.push_back({static_cast<std::uint32_t>(at), f.semantic});
  return true;
}

bool Decoder::handle(const Field& f, std::size_t at, HandleType type) {
  if (!copy(at, sizeof(std::uint64_t))) return false;
  if (type != HandleType::none)
    out_.handles.push_back({static_cast<std::uint32_t>(at), type, f.flags, load<std::uint64_t>(&out_.bytes[at])});
  return true;
}

bool Decoder::element(const Field& f, std::size_t at, std::size_t owner, int depth) {
  switch (f.element) {
    case Element::structure:
      return structure(info(static_cast<StructId>(f.type)), at, false, depth + 1);
    case Element::union_type: {
      if (depth > kMaxDepth) return refuse("is nested too deeply");
      const std::uint32_t selector =
          f.selector == kNoSelector ? 0 : load<std::uint32_t>(&out_.bytes[owner + f.selector]);
      const UnionForm form = union_form(f, selector);
      if (form.member != nullptr) return field(*form.member, at, depth + 1);
      return !form.raw || copy(at, f.size);
    }
    case Element::handle:
      return handle(f, at, static_cast<HandleType>(f.type));
    case Element::untyped_handle:
      return handle(f, at, untyped_handle_type(f, load<std::uint32_t>(&out_.bytes[owner + f.selector])));
    case Element::opaque:
      return true;
    default:
      return scalar(f, at);
  }
}

bool Decoder::elements(const Field& f, std::size_t at, std::size_t count, std::size_t owner, int depth) {
  if (is_plain(f) && f.semantic == Semantic::none) return copy(at, count * f.size);
  for (std::size_t i = 0; i < count; ++i)
    if (!element(f, at + i * f.size, owner, depth)) return false;
  return true;
}

bool Decoder::one(const Field& f, std::size_t at, std::size_t owner, int depth) {
  std::uint8_t present = 0;
  if (!read(present)) return false;
  if (present > 1) return refuse("is neither null nor present");
  if (present == 0) return f.shape == Shape::one ? accept_null(f, owner) : accept_null_element(f);
  std::size_t target = 0;
  if (!allocate(f.size, target)) return false;
  point(at, target);
  return behind(f, [&] { return element(f, target, owner, depth); });
}

// A count that the rest of the payload can hold: no element is less than a byte.
bool Decoder::read_count(const Field&, std::uint32_t& count) {
  if (!read(count)) return false;
  if (count != kNull && count > in_.remaining())
    return refuse("claims " + std::to_string(count) + " elements, more than the payload holds");
  return true;
}

bool Decoder::native_count(const Field& f, std::size_t base, std::uint64_t& count) const {
  const Count& c = f.count;
  const std::byte* owner = out_.bytes.data() + base;
  switch (c.kind) {
    case CountKind::none:
    case CountKind::rule:
      return false;
    case CountKind::constant:
      count = c.constant;
      return true;
    case CountKind::member:
      count = load_unsigned(owner + c.a, c.a_size);
      break;
    case CountKind::dereferenced: {
      const auto target = load<std::uint64_t>(owner + c.a);
      count = target == 0 ? 0 : load_unsigned(out_.bytes.data() + target, c.a_size);
      break;
    }
    case CountKind::path: {
      const auto target = load<std::uint64_t>(owner + c.a);
      count = target == 0 ? 0 : load_unsigned(out_.bytes.data() + target + c.b, c.b_size);
      break;
    }
  }
  count = (count + c.constant) / c.divisor;
  return true;
}

// A driver reads as many elements as the count says: it must not say more, or
// less, than there are.
bool Decoder::counts_agree(const Field& f, std::size_t base, std::uint64_t found) {
  std::uint64_t stated = 0;
  if (!native_count(f, base, stated) || stated == found) return true;
  member_ = f.name;
  return refuse("holds " + std::to_string(found) + " elements where its count says " + std::to_string(stated));
}

// A driver walks the array by the parameter, which comes behind the array.
bool Decoder::strides_agree() {
  for (const Strided& s : strided_) {
    std::uint32_t stated = 0;
    std::memcpy(&stated, out_.bytes.data() + s.base + s.field->selector, sizeof stated);
    if (stated == s.stride) continue;
    member_ = s.field->name;
    return refuse("has elements every " + std::to_string(s.stride) + " bytes where the stride says " +
                  std::to_string(stated));
  }
  return true;
}

// Of the index-th build, whose ranges or counts come behind pInfos.
std::uint32_t Decoder::geometries(std::size_t base, std::size_t index) const {
  const std::size_t member = command_.canonical == CommandId::vkBuildAccelerationStructuresKHR
                                 ? offsetof(args_vkBuildAccelerationStructuresKHR, pInfos)
                                 : offsetof(args_vkCmdBuildAccelerationStructuresKHR, pInfos);
  const auto infos = load<std::uint64_t>(&out_.bytes[base + member]);
  if (infos == 0) return 0;
  return load<std::uint32_t>(
      &out_.bytes[static_cast<std::size_t>(infos) + index * sizeof(VkAccelerationStructureBuildGeometryInfoKHR) +
                  offsetof(VkAccelerationStructureBuildGeometryInfoKHR, geometryCount)]);
}

bool Decoder::is_required(const Field& f, std::size_t base) const {
  if ((f.flags & kRequired) == 0 || (f.flags & kOutput) != 0 || in_output_) return false;
  if (f.rule == RuleId::none) return true;
  bool in_parts = false;
  for (const StructRef& s : out_.chained)
    in_parts = in_parts || s.id == StructId::VkGraphicsPipelineLibraryCreateInfoEXT ||
               s.id == StructId::VkPipelineLibraryCreateInfoKHR;
  return required_by_rule(f, command_.canonical, out_.bytes.data() + base, in_parts);
}

// A driver looks at the pointer or handle in `f` without asking whether it is
// null: no program could have made such a call and gone on.
bool Decoder::accept_null(const Field& f, std::size_t base) {
  if (!is_required(f, base)) return true;
  std::uint64_t elements = 0;
  return (native_count(f, base, elements) && elements == 0) || refuse_null(f);
}

bool Decoder::accept_null_element(const Field& f) {
  const bool required = (f.flags & kRequiredElements) != 0 || f.shape == Shape::strings;
  return !required || in_output_ || refuse_null(f);
}

bool Decoder::accept_null_handles(const Field& f, std::size_t list, std::size_t count) {
  if ((f.flags & kRequiredElements) == 0 || f.element != Element::handle || in_output_) return true;
  for (std::size_t i = 0; i < count; ++i)
    if (load<std::uint64_t>(&out_.bytes[list + i * f.size]) == 0) return refuse_null(f);
  return true;
}

bool Decoder::many(const Field& f, std::size_t base, int depth) {
  if (f.rule == RuleId::template_data) return template_data(f, base, depth);
  std::uint32_t n = 0;
  if (!read_count(f, n)) return false;
  if (n == kNull) return accept_null(f, base);
  if (!counts_agree(f, base, n)) return false;
  std::size_t stride = f.size;
  if (f.rule == RuleId::strided) {
    std::uint32_t stored = 0;
    if (!read(stored)) return false;
    stride = stored;
    strided_.push_back({&f, base, stored});
  }
  const std::size_t bytes = n == 0 ? 0 : (n - std::size_t{1}) * stride + f.size;
  std::size_t target = 0;
  if (!(stride > f.size ? allocate_with_holes(bytes, target) : allocate(bytes, target))) return false;
  point(base + f.offset, target);
  if (stride != f.size) {
    for (std::size_t i = 0; i < n; ++i)
      if (!element(f, target + i * stride, base, depth)) return false;
    return true;
  }
  return behind(f, [&] { return elements(f, target, n, base, depth); }) && accept_null_handles(f, target, n);
}

bool Decoder::many_pointers(const Field& f, std::size_t base, int depth) {
  std::uint32_t n = 0;
  if (!read_count(f, n)) return false;
  if (n == kNull) return accept_null(f, base);
  if (!counts_agree(f, base, n)) return false;
  std::size_t list = 0;
  if (!allocate(n * sizeof(void*), list)) return false;
  point(base + f.offset, list);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t slot = list + i * sizeof(void*);
    if (f.rule != RuleId::build_ranges) {
      if (!one(f, slot, base, depth)) return false;
      continue;
    }
    std::uint32_t inner = 0;
    if (!read_count(f, inner)) return false;
    if (inner == kNull) continue;
    if (inner != geometries(base, i)) {
      member_ = f.name;
      return refuse("holds " + std::to_string(inner) + " ranges where pInfos has " +
                    std::to_string(geometries(base, i)) + " geometries");
    }
    std::size_t target = 0;
    if (!allocate(inner * std::size_t{f.size}, target)) return false;
    point(slot, target);
    if (!elements(f, target, inner, base, depth)) return false;
  }
  return true;
}

void Lowered::clear() {
  bytes.clear();
  pointers.clear();
  handles.clear();
  blobs.clear();
  data.clear();
  marks.clear();
  chained.clear();
}

Result<void> decode(Lowered& out, const IdMap& ids, CommandId command, std::span<const std::byte> payload,
                    const DecodeLimits& limits) {
  out.clear();
  const CommandInfo& row = info(command);
  if (row.args == StructId::none)
    return fail(Status::unreadable, std::string(row.name) + ": this build cannot read it");
  return Decoder(out, ids, row, payload, limits).run();
}

}  // namespace rondo::codec
