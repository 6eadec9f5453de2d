// SPDX-License-Identifier: Apache-2.0
// A barrier is missing between two commands that use one buffer.
#include "constant.comp.h"
#include "move.comp.h"
#include "ones.comp.h"
#include "plants.h"

namespace hazards {

namespace {

void dispatch_raw(Bench& b) {
  const MappedBuffer x = make_buffer(b), y = make_buffer(b);
  dispatch(b, "A", kernel(b, ones_comp_spv, {x}));
  if (b.clean) barrier(b, "barrier1", kComputeWrites, kComputeReads);
  dispatch(b, "B", kernel(b, move_comp_spv, {x, y}));
}

void dispatch_war(Bench& b) {
  const MappedBuffer x = make_buffer(b), y = make_buffer(b);
  dispatch(b, "A", kernel(b, move_comp_spv, {x, y}));
  if (b.clean) barrier(b, "barrier1", stages_of(kComputeReads), stages_of(kComputeWrites));
  dispatch(b, "B", kernel(b, ones_comp_spv, {x}));
}

void dispatch_waw(Bench& b) {
  const MappedBuffer x = make_buffer(b);
  dispatch(b, "A", kernel(b, ones_comp_spv, {x}));
  if (b.clean) barrier(b, "barrier1", kComputeWrites, kComputeWrites);
  dispatch(b, "B", kernel(b, ones_comp_spv, {x}));
}

void copy_raw(Bench& b) {
  const MappedBuffer x = make_buffer(b, 1), y = make_buffer(b, 2), z = make_buffer(b, 3);
  copy(b, "A", x, y);
  if (b.clean) barrier(b, "barrier1", kCopyWrites, kCopyReads);
  copy(b, "B", y, z);
}

void copy_war(Bench& b) {
  const MappedBuffer x = make_buffer(b, 1), y = make_buffer(b, 2), z = make_buffer(b, 3);
  copy(b, "A", x, y);
  if (b.clean) barrier(b, "barrier1", stages_of(kCopyReads), stages_of(kCopyWrites));
  copy(b, "B", z, x);
}

void copy_waw(Bench& b) {
  const MappedBuffer x = make_buffer(b, 1), y = make_buffer(b, 2), z = make_buffer(b, 3);
  copy(b, "A", x, y);
  if (b.clean) barrier(b, "barrier1", kCopyWrites, kCopyWrites);
  copy(b, "B", z, y);
}

void copy_to_dispatch(Bench& b) {
  const MappedBuffer x = make_buffer(b, 1), y = make_buffer(b, 2), z = make_buffer(b, 3);
  copy(b, "A", x, y);
  if (b.clean) barrier(b, "barrier1", kCopyWrites, kComputeReads);
  dispatch(b, "B", kernel(b, move_comp_spv, {y, z}));
}

void dispatch_to_copy(Bench& b) {
  const MappedBuffer x = make_buffer(b), y = make_buffer(b);
  dispatch(b, "A", kernel(b, ones_comp_spv, {x}));
  if (b.clean) barrier(b, "barrier1", kComputeWrites, kCopyReads);
  copy(b, "B", x, y);
}

// Reads a uniform buffer and writes a storage buffer.
Kernel constant_kernel(Bench& b, const MappedBuffer& from, const MappedBuffer& to) {
  constexpr VkDescriptorType uniform = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, storage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  Kernel k;
  k.set_layout = create_set_layout(b, {{0, uniform, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr},
                                       {1, storage, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr}});
  k.layout = create_layout(b, {k.set_layout});
  k.pipeline = create_compute(b, k.layout, shader(b, constant_comp_spv));
  k.set = create_set(b, k.set_layout, {uniform, storage});
  write_buffer(b, k.set, 0, from, uniform);
  write_buffer(b, k.set, 1, to);
  return k;
}

void fill_to_uniform(Bench& b) {
  const MappedBuffer x = make_buffer(b), y = make_buffer(b);
  labelled(b, "A", [&] { vkCmdFillBuffer(b.cmd, x.buffer, 0, kBytes, 3); });
  if (b.clean) barrier(b, "barrier1", kClearWrites, kComputeReadsUniform);
  dispatch(b, "B", constant_kernel(b, x, y));
}

// Two buffers lie in the same memory.
void aliased(Bench& b) {
  const MappedBuffer x = make_buffer(b), y = make_buffer(b);
  const VkBufferCreateInfo info{
      .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = kBytes, .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
  MappedBuffer alias = x;
  CHECK(vkCreateBuffer(b.device, &info, nullptr, &alias.buffer));
  keep(b, vkDestroyBuffer, alias.buffer);
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(b.device, alias.buffer, &needs);
  CHECK(vkBindBufferMemory(b.device, alias.buffer, x.memory, 0));
  dispatch(b, "A", kernel(b, ones_comp_spv, {x}));
  if (b.clean) barrier(b, "barrier1", kComputeWrites, kComputeReads);
  dispatch(b, "B", kernel(b, move_comp_spv, {alias, y}));
}

// Each reads what the other writes. The barrier of one buffer orders the execution of both commands, too.
void exchange(Bench& b) {
  const MappedBuffer x = make_buffer(b), y = make_buffer(b);
  dispatch(b, "A", kernel(b, move_comp_spv, {x, y}));
  if (b.clean) barrier(b, "barrier1", {{.from = kComputeWrites, .to = kComputeReads, .buffer = y.buffer}});
  dispatch(b, "B", kernel(b, move_comp_spv, {y, x}));
}

}  // namespace

std::vector<Plant> dispatch_plants() {
  return {{"dispatch-raw", Form::first, {"race RAW A B"}, dispatch_raw},
          {"dispatch-war", Form::second, {"race WAR A B"}, dispatch_war},
          {"dispatch-waw", Form::first, {"race WAW A B"}, dispatch_waw},
          {"copy-raw", Form::first, {"race RAW A B"}, copy_raw},
          {"copy-war", Form::first, {"race WAR A B"}, copy_war},
          {"copy-waw", Form::second, {"race WAW A B"}, copy_waw},
          {"copy-to-dispatch", Form::second, {"race RAW A B"}, copy_to_dispatch},
          {"dispatch-to-copy", Form::first, {"race RAW A B"}, dispatch_to_copy},
          {"fill-to-uniform", Form::first, {"race RAW A B"}, fill_to_uniform},
          {"aliased-memory", Form::first, {"race RAW A B"}, aliased},
          {"exchange", Form::first, {"race RAW WAR A B"}, exchange}};
}

}  // namespace hazards
