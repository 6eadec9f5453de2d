// SPDX-License-Identifier: Apache-2.0
// Layouts, owners and contents. The other states: put_back_states.cpp.
#include "analyzers/trim/put_back.h"

#include <algorithm>
#include <span>

#include "analyzers/trim/mips.h"
#include "generated/args.h"
#include "model/gpu/texels.h"

namespace rondo::trim {

using player::kNone;
using player::SnapshotImage;
using player::SnapshotPart;

namespace {

constexpr std::size_t kPiece = std::size_t{4} << 20;  // of contents, in a record
constexpr VkQueueFlags kGraphics = VK_QUEUE_GRAPHICS_BIT;
constexpr VkQueueFlags kCopies = kGraphics | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT;

bool is_defined(VkImageLayout layout) {
  return layout != VK_IMAGE_LAYOUT_UNDEFINED && layout != VK_IMAGE_LAYOUT_PREINITIALIZED;
}

}  // namespace

PutBack::PutBack(player::Run& run, RecordEncoder& out, const Keep& keep, const States& states, const Survey& survey,
                 const player::SnapshotList& there, const std::map<ObjectId, std::string>& raw,
                 std::set<ObjectId> sampled, const std::string& leave_out)
    : run_(run),
      out_(out),
      plan_(run.plan()),
      objects_(plan_.objects.objects()),
      keep_(keep),
      states_(states),
      survey_(survey),
      there_(there),
      raw_(raw),
      sampled_(std::move(sampled)),
      samples_(run),
      leave_out_(leave_out),
      memory_bytes_(run, "it cannot be cut there") {}

tl::unexpected<Error> PutBack::cannot(ObjectId id, const std::string& why) const {
  refused_ = true;
  return fail(Status::failed, plan_.path + ": it cannot be cut there: " + plan_.full_name(id) + " " + why);
}

bool PutBack::is_there(ObjectId id) const {
  const std::uint64_t begin = plan_.span_records.first;
  return keep_.has(id) && objects_[id].created < begin &&
         (objects_[id].destroyed == 0 || objects_[id].destroyed >= begin);
}

const QueueOf* PutBack::queue_for(std::uint32_t device, std::uint32_t family, VkQueueFlags can) const {
  const auto fits = [&](const QueueOf& queue) {
    return queue.device == device && (family == VK_QUEUE_FAMILY_IGNORED || queue.family == family) &&
           (queue.can & can) != 0 && keep_.has(queue.id);
  };
  const auto found = std::find_if(states_.queues.begin(), states_.queues.end(), fits);
  return found == states_.queues.end() ? nullptr : &*found;
}

Result<void> PutBack::write() {
  RONDO_TRY(choose_sampled());
  if (puts_back("layouts")) RONDO_TRY(write_layouts());
  if (puts_back("memory")) RONDO_TRY(write_memory());
  if (puts_back("images")) RONDO_TRY(write_images());
  if (puts_back("owners")) RONDO_TRY(write_releases());
  if (puts_back("queries")) RONDO_TRY(write_queries());
  if (puts_back("events")) RONDO_TRY(write_events());
  if (puts_back("fences")) RONDO_TRY(write_fences());
  return write_semaphores();
}

// From UNDEFINED nobody has to give them up: what they hold comes behind.
Result<void> PutBack::write_layouts() {
  for (const SnapshotImage& image : there_.images) {
    if (!is_there(image.id)) continue;
    const player::ImageLayouts& layouts = states_.layouts.images.at(image.id);
    std::map<ObjectId, std::vector<VkImageMemoryBarrier>> by_queue;
    for (std::size_t i = 0; i < image.parts.size(); ++i) {
      const SnapshotPart& part = image.parts[i];
      const player::PartLayout& now = layouts.at(i);
      if (!is_defined(now.layout)) continue;
      const QueueOf* queue = queue_for(image.device, now.family, ~VkQueueFlags{0});
      if (queue == nullptr) queue = queue_for(image.device, VK_QUEUE_FAMILY_IGNORED, ~VkQueueFlags{0});
      if (queue == nullptr) return cannot(image.id, "has no queue that could give it its layout");
      std::vector<VkImageMemoryBarrier>& barriers = by_queue[queue->id];
      if (!barriers.empty()) {
        VkImageMemoryBarrier& before = barriers.back();
        VkImageSubresourceRange& range = before.subresourceRange;
        if (before.newLayout == now.layout && range.aspectMask == VkImageAspectFlags{part.aspect} &&
            range.baseMipLevel == part.mip && range.baseArrayLayer + range.layerCount == part.layer) {
          ++range.layerCount;
          continue;
        }
      }
      VkImageMemoryBarrier barrier{};
      barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
      barrier.oldLayout = VK_IMAGE_LAYOUT_UNDEFINED;
      barrier.newLayout = now.layout;
      barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
      barrier.image = captured<VkImage>(image.id);
      barrier.subresourceRange = {part.aspect, part.mip, 1, part.layer, 1};
      barriers.push_back(barrier);
    }
    for (auto& [queue, barriers] : by_queue) {
      // Aspects and planes that change together: one barrier for all that are alike.
      for (std::size_t i = 0; i < barriers.size(); ++i)
        for (std::size_t k = i + 1; k < barriers.size();) {
          const VkImageSubresourceRange &a = barriers[i].subresourceRange, &b = barriers[k].subresourceRange;
          if (a.baseMipLevel == b.baseMipLevel && a.baseArrayLayer == b.baseArrayLayer &&
              a.layerCount == b.layerCount && barriers[i].newLayout == barriers[k].newLayout) {
            barriers[i].subresourceRange.aspectMask |= b.aspectMask;
            barriers.erase(barriers.begin() + static_cast<std::ptrdiff_t>(k));
          } else {
            ++k;
          }
        }
      if (gpu::is_planar(image.format))
        for (VkImageMemoryBarrier& barrier : barriers) barrier.subresourceRange.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT;
      const args_rondoBarriers args{captured<VkQueue>(queue), 0, nullptr, static_cast<std::uint32_t>(barriers.size()),
                                    barriers.data()};
      RONDO_TRY(out_.write(CommandId::rondoBarriers, args));
    }
  }
  return {};
}

bool PutBack::is_linear(ObjectId image) const {
  const std::uint32_t made = keep_.made_by(image);
  if (made == kNone || codec::info(plan_.ops[made].command).canonical != CommandId::vkCreateImage) return false;
  view_.load(plan_, plan_.ops[made]);
  return view_.as<args_vkCreateImage>().pCreateInfo->tiling == VK_IMAGE_TILING_LINEAR;
}

bool PutBack::is_raw(const SnapshotImage& image) const {
  if (image.swapchain != ObjectId::null) return false;
  return (image.samples != VK_SAMPLE_COUNT_1_BIT && sampled_.count(image.id) == 0) || raw_.count(image.id) != 0 ||
         states_.sparse.count(image.id) != 0 ||
         gpu::block_of(image.format, image.parts.empty() ? VkImageAspectFlags{VK_IMAGE_ASPECT_COLOR_BIT}
                                                         : VkImageAspectFlags{image.parts[0].aspect})
                 .bytes == 0;
}

Result<void> PutBack::write_memory() {
  std::map<std::uint32_t, Ranges> raw, linear = survey_.needs.memory();
  for (const SnapshotImage& image : there_.images) {
    const auto needed = survey_.needs.images().find(image.id);
    if (!is_there(image.id) || needed == survey_.needs.images().end() || image.swapchain != ObjectId::null) continue;
    const player::ImageLayouts& layouts = states_.layouts.images.at(image.id);
    const std::uint32_t resource = plan_.place_of(image.id);
    const player::CapturedResource& captured_as = plan_.resources[resource];
    bool any = false, any_defined = false;
    for (std::size_t i = 0; i < needed->second.size(); ++i) {
      any = any || needed->second[i];
      any_defined = any_defined || (needed->second[i] && layouts.at(i).layout != VK_IMAGE_LAYOUT_UNDEFINED);
    }
    if (const auto pages = states_.sparse.find(image.id); any && pages != states_.sparse.end()) {
      for (const std::uint32_t memory : pages->second) {
        raw[memory].add(0, plan_.memories[memory].bytes);
        linear[memory] = {};
      }
      ++raw_images_;
    }
    if (!any || captured_as.memory == kNone) continue;
    const std::uint64_t begin = captured_as.offset, end = captured_as.offset + captured_as.bytes;
    const bool as_bytes = is_linear(image.id);
    if (as_bytes && any_defined) linear[captured_as.memory].add(begin, end);
    if (!as_bytes) linear[captured_as.memory].remove(begin, end);
    if (!as_bytes && any_defined && is_raw(image)) {
      raw[captured_as.memory].add(begin, end);
      ++raw_images_;
    }
  }
  for (const auto& [memory, ranges] : linear) RONDO_TRY(write_memory(memory, ranges, false));
  for (const auto& [memory, ranges] : raw) RONDO_TRY(write_memory(memory, ranges, true));
  return {};
}

Result<void> PutBack::write_memory(std::uint32_t place, const Ranges& ranges, bool as_it_lies) {
  const ObjectId id = plan_.memories[place].id;
  if (ranges.empty() || !is_there(id) || run_.memory_at(place).handle == VK_NULL_HANDLE) return {};
  const auto allocation = memory_bytes_.open(place);
  if (!allocation) return tl::unexpected<Error>(allocation.error());
  const player::Placement& placement = run_.placements().of[place];
  std::vector<RondoRange> gathered;
  std::vector<std::byte> data;
  const auto flush = [&]() -> Result<void> {
    if (gathered.empty()) return {};
    const args_rondoMemoryContents args{captured<VkDevice>(objects_[id].device),
                                        captured<VkDeviceMemory>(id),
                                        as_it_lies ? VK_TRUE : VK_FALSE,
                                        static_cast<std::uint32_t>(gathered.size()),
                                        gathered.data(),
                                        data.size(),
                                        data.data()};
    RONDO_TRY(out_.write(CommandId::rondoMemoryContents, args));
    bytes_ += data.size();
    gathered.clear();
    data.clear();
    return {};
  };
  std::vector<player::Piece> pieces;
  for (const auto& [begin, last] : ranges.all()) {
    const std::uint64_t end = std::min<std::uint64_t>(last, plan_.memories[place].bytes);
    for (std::uint64_t at = begin; at < end;) {
      const std::uint64_t size = std::min<std::uint64_t>(end - at, kPiece - data.size());
      gathered.push_back({at, size});
      const std::size_t from = data.size();
      data.resize(from + static_cast<std::size_t>(size));
      pieces.clear();
      if (placement.moved)
        pieces_of(placement, at, size, pieces);
      else if (at < placement.bytes)
        pieces.push_back({0, at, std::min(size, placement.bytes - at)});
      for (const player::Piece& piece : pieces) {
        const std::span<std::byte> to =
            std::span(data).subspan(from + static_cast<std::size_t>(piece.from), static_cast<std::size_t>(piece.bytes));
        RONDO_TRY(memory_bytes_.read(
            *allocation, piece.to, piece.bytes, [&](VkDeviceSize offset, std::span<const std::byte> bytes) {
              if (allocation->mapped != nullptr)
                read_captured(run_, place, piece.to, to);
              else
                std::copy(bytes.begin(), bytes.end(), to.begin() + static_cast<std::ptrdiff_t>(offset - piece.to));
            }));
      }
      at += size;
      if (data.size() == kPiece) RONDO_TRY(flush());
    }
  }
  return flush();
}

std::vector<std::size_t> PutBack::parts_of(const SnapshotImage& image) const {
  std::vector<std::size_t> parts;
  const auto needed = survey_.needs.images().find(image.id);
  if (needed == survey_.needs.images().end()) return parts;
  const player::ImageLayouts& layouts = states_.layouts.images.at(image.id);
  for (std::size_t i = 0; i < std::min(needed->second.size(), image.parts.size()); ++i)
    if (needed->second[i] && is_defined(layouts.at(i).layout)) parts.push_back(i);
  return parts;
}

Result<void> PutBack::write_images() {
  for (const SnapshotImage& image : there_.images) {
    if (!is_there(image.id) || is_raw(image) || is_linear(image.id)) continue;
    const std::vector<std::size_t> parts = parts_of(image);
    if (parts.empty()) continue;
    if (image.swapchain == ObjectId::null && plan_.resources[plan_.place_of(image.id)].memory == kNone) continue;
    auto rest = write_mips(image, parts);
    if (!rest) return tl::unexpected<Error>(rest.error());
    RONDO_TRY(write_image(image, *rest));
  }
  return {};
}

// Mips that the device makes from the one before are not kept: a third of a texture.
Result<std::vector<std::size_t>> PutBack::write_mips(const SnapshotImage& image,
                                                     const std::vector<std::size_t>& parts) {
  const player::ImageLayouts& layouts = states_.layouts.images.at(image.id);
  if (layouts.mips < 2 || layouts.aspects.size() != 1 || layouts.aspects[0] != VK_IMAGE_ASPECT_COLOR_BIT ||
      image.type == VK_IMAGE_TYPE_1D || gpu::is_compressed(image.format) || gpu::is_integer(image.format))
    return parts;
  std::vector<std::size_t> rest;
  for (std::uint32_t layer = 0; layer < layouts.layers; ++layer) {
    std::vector<std::size_t> own;  // by mip
    for (const std::size_t i : parts)
      if (image.parts[i].layer == layer) own.push_back(i);
    bool chain = own.size() > 1;
    for (std::size_t k = 1; k < own.size() && chain; ++k)
      chain = image.parts[own[k]].mip == image.parts[own[k - 1]].mip + 1 && layouts.at(own[k]) == layouts.at(own[0]);
    const QueueOf* queue = nullptr;
    if (chain)
      queue = queue_for(image.device, image.families.empty() ? layouts.at(own[0]).family : VK_QUEUE_FAMILY_IGNORED,
                        kGraphics);
    const std::vector<player::LiveQueue>& live = run_.device_at(image.device)->queues;
    const auto on = std::find_if(live.begin(), live.end(),
                                 [&](const player::LiveQueue& one) { return queue != nullptr && one.id == queue->id; });
    if (on == live.end()) {
      rest.insert(rest.end(), own.begin(), own.end());
      continue;
    }
    std::vector<std::vector<std::byte>> levels;
    for (const std::size_t i : own) {
      const auto texels =
          run_.readback(*run_.device_at(image.device), on->family).read(on->handle, source_of(image, i));
      if (!texels) return cannot(image.id, "cannot be read: " + texels.error().message);
      levels.emplace_back(texels->begin(), texels->end());
    }
    const std::uint32_t base = image.parts[own[0]].mip;
    const auto made = mips_made_by_blits(run_, *on, image, base, levels);
    if (!made) return tl::unexpected<Error>(made.error());
    std::vector<std::size_t> kept{own[0]};
    kept.insert(kept.end(), own.begin() + *made, own.end());
    RONDO_TRY(write_image(image, kept));
    if (*made < 2) continue;
    const args_rondoMips args{captured<VkQueue>(queue->id), captured<VkImage>(image.id), base, *made, layer,
                              layouts.at(own[0]).layout};
    RONDO_TRY(out_.write(CommandId::rondoMips, args));
  }
  return rest;
}

gpu::ImageSource PutBack::source_of(const SnapshotImage& image, std::size_t i) const {
  const SnapshotPart& part = image.parts[i];
  gpu::ImageSource source;
  source.image = reinterpret_cast<VkImage>(run_.slot(image.id));
  source.format = image.format;
  source.extent = part.extent;
  source.layout = states_.layouts.images.at(image.id).at(i).layout;
  source.aspect = part.aspect;
  source.together = part.together;
  source.mip = part.mip;
  source.layer = part.layer;
  return source;
}

Result<void> PutBack::write_image(const SnapshotImage& image, const std::vector<std::size_t>& parts) {
  const player::ImageLayouts& layouts = states_.layouts.images.at(image.id);
  player::DeviceState& device = *run_.device_at(image.device);
  std::vector<RondoSubresource> gathered;
  std::vector<std::byte> data;
  const QueueOf* queue = nullptr;
  const auto flush = [&]() -> Result<void> {
    if (gathered.empty()) return {};
    const args_rondoImageContents args{captured<VkQueue>(queue->id),
                                       captured<VkImage>(image.id),
                                       static_cast<std::uint32_t>(gathered.size()),
                                       gathered.data(),
                                       data.size(),
                                       data.data()};
    RONDO_TRY(out_.write(CommandId::rondoImageContents, args));
    bytes_ += data.size();
    gathered.clear();
    data.clear();
    return {};
  };
  for (const std::size_t i : parts) {
    const SnapshotPart& part = image.parts[i];
    const bool sampled = image.samples != VK_SAMPLE_COUNT_1_BIT;
    const bool depth = (part.aspect & (VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT)) != 0;
    const std::uint32_t family = image.families.empty() ? layouts.at(i).family : VK_QUEUE_FAMILY_IGNORED;
    const QueueOf* wanted = queue_for(image.device, family, depth || sampled ? kGraphics : kCopies);
    if (wanted == nullptr) return cannot(image.id, "belongs to a queue family none of whose queues can copy it");
    if (wanted != queue) RONDO_TRY(flush());
    queue = wanted;
    const auto live = std::find_if(device.queues.begin(), device.queues.end(),
                                   [&](const player::LiveQueue& one) { return one.id == queue->id; });
    if (live == device.queues.end()) return cannot(image.id, "has no queue here");
    const gpu::ImageSource source = source_of(image, i);
    const auto texels = sampled ? samples_.read(image, part, source.layout, *live)
                                : run_.readback(device, live->family).read(live->handle, source);
    if (!texels) return cannot(image.id, "cannot be read: " + texels.error().message);
    if (!data.empty() && data.size() + texels->size() > kPiece) RONDO_TRY(flush());
    gathered.push_back({part.aspect, part.together, part.mip, part.layer, source.layout});
    data.insert(data.end(), texels->begin(), texels->end());
  }
  return flush();
}

// Given up by one family, and not yet taken by the other.
Result<void> PutBack::write_releases() {
  for (const player::Transfer& transfer : states_.layouts.transfers) {
    if (!is_there(transfer.resource)) continue;
    const std::uint32_t device = plan_.place_of(objects_[transfer.resource].device);
    const QueueOf* queue = queue_for(device, transfer.source, ~VkQueueFlags{0});
    if (queue == nullptr) return cannot(transfer.resource, "belongs to a queue family whose queues are not there");
    VkImageMemoryBarrier image{};
    image.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
    image.oldLayout = transfer.from;
    image.newLayout = transfer.to;
    image.srcQueueFamilyIndex = transfer.source;
    image.dstQueueFamilyIndex = transfer.target;
    image.image = captured<VkImage>(transfer.resource);
    image.subresourceRange = transfer.range;
    VkBufferMemoryBarrier buffer{};
    buffer.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER;
    buffer.srcQueueFamilyIndex = transfer.source;
    buffer.dstQueueFamilyIndex = transfer.target;
    buffer.buffer = captured<VkBuffer>(transfer.resource);
    buffer.offset = transfer.offset;
    buffer.size = transfer.size;
    const args_rondoBarriers args{captured<VkQueue>(queue->id), transfer.is_image ? 0u : 1u, &buffer,
                                  transfer.is_image ? 1u : 0u, &image};
    RONDO_TRY(out_.write(CommandId::rondoBarriers, args));
  }
  return {};
}

}  // namespace rondo::trim
