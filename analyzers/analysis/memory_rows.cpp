// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/memory_rows.h"

#include <algorithm>
#include <array>

#include "analyzers/analysis/graph_rows.h"
#include "analyzers/text/json.h"
#include "analyzers/text/names.h"
#include "analyzers/text/text.h"

namespace rondo::analyzers {

namespace {

void write_id(JsonWriter& json, const char* key, const GraphWalk& walk, ObjectId id) {
  json.field(key, walk.objects().name(id));
  if (const std::string* given = walk.given_name(id); given != nullptr) json.field("name", *given);
}

void write_item_name(JsonWriter& json, const char* key, const ItemName& name) { json.field(key, text_of(name)); }

// One row: an object on a line of its own.
template <class Fill>
void memory_row(std::string& out, const char* name, const Fill& fill) {
  JsonWriter json(out);
  json.begin_object();
  json.field("row", name);
  fill(json);
  json.end_object();
  out += '\n';
}

std::string per_frame_text(std::uint64_t bytes, std::uint64_t frames) {
  if (frames < 2) return size_text(bytes);
  return text("{} a frame", size_text(bytes / frames));
}

}  // namespace

std::string MemoryRows::name(ObjectId id) const { return printable(analysis_.walk().name(id)); }

std::string MemoryRows::heap_text(const MemorySeries& series) const {
  if (series.is_all) return "all memory";
  if (series.heap == kNoIndex) return "memory of unknown types";
  const MemoryDevice& device = analysis_.facts().devices()[series.device];
  const VkMemoryHeap& heap = device.heaps[series.heap];
  return text("heap {} ({}, {})", series.heap, size_text(heap.size),
              heap.flags != 0 ? flags_text(EnumId::VkMemoryHeapFlagBits, heap.flags) : "host");
}

void MemoryRows::write_heap(JsonWriter& json, const MemorySeries& series) const {
  json.key("device");
  if (series.is_all)
    json.null();
  else
    json.string(analysis_.walk().objects().name(analysis_.facts().devices()[series.device].physical));
  json.key("heap");
  if (series.heap == kNoIndex)
    json.null();
  else
    json.unsigned_value(series.heap);
}

// --- Peaks ---

void MemoryRows::peak_allocation(std::string& out, const MemorySeries& series, std::uint32_t allocation,
                                 const std::vector<std::uint32_t>& there) const {
  const MemoryFacts& facts = analysis_.facts();
  const Allocation& one = facts.allocations()[allocation];
  if (is_json_) {
    memory_row(out, "in_peak", [&](JsonWriter& json) {
      json.field("of", "allocated");
      write_heap(json, series);
      write_id(json, "object", analysis_.walk(), one.id);
      json.field("bytes", one.bytes);
      json.field("type", one.type);
      json.field("record", one.record);
      json.key("on");
      json.begin_array();
      for (std::size_t i = 0; i < there.size() && i < wanted_.most; ++i)
        json.string(analysis_.walk().objects().name(facts.resources()[there[i]].id));
      json.end_array();
      json.field("resources", static_cast<std::uint64_t>(there.size()));
    });
    return;
  }
  append(out, "    {} {} by record {}", size_text(one.bytes), name(one.id), one.record);
  for (std::size_t i = 0; i < there.size() && i < 4; ++i)
    append(out, "{}{}", i == 0 ? ": " : ", ", name(facts.resources()[there[i]].id));
  if (there.size() > 4) append(out, " and {} more", there.size() - 4);
  out += '\n';
}

void MemoryRows::peak_members(std::string& out, const MemorySeries& series) const {
  const MemoryFacts& facts = analysis_.facts();
  struct Member {
    std::uint32_t number;
    std::uint64_t bytes;
  };
  const auto is_of = [&](std::uint32_t allocation) {
    const Allocation& one = facts.allocations()[allocation];
    const VkMemoryType* type = facts.type_of(one);
    return one.device == series.device && (type != nullptr ? type->heapIndex : kNoIndex) == series.heap;
  };
  const auto largest_first = [](std::vector<Member>& all) {
    std::stable_sort(all.begin(), all.end(), [](const Member& a, const Member& b) { return a.bytes > b.bytes; });
  };
  std::vector<Member> allocations, resources;
  const std::uint64_t at = series.allocated.record, bound_at = std::max(at, series.bound.record);
  for (std::uint32_t i = 0; i < facts.allocations().size(); ++i) {
    const Allocation& one = facts.allocations()[i];
    if (is_of(i) && one.record <= at && at < one.freed) allocations.push_back({i, one.bytes});
  }
  largest_first(allocations);
  std::vector<std::vector<std::uint32_t>> on(facts.allocations().size());
  for (const BoundBytes& one : facts.bound())
    if (one.record <= bound_at && bound_at < one.until &&
        (on[one.allocation].empty() || on[one.allocation].back() != one.resource))
      on[one.allocation].push_back(one.resource);
  std::uint64_t shown = 0;
  for (const Member& member : allocations) {
    if (shown++ >= wanted_.most) break;
    peak_allocation(out, series, member.number, on[member.number]);
  }
  shown = std::min<std::uint64_t>(wanted_.most, allocations.size());
  if (!is_json_ && allocations.size() > shown)
    append(out, "    and {}\n", plural(allocations.size() - shown, "allocation"));
  if (series.live.bytes == 0) return;
  for (std::uint32_t i = 0; i < facts.resources().size(); ++i) {
    const MemoryResource& one = facts.resources()[i];
    if (one.allocation == kNoIndex || !is_of(one.allocation)) continue;
    for (const graph::LiveRange& range : analysis_.uses().uses()[i].live)
      if (range.from <= series.live_item && series.live_item <= range.to) resources.push_back({i, one.bytes});
  }
  largest_first(resources);
  if (!is_json_) {
    append(out, "    live then:");
    for (std::size_t i = 0; i < resources.size() && i < 4; ++i)
      append(out, "{} {}", i == 0 ? "" : ",", name(facts.resources()[resources[i].number].id));
    if (resources.size() > 4) append(out, " and {} more", resources.size() - 4);
    out += '\n';
    return;
  }
  for (std::size_t i = 0; i < resources.size() && i < wanted_.most; ++i)
    memory_row(out, "in_peak", [&](JsonWriter& json) {
      json.field("of", "live");
      write_heap(json, series);
      write_id(json, "object", analysis_.walk(), facts.resources()[resources[i].number].id);
      json.field("bytes", resources[i].bytes);
      json.field("record", facts.resources()[resources[i].number].record);
    });
}

void MemoryRows::peaks(std::string& out) const {
  for (const MemorySeries& series : analysis_.timeline()) {
    if (!is_json_) {
      append(out, "{}: allocated {} (record {}), bound {} (record {}), live {}", heap_text(series),
             size_text(series.allocated.bytes), series.allocated.record, size_text(series.bound.bytes),
             series.bound.record, size_text(series.live.bytes));
      if (series.live.bytes != 0) append(out, " ({})", text_of(analysis_.uses().names()[series.live_item]));
      out += '\n';
    } else {
      memory_row(out, "heap", [&](JsonWriter& json) {
        write_heap(json, series);
        if (series.heap != kNoIndex) {
          const VkMemoryHeap& heap = analysis_.facts().devices()[series.device].heaps[series.heap];
          json.field("size", heap.size);
          json.field("flags", flags_text(EnumId::VkMemoryHeapFlagBits, heap.flags));
        }
        json.field("allocated", series.allocated.bytes);
        json.field("allocated_record", series.allocated.record);
        json.field("bound", series.bound.bytes);
        json.field("bound_record", series.bound.record);
        json.field("live", series.live.bytes);
        json.field("live_record", series.live.record);
        if (series.live.bytes != 0) write_item_name(json, "live_item", analysis_.uses().names()[series.live_item]);
      });
    }
    if (!series.is_all) peak_members(out, series);
  }
}

void MemoryRows::timeline(std::string& out) const {
  for (const MemorySeries& series : analysis_.timeline())
    for (const MemoryTimelinePoint& point : series.points) {
      if (is_json_)
        memory_row(out, "point", [&](JsonWriter& json) {
          write_heap(json, series);
          json.field("record", point.record);
          json.field("allocated", point.most.allocated);
          json.field("bound", point.most.bound);
          json.field("live", point.most.live);
        });
      else
        append(out, "{} record {}: allocated {} bound {} live {}\n", heap_text(series), point.record,
               size_text(point.most.allocated), size_text(point.most.bound), size_text(point.most.live));
    }
}

// --- Classes ---

void MemoryRows::resource(std::string& out, std::uint32_t number) const {
  const MemoryResource& one = analysis_.facts().resources()[number];
  const MemoryUse& use = analysis_.uses().uses()[number];
  const std::string_view kind = word_of(analysis_.class_of(number));
  const bool is_written = use.host_writes + use.device_writes != 0;
  if (!is_json_) {
    append(out, "  {} {}, {}: ", kind, name(one.id), size_text(one.bytes));
    if (is_written)
      append(out, "written {} times by {} to {}, ", use.host_writes + use.device_writes, text_of(use.first_write),
             text_of(use.last_write));
    else
      out += "never written, ";
    if (use.reads == 0)
      out += "never read";
    else
      append(out, "read {} times by {} to {}", use.reads, text_of(use.first_read), text_of(use.last_read));
    out += '\n';
    return;
  }
  memory_row(out, "resource", [&](JsonWriter& json) {
    write_id(json, "object", analysis_.walk(), one.id);
    json.field("class", kind);
    json.field("grade", use.may_be_reached || one.shares || one.is_sparse ? "possible" : "certain");
    json.field("bytes", one.bytes);
    json.key("memory");
    if (one.allocation == kNoIndex)
      json.null();
    else
      json.string(analysis_.walk().objects().name(analysis_.facts().allocations()[one.allocation].id));
    if (one.allocation != kNoIndex) json.field("type", analysis_.facts().allocations()[one.allocation].type);
    json.field("host_writes", use.host_writes);
    json.field("device_writes", use.device_writes);
    json.field("reads", use.reads);
    json.field("read_bytes", use.read_bytes);
    json.field("versions", use.versions);
    json.field("assumed_versions", use.assumed);
    if (is_written) {
      write_item_name(json, "first_write", use.first_write);
      write_item_name(json, "last_write", use.last_write);
    }
    if (use.reads != 0) {
      write_item_name(json, "first_read", use.first_read);
      write_item_name(json, "last_read", use.last_read);
    }
    json.key("readers");
    json.begin_array();
    for (const ItemName& reader : use.readers) json.string(text_of(reader));
    json.end_array();
    json.key("live");
    json.begin_array();
    for (std::size_t i = 0; i < use.live.size() && i < 16; ++i) {
      json.begin_array();
      json.unsigned_value(use.live[i].from);
      json.unsigned_value(use.live[i].to);
      json.end_array();
    }
    json.end_array();
    json.field("live_ranges", static_cast<std::uint64_t>(use.live.size()));
  });
}

void MemoryRows::classes(std::string& out) const {
  std::array<std::uint64_t, std::size(kMemoryClasses)> counts{}, bytes{};
  const auto& resources = analysis_.facts().resources();
  for (std::uint32_t i = 0; i < resources.size(); ++i) {
    counts[static_cast<std::size_t>(analysis_.class_of(i))] += 1;
    bytes[static_cast<std::size_t>(analysis_.class_of(i))] += resources[i].bytes;
  }
  for (const MemoryClass one : kMemoryClasses) {
    const auto number = static_cast<std::size_t>(one);
    if (is_json_)
      memory_row(out, "class", [&](JsonWriter& json) {
        json.field("class", word_of(one));
        json.field("resources", counts[number]);
        json.field("bytes", bytes[number]);
      });
    else if (counts[number] != 0)
      append(out, "{}: {}, {}\n", word_of(one), plural(counts[number], "resource"), size_text(bytes[number]));
    if (!wanted_.classes) continue;
    for (std::uint32_t i = 0; i < resources.size(); ++i)
      if (analysis_.class_of(i) == one) resource(out, i);
  }
}

void MemoryRows::advice(std::string& out) const {
  std::uint64_t shown = 0;
  const std::vector<MemoryAdvice>& all = analysis_.advice();
  for (const MemoryAdvice& one : all) {
    if (shown >= wanted_.most) break;
    shown += 1;
    if (is_json_) {
      memory_row(out, "advice", [&](JsonWriter& json) {
        json.field("id", one.id);
        json.field("rule", word_of(one.rule));
        write_id(json, "object", analysis_.walk(), one.object);
        json.field("saved", one.saved);
        json.field("traffic", one.traffic);
        json.field("text", one.text);
      });
      continue;
    }
    append(out, "{}: {}: {}", word_of(one.rule), name(one.object), one.text);
    if (one.saved != 0) append(out, "; saves {}", size_text(one.saved));
    if (one.traffic != 0) append(out, "; {}", per_frame_text(one.traffic, analysis_.frames()));
    out += '\n';
  }
  if (!is_json_ && all.size() > shown) append(out, "and {} more (--max shows them)\n", count_text(all.size() - shown));
}

// --- Packing ---

std::string MemoryRows::block_text(const MemoryBlock& block) const {
  const Allocation like{ObjectId::null, 0, block.type, block.device};
  const VkMemoryType* type = analysis_.facts().type_of(like);
  return text("memory type {} ({})", block.type,
              type == nullptr ? "unknown" : flags_text(EnumId::VkMemoryPropertyFlagBits, type->propertyFlags));
}

void MemoryRows::write_block(JsonWriter& json, const MemoryBlock& block, bool overlapping) const {
  json.field("device", analysis_.walk().objects().name(analysis_.facts().devices()[block.device].physical));
  json.field("type", block.type);
  json.field("order", overlapping ? "overlapping queues" : "as executed");
}

void MemoryRows::packing(std::string& out, const MemoryPacking& packing, bool overlapping) const {
  const MemoryFacts& facts = analysis_.facts();
  for (const MemoryBlock& block : packing.blocks) {
    if (!is_json_) {
      append(out, "{}{}: {} bound now; {} in a block of {} (lower bound {})", block_text(block),
             overlapping ? ", queues overlapping" : "", size_text(block.now), plural(block.places.size(), "resource"),
             size_text(block.packing.bytes), size_text(block.packing.lower_bound));
      append(out, "; {} stays\n", size_text(block.fixed));
    } else {
      memory_row(out, "block", [&](JsonWriter& json) {
        write_block(json, block, overlapping);
        json.field("now", block.now);
        json.field("packed", block.packed());
        json.field("lower_bound", block.lower_bound());
        json.field("block", block.packing.bytes);
        json.field("stays", block.fixed);
        json.field("resources", static_cast<std::uint64_t>(block.places.size()));
        json.field("moving", block.moving);
        json.field("assumed", block.assumed);
        json.field("granularity", facts.devices()[block.device].granularity);
        json.field("rough", block.packing.is_rough);
      });
    }
    for (const PackedResource& place : block.places) {
      const MemoryResource& one = facts.resources()[place.resource];
      const std::vector<graph::LiveRange>& live = analysis_.uses().uses()[place.resource].live;
      if (!is_json_) {
        append(out, "  {} {} at {}, live in items {} to {}\n", name(one.id), size_text(one.bytes), place.offset,
               live.front().from, live.back().to);
        continue;
      }
      memory_row(out, "place", [&](JsonWriter& json) {
        write_block(json, block, overlapping);
        write_id(json, "object", analysis_.walk(), one.id);
        json.field("offset", place.offset);
        json.field("bytes", one.bytes);
        json.field("alignment", one.alignment);
        json.field("grade", analysis_.uses().uses()[place.resource].assumed != 0 ? "possible" : "certain");
        json.key("live");
        json.begin_array();
        for (const graph::LiveRange& range : live) {
          json.begin_array();
          json.unsigned_value(range.from);
          json.unsigned_value(range.to);
          json.end_array();
        }
        json.end_array();
      });
    }
  }
}

void MemoryRows::stays(std::string& out, const MemoryPacking& packing) const {
  const MemoryFacts& facts = analysis_.facts();
  std::uint64_t shown = 0;
  for (std::uint32_t i = 0; i < packing.stays.size(); ++i) {
    if (packing.stays[i] == StayReason::moves || shown >= wanted_.most) continue;
    shown += 1;
    const MemoryResource& one = facts.resources()[i];
    if (is_json_)
      memory_row(out, "stay", [&](JsonWriter& json) {
        write_id(json, "object", analysis_.walk(), one.id);
        json.field("bytes", one.bytes);
        json.field("reason", word_of(packing.stays[i]));
        json.field("text", sentence_of(packing.stays[i]));
      });
    else
      append(out, "  {} {} stays: {}\n", name(one.id), size_text(one.bytes), sentence_of(packing.stays[i]));
  }
}

void MemoryRows::summary(std::string& out, const MemoryPacking& packing, const MemoryPacking* overlapping) const {
  const MemorySeries& all = analysis_.timeline()[0];
  const std::uint64_t less = packing.now - packing.packed;
  if (is_json_) {
    memory_row(out, "summary", [&](JsonWriter& json) {
      json.field("allocations", static_cast<std::uint64_t>(analysis_.facts().allocations().size()));
      json.field("resources", static_cast<std::uint64_t>(analysis_.facts().resources().size()));
      json.field("allocated", all.allocated.bytes);
      json.field("bound", all.bound.bytes);
      json.field("live", all.live.bytes);
      json.field("advice", static_cast<std::uint64_t>(analysis_.advice().size()));
      json.field("now", packing.now);
      json.field("packed", packing.packed);
      json.field("lower_bound", packing.lower_bound);
      json.field("saved", less);
      if (overlapping != nullptr) json.field("packed_overlapping", overlapping->packed);
      json.field("frames", analysis_.frames());
      write_notes(json, analysis_.totals());
    });
    return;
  }
  append_notes(out, analysis_.totals(), "");
  append(out, "peak {} of {} allocated; packed {} (lower bound {}): {} less\n", size_text(packing.now),
         size_text(all.allocated.bytes), size_text(packing.packed), size_text(packing.lower_bound), size_text(less));
  if (overlapping != nullptr)
    append(out, "packed {} where work of different queues runs at the same time\n", size_text(overlapping->packed));
}

}  // namespace rondo::analyzers
