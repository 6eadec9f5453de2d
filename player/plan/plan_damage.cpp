// SPDX-License-Identifier: Apache-2.0
// The hidden option --damage: tests spoil a plan on purpose and expect the
// verification to name the place.
#include <algorithm>
#include <cctype>
#include <cstring>
#include <memory>

#include "format/leaves.h"
#include "generated/args.h"
#include "player/plan/plan_builder.h"

namespace rondo::player {

namespace {

// An object of the same type to take for `id`: the next one alive, else the one before.
ObjectId neighbour(const ObjectTable& table, HandleType type, std::uint64_t captured) {
  const ByObject<Object>& objects = table.objects();
  ObjectId own = ObjectId::null;
  for (const ObjectId id : all_ids(objects.size()))
    if (objects[id].type == type && objects[id].alive && objects[id].captured == captured) own = id;
  if (own == ObjectId::null) return ObjectId::null;
  const auto serves = [&](ObjectId id) {
    return objects[id].type == type && objects[id].alive && objects[id].captured != captured &&
           objects[id].device == objects[own].device;
  };
  for (std::size_t i = index_of(own) + 1; i < objects.size(); ++i)
    if (serves(object_at(i))) return object_at(i);
  for (std::size_t i = index_of(own); i-- > 1;)
    if (serves(object_at(i))) return object_at(i);
  return ObjectId::null;
}

// The scalars that a caller chooses: not those that say how long an array is.
struct FreeLeaves {
  const codec::Lowered& lowered;
  std::vector<Leaf> leaves;
  std::unordered_set<std::size_t> counts;  // their places

