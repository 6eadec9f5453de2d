// SPDX-License-Identifier: Apache-2.0
// The fake driver's inside: how a call comes in, is checked and gets its
// behaviour. A behaviour may take every handle of its arguments for a live
// object of the right type: what is not never gets there.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

#include "format/codec/schema.h"
#include "generated/args.h"
#include "tests/icd/fake.h"
#include "tests/icd/objects.h"

namespace fake {

struct Call {
  CommandId id = CommandId::none;         // as it was called
  CommandId canonical = CommandId::none;  // what that is an alias of
  void* args = nullptr;                   // args_<name> of generated/args.h
  // The device of the dispatchable parameter (its own, its queue's, its command
  // buffer's); null for instance-level calls.
  std::shared_ptr<Device> device;
  std::shared_ptr<CommandBuffer> command_buffer;  // of vkCmd*
};

// A call that no correct program makes. In a behaviour, after the fact; in a
// check it also keeps the call from being made. From any thread: the command
// named is the one that the thread is in.
void violation(const std::string& what);
// A violation like any other, marked: a driver may compute something else, and is
// not led outside of its objects. Replays of damaged captures may make such calls.
void harmless(const std::string& what);
// Likewise, and in a check the call is made all the same.
void passed_over(const std::string& what);
// A call that correct programs do not make and that harms no driver: a violation
// only if the settings say so.
void sloppy(const std::string& what);

// What a command does. Aliases share the behaviour of their canonical command.
// Without one: outputs of created objects are made as PlainObject, destroyed
// handles end, output structures keep what the program put there, success.
using Behaviour = std::int64_t (*)(Call&);
// What must hold before it: calls violation().
using Check = void (*)(Call&);

class Table {
 public:
  void set(CommandId id, Behaviour behaviour);
  void add(CommandId id, Check check);

  // behave<f>(CommandId::vkFoo) with `VkResult f(Call&, args_vkFoo&)` (or void).
  template <auto f>
  void behave(CommandId id) {
    set(id, [](Call& call) -> std::int64_t { return invoke(f, call); });
  }
  // check<f>(CommandId::vkFoo) with `void f(Call&, const args_vkFoo&)`.
  template <auto f>
  void check(CommandId id) {
    add(id, [](Call& call) { invoke(f, call); });
  }

 private:
  template <class R, class A>
  static std::int64_t invoke(R (*f)(Call&, A&), Call& call) {
    A& args = *static_cast<std::remove_const_t<A>*>(call.args);
    if constexpr (std::is_void_v<R>) {
      f(call, args);
      return 0;
    } else if constexpr (std::is_pointer_v<R>) {
      return static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(f(call, args)));
    } else {
      return static_cast<std::int64_t>(f(call, args));
    }
  }
};

// One a file of behaviours; install.cpp calls them all before the first call.
void install_all(Table& table);

// Every entry point comes here. The result is widened.
std::int64_t enter(CommandId id, void* args);

// --- making and ending objects -------------------------------------------

// Gives the object a handle and makes it findable.
std::uint64_t publish(const std::shared_ptr<Object>& object, HandleType type, const std::shared_ptr<Object>& parent);
template <class T>
std::uint64_t publish(const std::shared_ptr<T>& object, const std::shared_ptr<Object>& parent) {
  return publish(object, T::kType, parent);
}
// The handle is free again at once, unless others share it.
void retire(HandleType type, std::uint64_t handle);

// The duplicates setting: a live object of the same type that was created with
// the same parameters, which then has one owner more. Null: make one, whose
// Object::identity is `identity`.
std::shared_ptr<Object> share(const Call& call, HandleType type, std::string& identity);

// A step at the end of what its command buffer has recorded.
void record(Call& call, std::function<void(Execution&)> run);

}  // namespace fake
