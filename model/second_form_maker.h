// SPDX-License-Identifier: Apache-2.0
// What makes second forms (second_form.h): used by second_form*.cpp alone.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <type_traits>

#include "generated/args.h"
#include "model/second_form.h"

namespace rondo::model {

// Makes structures in the memory of a SecondForm.
class Maker {
 public:
  explicit Maker(SecondForm& to) : to_(to) {}

  template <class T>
  T* make(std::size_t count = 1) {
    static_assert(std::is_trivially_destructible_v<T>);
    T* const made = static_cast<T*>(to_.memory_.allocate(std::max<std::size_t>(count, 1) * sizeof(T), alignof(T)));
    std::uninitialized_value_construct_n(made, count);
    return made;
  }
  // A handle of the second form is that of the first.
  template <class Handle>
  void link(Handle& member, const Handle& source) {
    member = source;
    to_.moved_.push_back({bytes(&member), sizeof(Handle), 1, bytes(&source), sizeof(Handle)});
  }
  // A handle of each element, or another member that readers ask for. The members were copied.
  template <class To, class From, class Handle>
  void link_each(const To* to, Handle To::*member, const From* from, Handle From::*source, std::size_t count) {
    if (count != 0)
      to_.moved_.push_back({bytes(&(to->*member)), sizeof(To), count, bytes(&(from->*source)), sizeof(From)});
  }
  // Handles of an array become members of structures.
  template <class To, class Handle>
  void link_array(const To* to, Handle To::*member, const Handle* from, std::size_t count) {
    if (count != 0) to_.moved_.push_back({bytes(&(to->*member)), sizeof(To), count, bytes(from), sizeof(Handle)});
  }

 private:
  static const std::byte* bytes(const void* at) { return static_cast<const std::byte*>(at); }
  SecondForm& to_;
};

// Two forms of a command, and what makes a call of the second from the arguments of the first.
struct Pair {
  CommandId first{}, second{};
  const void* (*convert)(Maker& m, const void* args) = nullptr;
};

template <class Args, const void* (*convert)(Maker&, const Args&)>
constexpr Pair pair(CommandId first, CommandId second) {
  return {first, second, [](Maker& m, const void* args) { return convert(m, *static_cast<const Args*>(args)); }};
}

std::span<const Pair> pairs_of_copies();
std::span<const Pair> pairs_of_passes();  // and of barriers
std::span<const Pair> pairs_of_others();

}  // namespace rondo::model
