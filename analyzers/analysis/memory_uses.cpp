// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/memory_uses.h"

#include <algorithm>

#include "model/touch.h"

namespace rondo::analyzers {

namespace {

constexpr std::size_t kMostReaders = 4;
constexpr VkAccessFlags2 kAttachmentAccess =
    VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT |
    VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT | VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT |
    VK_ACCESS_2_INPUT_ATTACHMENT_READ_BIT;
constexpr VkAccessFlags2 kTransfers = VK_ACCESS_2_TRANSFER_READ_BIT | VK_ACCESS_2_TRANSFER_WRITE_BIT;
// Writes that a shader makes where it likes.
constexpr VkAccessFlags2 kShaderWrites = VK_ACCESS_2_SHADER_WRITE_BIT | VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT;

}  // namespace

// --- Contents ---

MemoryUses::Contents& MemoryUses::contents(std::uint32_t resource) {
  if (contents_.size() <= resource) contents_.resize(resource + 1);
  if (uses_.size() <= resource) uses_.resize(resource + 1);
  if (contents_[resource] == nullptr) {
    contents_[resource] = std::make_unique<Contents>();
    make_rows(resource, *contents_[resource]);
  }
  return *contents_[resource];
}

// The bytes of an image are those of its subresources, in proportion to their texels.
void MemoryUses::make_rows(std::uint32_t resource, Contents& of) const {
  const MemoryResource& one = facts_.resources()[resource];
  if (!one.is_image) return;
  of.has_grid = true;
  const model::Image* image = walk_.model().image(one.id);
  of.grid = graph::SubresourceGrid::of(image != nullptr ? *image : one.image);
  of.rows = {0};
  std::vector<double> weights;
  double sum = 0;
  std::uint32_t rows = 0;
  for (VkImageAspectFlags rest = of.grid.aspects; rest != 0; rest &= rest - 1)
    for (std::uint32_t mip = 0; mip < of.grid.mips && rows < 256; ++mip, ++rows) {
      const VkImageSubresourceRange part{rest & ~(rest - 1), mip, 1, 0, 1};
      weights.push_back(static_cast<double>(
          std::min<std::uint64_t>(model::bytes_of(image != nullptr ? *image : one.image, part), 1ull << 48)));
      sum += weights.back();
    }
  double before = 0;
  for (const double weight : weights) {
    before += weight;
    of.rows.push_back(sum > 0 ? static_cast<std::uint64_t>(static_cast<double>(one.bytes) * (before / sum)) : 0);
  }
  if (of.rows.size() > 1) of.rows.back() = one.bytes;
}

std::uint64_t MemoryUses::bytes_of(const Contents& of, std::uint64_t begin, std::uint64_t end) const {
  if (!of.has_grid) return end - begin;
  const auto before = [&](std::uint64_t number) {
    const std::uint64_t row = number / of.grid.layers;
    if (row + 1 >= of.rows.size()) return of.rows.back();
    const double share = static_cast<double>(number % of.grid.layers) / of.grid.layers;
    return of.rows[row] + static_cast<std::uint64_t>(static_cast<double>(of.rows[row + 1] - of.rows[row]) * share);
  };
  return before(end) - before(begin);
}

void MemoryUses::find_parts(std::uint32_t resource, const access::Touch& touch) {
  parts_.clear();
  Contents& of = contents(resource);
  if (of.has_grid) {
    std::vector<graph::SubresourceGrid::Part> parts;
    of.grid.parts(touch.part, parts);
    for (const auto& one : parts) parts_.push_back({one.begin, one.end});
    return;
  }
  const std::uint64_t all = facts_.resources()[resource].bytes;
  const std::uint64_t begin = std::min(touch.offset, all);
  parts_.push_back({begin, begin + std::min(touch.size, all - begin)});
}

// --- Versions that end ---

void MemoryUses::add_live(std::uint32_t resource, std::uint32_t from, std::uint32_t to, std::uint64_t bytes) {
  const MemoryResource& one = facts_.resources()[resource];
  if (one.allocation == kNoIndex || bytes == 0) return;
  const Allocation& memory = facts_.allocations()[one.allocation];
  if (memory.type >= VK_MAX_MEMORY_TYPES) return;
  const std::size_t number = std::size_t{memory.device} * VK_MAX_MEMORY_TYPES + memory.type;
  if (live_.size() <= number) live_.resize(number + 1);
  std::vector<std::int64_t>& changes = live_[number];
  if (changes.size() <= to + 1) changes.resize(std::size_t{to} + 2);
  changes[from] += static_cast<std::int64_t>(bytes);
  changes[to + 1] -= static_cast<std::int64_t>(bytes);
}

const std::vector<std::int64_t>* MemoryUses::live_changes(std::uint32_t device, std::uint32_t type) const {
  const std::size_t number = std::size_t{device} * VK_MAX_MEMORY_TYPES + type;
  return number < live_.size() ? &live_[number] : nullptr;
}

void MemoryUses::close(std::uint32_t resource, std::uint64_t begin, std::uint64_t end, const Version& version,
                       std::uint32_t item, bool at_end) {
  MemoryUse& use = uses_[resource];
  Contents& of = *contents_[resource];
  const MemoryResource& one = facts_.resources()[resource];
  const std::uint64_t bytes = bytes_of(of, begin, end);
  if (version.is_stored && !at_end) {
    use.unread_stores += 1;
    use.unread_store_bytes += bytes;
  }
  std::uint32_t last = version.last;
  // What is forgotten at the end of a pass may be used again by the same item.
  const std::uint32_t from = std::min(version.from, last);
  bool is_read = version.is_read;
  std::uint32_t read = version.read;
  if (version.is_by_device && one.allocation != kNoIndex) {
    const Allocation& memory = facts_.allocations()[one.allocation];
    if (memory.is_mapped || memory.mapped_to > version.last) {
      use.may_be_read_by_host = true;
      is_read = true;
      // Until something replaces it; and up to the item at which it ends.
      last = read = std::max(last, at_end || item == 0 ? item : item - 1);
    }
  }
  if (version.is_undefined && version.last == version.from && !is_read) return;
  if (is_read) add_live(resource, from, std::max(from, read), bytes);
  use.lives_in_passes = use.lives_in_passes && version.from == version.last;
  std::vector<graph::LiveRange>& live = of.live;
  // Most often it goes on from the last one.
  if (!live.empty() && from <= live.back().to + 1 && last + 1 >= live.back().from)
    live.back() = {std::min(live.back().from, from), std::max(live.back().to, last)};
  else
    live.push_back({from, last});
}

void MemoryUses::close_all(std::uint32_t resource, std::uint32_t item, bool at_end) {
  if (resource >= contents_.size() || contents_[resource] == nullptr) return;
  Contents& of = *contents_[resource];
  of.versions.each([&](std::uint64_t begin, std::uint64_t end, const Version& version) {
    close(resource, begin, end, version, item, at_end);
  });
  std::vector<graph::LiveRange>& live = of.live;
  std::sort(live.begin(), live.end(), [](const auto& a, const auto& b) { return a.from < b.from; });
  std::vector<graph::LiveRange>& merged = uses_[resource].live;
  for (const graph::LiveRange& range : live)
    if (!merged.empty() && range.from <= merged.back().to)
      merged.back().to = std::max(merged.back().to, range.to);
    else
      merged.push_back(range);
  contents_[resource].reset();
}

// --- Touches ---

void MemoryUses::count(std::uint32_t resource, const Touching& by, bool writes) {
  MemoryUse& use = uses_[resource];
  const access::Executed& executed = *by.executed;
  use.access |= by.access;
  if (executed.queue != ObjectId::null) {
    const std::uint32_t family = facts_.family(executed.queue);
    use.families |= std::uint64_t{1} << std::min(family, 63u);
  }
  if ((by.access & kAttachmentAccess) != by.access) use.lives_in_passes = false;
  const std::uint32_t key = 2 * resource + (writes ? 1 : 0);
  if (std::find(counted_.begin(), counted_.end(), key) != counted_.end()) return;
  counted_.push_back(key);
  const ItemName name{executed.record, executed.submit};
  const bool by_host = executed.recorded == nullptr && executed.queue == ObjectId::null;
  const bool transfers = (by.access & kTransfers) != 0;
  if (writes) {
    if (use.host_writes + use.device_writes == 0) use.first_write = name;
    use.last_write = name;
    use.is_written_after_read = use.is_written_after_read || use.reads != 0;
    if (by_host)
      use.host_writes += 1;
    else
      use.device_writes += 1, use.transfer_writes += transfers ? 1 : 0;
    return;
  }
  if (use.reads == 0) use.first_read = name;
  use.last_read = name;
  use.reads += 1;
  use.transfer_reads += transfers ? 1 : 0;
  if (use.readers.size() < kMostReaders) use.readers.push_back(name);
  for (const Part& part : parts_) use.read_bytes += bytes_of(*contents_[resource], part.begin, part.end);
}

void MemoryUses::read(std::uint32_t resource, const Touching& by) {
  MemoryUse& use = uses_[resource];
  Contents& of = *contents_[resource];
  const auto frame = static_cast<std::uint32_t>(frame_);
  const auto submit = static_cast<std::uint32_t>(by.executed->submit);
  for (const Part& part : parts_)
    of.versions.change(
        part.begin, part.end,
        [&](Version& version) {
          // What was there before all work that the capture has.
          if (version == Version{}) {
            version.from = std::min(facts_.resources()[resource].bound_item, by.item);
            version.frame = version.submit = UINT32_MAX;
          }
          use.lives_across_frames |= version.frame != frame;
          use.lives_across_submits |= version.submit != submit;
          version.is_read = true;
          version.is_stored = version.is_stored && version.last == by.item;
          version.last = version.read = by.item;
        },
        [](const Version&) {}, [](const Version&) {});
}

void MemoryUses::write(std::uint32_t resource, const Touching& by) {
  MemoryUse& use = uses_[resource];
  Contents& of = *contents_[resource];
  const bool is_host = by.executed->queue == ObjectId::null;
  const bool is_assumed = !by.overwrites && !options_.certain && (by.access & kShaderWrites) != 0;
  // Where the item has used the version already, its write goes on with that: it reads it, too, or it is a render pass.
  const auto begins_new = [&](const Version& version) {
    return by.overwrites || (is_assumed && version.last != by.item);
  };
  bool is_new = false;
  for (const Part& part : parts_) {
    of.versions.each(part.begin, part.end, [&](std::uint64_t begin, std::uint64_t end, const Version& version) {
      if (begins_new(version)) close(resource, begin, end, version, by.item, false);
    });
    of.versions.change(
        part.begin, part.end,
        [&](Version& version) {
          if (version == Version{} || begins_new(version)) {
            version = {};
            version.from = by.item;
            version.frame = static_cast<std::uint32_t>(frame_);
            version.submit = static_cast<std::uint32_t>(by.executed->submit);
            is_new = true;
          } else if (version.is_undefined) {
            is_new = true;
          }
          version.is_undefined = by.forgets;
          version.is_by_device = !is_host;
          version.is_stored = false;
          version.last = by.item;
        },
        [](const Version&) {}, [](const Version&) {});
  }
  if (!is_new || by.forgets) return;
  use.versions += 1;
  use.assumed += is_assumed ? 1 : 0;
}

// The contents of the parts are lost. The bytes are not free before the next use where a render pass goes on with them.
void MemoryUses::forget(std::uint32_t resource, std::uint32_t item, bool keeps_undefined) {
  Contents& of = *contents_[resource];
  for (const Part& part : parts_) {
    of.versions.each(part.begin, part.end, [&](std::uint64_t begin, std::uint64_t end, const Version& version) {
      close(resource, begin, end, version, item, false);
    });
    of.versions.change(
        part.begin, part.end,
        [&](Version& version) {
          version = {};
          version.from = version.last = keeps_undefined ? item : item + 1;
          version.frame = static_cast<std::uint32_t>(frame_);
          version.is_undefined = true;
        },
        [](const Version&) {}, [](const Version&) {});
  }
}

// A host write names a memory: it writes what lies there.
void MemoryUses::host_write(const access::Touch& touch, const Touching& by) {
  for (const ObjectId id : walk_.placement().on(touch.object, touch.offset, touch.size)) {
    const std::uint32_t number = facts_.resource(id);
    if (number == kNoIndex) continue;
    const MemoryResource& one = facts_.resources()[number];
    const auto place = walk_.placement().of(id);
    if (one.is_optimal || !place) continue;
    access::Touch own;
    own.object = id;
    Touching how = by;
    if (one.is_image) {
      own.part = {contents(number).grid.aspects, 0, contents(number).grid.mips, 0, contents(number).grid.layers};
      how.overwrites = touch.offset <= place->offset && touch.offset + touch.size >= place->offset + place->size;
    } else {
      own.offset = touch.offset > place->offset ? touch.offset - place->offset : 0;
      own.size = touch.offset + touch.size - std::max(place->offset, touch.offset);
    }
    find_parts(number, own);
    // What the layer found changed, and the device had written.
    if (is_ambiguous_ && uses_[number].device_writes != 0) continue;
    count(number, how, true);
    write(number, how);
  }
}

void MemoryUses::attachments_begin(const access::Executed& executed) {
  open_pass_ = executed.record;
  const std::vector<AttachmentUse>* uses = facts_.attachments(open_pass_);
  if (uses == nullptr) return;
  for (const AttachmentUse& one : *uses) {
    const std::uint32_t number = one.loads ? facts_.resource(one.image) : kNoIndex;
    if (number == kNoIndex) continue;
    access::Touch touch;
    touch.part = one.part;
    find_parts(number, touch);
    const Contents& of = *contents_[number];
    std::uint64_t known = 0, all = 0;
    for (const Part& part : parts_) {
      all += part.end - part.begin;
      of.versions.each(part.begin, part.end, [&](std::uint64_t begin, std::uint64_t end, const Version& version) {
        // A layout transition of this pass may have come before, in its own item.
        if (!version.is_undefined) known += end - begin;
      });
    }
    MemoryUse& use = uses_[number];
    use.loads += 1;
    if (known != 0 || all == 0 || (facts_.is_cut() && use.device_writes + use.host_writes == 0)) continue;
    use.undefined_loads += 1;
    for (const Part& part : parts_) use.undefined_load_bytes += bytes_of(of, part.begin, part.end);
  }
}

void MemoryUses::attachments_end(std::uint32_t item) {
  const std::vector<AttachmentUse>* uses = facts_.attachments(open_pass_);
  if (uses == nullptr) return;
  for (const AttachmentUse& one : *uses) {
    const std::uint32_t number = facts_.resource(one.image);
    if (number == kNoIndex) continue;
    access::Touch touch;
    touch.part = one.part;
    find_parts(number, touch);
    if (one.forgets) forget(number, item, false);
    if (!one.stores) continue;
    uses_[number].stores += 1;
    for (const Part& part : parts_)
      contents_[number]->versions.change(
          part.begin, part.end, [](Version& version) { version.is_stored = true; }, [](const Version&) {},
          [](const Version&) {});
  }
}

// A shader that follows addresses may use every resource whose address or descriptor is in memory.
void MemoryUses::take_reachable(const access::Executed& executed) {
  if (executed.reach.unknown == 0 || reached_ == walk_.model().reached()) return;
  reached_ = walk_.model().reached();
  for (const ObjectId id : walk_.model().reachable())
    if (const std::uint32_t number = facts_.resource(id); number != kNoIndex) {
      contents(number);
      uses_[number].may_be_reached = true;
    }
}

void MemoryUses::touches(const access::Executed& executed, std::uint32_t item) {
  counted_.clear();
  if (executed.queue != ObjectId::null && executed.recorded != nullptr) queues_.insert(executed.queue);
  take_reachable(executed);
  const bool in_command = executed.recorded != nullptr;
  if (in_command && executed.recorded->mark == access::Mark::begins_pass) attachments_begin(executed);
  // A command reads before it writes.
  for (const bool writes : {false, true})
    for (const access::Touch& touch : executed.touches) {
      if (touch.forgets ? !writes : !(writes ? touch.writes() : touch.reads())) continue;
      const Touching by{&executed, item, writes ? touch.access & model::kWrites : touch.access & ~model::kWrites,
                        touch.overwrites, touch.forgets};
      if (facts_.allocation(touch.object) != kNoIndex) {
        if (writes) host_write(touch, by);
        continue;
      }
      const std::uint32_t number = facts_.resource(touch.object);
      if (number == kNoIndex) continue;
      find_parts(number, touch);
      if (executed.command == CommandId::vkQueuePresentKHR) uses_[number].is_presented = true;
      if (touch.forgets) {
        forget(number, item, true);
        continue;
      }
      count(number, by, writes);
      writes ? write(number, by) : read(number, by);
    }
  if (in_command && executed.recorded->mark == access::Mark::ends_pass) attachments_end(item);
}

// --- The walk ---

bool MemoryUses::item(const graph::Item& item, std::span<const graph::ItemNeed>, std::span<const graph::Piece>) {
  told_ = item.number + 1;
  names_.push_back({item.work.record, item.work.submit});
  records_.push_back(record_);
  return true;
}

void MemoryUses::call(const Step& step, const model::Call& call) {
  record_ = step.record.sequence;
  frame_ = step.frame;
  is_ambiguous_ = (step.record.flags & kRecordAmbiguous) != 0;
  facts_.take(call, told_);
  const CommandId command = call.command.canonical;
  if (call.succeeded && (command == CommandId::vkDeviceWaitIdle || command == CommandId::rondoDeviceIdle) &&
      (idle_.empty() || idle_.back() != told_))
    idle_.push_back(told_);
  for (const std::uint32_t one : facts_.ended()) close_all(one, told_ == 0 ? 0 : told_ - 1, false);
}

void MemoryUses::spread_over_queues(std::vector<graph::LiveRange>& live) const {
  if (!is_on_several_queues()) return;
  for (graph::LiveRange& range : live) {
    const auto after = std::upper_bound(idle_.begin(), idle_.end(), range.from);
    range.from = after == idle_.begin() ? 0 : *std::prev(after);
    const auto next = std::upper_bound(idle_.begin(), idle_.end(), range.to);
    range.to = next == idle_.end() ? std::max(items(), range.to) : *next - 1;
  }
}

void MemoryUses::done(const Step& step) {
  if (step.by_layer()) facts_.take_layer(walk_.walk(), step);
  if (step.present) frames_ += 1;
}

void MemoryUses::finish() {
  for (std::uint32_t i = 0; i < contents_.size(); ++i) close_all(i, told_ == 0 ? 0 : told_ - 1, true);
  uses_.resize(facts_.resources().size());
}

}  // namespace rondo::analyzers
