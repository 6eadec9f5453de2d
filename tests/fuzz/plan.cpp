// SPDX-License-Identifier: Apache-2.0
// A whole replay of any file on the fake driver, which knows a call that no
// correct program makes.
#include "player/plan.h"

#include <string>
#include <string_view>

#include "player/preflight.h"
#include "player/run.h"
#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/replay.h"
#include "tests/fuzz/targets.h"
#include "tests/icd/fake.h"

namespace rondo::fuzz {
namespace {

namespace player = rondo::player;

// Rules that programs break and get away with: a driver may compute something
// else, and is not led outside of its objects. The player lets them pass, since
// captures of such programs are to replay. Whatever else the fake driver says is
// a misuse. A call that it refuses is not made: the replay ends there.
constexpr std::string_view kHarmless[] = {
    // Limits and features: drivers clamp or ignore.
    "maxLod is less than minLod",
    "maxAnisotropy is beyond the limits",
    "a queue priority is outside 0 to 1",
    "is not enabled",
    "usage is 0",
    "flags ask for a feature that the device does not have",
    "a pool size is 0",
    "there are more than maxViewports",
    "there are more descriptors than maxPerSetDescriptors",
    "layerCount or viewMask is beyond the limits",
    "offset is no multiple of the alignment for such descriptors",
    // What only the shader's own paths could tell to be used.
    "the pipeline's shaders declare set",
    "no vertex buffer is bound to binding",
    "the layout has no such range for these stages",
    // Results that are undefined.
    "begins a query that was not reset",
    "writes a timestamp to a query that was not reset",
    "a query of this type is active already",
    // Nothing is copied; what reaches outside the plan refuses (validity/copies.cpp).
    "a region's source is empty or reaches outside the buffer",
    "a region's box is empty, no box of whole blocks",
    "bufferRowLength or bufferImageHeight is less than the region's extent",
    // Barriers say what was done, and do nothing.
    "a barrier's range names aspects that the image lacks",
    "a barrier is between queue families that the device does not have",
};

bool is_harmless(const fake::Violation& violation) {
  for (const std::string_view known : kHarmless)
    if (violation.what.find(known) != std::string::npos) return true;
  return false;
}

// A wait that nothing ends would be a hang.
constexpr double kSeconds = 5;

Result<void> run(player::Plan& plan) {
  auto loader = player::Loader::from(fake::get_instance_proc_addr);
  if (!loader) return tl::unexpected<Error>(loader.error());
  auto live = player::LiveDevices::open(*loader);
  if (!live) return tl::unexpected<Error>(live.error());
  player::Targets targets;
  targets.list = &(*live)->list();
  for (const player::CapturedDevice& device : plan.devices) {
    std::string reason;
    const auto chosen = (*live)->choose(plan.physical_devices[device.physical], reason);
    if (!chosen) return tl::unexpected<Error>(chosen.error());
    targets.of.push_back(*chosen);
  }
  RONDO_TRY(player::preflight(plan, *loader, **live, targets));
  player::Deadline deadline(kSeconds);
  player::Observer observer;
  player::PlacementCache placements;
  for (int i = 0; i < 2; ++i) {
    player::RunOptions options;
    options.verify = i == 0 && plan.has_checkpoints;
    player::Run once(plan, *loader, targets, options, deadline, observer, placements);
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
  fake::reset(settings);
  ReaderOptions reader_options;
  reader_options.memory_budget = kReaderBudget;
  reader_options.salvage = salvage;
  auto reader = Reader::open(path, reader_options);
  if (!reader) return tl::unexpected<Error>(reader.error());
  player::PlanOptions options;
  options.salvage = salvage;
  options.memory_budget = kPlanBudget / 2;
  auto plan = player::build_plan(**reader, options);
  if (!plan) return tl::unexpected<Error>(plan.error());
  reader->reset();
  Result<void> done = run(**plan);
  for (const fake::Violation& v : fake::violations())
    if (!is_harmless(v)) return fail(Status::failed, std::string(kViolation) + v.command + ": " + v.what);
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
