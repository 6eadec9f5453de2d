// SPDX-License-Identifier: Apache-2.0
// How work uses each buffer and image: which versions of its contents there are, from the item that writes the first of
// one to the item that reads the last of it, and who writes and reads. No device. One thread.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <set>
#include <vector>

#include "analyzers/analysis/graph/pack.h"
#include "analyzers/analysis/graph/segments.h"
#include "analyzers/analysis/graph/spaces.h"
#include "analyzers/analysis/graph_rows.h"
#include "analyzers/analysis/graph_walk.h"
#include "analyzers/analysis/memory_facts.h"

namespace rondo::analyzers {

// What all items together do with a resource.
struct MemoryUse {
  std::uint64_t host_writes = 0;
  std::uint64_t device_writes = 0;    // commands, …
  std::uint64_t transfer_writes = 0;  // … of these copies, clears, blits and so on
  std::uint64_t reads = 0;            // commands, …
  std::uint64_t transfer_reads = 0;   // … of these copies
  std::uint64_t read_bytes = 0;       // by the device: an upper bound
  std::uint64_t versions = 0;
  std::uint64_t assumed =
      0;  // versions that begin with a shader's write, which may leave some of the bytes as they were
  ItemName first_write, last_write, first_read, last_read;
  std::vector<ItemName> readers;  // the first ones
  bool is_written_after_read = false;
  bool lives_across_frames = false, lives_across_submits = false;  // a version is read in another one
  bool may_be_read_by_host = false;                                // it was mapped while it had what the device wrote
  bool may_be_reached = false;                                     // by addresses or descriptors that are not followed
  bool is_presented = false;
  bool lives_in_passes = true;  // each version is written and read in one render pass, as an attachment
  VkAccessFlags2 access = 0;
  std::uint64_t families = 0;                                           // of queues, by bit; those from 63 on are one
  std::uint64_t stores = 0, unread_stores = 0, unread_store_bytes = 0;  // by STORE at the end of render passes
  std::uint64_t loads = 0, undefined_loads = 0, undefined_load_bytes = 0;  // by LOAD
  std::vector<graph::LiveRange> live;                                      // when its bytes are needed: sorted, apart
};

struct MemoryUseOptions {
  // A version ends only where all of it is surely replaced. Else a write of a shader that does not read the bytes is
  // taken to replace all that it touches.
  bool certain = false;
};

class MemoryUses final : public GraphVisitor {
 public:
  MemoryUses(GraphWalk& walk, const MemoryUseOptions& options)
      : walk_(walk), options_(options), facts_(walk.placement()) {}

  bool item(const graph::Item& item, std::span<const graph::ItemNeed>, std::span<const graph::Piece>) override;
  void call(const Step& step, const model::Call& call) override;
  void done(const Step& step) override;
  void touches(const access::Executed& executed, std::uint32_t item) override;
  // After the walk.
  void finish();

  const MemoryFacts& facts() const { return facts_; }
  // By resource.
  const std::vector<MemoryUse>& uses() const { return uses_; }
  // By item: the record that was taken when it was told, and its name.
  const std::vector<std::uint64_t>& records() const { return records_; }
  const std::vector<ItemName>& names() const { return names_; }
  // Changes of live bytes by allocation type: live_[device and type][item]. See live_changes().
  const std::vector<std::int64_t>* live_changes(std::uint32_t device, std::uint32_t type) const;
  // Widens ranges by all items that may run beside theirs: those up to the last wait for the whole device before them,
  // and up to the next one after them. With one queue nothing changes.
  void spread_over_queues(std::vector<graph::LiveRange>& live) const;
  bool is_on_several_queues() const { return queues_.size() > 1; }
  std::uint32_t items() const { return static_cast<std::uint32_t>(names_.size()); }
  std::uint64_t frames() const { return frames_; }

 private:
  // Contents of some bytes or subresources, from one write on.
  struct Version {
    std::uint32_t from = 0, last = 0;  // items; last: that used it
    std::uint32_t read = 0;            // the last item that read it, if is_read
    std::uint32_t frame = 0, submit = 0;
    bool is_undefined = false;  // no contents: of a layout that forgets, or of DONT_CARE
    bool is_read = false;
    bool is_by_device = false;
    bool is_stored = false;  // by STORE, and not read since
    friend bool operator==(const Version&, const Version&) = default;
  };
  struct Contents {
    graph::Segments<Version> versions;  // of bytes; of an image of subresources, as `grid` numbers them
    bool has_grid = false;
    graph::SubresourceGrid grid;
    std::vector<std::uint64_t> rows;  // of images: bytes before each row of subresources; at the end all bytes
    std::vector<graph::LiveRange> live;
  };
  struct Part {
    std::uint64_t begin = 0, end = 0;
  };
  struct Touching {  // what is touched, by whom
    const access::Executed* executed;
    std::uint32_t item;
    VkAccessFlags2 access;
    bool overwrites, forgets;
  };

  Contents& contents(std::uint32_t resource);
  void make_rows(std::uint32_t resource, Contents& of) const;
  std::uint64_t bytes_of(const Contents& of, std::uint64_t begin, std::uint64_t end) const;
  void find_parts(std::uint32_t resource, const access::Touch& touch);
  void read(std::uint32_t resource, const Touching& by);
  void write(std::uint32_t resource, const Touching& by);
  void forget(std::uint32_t resource, std::uint32_t item, bool keeps_undefined);
  void count(std::uint32_t resource, const Touching& by, bool writes);
  void host_write(const access::Touch& touch, const Touching& by);
  void attachments_begin(const access::Executed& executed);
  void attachments_end(std::uint32_t item);
  void close(std::uint32_t resource, std::uint64_t begin, std::uint64_t end, const Version& version, std::uint32_t item,
             bool at_end);
  void add_live(std::uint32_t resource, std::uint32_t from, std::uint32_t to, std::uint64_t bytes);
  void close_all(std::uint32_t resource, std::uint32_t item, bool at_end);
  void take_reachable(const access::Executed& executed);

  GraphWalk& walk_;
  const MemoryUseOptions options_;
  MemoryFacts facts_;
  std::vector<MemoryUse> uses_;
  std::vector<std::unique_ptr<Contents>> contents_;
  std::vector<std::uint64_t> records_;
  std::vector<ItemName> names_;
  std::vector<std::vector<std::int64_t>> live_;  // by device and type
  std::vector<Part> parts_;                      // of the touch that is looked at
  std::uint64_t record_ = 0, frame_ = 0, frames_ = 0;
  std::uint32_t told_ = 0;  // items
  bool is_ambiguous_ = false;
  std::uint64_t open_pass_ = 0;  // record of the begin of the render pass that is executed
  std::uint64_t reached_ = 0;
  std::set<ObjectId> queues_;           // that have work
  std::vector<std::uint32_t> idle_;     // items before which the host waited for the device, ascending
  std::vector<std::uint32_t> counted_;  // resources that the command has counted already: twice the number, + 1: writes
};

}  // namespace rondo::analyzers
