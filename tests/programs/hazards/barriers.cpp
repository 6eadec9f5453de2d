// SPDX-License-Identifier: Apache-2.0
// A barrier is there, and does not order what it should.
#include "both.comp.h"
#include "join.comp.h"
#include "move.comp.h"
#include "ones.comp.h"
#include "plants.h"

namespace hazards {

namespace {

// A dispatch writes what the next one reads, with `wrong` between them, or with the barrier that is right.
void written_then_read(Bench& b, const Dependency& wrong) {
  const MappedBuffer x = make_buffer(b), y = make_buffer(b);
  dispatch(b, "A", kernel(b, ones_comp_spv, {x}));
  barrier(b, "barrier1", {b.clean ? Dependency{kComputeWrites, kComputeReads} : wrong});
  dispatch(b, "B", kernel(b, move_comp_spv, {x, y}));
}

void wrong_source_stage(Bench& b) { written_then_read(b, {kCopyWrites, kComputeReads}); }
void wrong_destination_stage(Bench& b) { written_then_read(b, {kComputeWrites, kCopyReads}); }
void no_access(Bench& b) { written_then_read(b, {stages_of(kComputeWrites), stages_of(kComputeReads)}); }
void no_availability(Bench& b) { written_then_read(b, {stages_of(kComputeWrites), kComputeReads}); }
void no_visibility(Bench& b) { written_then_read(b, {kComputeWrites, stages_of(kComputeReads)}); }
void wrong_access(Bench& b) { written_then_read(b, {kComputeWrites, kComputeReadsUniform}); }

// A reader of the old contents must end before the next writer begins; the barrier orders another stage.
void war_wrong_stage(Bench& b) {
  const MappedBuffer x = make_buffer(b), y = make_buffer(b), z = make_buffer(b, 3);
  dispatch(b, "A", kernel(b, move_comp_spv, {x, y}));
  barrier(b, "barrier1", b.clean ? stages_of(kComputeReads) : stages_of(kCopyReads), stages_of(kCopyWrites));
  copy(b, "B", z, x);
}

// The write of the first is available, but the second writes without it being visible.
void waw_no_access(Bench& b) {
  const MappedBuffer x = make_buffer(b);
  dispatch(b, "A", kernel(b, ones_comp_spv, {x}));
  if (b.clean)
    barrier(b, "barrier1", kComputeWrites, kComputeWrites);
  else
    barrier(b, "barrier1", stages_of(kComputeWrites), stages_of(kComputeWrites));
  dispatch(b, "B", kernel(b, ones_comp_spv, {x}));
}

// Two buffers are written and read; the barrier is of one.
void other_buffer(Bench& b) {
  const MappedBuffer x = make_buffer(b), y = make_buffer(b), z = make_buffer(b);
  dispatch(b, "A", kernel(b, both_comp_spv, {x, y}));
  std::vector<Dependency> of{{.from = kComputeWrites, .to = kComputeReads, .buffer = y.buffer}};
  if (b.clean) of.push_back({.from = kComputeWrites, .to = kComputeReads, .buffer = x.buffer});
  barrier(b, "barrier1", of);
  dispatch(b, "B", kernel(b, join_comp_spv, {x, y, z}));
}

// The barrier is of a buffer that neither command uses.
void unused_buffer(Bench& b) {
  const MappedBuffer x = make_buffer(b), y = make_buffer(b), unused = make_buffer(b);
  dispatch(b, "A", kernel(b, ones_comp_spv, {x}));
  barrier(b, "barrier1", {{.from = kComputeWrites, .to = kComputeReads, .buffer = b.clean ? x.buffer : unused.buffer}});
  dispatch(b, "B", kernel(b, move_comp_spv, {x, y}));
}

// Everything is read; the barrier is of the first half.
void small_range(Bench& b) {
  const MappedBuffer x = make_buffer(b), y = make_buffer(b);
  dispatch(b, "A", kernel(b, ones_comp_spv, {x}));
  barrier(b, "barrier1",
          {{.from = kComputeWrites, .to = kComputeReads, .buffer = x.buffer, .bytes = b.clean ? kBytes : kBytes / 2}});
  dispatch(b, "B", kernel(b, move_comp_spv, {x, y}));
}

// A dispatch writes the parameters of an indirect one, and the barrier is as for a shader that reads them.
void indirect_parameters(Bench& b) {
  const MappedBuffer parameters = make_buffer(b), x = make_buffer(b), y = make_buffer(b);
  parameters.words[0] = parameters.words[1] = parameters.words[2] = 1;
  const Kernel reads = kernel(b, move_comp_spv, {x, y});
  dispatch(b, "A", kernel(b, ones_comp_spv, {parameters}));
  barrier(b, "barrier1", kComputeWrites, b.clean ? kIndirectReads : kComputeReads);
  program::bind(b.cmd, reads);
  labelled(b, "B", [&] { vkCmdDispatchIndirect(b.cmd, parameters.buffer, 0); });
}

// The barrier comes after both commands.
void barrier_too_late(Bench& b) {
  const MappedBuffer x = make_buffer(b), y = make_buffer(b), z = make_buffer(b);
  dispatch(b, "A", kernel(b, ones_comp_spv, {x}));
  if (b.clean) barrier(b, "barrier1", kComputeWrites, kComputeReads);
  dispatch(b, "B", kernel(b, move_comp_spv, {x, y}));
  if (!b.clean) barrier(b, "barrier1", kComputeWrites, kComputeReads);
  dispatch(b, "C", kernel(b, move_comp_spv, {x, z}));
}

// Two barriers of which the second begins where the first ends are as good as one. Otherwise neither is of use.
void chain(Bench& b) {
  const MappedBuffer x = make_buffer(b), y = make_buffer(b);
  dispatch(b, "A", kernel(b, ones_comp_spv, {x}));
  barrier(b, "barrier1", kComputeWrites, stages_of(kCopyReads));
  barrier(b, "barrier2", b.clean ? stages_of(kCopyReads) : stages_of(kIndirectReads), kComputeReads);
  dispatch(b, "B", kernel(b, move_comp_spv, {x, y}));
}

}  // namespace

std::vector<Plant> barrier_plants() {
  const std::vector<const char*> ineffective{"race RAW A B", "ineffective barrier1"};
  return {{"wrong-source-stage", Form::first, ineffective, wrong_source_stage},
          {"wrong-destination-stage", Form::second, ineffective, wrong_destination_stage},
          {"no-access", Form::first, ineffective, no_access},
          {"no-availability", Form::second, ineffective, no_availability},
          {"no-visibility", Form::first, ineffective, no_visibility},
          {"wrong-access", Form::second, ineffective, wrong_access},
          {"war-wrong-stage", Form::first, {"race WAR A B", "ineffective barrier1"}, war_wrong_stage},
          {"waw-no-access", Form::second, {"race WAW A B", "ineffective barrier1"}, waw_no_access},
          {"other-buffer", Form::first, {"race RAW A B"}, other_buffer},
          {"unused-buffer",
           Form::second,
           {"race RAW A B", "superfluous barrier1", "allow ineffective barrier1"},
           unused_buffer},
          {"small-range", Form::first, {"race RAW A B"}, small_range},
          {"indirect-parameters", Form::first, ineffective, indirect_parameters},
          {"barrier-too-late", Form::second, {"race RAW A B"}, barrier_too_late},
          {"chain",
           Form::first,
           {"race RAW A B", "allow ineffective barrier1", "allow ineffective barrier2", "allow superfluous barrier1",
            "allow superfluous barrier2"},
           chain}};
}

}  // namespace hazards
