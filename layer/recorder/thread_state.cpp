// SPDX-License-Identifier: Apache-2.0
#include "layer/recorder/thread_state.h"

#include <pthread.h>

#include <atomic>

#include "layer/recorder/recorder.h"
#include "layer/recorder/side_tables.h"

namespace rondo::layer {

thread_local constinit ThreadState* t_state __attribute__((tls_model("initial-exec"))) = nullptr;

namespace {

std::atomic<int> g_open{0};

void close_thread_state(void* pointer) {
  auto* state = static_cast<ThreadState*>(pointer);
  t_state = nullptr;
  g_open.fetch_sub(1, std::memory_order_relaxed);
  // After the end of the recording streams belong to nobody.
  if (recording()) g_hot.writer->close_stream(&state->stream);
  delete state;
}

// A key and not a thread_local destructor: those would pin or be pinned by the
// order in which the program unloads libraries.
pthread_key_t thread_key() {
  static const pthread_key_t key = [] {
    pthread_key_t k{};
    ::pthread_key_create(&k, close_thread_state);
    return k;
  }();
  return key;
}

}  // namespace

ThreadState* open_thread_state() noexcept {
  if (!recording()) return nullptr;
  try {
    ThreadStream* const stream = g_hot.writer->open_stream();
    if (stream == nullptr) return nullptr;
    auto* state = new ThreadState(*stream);
    ::pthread_setspecific(thread_key(), state);
    g_open.fetch_add(1, std::memory_order_relaxed);
    t_state = state;
    return state;
  } catch (...) {
    stop_recording("out of memory for a thread's stream");
    return nullptr;
  }
}

int open_thread_states() { return g_open.load(std::memory_order_relaxed); }

bool ThreadState::is_secondary(std::uint64_t command_buffer) { return side_tables().is_secondary(command_buffer); }

codec::EncodeContext::SubpassUse ThreadState::subpass_use(std::uint64_t render_pass, std::uint32_t subpass) {
  return side_tables().subpass_use(render_pass, subpass);
}

codec::EncodeContext::TemplateLayout ThreadState::template_layout(std::uint64_t update_template) {
  return side_tables().template_layout(update_template);
}

std::optional<std::uint64_t> ThreadState::host_texels(const HostRegion& region) {
  return side_tables().host_texels(region);
}

void ThreadState::add_blob(const Digest& digest, std::span<const std::byte> bytes) {
  g_hot.writer->add_blob(stream, digest, bytes);
}

std::uint16_t ThreadState::note_structure(StructId id) {
  g_hot.writer->note_structure(static_cast<std::uint16_t>(id));
  return static_cast<std::uint16_t>(id);
}

}  // namespace rondo::layer
