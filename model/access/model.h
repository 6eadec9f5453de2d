// SPDX-License-Identifier: Apache-2.0
// The access model: which buffers and byte ranges, images and subresources each command of a capture touches, how,
// and in which stages. From descriptors, attachments, indirect buffers and what SPIR-V uses statically; never too
// little, but where it says that it cannot know. No device. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "format/codec/decoder.h"
#include "format/native_view.h"
#include "format/objects.h"
#include "model/access/executed.h"
#include "model/access/touch.h"
#include "model/second_form.h"

namespace rondo::access {

// A record, decoded and resolved, its view loaded by load (data.h).
struct Call {
  const codec::CommandInfo& command;
  const NativeView& view;
  const ObjectTable::Resolution& resolution;
  const ObjectTable& objects;
  std::uint64_t sequence = 0;
  bool succeeded = true;
  std::uint64_t returned = 0;
  const model::SecondForm* second = nullptr;  // of a call of the first form: as() and id() are of this one

  template <class Args>
  const Args& as() const {
    return second != nullptr ? *static_cast<const Args*>(second->args()) : view.as<Args>();
  }
  ObjectId id(const void* member) const { return view.id(second != nullptr ? second->source_of(member) : member); }
  ObjectId dispatch() const { return resolution.ids.empty() ? ObjectId::null : resolution.ids[0]; }
  // What the i-th handle is that the call makes, in the order of the payload; 0: none.
  ObjectId created(std::size_t i = 0) const;
};

// Of commands that touch memory, each time that they are executed.
struct Coverage {
  std::uint64_t commands = 0;
  std::uint64_t known = 0;                   // of which all that they touch is known
  std::map<Unknown, std::uint64_t> because;  // of the others; one may have several reasons
  void add(const Executed& executed);
};

// A binding with more descriptors than these is one from which shaders choose as they like.
inline constexpr std::uint32_t kManyDescriptors = 1024;

// More than any program needs; a hostile capture finds its end there.
struct Limits {
  std::uint64_t executed = std::uint64_t{1} << 28;  // commands, their touches and descriptors, in all
  std::size_t recorded = std::size_t{1} << 23;      // the same, and what is bound, in command buffers at one time
  std::size_t descriptors = std::size_t{1} << 22;   // in all sets at one time
};

class Model {
 public:
  using Sink = std::function<void(const Executed&)>;
  explicit Model(Sink sink, const Limits& limits = {});
  ~Model();
  Model(Model&&) noexcept;

  // Every record of the capture, in sequence order.
  void take(const Call& call);

  // What addresses and descriptors in memory may lead to now: buffers whose address the program was told, and what
  // lies behind descriptors that it wrote into memory, or of which there are very many. Ascending.
  std::vector<ObjectId> reachable() const;
  // The names of a path of labels (Executed::label_path), the outermost first. Labels of the queue come before those
  // of its command buffers. Specification: "Queue Labels", "Command Buffer Labels".
  std::vector<std::string_view> labels_of(std::uint32_t path) const;
  // An upper bound of the bytes that the touch can read or write: all of its range, or of the texels of its part.
  // 0: of queries and acceleration structures (which lie in a buffer that is touched with them).
  std::uint64_t bytes_of(const Touch& touch) const;
  // Beyond the limits: nothing of what came behind that was told.
  bool too_many() const;

  // Whether the model knows the command: what touches no memory it knows, too.
  static bool knows(const codec::CommandInfo& command);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rondo::access