  bool enters(const codec::StructInfo&) const { return true; }
  void leaf(const Leaf& leaf) {
    note_counts(*leaf.owner, leaf.base);
    leaves.push_back(leaf);
  }
  void note_counts(const codec::StructInfo& owner, std::size_t base) {
    const auto target = [&](std::size_t at) { return codec::load<std::uint64_t>(&lowered.bytes[at]); };
    for (const codec::Field& f : owner.fields) {
      if (f.count.kind == codec::CountKind::member) counts.insert(base + f.count.a);
      if (f.count.kind == codec::CountKind::dereferenced) counts.insert(target(base + f.count.a));
      if (f.count.kind == codec::CountKind::path) counts.insert(target(base + f.count.a) + f.count.b);
      if (f.selector != codec::kNoSelector) counts.insert(base + f.selector);
    }
  }
};

void store(std::byte* to, std::size_t bytes, std::uint64_t value) { std::memcpy(to, &value, bytes); }

// Another value that is as plausible: what is out of range is found before any
// verification.
void change(const codec::Field& f, std::byte* at) {
  const std::uint64_t value = codec::load_unsigned(at, f.size);
  switch (f.element) {
    case codec::Element::floating:
      if (f.size == 4) {
        const float number = codec::load<float>(at), other = number == 0 ? 0.5f : number / 2;
        std::memcpy(at, &other, sizeof other);
      } else {
        const double number = codec::load<double>(at), other = number == 0 ? 0.5 : number / 2;
        std::memcpy(at, &other, sizeof other);
      }
      return;
    case codec::Element::bool32:
      return store(at, f.size, value == 0 ? 1 : 0);
    case codec::Element::enumerant: {
      const auto known = codec::enumerants(static_cast<EnumId>(f.type));
      for (std::size_t i = 0; i < known.size(); ++i)
        if (static_cast<std::uint32_t>(known[i].value) == static_cast<std::uint32_t>(value))
          return store(at, f.size, static_cast<std::uint64_t>(known[i + 1 < known.size() ? i + 1 : i - 1].value));
      return store(at, f.size, 0);
    }
    case codec::Element::byte:
      return store(at, f.size, value ^ 1);
    default:
      return store(at, f.size, value == 0 ? 1 : value - 1);
  }
}

}  // namespace

// Whether `selector` chooses this record, which has to be one that is played.
Result<bool> PlanBuilder::meets(const Record& record, const RecordSelector& selector, std::uint64_t& seen) {
  const CommandId id = stream_.ids().command(record.command);
  const bool named = selector.sequence == 0;
  if (!named && record.sequence != selector.sequence) return false;
  std::string why;
  // Where memory lay is no call of the replay, and changes it.
  const bool played = id != CommandId::none && (record.flags & kRecordByLayer) == 0 &&
                      (id == CommandId::rondoAddress || action_for(codec::info(id), record, why) == Action::play);
  if (!named && !played)
    return fail(Status::usage,
                "--damage: record " + std::to_string(record.sequence) + " is not played: there is nothing to damage");
  if (!named) return true;
  if (!played || selector.command != codec::info(id).name) return false;
  return selector.all || seen++ == selector.index;
}

Result<void> PlanBuilder::add_damaged(const Record& record) {
  const Damage& damage = options_.damage;
  auto first = damage.kind >= Damage::Kind::corrupt_blob ? Result<bool>(false) : meets(record, damage.record, seen_a_);
  if (!first) return tl::unexpected<Error>(first.error());
  met_a_ += *first;
  if (damage.kind == Damage::Kind::drop && *first) return {};
  if (damage.kind != Damage::Kind::swap) {
    damaging_ = *first;
    auto added = add(record);
    damaging_ = false;
    return added;
  }
  auto second = meets(record, damage.other, seen_b_);
  if (!second) return tl::unexpected<Error>(second.error());
  met_b_ += *second;
  if (held_.empty() && !*first && !*second) return add(record);
  if (held_.empty() && *first && *second)
    return fail(Status::usage, "--damage: a record cannot change places with itself");
  held_.push_back({record, {record.payload.begin(), record.payload.end()}});
  held_.back().record.payload = held_.back().payload;  // moves with the vector, bytes stay
  if (met_a_ + met_b_ < 2) return {};
  // Each takes the other's place, and its number.
  std::vector<Held> all = std::move(held_);
  held_.clear();
  std::swap(all.front(), all.back());
  std::swap(all.front().record.sequence, all.back().record.sequence);
  for (Held& held : all) RONDO_TRY(add(held.record));
  return {};
}

Result<void> PlanBuilder::damage_lowered(const Record& record, const codec::CommandInfo& command) {
  return options_.damage.kind == Damage::Kind::handle    ? change_handle(record, command)
         : options_.damage.kind == Damage::Kind::corrupt ? corrupt_leaf(record, command)
                                                         : Result<void>();
}

Result<void> PlanBuilder::change_handle(const Record& record, const codec::CommandInfo& command) {
  const std::string place = "--damage: record " + std::to_string(record.sequence) + ", " + command.name;
  std::uint64_t left = options_.damage.a;
  for (codec::HandleRef& ref : lowered_.handles) {
    if ((ref.flags & codec::kCreated) != 0 || ref.captured == 0 || left-- != 0) continue;
    const ObjectId other = neighbour(plan_->objects, ref.type, ref.captured);
    if (other == ObjectId::null)
      return fail(Status::usage, place + ": no other " + codec::info(ref.type).name + " is alive there");
    if (options_.damaged != nullptr) *options_.damaged = {codec::info(ref.type).name, plan_->name(other)};
    ref.captured = plan_->objects.objects()[other].captured;
    store(&lowered_.bytes[ref.offset], sizeof ref.captured, ref.captured);
    return {};
  }
  return fail(Status::usage, place + ": it names no handle " + std::to_string(options_.damage.a));
}

Result<void> PlanBuilder::corrupt_leaf(const Record& record, const codec::CommandInfo& command) {
  const Damage& damage = options_.damage;
  FreeLeaves found{lowered_, {}, {}};
  found.note_counts(codec::info(command.args), 0);  // counts behind its pointers, too
  LeafWalk<FreeLeaves>(lowered_, found).run(command);
  std::erase_if(found.leaves, [&](const Leaf& leaf) { return found.counts.count(leaf.offset) != 0; });
  std::size_t chosen = 0;
  if (!damage.leaf.empty() && std::isdigit(static_cast<unsigned char>(damage.leaf[0])) != 0)
    chosen = std::stoul(damage.leaf);
  else if (!damage.leaf.empty())
    while (chosen < found.leaves.size() && damage.leaf != found.leaves[chosen].field->name) ++chosen;
  if (chosen >= found.leaves.size())
    return fail(Status::usage, "--damage: record " + std::to_string(record.sequence) + ", " + command.name +
                                   ", has no scalar or data " +
                                   (damage.leaf.empty() ? "at all" : "'" + damage.leaf + "'"));
  const Leaf& leaf = found.leaves[chosen];
  if (options_.damaged != nullptr) options_.damaged->what = std::string(leaf.owner->name) + "." + leaf.field->name;
  if (leaf.blob) {
    for (damaged_blob_ = 0; lowered_.blobs[damaged_blob_].offset != leaf.offset;) ++damaged_blob_;
    return {};
  }
  std::byte* at = &lowered_.bytes[leaf.offset];
  if (damage.value)
    store(at, std::min<std::size_t>(leaf.field->size, 8), *damage.value);
  else if (codec::is_plain(*leaf.field))
    change(*leaf.field, at);
  else
    *at ^= std::byte{1};  // a union's bytes
  return {};
}

// The bytes that reach the driver, not those of the file.
Result<void> PlanBuilder::corrupt_blob_data() {
  if (damaged_blob_ >= lowered_.blobs.size()) return {};
  const codec::BlobRef& ref = lowered_.blobs[damaged_blob_];
  auto copy =
      std::make_shared<std::vector<std::byte>>(blob_data_[damaged_blob_], blob_data_[damaged_blob_] + ref.bytes);
  copy->front() = options_.damage.value ? static_cast<std::byte>(*options_.damage.value) : copy->front() ^ std::byte{1};
  blob_data_[damaged_blob_] = copy->data();
  plan_->blobs.push_back(std::move(copy));
  return {};
}

// Called behind emit(): `op` is the last one, its batches are counted already.
void PlanBuilder::note_submits(const codec::CommandInfo& command, const Op& op) {
  if (options_.damage.kind != Damage::Kind::swap_submits) return;
  const auto note = [&](std::uint64_t batch, const void* member) {
    std::vector<std::uint32_t>* to = batch == options_.damage.a   ? &swap_a_
                                     : batch == options_.damage.b ? &swap_b_
                                                                  : nullptr;
    if (to == nullptr) return;
    for (std::uint32_t i = op.first_patch; i < op.first_patch + op.patches; ++i)
      if (plan_->patches[i].offset == view_.offset(member)) to->push_back(i);
  };
  if (command.canonical == CommandId::vkQueueSubmit) {
    const auto& args = view_.as<args_vkQueueSubmit>();
    for (std::uint32_t s = 0; s < args.submitCount; ++s)
      for (std::uint32_t c = 0; c < args.pSubmits[s].commandBufferCount; ++c)
        note(plan_->counts.submits - args.submitCount + s, &args.pSubmits[s].pCommandBuffers[c]);
  } else {
    const auto& args = view_.as<args_vkQueueSubmit2>();
    for (std::uint32_t s = 0; s < args.submitCount; ++s)
      for (std::uint32_t c = 0; c < args.pSubmits[s].commandBufferInfoCount; ++c)
        note(plan_->counts.submits - args.submitCount + s, &args.pSubmits[s].pCommandBufferInfos[c].commandBuffer);
  }
}

Result<void> PlanBuilder::finish_damage() {
  const Damage& damage = options_.damage;
  switch (damage.kind) {
    case Damage::Kind::drop:
    case Damage::Kind::corrupt:
    case Damage::Kind::handle:
    case Damage::Kind::swap:
      if (met_a_ == 0) return fail(Status::usage, "--damage: the capture plays no " + damage.record.text());
      if (damage.kind == Damage::Kind::swap && met_b_ == 0)
        return fail(Status::usage, "--damage: the capture plays no " + damage.other.text());
      break;
    case Damage::Kind::corrupt_blob:
      if (blobs_seen_ <= damage.a)
        return fail(Status::usage, "--damage: the capture uses only " + std::to_string(blobs_seen_) + " blobs");
      break;
    case Damage::Kind::swap_submits:
      if (swap_a_.empty() || swap_a_.size() != swap_b_.size())
        return fail(Status::usage, "--damage: those submits do not have the same number of command buffers");
      return exchange_submits();
    case Damage::Kind::move_memory:
      move_memory(damage.a);
      break;
    default:
      break;
  }
  return {};
}

// Refused where it would do nothing, and where a driver would not survive it: a
// command buffer that is not recorded yet, or freed by then.
Result<void> PlanBuilder::exchange_submits() {
  std::vector<Patch>& patches = plan_->patches;
  const auto same = [&](std::uint32_t a, std::uint32_t b) { return patches[a].id == patches[b].id; };
  if (std::equal(swap_a_.begin(), swap_a_.end(), swap_b_.begin(), same))
    return fail(Status::usage, "--damage: those submits have the same command buffers: exchanging them does nothing");
  const std::uint32_t first = std::min(swap_a_.front(), swap_b_.front());
  const std::uint32_t last = std::max(swap_a_.front(), swap_b_.front());
  std::unordered_set<ObjectId> recorded, ended;
  for (const Op& op : plan_->ops) {
    if (op.first_patch > last) break;
    if (op.first_patch <= first && op.command == CommandId::vkEndCommandBuffer) recorded.insert(op.dispatch);
    for (std::uint32_t i = op.first_ended; i < op.first_ended + op.ended; ++i) ended.insert(plan_->ended[i]);
  }
  for (std::size_t i = 0; i < swap_a_.size(); ++i) {
    for (const std::uint32_t patch : {swap_a_[i], swap_b_[i]}) {
      const ObjectId id = patches[patch].id;
      if (recorded.count(id) == 0 || ended.count(id) != 0)
        return fail(Status::usage, "--damage: " + plan_->name(id) + " is not recorded and alive at both submits");
    }
    std::swap(patches[swap_a_[i]].id, patches[swap_b_[i]].id);
  }
  return {};
}

// The capture of a device whose resources lay `by` bytes further on; not those
// of a dedicated allocation, which begin with it on every device.
void PlanBuilder::move_memory(std::uint64_t by) {
  Plan& plan = *plan_;
  plan.foreign = true;
  const auto moves = [&](std::uint32_t memory) { return memory != kNone && !plan.memories[memory].dedicated; };
  for (CapturedResource& resource : plan.resources)
    if (moves(resource.memory)) resource.offset += by;
  for (CapturedMemory& memory : plan.memories)
    if (!memory.dedicated) memory.bytes += by;
  const auto move = [&](std::byte* block, std::uint32_t count, const RondoRange* at) {
    // an offset still
    auto* ranges = reinterpret_cast<RondoRange*>(block + reinterpret_cast<std::uintptr_t>(at));
    for (std::uint32_t i = 0; i < count; ++i) ranges[i].offset += by;
  };
  for (const Op& op : plan.ops) {
    std::byte* block = plan.arena.at(op.block);
    if (op.command == CommandId::rondoHostWrite && moves(plan.place_of(op.subject))) {
      const auto& args = *reinterpret_cast<const args_rondoHostWrite*>(block);
      move(block, args.rangeCount, args.pRanges);
    } else if (op.command == CommandId::rondoCheckpointMemory && moves(plan.place_of(op.subject))) {
      const auto& args = *reinterpret_cast<const args_rondoCheckpointMemory*>(block);
      move(block, args.rangeCount, args.pRanges);
    }
  }
}

}  // namespace rondo::player
