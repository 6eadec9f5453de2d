// SPDX-License-Identifier: Apache-2.0
// What the commands of any file touch.
#include <string>
#include <vector>

#include "format/reader.h"
#include "model/access/data.h"
#include "model/access/model.h"
#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/targets.h"

namespace rondo::fuzz {

namespace {

// What a file of some KiB can have executed is not more than this by itself.
constexpr access::Limits kLimits{.executed = 1 << 20, .recorded = 1 << 16, .descriptors = 1 << 16};

bool is_whole(const access::Touch& touch) {
  return touch.object != ObjectId::null && touch.access != 0 && touch.stages != 0 &&
         touch.offset + touch.size >= touch.offset;
}

}  // namespace

void accesses(Bytes file) {
  const MemoryFile memory(file);
  ReaderOptions options;
  options.memory_budget = kReaderBudget;
  options.salvage = true;
  auto opened = Reader::open(memory.path(), options);
  if (!opened) return;
  Reader& reader = **opened;
  const codec::IdMap ids = codec::IdMap::match(reader.dictionary());
  ObjectTable objects;
  ObjectTable::Resolution resolution;
  codec::Lowered lowered;
  access::Parameters parameters;
  std::uint64_t told = 0;
  access::Model model(
      [&](const access::Executed& executed) {
        ++told;
        for (const access::Touch& touch : executed.touches) {
          expect(objects.objects().has(touch.object), "what is touched is an object");
          expect(is_whole(touch), "a touch says where and how");
        }
      },
      kLimits);
  for (;;) {
    auto record = reader.next();
    if (!record || !*record) break;
    lowered.clear();
    const CommandId id = ids.command((*record)->command);
    if (id == CommandId::none || !codec::decode(lowered, ids, id, (*record)->payload, {.max_bytes = 1 << 20})) continue;
    const codec::CommandInfo& command = codec::info(id);
    const bool succeeded =
        command.returns != codec::Returns::result || ((*record)->has_return && (*record)->return_value >= 0);
    objects.apply(command, (*record)->sequence, succeeded, lowered, resolution);
    if (!access::load(reader, command, lowered, resolution.ids, parameters)) break;
    model.take({command, parameters.view, resolution, objects, (*record)->sequence, succeeded,
                static_cast<std::uint64_t>((*record)->return_value)});
  }
  expect(told <= kLimits.executed + objects.objects().size() + file.size(), "what is executed has a limit");
  for (const ObjectId id : model.reachable()) expect(objects.objects().has(id), "what is reachable is an object");
}

}  // namespace rondo::fuzz
