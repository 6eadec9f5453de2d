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

#include "model/access/executed.h"
#include "model/call.h"
#include "model/views.h"

namespace rondo::access {

// Of commands that touch memory, each time that they are executed.
struct Coverage {
  std::uint64_t commands = 0;
  std::uint64_t known = 0;                   // of which all that they touch is known
  std::map<Unknown, std::uint64_t> because;  // of the others; one may have several reasons
  void add(const Executed& executed);
};

// More than any program needs; a hostile capture finds its end there.
struct Limits {
  std::uint64_t executed = std::uint64_t{1} << 28;  // commands, their touches and descriptors, in all
  std::size_t recorded = std::size_t{1} << 23;      // the same, and what is bound, in command buffers at one time
  std::size_t descriptors = std::size_t{1} << 22;   // in all sets at one time
};

class Model {
 public:
  using Sink = std::function<void(const Executed&)>;
  // `also`: kinds of effects (a set of model::EffectKind) that Executed::effects has.
  explicit Model(Sink sink, const Limits& limits = {}, std::uint32_t also = 0);
  ~Model();
  Model(Model&&) noexcept;

  // Every record of the capture, in sequence order.
  void take(const model::Call& call);

  // What addresses and descriptors in memory may lead to now: buffers whose address the program was told, and what
  // lies behind descriptors that it wrote into memory, or of which there are very many. Ascending.
  std::vector<ObjectId> reachable() const;
  bool is_reachable(ObjectId id) const;
  // Counts what becomes reachable.
  std::uint64_t reached() const;
  // An image that is alive, a swapchain's too; null: it is none. Holds until the next call is taken.
  const model::Image* image(ObjectId id) const;
  // The names of a path of labels (Executed::label_path), the outermost first. Labels of the queue come before those
  // of its command buffers. Specification: "Queue Labels", "Command Buffer Labels".
  std::vector<std::string_view> labels_of(std::uint32_t path) const;
  // An upper bound of the bytes that the touch can read or write: all of its range, or of the texels of its part.
  // 0: of queries and acceleration structures (which lie in a buffer that is touched with them).
  std::uint64_t bytes_of(const Touch& touch) const;
  // Beyond the limits: nothing of what came behind that was told.
  bool too_many() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rondo::access
