// SPDX-License-Identifier: Apache-2.0
// What the scope library (layer/scope/) hands on: a program's own marks.
#include "generated/args.h"
#include "layer/recorder/record.h"

namespace {

using namespace rondo;
using namespace rondo::layer;

void mark(CommandId command, const void* args) noexcept {
  ThreadState* const state = thread_state();
  if (state == nullptr || !encode_payload(*state, command, args, true)) return;
  const std::uint64_t now = now_ns();
  const Times times{now, now};
  Outcome outcome;
  outcome.times = &times;
  commit(*state, command, 0, outcome);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) void rondo_layer_scope_begin(const char* name) {
  const args_rondoScopeBegin args{name};
  mark(CommandId::rondoScopeBegin, &args);
}

extern "C" __attribute__((visibility("default"))) void rondo_layer_scope_end() {
  const args_rondoScopeEnd args{0};
  mark(CommandId::rondoScopeEnd, &args);
}
