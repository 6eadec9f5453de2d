// SPDX-License-Identifier: Apache-2.0
// Reads what a run that stands where a span begins holds, and writes the records that put it back.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "analyzers/trim/encoder.h"
#include "analyzers/trim/keep.h"
#include "analyzers/trim/sampled.h"
#include "analyzers/trim/states.h"
#include "analyzers/trim/survey.h"
#include "player/run/memory_bytes.h"
#include "player/run/run.h"
#include "player/snapshot/snapshot_list.h"

namespace rondo::trim {

class PutBack {
 public:
  // `images`: those that are there, of the plan before preflight; `raw`: that cannot be copied, and why;
  // `sampled`: that have several samples, which can be read and drawn.
  PutBack(player::Run& run, RecordEncoder& out, const Keep& keep, const States& states, const Survey& survey,
          const player::SnapshotList& there, const std::map<ObjectId, std::string>& raw, std::set<ObjectId> sampled,
          const std::string& leave_out);

  // The run is idle. Names what cannot be put back.
  Result<void> write();
  bool refused() const { return refused_; }       // write() named what cannot be
  std::uint64_t bytes() const { return bytes_; }  // of contents
  std::uint64_t raw_images() const { return raw_images_; }

 private:
  Result<void> write_layouts();
  Result<void> write_memory();
  Result<void> write_memory(std::uint32_t memory, const Ranges& ranges, bool as_it_lies);
  Result<void> write_images();
  // What is left to be written.
  Result<std::vector<std::size_t>> write_mips(const player::SnapshotImage& image,
                                              const std::vector<std::size_t>& parts);
  Result<void> write_image(const player::SnapshotImage& image, const std::vector<std::size_t>& parts);
  // put_back_samples.cpp: what of `sampled_` is read and drawn after all; the rest goes raw.
  Result<void> choose_sampled();
  Result<bool> can_be_drawn(const player::SnapshotImage& image, const std::vector<std::size_t>& parts);
  // Those of an image that are needed and hold something.
  std::vector<std::size_t> parts_of(const player::SnapshotImage& image) const;
  Result<void> write_releases();
  Result<void> write_queries();
  Result<void> write_events();
  Result<void> write_event(ObjectId event, const player::EventStates::State& state);
  Result<void> write_fences();
  Result<void> write_semaphores();
  bool puts_back(const char* what) const { return leave_out_ != what; }
  bool is_raw(const player::SnapshotImage& image) const;
  bool is_linear(ObjectId image) const;
  gpu::ImageSource source_of(const player::SnapshotImage& image, std::size_t part) const;
  // Of a family, IGNORED: of any, that can do one of these; null: there is none.
  const QueueOf* queue_for(std::uint32_t device, std::uint32_t family, VkQueueFlags can) const;
  bool is_there(ObjectId id) const;  // kept, and alive where the span begins
  template <class Handle>
  Handle captured(ObjectId id) const {
    return reinterpret_cast<Handle>(objects_[id].captured);
  }
  std::set<ObjectId> signalled_by_acquires() const;
  tl::unexpected<Error> cannot(ObjectId id, const std::string& why) const;

  player::Run& run_;
  RecordEncoder& out_;
  const player::Plan& plan_;
  const ByObject<Object>& objects_;
  const Keep& keep_;
  const States& states_;
  const Survey& survey_;
  const player::SnapshotList& there_;
  const std::map<ObjectId, std::string>& raw_;
  std::set<ObjectId> sampled_;
  Sampled samples_;
  const std::string& leave_out_;
  player::MemoryBytes memory_bytes_;
  mutable player::OpView view_;
  mutable bool refused_ = false;
  std::uint64_t bytes_ = 0, raw_images_ = 0;
};

}  // namespace rondo::trim
