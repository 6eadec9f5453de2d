// SPDX-License-Identifier: Apache-2.0
// Captured handle values to objects: (parent instance or device, type, value,
// generation), numbered by type in order of creation. Fed record by record in
// sequence order.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "format/codec/decoder.h"
#include "format/result.h"

namespace rondo {

using ObjectId = std::uint32_t;  // index into ObjectTable::objects(); 0 is "null handle"

struct Object {
  HandleType type{};
  std::uint32_t number = 0;  // VkBuffer#number
  ObjectId parent = 0;       // device, pool, instance, …
  ObjectId device = 0;       // the device or instance it belongs to; 0 for instances
  std::uint32_t shared = 1;  // live creations that returned this value
  bool alive = true;
  std::uint64_t captured = 0;
  std::uint64_t created = 0;    // sequence numbers
  std::uint64_t destroyed = 0;  // 0: never
};

class ObjectTable {
 public:
  ObjectTable();
  ~ObjectTable();
  ObjectTable(ObjectTable&&) noexcept;
  ObjectTable& operator=(ObjectTable&&) noexcept;

  // Resolves the handles of one decoded record and applies what it creates and
  // ends (children of what it destroys or resets too). `ids` becomes parallel
  // to `lowered.handles`. Created handles resolve to their new object, or to
  // the live one that already has this value. An unknown handle value resolves
  // to 0 and is reported in `unknown` (null handles, and kPerhapsIgnored, are not).
  struct Resolution {
    std::vector<ObjectId> ids;
    std::vector<std::uint32_t> unknown;  // indexes into lowered.handles
    std::vector<ObjectId> created;       // new objects only
    std::vector<ObjectId> ended;         // all, children before parents
  };
  // `succeeded`: the call returned a success code (or nothing). Failed calls
  // create nothing, but for pipelines and shaders that are not null.
  void apply(const codec::CommandInfo& command, std::uint64_t sequence, bool succeeded, const codec::Lowered& lowered,
             Resolution& out);

  const std::vector<Object>& objects() const;
  std::string name(ObjectId id) const;  // "VkBuffer#12", "null"
  // The number that the next new object of a type gets, where that is not 0.
  std::map<HandleType, std::uint32_t> next_numbers() const;

 private:
  struct Impl;
  Impl* impl_;
};

}  // namespace rondo
