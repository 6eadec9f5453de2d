// SPDX-License-Identifier: Apache-2.0
// What the commands of any file touch.
#include <string>
#include <vector>

#include "format/reader.h"
#include "model/access/model.h"
#include "model/parameters.h"
#include "model/stream.h"
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
  model::Stream stream(**opened);
  const auto& objects = stream.objects().objects();
  model::Parameters parameters;
  std::uint64_t told = 0;
  access::Model model(
      [&](const access::Executed& executed) {
        ++told;
        for (const access::Touch& touch : executed.touches) {
          expect(objects.has(touch.object), "what is touched is an object");
          expect(is_whole(touch), "a touch says where and how");
        }
      },
      kLimits);
  model::Step step;
  for (;;) {
    const auto more = stream.fetch(step);
    if (!more || !*more) break;
    if (step.command == nullptr || !stream.decode(step, {.max_bytes = 1 << 20})) continue;
    stream.resolve(step);
    if (!model::load(stream, step, parameters)) break;
    model.take(model::call_of(stream, step, parameters));
  }
  expect(told <= kLimits.executed + objects.size() + file.size(), "what is executed has a limit");
  for (const ObjectId id : model.reachable()) expect(objects.has(id), "what is reachable is an object");
}

}  // namespace rondo::fuzz
