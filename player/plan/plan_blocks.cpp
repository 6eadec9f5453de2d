// SPDX-License-Identifier: Apache-2.0
// The parameters of an op: its block in the plan's arena, and what is patched there before the call.
//
// The data of descriptor update templates is made smaller on the way. A program may keep what a template reads
// anywhere in a structure of its own: Mesa's zink gives 27 KiB for five descriptors. So the templates that the
// player makes have other offsets and strides than the program's: one descriptor lies after the other, and what
// lies between them is left out. The specification's section: "Descriptor Update Templates".
//
// Calls that are recorded into command buffers are often the same in each frame, but for the handles. A block that
// several of these calls share is kept once.
#include <algorithm>
#include <cstring>
#include <span>

#include "format/codec/shapes.h"
#include "format/codec/template_data.h"
#include "format/digest.h"
#include "generated/args.h"
#include "player/plan/plan_builder.h"

namespace rondo::player {

namespace {

using codec::TemplateItem;

// Where the descriptors of one entry lie in the program's data, and where in the player's.
struct Place {
  std::uint64_t from = 0, to = 0;
  std::uint64_t stride = 0, new_stride = 0;
  std::uint64_t count = 0;  // of items
  std::size_t item = 0;     // bytes of one
  // Those of stride 0 are one.
  std::uint64_t items() const { return stride == 0 ? std::min<std::uint64_t>(count, 1) : count; }
  std::uint64_t bytes() const { return count == 0 ? 0 : (count - 1) * new_stride + item; }
};

// Calls `visit` with each entry and its place, one after the other at multiples of 8. Returns where the last one ends
// in the player's data.
template <class Visit>
std::uint64_t each_compact_place(std::span<const VkDescriptorUpdateTemplateEntry> entries, const Visit& visit) {
  std::uint64_t end = 0;
  for (const VkDescriptorUpdateTemplateEntry& e : entries) {
    const TemplateItem item = codec::template_item(e.descriptorType);
    const bool is_bytes = item == TemplateItem::bytes;
    Place place;
    place.from = e.offset;
    place.to = end;
    place.count = is_bytes ? std::min(e.descriptorCount, 1u) : e.descriptorCount;
    place.item = is_bytes ? e.descriptorCount : codec::item_bytes(item);
    place.stride = place.count > 1 ? e.stride : place.item;
    place.new_stride = std::min<std::uint64_t>(place.stride, place.item);  // of items that overlap as it was
    visit(e, place);
    end += (place.bytes() + 7) & ~std::uint64_t{7};
  }
  return end;
}

// Likewise. Many entries may read the same bytes: where the data would be larger than the program's, but for what
// alignment takes, all stay where they are.
template <class Visit>
void each_place(std::span<const VkDescriptorUpdateTemplateEntry> entries, const Visit& visit) {
  constexpr std::uint64_t kMost = 1 << 30, kMostGrowth = 3;
  std::uint64_t size = 0;  // of the program's data, as far as it is read
  const std::uint64_t end = each_compact_place(entries, [&](const auto&, const Place& place) {
    if (place.count != 0) size = std::max(size, place.from + (place.count - 1) * place.stride + place.item);
  });
  const bool is_compact = end <= kMost && end <= kMostGrowth * size;
  each_compact_place(entries, [&](const VkDescriptorUpdateTemplateEntry& e, Place place) {
    if (!is_compact) {
      place.to = place.from;
      place.new_stride = place.stride;
    }
    visit(e, place);
  });
}

struct TemplateData {
  ObjectId made = ObjectId::null;  // the template; null: the command reads by none
  const void* data = nullptr;      // pData
};

TemplateData template_data(const codec::CommandInfo& command, const NativeView& view) {
  const auto of = [&](const auto& a) { return TemplateData{view.id(&a.descriptorUpdateTemplate), a.pData}; };
  switch (command.canonical) {
    case CommandId::vkUpdateDescriptorSetWithTemplate:
      return of(view.as<args_vkUpdateDescriptorSetWithTemplate>());
    case CommandId::vkCmdPushDescriptorSetWithTemplateKHR:
      return of(view.as<args_vkCmdPushDescriptorSetWithTemplateKHR>());
#ifdef VK_KHR_maintenance6
    case CommandId::vkCmdPushDescriptorSetWithTemplate2:
      return of(*view.as<args_vkCmdPushDescriptorSetWithTemplate2>().pPushDescriptorSetWithTemplateInfo);
#endif
    default:
      return {};
  }
}

}  // namespace

// To `compact_`: the block of a call that reads by a template, whose data begins at `begin`, and what is patched in
// the data. False: the data is not what the template says.
bool PlanBuilder::compact_data(std::span<const VkDescriptorUpdateTemplateEntry> entries, std::uint32_t begin) {
  for (const std::uint32_t at : lowered_.pointers)  // nothing lies after the data
    if (codec::load<std::uint64_t>(lowered_.bytes.data() + at) > begin) return false;
  compact_.bytes.assign(lowered_.bytes.begin(), lowered_.bytes.begin() + begin);
  compact_.patches.clear();
  const std::uint64_t room = lowered_.bytes.size() - begin;
  bool fits = true;
  each_place(entries, [&](const VkDescriptorUpdateTemplateEntry& e, const Place& place) {
    const TemplateItem item = codec::template_item(e.descriptorType);
    fits = fits && item != TemplateItem::unknown;
    for (std::uint64_t i = 0; fits && i < place.items(); ++i) {
      const std::uint64_t there = place.from + i * place.stride;
      fits = place.from <= room && place.stride <= room && there <= room && place.item <= room - there;
      if (!fits) return;
      const auto from = static_cast<std::uint32_t>(begin + there);
      const auto to = static_cast<std::uint32_t>(begin + place.to + i * place.new_stride);
      if (compact_.bytes.size() < to + place.item) compact_.bytes.resize(to + place.item);
      std::memcpy(compact_.bytes.data() + to, lowered_.bytes.data() + from, place.item);
      const auto patch = [&](std::size_t member) {
        const std::size_t handle = view_.handle_at(from + static_cast<std::uint32_t>(member));
        fits = fits && handle != NativeView::kNoHandle;
        if (fits) compact_.patches.push_back({to + static_cast<std::uint32_t>(member), resolution_.ids[handle]});
      };
      switch (item) {
        case TemplateItem::image:
          patch(offsetof(VkDescriptorImageInfo, sampler));
          patch(offsetof(VkDescriptorImageInfo, imageView));
          break;
        case TemplateItem::buffer:
          patch(offsetof(VkDescriptorBufferInfo, buffer));
          break;
        case TemplateItem::texel_view:
        case TemplateItem::acceleration_structure:
          patch(0);
          break;
        case TemplateItem::bytes:
        case TemplateItem::unknown:
          break;
      }
    }
  });
  return fits;
}

Result<void> PlanBuilder::add_block(const Record& record, const codec::CommandInfo& command, Op& op) {
  Plan& plan = *plan_;
  settle_layouts();
  const TemplateData data = template_data(command, view_);
  const validity::Template* made = data.data != nullptr ? validity_.templates.find(data.made) : nullptr;
  std::uint32_t end = UINT32_MAX;  // handles at or after it are in `compact_`
  if (made != nullptr && !compact_data(made->entries, end = view_.offset(data.data)))
    return tl::unexpected<Error>(
        at(record, Status::unreadable,
           std::string(command.name) + ": its data is not what " + plan.name(data.made) + " says"));
  std::vector<std::byte>& bytes = made != nullptr ? compact_.bytes : lowered_.bytes;

  op.first_pointer = static_cast<std::uint32_t>(plan.pointers.size());
  op.pointers = static_cast<std::uint32_t>(lowered_.pointers.size());
  plan.pointers.insert(plan.pointers.end(), lowered_.pointers.begin(), lowered_.pointers.end());
  op.first_patch = static_cast<std::uint32_t>(plan.patches.size());
  op.first_created = static_cast<std::uint32_t>(plan.created.size());
  for (std::size_t i = 0; i < lowered_.handles.size(); ++i) {
    const codec::HandleRef& ref = lowered_.handles[i];
    if (ref.offset >= end) continue;
    if ((ref.flags & codec::kCreated) == 0)
      plan.patches.push_back({ref.offset, resolution_.ids[i]});  // id 0: null, whatever stood there
    else if (resolution_.ids[i] != ObjectId::null)
      plan.created.push_back({ref.offset, resolution_.ids[i]});
  }
  if (made != nullptr) plan.patches.insert(plan.patches.end(), compact_.patches.begin(), compact_.patches.end());
  op.patches = static_cast<std::uint32_t>(plan.patches.size()) - op.first_patch;
  op.created = static_cast<std::uint32_t>(plan.created.size()) - op.first_created;
  op.first_ended = static_cast<std::uint32_t>(plan.ended.size());
  op.ended = static_cast<std::uint32_t>(resolution_.ended.size());
  plan.ended.insert(plan.ended.end(), resolution_.ended.begin(), resolution_.ended.end());

  op.block_bytes = static_cast<std::uint32_t>(bytes.size());
  plan.max_block_bytes = std::max(plan.max_block_bytes, op.block_bytes);
  // Blocks with marks, and those that are damaged on purpose, are changed later.
  if (command.records_into_command_buffer && op.created == 0 && lowered_.marks.empty() && lowered_.blobs.empty() &&
      options_.damage.kind == Damage::Kind::none) {
    op.block = shared_block(bytes, std::span(plan.patches).subspan(op.first_patch, op.patches));
    return {};
  }
  op.block = plan.arena.allocate(bytes.size());
  std::byte* const block = plan.arena.at(op.block);
  std::memcpy(block, bytes.data(), bytes.size());
  if (command.canonical == CommandId::vkCreateDescriptorUpdateTemplate) {
    const auto& info = *view_.as<args_vkCreateDescriptorUpdateTemplate>().pCreateInfo;
    std::byte* entry = block + view_.offset(info.pDescriptorUpdateEntries);
    each_place(std::span(info.pDescriptorUpdateEntries, info.descriptorUpdateEntryCount),
               [&](VkDescriptorUpdateTemplateEntry e, const Place& place) {
                 e.offset = place.to;
                 e.stride = place.new_stride;
                 std::memcpy(entry, &e, sizeof e);
                 entry += sizeof e;
               });
  }
  for (std::size_t i = 0; i < lowered_.blobs.size(); ++i)
    std::memcpy(block + lowered_.blobs[i].offset, &blob_data_[i], sizeof blob_data_[i]);
  if (late_ != nullptr) {
    std::memset(block + lowered_.blobs[0].offset, 0, sizeof blob_data_[0]);
    plan.late_blobs.push_back(
        {static_cast<std::uint32_t>(plan.ops.size()), lowered_.blobs[0].digest, lowered_.blobs[0].bytes});
  }
  mark_families(op);
  return {};
}

// Swapchain images are plain images here: they are presented from GENERAL.
void PlanBuilder::settle_layouts() {
  for (const codec::MarkRef& mark : lowered_.marks) {
    if (mark.semantic != codec::Semantic::image_layout) continue;
    std::byte* const at = lowered_.bytes.data() + mark.offset;
    const auto value = codec::load<std::uint32_t>(at);
    constexpr std::uint32_t general = VK_IMAGE_LAYOUT_GENERAL;
    if (value == VK_IMAGE_LAYOUT_PRESENT_SRC_KHR || value == VK_IMAGE_LAYOUT_SHARED_PRESENT_KHR)
      std::memcpy(at, &general, sizeof general);
  }
}

// Where the block of such a call lies in the arena. The handles in it are patched before each call: here they are 0.
std::uint64_t PlanBuilder::shared_block(std::vector<std::byte>& bytes, std::span<const Patch> patches) {
  constexpr std::size_t kMost = 1 << 16;  // blocks that are remembered
  Arena& arena = plan_->arena;
  for (const Patch& patch : patches) std::memset(bytes.data() + patch.offset, 0, sizeof(std::uint64_t));
  if (known_blocks_.size() == kMost) known_blocks_.clear();
  const auto [known, is_new] = known_blocks_.try_emplace(checksum_of(bytes), KnownBlock{0, bytes.size()});
  if (!is_new && known->second.bytes == bytes.size() &&
      std::memcmp(arena.at(known->second.place), bytes.data(), bytes.size()) == 0)
    return known->second.place;
  const std::uint64_t place = arena.allocate(bytes.size());
  std::memcpy(arena.at(place), bytes.data(), bytes.size());
  if (is_new) known->second.place = place;
  return place;
}

void PlanBuilder::mark_families(const Op& op) {
  // A device's own create names families before it exists.
  const std::uint32_t device = op.command == CommandId::vkCreateDevice ? plan_->place_of(op.subject) : op.device;
  if (device == kNone) return;
  for (const codec::MarkRef& mark : lowered_.marks)
    if (mark.semantic == codec::Semantic::queue_family) plan_->family_marks.push_back({op.block + mark.offset, device});
}

}  // namespace rondo::player
