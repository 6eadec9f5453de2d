// SPDX-License-Identifier: Apache-2.0
// Allocations, what is bound to them, and what the program wrote there.
#include <algorithm>
#include <cstring>

#include "format/native_view.h"
#include "generated/args.h"
#include "model/gpu/zero_fill.h"
#include "player/plan/swapchain_images.h"
#include "player/run/addresses.h"
#include "player/run/blobs_ahead.h"
#include "player/run/imports.h"
#include "player/run/run.h"

namespace rondo::player {

namespace {

// The layer gives programs zeroed pages for what the host may write, whether it
// does or not, and zeroes the rest where it leaves checkpoints.
bool begins_as_zeros(const Plan& plan, const CapturedMemory& captured, const VkMemoryAllocateInfo& info,
                     VkMemoryPropertyFlags flags) {
  const CapturedPhysicalDevice& there = plan.physical_devices[plan.devices[captured.device].physical];
  const VkMemoryPropertyFlags were = there.has_memory && captured.type < there.memory.memoryTypeCount
                                         ? there.memory.memoryTypes[captured.type].propertyFlags
                                         : flags;
  const bool visible = ((flags | were) & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0;
  return (visible || plan.has_checkpoints) && gpu::can_zero(info, flags);
}

Result<void> allocate(Run& run, const Op& op, std::byte* args) {
  auto& a = as<args_vkAllocateMemory>(args);
  auto& info = *const_cast<VkMemoryAllocateInfo*>(a.pAllocateInfo);  // in this run's scratch
  drop_import(info.pNext);
  const std::uint32_t place = run.plan().place_of(op.subject);
  if (place == kNone) return run.call_checked(op, args);
  const CapturedMemory& captured = run.plan().memories[place];
  const Placement& placement = run.placements().of[place];
  DeviceState& device = run.device(op);
  info.memoryTypeIndex = placement.type;
  info.allocationSize = placement.bytes;
  MemoryAddress address;
  PlacedMemory placed;
  RONDO_TRY(address.apply(run, op, info, placed));
  SharedImport import;
  PagesInUse pages;
  RONDO_TRY(import.apply(run, op, info, pages));
  RONDO_TRY(run.call_checked(op, args));

  MemoryState& memory = run.memory_at(place);
  memory = {};
  memory.placed = std::move(placed);
  memory.pages = std::move(pages);
  memory.handle = *a.pMemory;
  memory.bytes = info.allocationSize;
  const VkMemoryPropertyFlags flags = device.access.memory.memoryTypes[info.memoryTypeIndex].propertyFlags;
  memory.coherent = (flags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) != 0;
  Result<void> done;
  if (!memory.placed && !memory.pages && begins_as_zeros(run.plan(), captured, info, flags))
    done = run.zero(device, memory, info.memoryTypeIndex);
  if (!done)
    done = tl::unexpected<Error>(
        run.refuse(op, done.error().status, "zeroing " + run.plan().name(op.subject) + ": " + done.error().message));
  const bool mapped_here = captured.written || captured.read_back;
  if (done && mapped_here && (flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) == 0)
    done = tl::unexpected<Error>(
        run.refuse(op, Status::unreadable, run.plan().name(op.subject) + " is written, and the host cannot see it"));
  if (done && mapped_here) {
    void* mapped = nullptr;
    const VkResult r = device.dispatch.vkMapMemory(device.handle, memory.handle, 0, VK_WHOLE_SIZE, 0, &mapped);
    if (r < 0) done = tl::unexpected<Error>(run.failure(op, r, "vkMapMemory"));
    memory.mapped = static_cast<std::byte*>(mapped);
  }
  // The handle is not yet published: nobody else would free it.
  if (!done) {
    device.dispatch.vkFreeMemory(device.handle, memory.handle, nullptr);
    memory = {};
  }
  return done;
}

Result<void> free_memory(Run& run, const Op& op, std::byte* args) {
  MemoryState gone;  // what lies at a place stays there until the driver has let go of it
  if (const std::uint32_t place = run.plan().place_of(op.subject); op.subject != ObjectId::null && place != kNone) {
    std::swap(gone, run.memory_at(place));
    run.substitutes().forget_places(place);
  }
  return run.call_checked(op, args);  // an implicit unmap
}

// The offset of a resource here: its allocation may have been laid out anew.
void move_offset(Run& run, ObjectId resource, VkDeviceSize& offset) {
  const std::uint32_t place = run.plan().place_of(resource);
  if (resource == ObjectId::null || place == kNone) return;
  const std::uint32_t memory = run.plan().resources[place].memory;
  if (memory == kNone) return;
  const Placement& placement = run.placements().of[memory];
  if (!placement.moved) {
    if (run.plan().foreign) offset = run.plan().resources[place].offset;  // --damage move-memory
    return;
  }
  if (const auto found = placement.offsets.find(place); found != placement.offsets.end()) offset = found->second;
}

// What the file says of sizes is not to be trusted: a resource that does not
// lie in its memory as this driver wants it would be written beyond it.
Result<void> check_fit(Run& run, const Op& op, ObjectId resource, ObjectId memory, VkDeviceSize offset,
                       const VkMemoryRequirements& needs) {
  const std::uint32_t place = run.plan().place_of(memory);
  if (place == kNone) return {};
  const VkDeviceSize bytes = run.memory_at(place).bytes;
  const std::uint32_t type = run.placements().of[place].type;
  const std::string what = run.plan().name(resource) + " in " + run.plan().name(memory) + ": ";
  if (offset > bytes || needs.size > bytes - offset)
    return tl::unexpected<Error>(run.refuse(op, Status::unreadable,
                                            what + "needs " + std::to_string(needs.size) + " bytes at " +
                                                std::to_string(offset) + " of " + std::to_string(bytes)));
  if (offset % std::max<VkDeviceSize>(needs.alignment, 1) != 0)
    return tl::unexpected<Error>(run.refuse(
        op, Status::unreadable,
        what + "offset " + std::to_string(offset) + " is not aligned to " + std::to_string(needs.alignment)));
  if (type >= 32 || (needs.memoryTypeBits >> type & 1) == 0)
    return tl::unexpected<Error>(
        run.refuse(op, Status::unreadable, what + "it cannot have memory of type " + std::to_string(type)));
  return {};
}

Result<void> check_buffer(Run& run, const Op& op, std::byte* args, const VkBuffer& buffer, const VkDeviceMemory& memory,
                          VkDeviceSize offset) {
  DeviceState& device = run.device(op);
  VkMemoryRequirements needs{};
  device.dispatch.vkGetBufferMemoryRequirements(device.handle, buffer, &needs);
  return check_fit(run, op, run.patched_id(op, offset_in(args, &buffer)), run.patched_id(op, offset_in(args, &memory)),
                   offset, needs);
}

Result<void> check_image(Run& run, const Op& op, std::byte* args, const VkImage& image, const VkDeviceMemory& memory,
                         VkDeviceSize offset, const VkBindImagePlaneMemoryInfo* plane = nullptr) {
  DeviceState& device = run.device(op);
  VkMemoryRequirements needs{};
  if (plane == nullptr) {
    device.dispatch.vkGetImageMemoryRequirements(device.handle, image, &needs);
  } else {  // what binds planes has these
    const VkImagePlaneMemoryRequirementsInfo of_plane{VK_STRUCTURE_TYPE_IMAGE_PLANE_MEMORY_REQUIREMENTS_INFO, nullptr,
                                                      plane->planeAspect};
    const VkImageMemoryRequirementsInfo2 info{VK_STRUCTURE_TYPE_IMAGE_MEMORY_REQUIREMENTS_INFO_2, &of_plane, image};
    VkMemoryRequirements2 all{};
    all.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2;
    const auto ask = device.dispatch.vkGetImageMemoryRequirements2 != nullptr
                         ? device.dispatch.vkGetImageMemoryRequirements2
                         : device.dispatch.vkGetImageMemoryRequirements2KHR;
    if (ask == nullptr)
      return tl::unexpected<Error>(
          run.refuse(op, Status::device, "a plane is bound, and the device cannot tell what it needs"));
    ask(device.handle, &info, &all);
    needs = all.memoryRequirements;
  }
  return check_fit(run, op, run.patched_id(op, offset_in(args, &image)), run.patched_id(op, offset_in(args, &memory)),
                   offset, needs);
}

Result<void> bind_buffer(Run& run, const Op& op, std::byte* args) {
  auto& a = as<args_vkBindBufferMemory>(args);
  move_offset(run, op.subject, a.memoryOffset);
  RONDO_TRY(check_buffer(run, op, args, a.buffer, a.memory, a.memoryOffset));
  return run.call_checked(op, args);
}

Result<void> bind_image(Run& run, const Op& op, std::byte* args) {
  auto& a = as<args_vkBindImageMemory>(args);
  move_offset(run, op.subject, a.memoryOffset);
  RONDO_TRY(check_image(run, op, args, a.image, a.memory, a.memoryOffset));
  return run.call_checked(op, args);
}

Result<void> bind_buffers(Run& run, const Op& op, std::byte* args) {
  auto& a = as<args_vkBindBufferMemory2>(args);
  for (std::uint32_t i = 0; i < a.bindInfoCount; ++i) {
    auto& info = const_cast<VkBindBufferMemoryInfo&>(a.pBindInfos[i]);
    move_offset(run, run.patched_id(op, offset_in(args, &info.buffer)), info.memoryOffset);
    RONDO_TRY(check_buffer(run, op, args, info.buffer, info.memory, info.memoryOffset));
  }
  return run.call_checked(op, args);
}

Result<void> bind_images(Run& run, const Op& op, std::byte* args) {
  auto& a = as<args_vkBindImageMemory2>(args);
  for (std::uint32_t i = 0; i < a.bindInfoCount; ++i) {
    auto& info = const_cast<VkBindImageMemoryInfo&>(a.pBindInfos[i]);
    const ObjectId image = run.patched_id(op, offset_in(args, &info.image));
    if (made_of_swapchain(run.plan(), image).swapchain != ObjectId::null)
      continue;  // it is the swapchain's own, and has its memory
    move_offset(run, image, info.memoryOffset);
    RONDO_TRY(check_image(
        run, op, args, info.image, info.memory, info.memoryOffset,
        find_chained<VkBindImagePlaneMemoryInfo>(info.pNext, VK_STRUCTURE_TYPE_BIND_IMAGE_PLANE_MEMORY_INFO)));
  }
  // The block is this call's own: those that are left move together.
  auto* const infos = const_cast<VkBindImageMemoryInfo*>(a.pBindInfos);
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < a.bindInfoCount; ++i)
    if (infos[i].memory != VK_NULL_HANDLE) infos[kept++] = infos[i];
  a.bindInfoCount = kept;
  return kept == 0 ? Result<void>() : run.call_checked(op, args);
}

// Bytes that may be the device's: perhaps it writes the same ones now (docs/memory.md).
[[gnu::noinline]] void write_beside_the_device(std::byte* to, const std::byte* from, std::size_t bytes) {
  std::memcpy(to, from, bytes);
}

Result<void> host_write(Run& run, const Op& op, std::byte* args) {
  const auto& a = as<args_rondoHostWrite>(args);
  const std::uint32_t place = run.plan().place_of(op.subject);
  if (place == kNone || run.memory_at(place).mapped == nullptr)
    return tl::unexpected<Error>(
        run.refuse(op, Status::unreadable, run.plan().name(op.subject) + " is not allocated here"));
  CapturedData data;
  RONDO_TRY(data.load(run, op, a.pData, a.dataSize));
  return write_ranges(run, op, place, {a.pRanges, a.rangeCount}, data.bytes());
}

}  // namespace

Result<void> CapturedData::load(Run& run, const Op& op, const void* data, std::size_t bytes) {
  data_ = static_cast<const std::byte*>(data);
  if (data_ != nullptr || bytes == 0) return {};
  const TimingPause pause(run);  // the program had them at hand
  auto taken = run.options().blobs->take(run.op_index(op));
  if (!taken) return tl::unexpected<Error>(taken.error());
  late_ = std::move(*taken);
  data_ = late_->data();
  return {};
}

Result<void> write_ranges(Run& run, const Op& op, std::uint32_t place, std::span<const RondoRange> ranges,
                          const std::byte* data) {
  MemoryState& memory = run.memory_at(place);
  const Placement& placement = run.placements().of[place];
  const auto write = [&](VkDeviceSize to, const std::byte* from, VkDeviceSize bytes) {
    if (!run.substitutes().empty()) [[unlikely]]
      write_substituted(run, place, to, {from, static_cast<std::size_t>(bytes)});
    else if (op.ambiguous) [[unlikely]]
      write_beside_the_device(memory.mapped + to, from, bytes);
    else
      std::memcpy(memory.mapped + to, from, bytes);
  };
  // With what write_substituted() changes beside them.
  const auto flush_written = [&](VkDeviceSize to, VkDeviceSize bytes) -> Result<void> {
    if (memory.coherent) return {};
    const VkDeviceSize around = run.substitutes().longest(), before = std::min(to, around);
    return flush_mapped(run, op, memory, to - before, before + bytes + around);
  };
  for (const RondoRange& range : ranges) {
    if (!placement.moved && range.offset + range.size <= placement.bytes) [[likely]] {
      write(range.offset, data, range.size);
      RONDO_TRY(flush_written(range.offset, range.size));
    } else {
      std::vector<Piece>& pieces = run.pieces();
      pieces.clear();
      pieces_of(placement, range.offset, range.size, pieces);
      for (const Piece& piece : pieces) {
        write(piece.to, data + piece.from, piece.bytes);
        RONDO_TRY(flush_written(piece.to, piece.bytes));
      }
    }
    data += range.size;
  }
  return {};
}

Result<void> flush_mapped(Run& run, const Op& op, const MemoryState& memory, VkDeviceSize begin, VkDeviceSize bytes) {
  DeviceState& device = run.device(op);
  const VkDeviceSize from = begin / device.atom * device.atom;
  const VkDeviceSize end = (begin + bytes + device.atom - 1) / device.atom * device.atom;
  const VkMappedMemoryRange range{VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE, nullptr, memory.handle, from,
                                  end >= memory.bytes ? VK_WHOLE_SIZE : end - from};
  if (VkResult r = device.dispatch.vkFlushMappedMemoryRanges(device.handle, 1, &range); r < 0)
    return tl::unexpected<Error>(run.failure(op, r, "vkFlushMappedMemoryRanges"));
  return {};
}

void add_memory_executors(std::vector<Executor>& table) {
  table[static_cast<std::size_t>(CommandId::vkAllocateMemory)] = allocate;
  table[static_cast<std::size_t>(CommandId::vkFreeMemory)] = free_memory;
  table[static_cast<std::size_t>(CommandId::vkBindBufferMemory)] = bind_buffer;
  table[static_cast<std::size_t>(CommandId::vkBindImageMemory)] = bind_image;
  table[static_cast<std::size_t>(CommandId::vkBindBufferMemory2)] = bind_buffers;
  table[static_cast<std::size_t>(CommandId::vkBindImageMemory2)] = bind_images;
  table[static_cast<std::size_t>(CommandId::rondoHostWrite)] = host_write;
}

}  // namespace rondo::player
