// SPDX-License-Identifier: Apache-2.0
// All effects of a capture's calls: the shared ones (shared.h), and those that need descriptors, addresses or
// swapchains. Readers make an Effects and give it every call. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_set>
#include <vector>

#include "model/call.h"
#include "model/effects/shared.h"

namespace rondo::model {

struct Swapchain {
  Image kind;
  std::vector<ObjectId> images;
};

class Effects;

struct Handler {
  void (*handle)(Effects&, const Call&) = nullptr;
  std::uint32_t kinds = 0;     // of EffectKind: those that it may have, no others
  bool of_first_form = false;  // the command is the first form of the one that the handler knows
};
using Handlers = std::vector<Handler>;  // by canonical CommandId
const Handlers& other_handlers();       // of the commands that have no shared handler

class Effects final : public EffectsOf<ObjectId> {
 public:
  // At one time in all sets; and twice as many in all that is pushed. More than any program needs.
  static constexpr std::size_t kMostDescriptors = std::size_t{1} << 22;
  Effects(EffectSink<ObjectId>& sink, std::uint32_t wanted, std::size_t most_descriptors = kMostDescriptors);

  // Every call of the capture, in order.
  void take(const Call& c);
  // A hostile capture has more descriptors than can be followed: some are not known.
  bool too_many() const { return too_many_; }

  // Which kinds of effects the command may have, by its handler; 0: it has no handler.
  static std::uint32_t kinds_of(CommandId canonical);
  // Why a vkCmd* without a handler needs none: what it does is no effect. Null: it needs one.
  static const char* no_effect_because(const codec::CommandInfo& command);

  Table<ObjectId, BufferView> buffer_views;
  Table<ObjectId, Swapchain> swapchains;
  Table<ObjectId, SetLayoutRef> set_layouts;
  Table<ObjectId, DescriptorSet> sets;
  Table<ObjectId, std::vector<SetLayoutRef>> pipeline_layouts;
  Table<ObjectId, DescriptorTemplate> templates;
  std::multimap<std::uint64_t, ObjectId> addresses;  // buffers by address: those of one memory may share it
  // What may be reached besides those: descriptors of it were written into memory, or there are very many of them.
  std::unordered_set<ObjectId> in_memory;
  std::uint64_t reached = 0;  // counts what came to `addresses` and `in_memory`

  // Calls by address. `size` 0: how much nobody says, to the end of its buffer. An address that is in none is unknown.
  void touch_address(VkDeviceAddress address, std::uint64_t size, VkPipelineStageFlags2 stages, VkAccessFlags2 access);
  using EffectsOf<ObjectId>::reach;
  void reach(std::uint8_t why, bool reads, bool writes, VkPipelineStageFlags2 stages);
  // The buffer at an address that reaches furthest. False: there is none, or the size does not fit.
  bool at_address(VkDeviceAddress address, std::uint64_t size, BufferRange& out) const;

  // --- For handlers ---

  void told_address(ObjectId buffer, std::uint64_t address);
  void reach_in_memory(ObjectId id);  // null: nothing
  // Room for that many more descriptors in sets, or in what is pushed. False: there is none, and they are not kept.
  bool keep_descriptors(std::size_t count, bool pushed);
  void lose_descriptors(std::size_t count, bool pushed);
  std::size_t most_descriptors() const { return most_descriptors_; }
  void give_up() { too_many_ = true; }

 private:
  friend struct test::Tamper;
  void run(const Handler& handler, const Call& c);
  void forget(ObjectId id, HandleType type);
  void forget_address(ObjectId id, const Buffer& buffer);

  const Handlers& handlers_;
  std::uint64_t longest_ = 0;  // bytes of any buffer with an address
  std::size_t most_descriptors_, descriptors_ = 0, pushed_ = 0;
  bool too_many_ = false;
};

void add_objects(Handlers& handlers);
void add_descriptors(Handlers& handlers);
void add_binds(Handlers& handlers);
void add_draws(Handlers& handlers);
void add_rays(Handlers& handlers);
void add_generated_commands(Handlers& handlers);
void add_host_calls(Handlers& handlers);
void add_labels(Handlers& handlers);

inline void add(Handlers& handlers, CommandId command, void (*handle)(Effects&, const Call&), std::uint32_t kinds) {
  Handler& to = handlers[static_cast<std::size_t>(command)];
  RONDO_CHECK(to.handle == nullptr);                // one handler a command
  RONDO_CHECK(second_form_of(command) == command);  // of two forms the second has it
  to = {handle, kinds};
}

}  // namespace rondo::model
