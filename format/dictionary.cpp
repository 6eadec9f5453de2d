// SPDX-License-Identifier: Apache-2.0
#include "format/dictionary.h"

#include <algorithm>
#include <cstring>

namespace rondo {
namespace {

struct RowHeader {
  std::uint16_t kind;
  std::uint16_t id;
  std::uint32_t name_bytes;
  std::uint64_t encoding_hash;
};
static_assert(sizeof(RowHeader) == 16);

void append(std::vector<std::byte>& out, const void* data, std::size_t bytes) {
  const auto* p = static_cast<const std::byte*>(data);
  out.insert(out.end(), p, p + bytes);
}

}  // namespace

std::vector<std::byte> dictionary_payload(std::span<const DictionaryEntry* const> rows) {
  std::vector<std::byte> out;
  const std::uint32_t head[2] = {static_cast<std::uint32_t>(rows.size()), 0};
  append(out, head, sizeof head);
  for (const DictionaryEntry* row : rows) {
    const RowHeader h{static_cast<std::uint16_t>(row->kind), row->id, static_cast<std::uint32_t>(row->name.size()),
                      row->encoding_hash};
    append(out, &h, sizeof h);
    append(out, row->name.data(), row->name.size());
  }
  return out;
}

Result<void> parse_dictionary(const File& file, const ChunkInfo& chunk, std::span<const std::byte> payload,
                              std::vector<DictionaryRow>& rows) {
  const auto bad = [&] {
    return fail(Status::unreadable, at_offset(file, chunk.offset) + ": the dictionary is damaged");
  };
  std::uint32_t head[2];
  if (payload.size() < sizeof head) return bad();
  std::memcpy(head, payload.data(), sizeof head);
  payload = payload.subspan(sizeof head);
  if (head[1] != 0 || head[0] > payload.size() / sizeof(RowHeader)) return bad();
  // One bit a (kind, id): chunks repeat rows when a recorder died between two.
  std::vector<bool> have(3 * 65536);
  for (const DictionaryRow& row : rows) have[static_cast<std::size_t>(row.kind) * 65536 + row.id] = true;
  for (std::uint32_t i = 0; i < head[0]; ++i) {
    RowHeader h;
    if (payload.size() < sizeof h) return bad();
    std::memcpy(&h, payload.data(), sizeof h);
    payload = payload.subspan(sizeof h);
    if (h.name_bytes > payload.size() || h.kind < 1 || h.kind > 2 || h.id == 0) return bad();
    if (!have[std::size_t{h.kind} * 65536 + h.id]) {
      have[std::size_t{h.kind} * 65536 + h.id] = true;
      rows.push_back({static_cast<DictionaryKind>(h.kind), h.id, h.encoding_hash,
                      std::string(reinterpret_cast<const char*>(payload.data()), h.name_bytes)});
    }
    payload = payload.subspan(h.name_bytes);
  }
  return payload.empty() ? Result<void>{} : bad();
}

}  // namespace rondo
