// SPDX-License-Identifier: Apache-2.0
// What is known of the objects of one kind that are alive. One thread.
#pragma once

#include <cstddef>
#include <unordered_map>
#include <utility>

namespace rondo::model {

template <class Id, class T>
class Table {
 public:
  T* find(Id id) {
    const auto found = all_.find(id);
    return found != all_.end() ? &found->second : nullptr;
  }
  const T* find(Id id) const { return const_cast<Table*>(this)->find(id); }
  // What was known of it before is gone.
  T& make(Id id) { return all_[id] = T{}; }
  void erase(Id id) { all_.erase(id); }
  std::size_t size() const { return all_.size(); }
  template <class Visit>
  void each(const Visit& visit) {
    for (auto& [id, one] : all_) visit(id, one);
  }

 private:
  std::unordered_map<Id, T> all_;
};

}  // namespace rondo::model
