// SPDX-License-Identifier: Apache-2.0
// Names of commands and structures, and which of them this build takes.
#include "format/dictionary.h"

#include "format/codec/decoder.h"
#include "tests/fuzz/targets.h"

namespace rondo::fuzz {

void dictionary(Bytes payload) {
  const File none;
  const ChunkInfo chunk{};
  std::vector<DictionaryRow> rows;
  const auto parsed = parse_dictionary(none, chunk, payload, rows);
  const std::size_t first = rows.size();
  const rondo::codec::IdMap ids = rondo::codec::IdMap::match(rows);
  for (const DictionaryRow& row : rows) {
    if (row.kind == DictionaryKind::structure) {
      const StructId id = ids.structure(row.id);
      if (id == StructId::none) continue;
      expect(rondo::codec::info(id).encoding_hash == row.encoding_hash, "a structure is taken with its encoding only");
      continue;
    }
    expect(row.name.empty() || ids.name(row.id) == row.name, "a command keeps its name");
    const CommandId id = ids.command(row.id);
    if (id == CommandId::none) continue;
    const rondo::codec::CommandInfo& command = rondo::codec::info(id);
    expect(row.name == command.name, "a command is found by its name");
    expect(rondo::codec::info(command.args).encoding_hash == row.encoding_hash,
           "a command is taken with its encoding only");
  }
  if (!parsed) return;

  // Read again: nothing new, and the same from what is written of it.
  expect(parse_dictionary(none, chunk, payload, rows) && rows.size() == first, "a repeated dictionary adds nothing");
  std::vector<DictionaryEntry> entries;
  for (const DictionaryRow& row : rows) entries.push_back({row.kind, row.id, row.encoding_hash, row.name});
  std::vector<const DictionaryEntry*> pointers;
  for (const DictionaryEntry& entry : entries) pointers.push_back(&entry);
  std::vector<DictionaryRow> again;
  expect(static_cast<bool>(parse_dictionary(none, chunk, dictionary_payload(pointers), again)),
         "what is written can be read");
  expect(again.size() == rows.size(), "every row is written");
  for (std::size_t i = 0; i < rows.size(); ++i)
    expect(again[i].kind == rows[i].kind && again[i].id == rows[i].id && again[i].name == rows[i].name &&
               again[i].encoding_hash == rows[i].encoding_hash,
           "a row is read as it was written");
}

}  // namespace rondo::fuzz
