// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/report_memory.h"

#include <algorithm>
#include <vector>

#include "analyzers/analysis/graph_rows.h"
#include "analyzers/analysis/memory_rows.h"
#include "analyzers/text/json.h"
#include "analyzers/text/text.h"

namespace rondo::analyzers {

namespace {

constexpr std::uint64_t kMostMemoryRows = 200;  // of each list
constexpr std::size_t kMostRectangles = 4'000, kMostLiveRanges = 20;

// Bytes by time: the memory types stand above one another.
class Rectangles {
 public:
  Rectangles(std::string& out, const MemoryAnalysis& analysis) : out_(out), analysis_(analysis) {}

  // Each allocation above those before it.
  void as_bound() {
    const MemoryFacts& facts = analysis_.facts();
    std::vector<std::uint64_t> base(facts.allocations().size());
    std::uint64_t at = 0;
    for (std::size_t i = 0; i < base.size(); ++i) {
      base[i] = at;
      at += facts.allocations()[i].bytes;
    }
    for (const BoundBytes& one : facts.bound()) {
      if (one.allocation == kNoIndex) continue;
      add(one.resource, base[one.allocation] + one.begin, base[one.allocation] + one.end, false);
    }
  }
  void as_packed(const MemoryPacking& packing) {
    std::uint64_t at = 0;
    for (const MemoryBlock& block : packing.blocks) {
      for (const PackedResource& place : block.places) {
        const std::uint64_t begin = at + place.offset;
        add(place.resource, begin, begin + analysis_.facts().resources()[place.resource].bytes, true);
      }
      at += block.packing.bytes;
    }
  }
  std::uint64_t left_out() const { return left_out_; }

 private:
  void add(std::uint32_t resource, std::uint64_t begin, std::uint64_t end, bool packed) {
    const std::vector<graph::LiveRange>& live = analysis_.uses().uses()[resource].live;
    if (live.empty()) return;
    if (++added_ > kMostRectangles) {
      left_out_ += 1;
      return;
    }
    JsonWriter json(out_);
    json.begin_object();
    json.field("row", "memory_rect");
    json.field("object", analysis_.walk().name(analysis_.facts().resources()[resource].id));
    json.field("class", word_of(analysis_.class_of(resource)));
    json.field("packed", packed);
    json.field("begin", begin);
    json.field("end", end);
    json.field("last", std::uint64_t{std::max(analysis_.uses().items(), 1u) - 1});
    json.key("live");
    json.begin_array();
    for (std::size_t i = 0; i < live.size() && i < kMostLiveRanges; ++i) {
      // What is left out at the end is drawn as one.
      const bool is_last = i + 1 == kMostLiveRanges;
      json.begin_array();
      json.unsigned_value(live[i].from);
      json.unsigned_value(is_last ? live.back().to : live[i].to);
      json.end_array();
    }
    json.end_array();
    json.end_object();
    out_ += '\n';
  }

  std::string& out_;
  const MemoryAnalysis& analysis_;
  std::size_t added_ = 0;
  std::uint64_t left_out_ = 0;
};

}  // namespace

ReportSection gather_memory(const std::string& file, const std::string& shown_file) {
  ReportSection section;
  section.command = text("rondo memory --pack {}", shown_file);
  auto analysis = MemoryAnalysis::of(file, {});
  if (!analysis) {
    section.error = analysis.error().message;
    return section;
  }
  const MemoryPacking packing = pack_memory(analysis->uses());
  MemoryWanted wanted;
  wanted.most = kMostMemoryRows;
  const MemoryRows rows(*analysis, wanted, true);
  std::string lines;
  rows.peaks(lines);
  rows.timeline(lines);
  rows.classes(lines);
  rows.advice(lines);
  rows.stays(lines, packing);
  rows.summary(lines, packing, nullptr);
  section.lines = with_prefix(lines, "memory");
  Rectangles rectangles(section.lines, *analysis);
  rectangles.as_bound();
  rectangles.as_packed(packing);
  append_notes(section.notes, analysis->totals(), "");
  if (rectangles.left_out() != 0)
    append(section.notes, "{} are not drawn\n", plural(rectangles.left_out(), "rectangle"));
  if (!analysis->timeline().empty()) {
    const MemoryPeak& peak = analysis->timeline().front().allocated;
    section.sentence = text("At most {} of device memory are allocated at one time, after record {}",
                            size_text(peak.bytes), peak.record);
    if (packing.packed < packing.now)
      append(section.sentence,
             "; {} of what is bound would be {} if what is never live at the same time shared bytes: {} less",
             size_text(packing.now), size_text(packing.packed), size_text(packing.now - packing.packed));
    section.sentence += '.';
  }
  return section;
}

}  // namespace rondo::analyzers
