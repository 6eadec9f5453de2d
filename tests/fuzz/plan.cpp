// SPDX-License-Identifier: Apache-2.0
// A whole replay of any file on the fake driver, which knows a call that no
// correct program makes.
#include "player/plan/plan.h"

#include <string>

#include "player/run/run.h"
#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/replay.h"
#include "tests/fuzz/targets.h"
#include "tests/icd/fake.h"
#include "tests/icd/stage.h"

namespace rondo::fuzz {
namespace {

namespace player = rondo::player;

// A wait that nothing ends would be a hang.
constexpr double kSeconds = 5;

Result<void> run(player::Plan& plan) {
  const auto stage = fake::set_stage(plan);
  if (!stage) return tl::unexpected<Error>(stage.error());
  player::Deadline deadline(kSeconds);
  player::Observer observer;
  player::PlacementCache placements;
  for (int i = 0; i < 2; ++i) {
    player::RunOptions options;
    options.verify = i == 0 && plan.has_checkpoints;
    player::Run once(plan, (*stage)->loader, (*stage)->targets, options, deadline, observer, placements);
    const Result<void> played = once.play();
    const Result<void> ended = once.finish();
    expect(static_cast<bool>(ended), "a replay on the fake driver ends");
    if (!played) return played;
  }
  return {};
}

}  // namespace

Result<void> replay(const std::string& path, bool salvage) {
  fake::Settings settings;
  settings.budget = kPlanBudget / 2;
  settings.leaks = true;
  fake::reset(settings);
  ReaderOptions reader_options;
  reader_options.memory_budget = kReaderBudget;
  reader_options.salvage = salvage;
  auto reader = Reader::open(path, reader_options);
  if (!reader) return tl::unexpected<Error>(reader.error());
  player::PlanOptions options;
  options.salvage = salvage;
  options.memory_budget = kPlanBudget / 2;
  options.verify = true;
  auto plan = player::build_plan(**reader, options);
  if (!plan) return tl::unexpected<Error>(plan.error());
  reader->reset();
  Result<void> done = run(**plan);
  // What the fake driver calls harmless the player lets pass, since captures of such
  // programs are to replay. The fake driver does not make the call all the same: what it
  // says of later ones, an end of what was not begun, may be only for that.
  const auto all = fake::violations();
  if (!all.empty() && !all[0].harmless)
    return fail(Status::failed, std::string(kViolation) + all[0].command + ": " + all[0].what);
  return done;
}

void plan(Bytes file) {
  const MemoryFile memory(file);
  for (const bool salvage : {false, true}) {
    const auto done = replay(memory.path(), salvage);
    if (done) return;
    expect(!done.error().message.empty(), "an error says something");
    if (done.error().message.starts_with(kViolation)) broken(done.error().message);
    expect(done.error().status != Status::timeout, "no wait of a replay lasts for ever");
  }
}

}  // namespace rondo::fuzz
