// SPDX-License-Identifier: Apache-2.0
// What command buffers hold: one recording a buffer. Here is said when a recording begins, and when it is gone: the
// buffer is begun again, reset, its pool is reset, or it is freed. Specification: "Command Buffer Lifecycle".
// No device. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>

#include "format/check.h"
#include "generated/args.h"
#include "model/call.h"

namespace rondo::model {

// R: what a reader keeps of a recording.
template <class Id, class R>
class CommandBuffers {
 public:
  // Is told of each recording before it is gone.
  void on_drop(std::function<void(R&)> dropped) { dropped_ = std::move(dropped); }

  // Every call that succeeded. After it, what a begin begins is there and is empty.
  void take(const CallOf<Id>& c) {
    if (c.command.records_into_command_buffer) return;
    switch (c.command.canonical) {
      case CommandId::vkBeginCommandBuffer:
        drop(c.dispatch);
        make(c.dispatch);
        return;
      case CommandId::vkResetCommandBuffer:
        return drop(c.dispatch);
      case CommandId::vkResetCommandPool: {
        const Id pool = c.id(&c.template as<args_vkResetCommandPool>().commandPool);
        for (auto& [id, one] : all_)
          if (one.recording != nullptr && c.parent_of(id) == pool) drop(one);
        return;
      }
      default:
        return;
    }
  }
  // It is freed.
  void forget(Id id) {
    drop(id);
    if (last_id_ == id) last_ = nullptr;
    all_.erase(id);
  }

  // Null: nothing was begun since the last reset. A recording stays as long as somebody holds it.
  std::shared_ptr<R> held(Id id) const {
    const auto found = all_.find(id);
    return found != all_.end() ? found->second.recording : nullptr;
  }
  // Calls visit(command buffer, recording) for every recording, ascending by command buffer.
  template <class Visit>
  void each(const Visit& visit) const {
    std::map<Id, std::shared_ptr<R>> ordered;
    for (const auto& [id, one] : all_)
      if (one.recording != nullptr) ordered.emplace(id, one.recording);
    for (const auto& [id, one] : ordered) visit(id, one);
  }
  R* find(Id id) {
    const Entry* const entry = entry_of(id);
    return entry != nullptr ? entry->recording.get() : nullptr;
  }
  // A file of somebody's may record into a buffer that was not begun: there is always a recording here.
  R& of(Id id) {
    Entry* const entry = entry_of(id);
    return entry != nullptr && entry->recording != nullptr ? *entry->recording : make(id);
  }
  // Two recordings of one buffer have different numbers.
  std::uint32_t number_of(Id id) {
    const Entry* const entry = entry_of(id);
    return entry != nullptr ? entry->number : 0;
  }

 private:
  friend struct test::Tamper;
  struct Entry {
    Id id = {};
    std::shared_ptr<R> recording;
    std::uint32_t number = 0;
  };
  Entry* entry_of(Id id) {  // mostly that of the call before
    if (last_ != nullptr && last_id_ == id) {
      RONDO_CHECK(last_->id == id);
      return last_;
    }
    const auto found = all_.find(id);
    if (found == all_.end()) return nullptr;
    last_id_ = id;
    last_ = &found->second;  // entries of an unordered_map stay where they are
    return last_;
  }
  R& make(Id id) {
    Entry& entry = all_[id];
    RONDO_CHECK(entry.recording == nullptr);  // else nobody was told that it is gone
    entry.id = id;
    entry.recording = std::make_shared<R>();
    entry.number += 1;
    return *entry.recording;
  }
  void drop(Entry& entry) {
    if (entry.recording == nullptr) return;
    if (dropped_ != nullptr) dropped_(*entry.recording);
    entry.recording = nullptr;
  }
  void drop(Id id) {
    if (Entry* const entry = entry_of(id); entry != nullptr) drop(*entry);
  }

  std::function<void(R&)> dropped_;
  std::unordered_map<Id, Entry> all_;
  Id last_id_ = {};
  Entry* last_ = nullptr;
};

}  // namespace rondo::model
