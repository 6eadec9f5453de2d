// SPDX-License-Identifier: Apache-2.0
// A submit's commands in two parts: what comes in front of a draw, and that draw with those behind it. Each
// is a command buffer that stands alone: what is open where it begins is begun there, and what is open where
// it ends, ended.
#pragma once

#include <cstddef>
#include <map>
#include <set>

#include "analyzers/trim/command_stream.h"
#include "analyzers/trim/split_passes.h"

namespace rondo::trim {

class SplitStream {
 public:
  // Of items [0, first) and [first, last).
  SplitStream(const CommandStream& stream, std::size_t first, std::size_t last, Reader& source, const codec::IdMap& map,
              SplitPasses& passes, RecordEncoder& encoder)
      : stream_(stream), first_(first), last_(last), source_(source), map_(map), passes_(passes), encoder_(encoder) {}

  // Names what cannot be split there (Status::failed).
  Result<void> check();
  // Between a begin and an end that are the caller's.
  Result<void> write_head(VkCommandBuffer commands);
  Result<void> write_kept(VkCommandBuffer commands);
  // The pass that is open behind the last item: index; the end of items: none.
  std::size_t last_pass() const { return open_pass(last_); }

 private:
  std::size_t open_pass(std::size_t at) const;
  Result<void> write(const StreamItem& item, VkCommandBuffer commands, const PassChange& change = {});
  Result<void> copy(const StreamItem& item, VkCommandBuffer commands);
  // Ends what is open in front of `at`, but for these.
  Result<void> close(std::size_t at, const std::set<std::size_t>& left_out, VkCommandBuffer commands);
  Result<void> close_pass(std::size_t begin, std::size_t at, VkCommandBuffer commands);
  Result<void> close_query(const StreamItem& begin, VkCommandBuffer commands);
  // Of the commands that the item's command buffer has in front of it: those whose states hold there.
  std::set<std::size_t> states_at(std::size_t item) const;
  std::uint32_t subpass_at(std::size_t begin, std::size_t at) const;
  using PassChanges = std::map<std::size_t, PassChange>;  // by begin: index
  // To this pass, and those of [from, to) that it was suspended from or that resume it.
  Result<void> change_passes(std::size_t begin, std::size_t from, std::size_t to, const PassChange& change,
                             PassChanges& changes);
  Result<VkRenderingFlags> flags_of(std::size_t begin);
  Result<void> check_pass(std::size_t begin, std::size_t at, bool resumed);

  const CommandStream& stream_;
  const std::size_t first_, last_;
  Reader& source_;
  const codec::IdMap& map_;
  SplitPasses& passes_;
  RecordEncoder& encoder_;
  Loaded query_;
  std::vector<std::byte> payload_;
};

}  // namespace rondo::trim
