// SPDX-License-Identifier: Apache-2.0
// A call as readers of the model see it: its parameters, and the objects that they name. How a call names objects is a
// parameter: whoever reads a capture or a plan has ObjectIds. Code that looks at calls while a program makes them has
// handle values. No device. One thread.
#pragma once

#include <cstdint>
#include <span>

#include "format/codec/schema.h"
#include "format/native_view.h"
#include "format/objects.h"
#include "model/second_form.h"

namespace rondo::model {

// How a call names objects.
template <class Id>
class Names {
 public:
  // The object whose handle stands at `member`, an address inside the parameters. Null handles have Id{}.
  virtual Id find(const void* member) const = 0;
  // The pool of a command buffer, the device of a buffer, …
  virtual Id above(Id id) const = 0;
  virtual HandleType kind_of(Id id) const = 0;
  // The first object that the call makes.
  virtual Id first_made() const = 0;

 protected:
  ~Names() = default;
};

// Holds while its parameters and its names are there.
template <class Id>
struct CallOf {
  const codec::CommandInfo& command;
  const void* args = nullptr;  // args_<command> in native form
  const Names<Id>* names = nullptr;
  std::uint64_t sequence = 0;          // calls are numbered in their order; numbers may be left out
  bool succeeded = true;               // model::succeeded() in stream.h
  Id dispatch = {};                    // the object of the first parameter
  std::span<const Id> ended = {};      // by this call, children before parents
  const SecondForm* second = nullptr;  // of a call of the first form: as() and id() are of this one

  template <class Args>
  const Args& as() const {
    return *static_cast<const Args*>(second != nullptr ? second->args() : args);
  }
  Id id(const void* member) const { return names->find(source_of(member)); }
  Id parent_of(Id one) const { return names->above(one); }
  HandleType type_of(Id one) const { return names->kind_of(one); }
  Id made() const { return names->first_made(); }
  // Where the call as it was made has what the second form has at `member`.
  const void* source_of(const void* member) const { return second != nullptr ? second->source_of(member) : member; }
};

// A record of a capture, decoded and resolved, its parameters loaded by load() (parameters.h).
struct Call final : CallOf<ObjectId>, private Names<ObjectId> {
  Call(const codec::CommandInfo& command_made, const NativeView& parameters, const ObjectTable::Resolution& resolved,
       const ObjectTable& all_objects, std::uint64_t number, bool has_succeeded, std::uint64_t returned_value);
  Call(const Call& other);
  Call& operator=(const Call&) = delete;

  const NativeView& view;
  const ObjectTable::Resolution& resolution;
  const ObjectTable& objects;
  std::uint64_t returned = 0;  // as bits: a VkResult, an address, …

  // The i-th object that the call makes, in the order of the payload; null: there are not as many.
  ObjectId created(std::size_t i = 0) const;

 private:
  ObjectId find(const void* member) const override { return view.id(member); }
  ObjectId above(ObjectId id) const override { return objects.objects()[id].parent; }
  HandleType kind_of(ObjectId id) const override { return objects.objects()[id].type; }
  ObjectId first_made() const override { return created(); }
};

}  // namespace rondo::model
