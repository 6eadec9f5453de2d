// SPDX-License-Identifier: Apache-2.0
// Bytes, strings, pNext chains and the data of descriptor update templates.
#include "format/codec/decoder_walk.h"
#include "format/codec/rules.h"
#include "format/codec/shapes.h"
#include "format/codec/template_data.h"

namespace rondo::codec {

bool Decoder::data(const Field& f, std::size_t base) {
  std::uint8_t kind = 0;
  if (!read(kind)) return false;
  if (kind == kDataNull) return accept_null(f, base);
  if (kind != kDataInline && kind != kDataBlob) return refuse("has an unknown kind of data");
  std::uint64_t bytes = 0;
  if (!read(bytes)) return false;
  if (bytes % f.size != 0) return refuse("does not end with a whole element");
  if (!counts_agree(f, base, bytes / f.size)) return false;
  const std::size_t at = base + f.offset;
  std::size_t target = 0;
  if (f.rule == RuleId::host_texels) out_.data.push_back({static_cast<std::uint32_t>(at), bytes});
  if (kind == kDataBlob) {
    Digest digest;
    if (!read(digest.low) || !read(digest.high)) return false;
    if (bytes == 0) return refuse("names an empty blob");
    if ((f.flags & kOutput) == 0 || (f.flags & kCompared) != 0) {
      out_.blobs.push_back({static_cast<std::uint32_t>(at), digest, bytes});
      return true;
    }
    // The driver writes here: space, not the captured bytes.
    if (bytes > limit_) return refuse("needs more than " + std::to_string(limit_) + " bytes of memory");
    if (!allocate(static_cast<std::size_t>(bytes), target)) return false;
    point(at, target);
    return true;
  }
  if (bytes > in_.remaining()) return too_short();
  if (!allocate(static_cast<std::size_t>(bytes), target)) return false;
  point(at, target);
  if (!copy(target, static_cast<std::size_t>(bytes))) return false;
  if (f.semantic != Semantic::none)
    for (std::size_t i = 0; i < bytes; i += f.size)
      out_.marks.push_back({static_cast<std::uint32_t>(target + i), f.semantic});
  return true;
}

bool Decoder::template_data(const Field& f, std::size_t base, int depth) {
  std::uint32_t entries = 0;
  if (!read_count(f, entries)) return false;
  if (entries == kNull) return accept_null(f, base);
  std::uint32_t bytes = 0;
  std::size_t target = 0;
  if (!read(bytes) || !allocate_with_holes(bytes, target)) return false;
  point(base + f.offset, target);
  for (std::uint32_t i = 0; i < entries; ++i)
    if (!template_entry(f, target, bytes, depth)) return false;
  return true;
}

bool Decoder::template_entry(const Field& f, std::size_t target, std::size_t bytes, int depth) {
  std::uint32_t type = 0;
  std::uint32_t count = 0;
  std::uint64_t offset = 0;
  std::uint64_t stride = 0;
  if (!read(type) || !read_count(f, count) || !read(offset) || !read(stride)) return false;
  const TemplateItem item = template_item(type);
  if (item == TemplateItem::unknown) return refuse("has descriptors of an unknown type");
  if (count == 0) return true;
  if (count == kNull || offset > bytes) return refuse("has a descriptor outside its data");
  if (item == TemplateItem::bytes) {
    if (count > bytes - offset) return refuse("has a descriptor outside its data");
    return copy(target + offset, count);
  }
  // A single descriptor's stride means nothing; count, below the payload's
  // size, times a stride that is below the data's cannot overflow.
  if (count == 1) stride = 0;
  if (stride > bytes || offset + (count - std::uint64_t{1}) * stride + item_bytes(item) > bytes)
    return refuse("has a descriptor outside its data");
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::size_t one = target + offset + i * stride;
    bool fine = false;
    switch (item) {
      case TemplateItem::image:
        fine = structure(info(StructId::VkDescriptorImageInfo), one, false, depth + 1);
        break;
      case TemplateItem::buffer:
        fine = structure(info(StructId::VkDescriptorBufferInfo), one, false, depth + 1);
        break;
      case TemplateItem::texel_view:
        fine = handle(f, one, HandleType::VkBufferView);
        break;
      default:
        fine = handle(f, one, acceleration_structure(type));
    }
    if (!fine) return false;
  }
  return true;
}

bool Decoder::text(const Field& f, std::size_t at) {
  std::uint32_t length = 0;
  if (!read(length)) return false;
  if (length > f.count.constant) return refuse("is longer than " + std::to_string(f.count.constant));
  return copy(at, length);
}

bool Decoder::string(const Field& f, std::size_t base, std::size_t at) {
  std::uint32_t length = 0;
  if (!read(length)) return false;
  if (length == kNull) return f.shape == Shape::string ? accept_null(f, base) : accept_null_element(f);
  if (length > in_.remaining()) return too_short();
  std::size_t target = 0;
  if (!allocate(length + std::size_t{1}, target)) return false;
  point(at, target);
  return copy(target, length);
}

bool Decoder::strings(const Field& f, std::size_t base) {
  std::uint32_t n = 0;
  if (!read_count(f, n)) return false;
  if (n == kNull) return accept_null(f, base);
  if (!counts_agree(f, base, n)) return false;
  std::size_t list = 0;
  if (!allocate(n * sizeof(char*), list)) return false;
  point(base + f.offset, list);
  for (std::size_t i = 0; i < n; ++i)
    if (!string(f, base, list + i * sizeof(char*))) return false;
  return true;
}

bool Decoder::chain(const Field&, std::size_t at, int depth) {
  constexpr std::size_t next_offset = 8;  // of pNext in every structure that has one
  std::size_t link = at;
  for (int length = 0;; ++length) {
    std::uint16_t file_id = 0;
    if (!read(file_id)) return false;
    if (file_id == 0) return true;
    if (length >= kMaxChain) return refuse("has too many structures in its pNext chain");
    const StructId id = ids_.structure(file_id);
    if (id == StructId::none || info(id).stype == kNull)
      return refuse("chains structure " + std::to_string(file_id) +
                    " of the file's dictionary, which this build does not know; a newer Rondo may");
    const StructInfo& type = info(id);
    std::size_t target = 0;
    if (!allocate(type.size, target)) return false;
    point(link, target);
    out_.chained.push_back({static_cast<std::uint32_t>(target), id});
    if (!structure(type, target, true, depth + 1)) return false;
    link = target + next_offset;
  }
}

}  // namespace rondo::codec
