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

#include "format/check.h"
#include "format/codec/decoder.h"
#include "format/result.h"

namespace rondo {

// An object of a capture: its index in ObjectTable::objects(). A type of its own, so that no handle, number or count is
// taken for one.
enum class ObjectId : std::uint32_t { null = 0 };
constexpr std::uint32_t index_of(ObjectId id) { return static_cast<std::uint32_t>(id); }
// The object of an index that came out of index_of(), or that is below a number of objects.
constexpr ObjectId object_at(std::size_t index) { return static_cast<ObjectId>(index); }

// All ids below `count`, in order, without the null handle: for (const ObjectId id : all_ids(objects.size())).
class all_ids {
 public:
  explicit constexpr all_ids(std::size_t count) : end_(count) {}
  struct iterator {
    std::size_t index;
    constexpr ObjectId operator*() const { return object_at(index); }
    constexpr iterator& operator++() { return ++index, *this; }
    constexpr bool operator!=(const iterator& other) const { return index != other.index; }
  };
  constexpr iterator begin() const { return {end_ == 0 ? 0u : 1u}; }
  constexpr iterator end() const { return {end_}; }

 private:
  std::size_t end_;
};

struct Object {
  HandleType type{};
  std::uint32_t number = 0;          // VkBuffer#number
  ObjectId parent = ObjectId::null;  // device, pool, instance, …
  ObjectId device = ObjectId::null;  // the device or instance it belongs to; null for instances
  std::uint32_t shared = 1;          // live creations that returned this value
  bool alive = true;
  std::uint64_t captured = 0;
  std::uint64_t created = 0;    // sequence numbers
  std::uint64_t destroyed = 0;  // 0: never
};

// What there is for each object: a list with an entry for each, found by the object's id.
template <class T>
class ByObject {
 public:
  const T& operator[](ObjectId id) const {
    RONDO_CHECK(index_of(id) < all_.size());
    return all_[index_of(id)];
  }
  T& operator[](ObjectId id) {
    RONDO_CHECK(index_of(id) < all_.size());
    return all_[index_of(id)];
  }
  bool has(ObjectId id) const { return index_of(id) < all_.size(); }
  std::size_t size() const { return all_.size(); }
  auto begin() const { return all_.begin(); }
  auto end() const { return all_.end(); }
  void push_back(T one) { all_.push_back(std::move(one)); }

 private:
  std::vector<T> all_;
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

  const ByObject<Object>& objects() const;
  std::string name(ObjectId id) const;  // "VkBuffer#12", "null"
  // The number that the next new object of a type gets, where that is not 0.
  std::map<HandleType, std::uint32_t> next_numbers() const;

 private:
  struct Impl;
  Impl* impl_;
};

}  // namespace rondo
