// SPDX-License-Identifier: Apache-2.0
// One device, one command buffer that is always open, and a list of what to
// destroy at the end. A program opens a session, records, calls run(), looks at
// what is in its mapped buffers, and returns finish().
#pragma once

#include <functional>
#include <initializer_list>

#include "support.h"

namespace program {

struct Session : Context {
  const char* name = "";
  Commands commands;
  VkCommandBuffer cmd = VK_NULL_HANDLE;       // the same as commands.buffer
  std::vector<std::function<void()>> at_end;  // run last to first
  int wrong = 0;                              // expectations that did not hold
  std::uint64_t sum = 0;                      // of all that was read back
};

inline Session open(const char* name, Wanted wanted = {}) {
  if (wanted.api_version == VK_API_VERSION_1_1) wanted.api_version = VK_API_VERSION_1_3;
  if (by_core_of_1_4()) wanted.api_version = kVersion14;
  Session s;
  static_cast<Context&>(s) = create_context(name, wanted);
  s.name = name;
  s.commands = create_commands(s);
  s.cmd = s.commands.buffer;
  begin(s.commands);
  return s;
}

// Destroys `object` by `destroy(device, object, nullptr)` when the session ends.
template <class Object, class Destroy>
Object keep(Session& s, Destroy destroy, Object object) {
  s.at_end.push_back([destroy, object, device = s.device] { destroy(device, object, nullptr); });
  return object;
}

// An extension's command, which the loader does not export.
template <class Function>
Function load(const Session& s, const char* name) {
  PFN_vkVoidFunction found = nullptr;
  if (by_core_of_1_4()) {
    const std::string_view whole = name;  // ends in KHR or EXT
    found = vkGetDeviceProcAddr(s.device, std::string(whole.substr(0, whole.size() - 3)).c_str());
  }
  if (found == nullptr) found = vkGetDeviceProcAddr(s.device, name);
  if (found == nullptr) found = vkGetInstanceProcAddr(s.instance, name);
  if (found == nullptr) die(name, 0);
  return reinterpret_cast<Function>(found);
}
#define LOAD(session, name) const auto name = ::program::load<PFN_##name>(session, #name)

// Says which line was wrong; finish() returns 1 then, where results are checked.
#define EXPECT(session, condition)                                                       \
  do {                                                                                   \
    if (!(condition) && !unchecked()) {                                                  \
      ++(session).wrong;                                                                 \
      std::fprintf(stderr, "%s:%d: not so: %s\n", (session).name, __LINE__, #condition); \
    }                                                                                    \
  } while (false)

// Submits what was recorded, waits for it, and opens the command buffer again.
inline void run(Session& s) {
  const VkMemoryBarrier all{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_MEMORY_WRITE_BIT,
                            VK_ACCESS_HOST_READ_BIT};
  vkCmdPipelineBarrier(s.cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &all, 0, nullptr, 0,
                       nullptr);
  CHECK(vkEndCommandBuffer(s.cmd));
  submit(s.queues[0], s.commands);
  wait(s, s.commands);
  begin(s.commands);
}

// Everything before happens before everything after.
inline void barrier(VkCommandBuffer cmd) {
  const VkMemoryBarrier all{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_MEMORY_WRITE_BIT,
                            VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT};
  vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1, &all, 0,
                       nullptr, 0, nullptr);
}

// A mapped buffer that lives as long as the session, filled with zeros.
inline MappedBuffer buffer(Session& s, VkDeviceSize bytes, VkBufferUsageFlags usage) {
  MappedBuffer b = create_mapped_buffer(s, bytes, usage);
  std::memset(b.words, 0, static_cast<std::size_t>(bytes));
  s.at_end.push_back([b, c = static_cast<const Context&>(s)]() mutable { destroy(c, b); });
  return b;
}

template <class Item, std::size_t N>
MappedBuffer buffer_of(Session& s, VkBufferUsageFlags usage, const Item (&items)[N]) {
  MappedBuffer b = buffer(s, sizeof items, usage);
  std::memcpy(b.words, items, sizeof items);
  return b;
}

// Adds what was read back to the checksum that finish() prints.
inline void add(Session& s, const MappedBuffer& b) {
  s.sum = s.sum * 31 + checksum(b.words, static_cast<std::size_t>(b.bytes / 4));
}

inline int finish(Session& s) {
  std::printf("%s: checksum %016llx\n", s.name, static_cast<unsigned long long>(s.sum));
  for (auto last = s.at_end.rbegin(); last != s.at_end.rend(); ++last) (*last)();
  destroy(s, s.commands);
  destroy(static_cast<Context&>(s));
  return s.wrong == 0 ? 0 : 1;
}

}  // namespace program
