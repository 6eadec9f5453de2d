// SPDX-License-Identifier: Apache-2.0
// Render passes that end before the program's did, and go on where they ended: compatible with the program's,
// so that its framebuffers and pipelines fit (specification, "Render Pass Compatibility").
#pragma once

#include <functional>
#include <map>
#include <unordered_map>
#include <vector>

#include "analyzers/trim/encoder.h"
#include "analyzers/trim/loaded.h"
#include "format/objects.h"

namespace rondo::trim {

struct PassChange {
  bool stores = false;  // what it drew
  bool loads = false;   // begins with what was stored
  bool first = false;   // goes on with no pass that was suspended before it
  bool last = false;    // is not suspended

  bool operator<(const PassChange& other) const {  // as render passes see it
    return std::pair(stores, loads) < std::pair(other.stores, other.loads);
  }
};

// A create's payload, of a render pass.
struct PassRecord {
  CommandId command{};
  std::vector<std::byte> payload;
  std::vector<ObjectId> ids;
};

// Of a pass that has begun: what it draws to, and how that lies behind it.
struct PassAttachment {
  ObjectId view = ObjectId::null;
  VkImageLayout layout{}, stencil_layout{};
  VkImageAspectFlags aspects = ~VkImageAspectFlags{0};
};
struct PassShape {
  std::vector<PassAttachment> attachments;
  std::uint32_t subpasses = 1;
  std::uint32_t first_resolving = ~std::uint32_t{};  // the first subpass that resolves something
};

// `new_pass` numbers the next render pass, and gives its handle.
class SplitPasses {
 public:
  using NewPass = std::function<Result<VkRenderPass>()>;
  SplitPasses(Reader& source, const codec::IdMap& map, RecordEncoder& out, NewPass new_pass)
      : source_(source), map_(map), out_(out), new_pass_(std::move(new_pass)) {}

  // Every record.
  void take(const codec::CommandInfo& command, const Record& record, const ObjectTable::Resolution& resolution);

  // Of dynamic rendering: whether it is suspended, resumes.
  Result<VkRenderingFlags> flags_of(CommandId command, std::span<const std::byte> payload,
                                    std::span<const ObjectId> ids);
  // Status::failed where the pass cannot be split, with the reason.
  Result<PassShape> shape_of(CommandId command, std::span<const std::byte> payload, std::span<const ObjectId> ids);
  // Writes the begin of a pass with the change, for this command buffer, its commands inline; the render pass
  // in front of it, if it needs another one.
  Result<void> write_begin(CommandId command, std::span<const std::byte> payload, std::span<const ObjectId> ids,
                           PassChange change, VkCommandBuffer commands);
  Result<void> write_next_subpass(CommandId command, std::span<const std::byte> payload, VkCommandBuffer commands);

 private:
  Result<VkRenderPass> changed(ObjectId pass, PassChange change);
  Result<void> render_pass_shape(ObjectId pass, PassShape& shape);

  Reader& source_;
  const codec::IdMap& map_;
  RecordEncoder& out_;
  const NewPass new_pass_;
  std::unordered_map<ObjectId, PassRecord> passes_;
  std::unordered_map<ObjectId, std::vector<ObjectId>> framebuffers_;  // to views
  std::map<std::pair<ObjectId, PassChange>, VkRenderPass> made_;
  Loaded begin_, pass_;
};

}  // namespace rondo::trim
