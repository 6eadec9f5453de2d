// SPDX-License-Identifier: Apache-2.0
// What is compared behind the last draw of a cut: what its pass draws to, and what the draws write to
// buffers.
#pragma once

#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "analyzers/trim/encoder.h"
#include "analyzers/trim/split_passes.h"
#include "format/byte_ranges.h"
#include "model/access/model.h"

namespace rondo::trim {

class SplitChecks {
 public:
  SplitChecks();

  // Every record that is not the layer's own, in order.
  void take(const model::Call& call);
  // Before the submit is taken: the commands that are kept, the last of them, and what ends its pass (0: it
  // is in none).
  void watch(std::set<std::uint64_t> kept, std::uint64_t last, std::uint64_t pass_end);
  // Records without digests: they are found where the draws are played. How many parts they have. `pass`: of
  // the last draw; null: it is in none.
  Result<std::uint64_t> write(RecordEncoder& out, VkQueue queue, const PassShape* pass,
                              const ObjectTable& objects) const;
  bool too_many() const { return model_.too_many(); }

 private:
  struct Image {
    VkFormat format{};
    bool unreadable = false;  // of several samples, or transient
  };
  // image, mip, layer, aspect
  using Part = std::tuple<ObjectId, std::uint32_t, std::uint32_t, VkImageAspectFlags>;

  void take(const access::Executed& executed);
  void add_parts(const access::Touch& touch);
  bool layout_of(ObjectId image, VkImageAspectFlags aspect, const PassShape& pass, VkImageLayout& layout) const;

  access::Model model_;
  std::unordered_map<ObjectId, Image> images_;    // but those of swapchains
  std::unordered_map<ObjectId, ObjectId> views_;  // to images
  std::set<std::uint64_t> kept_;
  std::uint64_t last_ = 0, pass_end_ = 0;
  std::map<ObjectId, Ranges> buffers_;
  std::map<Part, bool> parts_;  // whether it was drawn to; else a shader wrote it
};

}  // namespace rondo::trim
