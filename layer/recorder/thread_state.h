// SPDX-License-Identifier: Apache-2.0
// What one thread of the program needs to record: its stream and its encoder.
// Only that thread touches it; it ends with the thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "format/codec/encoder.h"
#include "format/digest.h"
#include "format/writer.h"
#include "layer/callers/call_chains.h"

namespace rondo::layer {

class ThreadState final : public codec::EncodeContext {
 public:
  explicit ThreadState(ThreadStream& s) : stream(s) {}

  ThreadStream& stream;
  codec::Buffer buffer;       // the payload of the call being encoded
  codec::Buffer host_writes;  // of what is recorded before that call is

  // Polls that said "not yet", the last records of this thread: saying so again
  // is no news.
  std::vector<Digest> polls;
  std::uint64_t polled = 0;             // the number of the last of them
  VkDevice sparse_on = VK_NULL_HANDLE;  // of the buffer or image that this thread made last, if it is sparse

  std::unique_ptr<Callers> callers;  // null until one was looked for

  bool is_secondary(std::uint64_t command_buffer) override;
  SubpassUse subpass_use(std::uint64_t render_pass, std::uint32_t subpass) override;
  TemplateLayout template_layout(std::uint64_t update_template) override;
  std::optional<std::uint64_t> host_texels(const HostRegion& region) override;
  void add_blob(const Digest& digest, std::span<const std::byte> bytes) override;
  std::uint16_t note_structure(StructId id) override;
};

// initial-exec: one load relative to the thread pointer on every call, no
// function. Two words of the static block that the C library keeps for this.
extern thread_local constinit ThreadState* t_state __attribute__((tls_model("initial-exec")));

ThreadState* open_thread_state() noexcept;  // null when nothing can be recorded

// Null when nothing can be recorded. Ask recording() first.
inline ThreadState* thread_state() {
  ThreadState* const state = t_state;
  return state != nullptr ? state : open_thread_state();
}

int open_thread_states();  // threads that have recorded something and still live

}  // namespace rondo::layer
