// SPDX-License-Identifier: Apache-2.0
#include "analyzers/access_walk.h"

#include <vector>

#include "shaders/sites.h"

namespace rondo::analyzers {

namespace {

// Code that the file lacks is null: the model then knows nothing of those shaders.
std::vector<Reader::Bytes> code_of(Walk& walk, const Step& step, std::vector<const std::byte*>& pointers) {
  std::vector<Reader::Bytes> kept;
  pointers.assign(walk.decoded().blobs.size(), nullptr);
  if (!shaders::makes_shaders(step.command->canonical)) return kept;
  for (std::size_t i = 0; i < pointers.size(); ++i)
    if (auto read = walk.reader().blob(walk.decoded().blobs[i].digest);
        read && (*read)->size() >= walk.decoded().blobs[i].bytes) {
      pointers[i] = (*read)->data();
      kept.push_back(std::move(*read));
    }
  return kept;
}

}  // namespace

Result<AccessTotals> walk_accesses(Walk& walk, const AccessWanted& wanted,
                                   const std::function<bool(const access::Executed&)>& visit) {
  AccessTotals totals;
  bool more_wanted = true, in_frames = true;
  access::Model model([&](const access::Executed& executed) {
    const bool in_submits = !wanted.submits || (executed.submit != access::Executed::kNoSubmit
                                                    ? wanted.submits->contains(executed.submit)
                                                    : wanted.submits->contains(totals.submits));
    if (!in_frames || !in_submits) return;
    totals.any = true;
    totals.coverage.add(executed);
    if (more_wanted) more_wanted = visit(executed);
  });
  NativeView view;
  std::vector<const std::byte*> pointers;
  Step step;
  while (more_wanted) {
    const auto more = walk.next(step);
    if (!more) return tl::unexpected(more.error());
    if (!*more) break;
    if (step.command == nullptr || step.by_layer()) continue;
    in_frames = !wanted.frames || wanted.frames->contains(step.frame);
    const std::vector<Reader::Bytes> code = code_of(walk, step, pointers);
    view.load(walk.decoded(), walk.resolution().ids, pointers);
    model.take({*step.command, view, walk.resolution(), walk.objects(), step.record.sequence, step.succeeded(),
                static_cast<std::uint64_t>(step.record.return_value)});
    totals.submits += step.submits;
    totals.frames += step.present ? 1 : 0;
  }
  totals.too_many = model.too_many();
  return totals;
}

}  // namespace rondo::analyzers
