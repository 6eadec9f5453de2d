// SPDX-License-Identifier: Apache-2.0
// Memory: allocation, addresses, mapping. What is not coherent is mapped as a
// shadow that only flushes and invalidations copy.
#include "tests/icd/memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <mutex>

#include "tests/icd/chain.h"
#include "tests/icd/digest.h"
#include "tests/icd/install.h"
#include "tests/icd/order_pool.h"
#include "tests/icd/state.h"

namespace fake {

namespace {

constexpr VkDeviceSize kMiB = 1u << 20;
constexpr VkDeviceSize kAddressGrain = 0x10000;

// Addresses taken, begin → end; and bytes allocated.
struct Space {
  std::mutex mutex;
  std::map<std::uint64_t, std::uint64_t> taken;
  std::uint64_t allocated = 0;
  std::uint64_t numbers = 0;                // given to allocations
  std::uint64_t of_programs = 0, peak = 0;  // bytes that vkAllocateMemory gave, now and at most
};
Space& space() {
  static Space& one = *new Space;  // threads of a leaked device outlive main()
  return one;
}

std::uint64_t round_up(std::uint64_t value, std::uint64_t grain) { return (value + grain - 1) / grain * grain; }

bool is_free(const Space& s, std::uint64_t begin, std::uint64_t end) {
  auto next = s.taken.upper_bound(begin);
  if (next != s.taken.end() && next->first < end) return false;
  return next == s.taken.begin() || std::prev(next)->second <= begin;
}

std::byte* pages(VkDeviceSize size) {
  void* at = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return at == MAP_FAILED ? nullptr : static_cast<std::byte*>(at);
}

bool coherent(const Memory& memory) { return (memory.properties & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) != 0; }
bool host_visible(const Memory& memory) { return (memory.properties & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0; }

VkResult take_address(Memory& memory, std::uint64_t wanted) {
  Space& s = space();
  const std::lock_guard lock(s.mutex);
  const std::uint64_t size = round_up(memory.size, kAddressGrain);
  if (wanted != 0) {
    if (wanted % kAddressGrain != 0 || wanted + size < wanted || !is_free(s, wanted, wanted + size))
      return VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS;
  } else {
    wanted = round_up(settings().addresses, kAddressGrain);
    for (const auto& [begin, end] : s.taken) {
      if (end <= wanted) continue;
      if (begin >= wanted + size) break;
      wanted = end;
    }
  }
  s.taken[wanted] = wanted + size;
  memory.address = wanted;
  return VK_SUCCESS;
}

bool within_budget(VkDeviceSize size) {
  Space& s = space();
  const std::lock_guard lock(s.mutex);
  const std::uint64_t budget = settings().budget;
  if (budget != 0 && (size > budget || s.allocated > budget - size)) return false;
  s.allocated += size;
  return true;
}

void release(std::uint64_t bytes) {
  Space& s = space();
  const std::lock_guard lock(s.mutex);
  s.allocated -= std::min<std::uint64_t>(s.allocated, bytes);
}

std::uint64_t next_number() {
  Space& s = space();
  const std::lock_guard lock(s.mutex);
  return ++s.numbers;
}

// Appends a line to the file of the setting `contents`, if there is one.
void note_contents(const std::string& line) {
  if (settings().contents.empty()) return;
  std::FILE* file = std::fopen(settings().contents.c_str(), "a");
  if (file == nullptr) return;
  std::fprintf(file, "%s\n", line.c_str());
  std::fclose(file);
}

// The program has so many bytes more. A new peak is a line of the file of the setting `peak`, if there is one.
void count_of_programs(std::uint64_t bytes) {
  Space& s = space();
  const std::lock_guard lock(s.mutex);
  s.of_programs += bytes;
  if (s.of_programs <= s.peak) return;
  s.peak = s.of_programs;
  if (settings().peak.empty()) return;
  std::FILE* file = std::fopen(settings().peak.c_str(), "a");
  if (file == nullptr) return;
  std::fprintf(file, "%llu\n", static_cast<unsigned long long>(s.peak));
  std::fclose(file);
}

VkResult allocate(Call& call, args_vkAllocateMemory& a) {
  const VkMemoryAllocateInfo& info = *a.pAllocateInfo;
  const auto types = memory_properties();
  auto memory = std::make_shared<Memory>();
  memory->memory_type = info.memoryTypeIndex;
  memory->properties = types.memoryTypes[info.memoryTypeIndex].propertyFlags;
  *a.pMemory = VK_NULL_HANDLE;
  if (info.allocationSize > types.memoryHeaps[types.memoryTypes[info.memoryTypeIndex].heapIndex].size)
    return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  if (const auto* dedicated = chained<VkMemoryDedicatedAllocateInfo>(info)) {
    memory->dedicated_buffer = number(dedicated->buffer);
    memory->dedicated_image = number(dedicated->image);
  }
  const auto* flags = chained<VkMemoryAllocateFlagsInfo>(info);
  memory->has_address = flags != nullptr && (flags->flags & VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT) != 0;
  if (!within_budget(info.allocationSize)) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  memory->size = info.allocationSize;  // from here on the destructor gives it back
  memory->number = next_number();
  const auto* imported = chained<VkImportMemoryHostPointerInfoEXT>(info);
  if (imported != nullptr && imported->handleType != 0) {
    memory->imported = true;
    memory->contents = static_cast<std::byte*>(imported->pHostPointer);
  } else {
    memory->contents = pages(memory->size);
  }
  memory->host = memory->contents;
  if (host_visible(*memory) && !coherent(*memory) && !memory->imported) memory->host = pages(memory->size);
  if (memory->contents == nullptr || memory->host == nullptr) return VK_ERROR_OUT_OF_HOST_MEMORY;
  const auto* address = chained<VkMemoryOpaqueCaptureAddressAllocateInfo>(info);
  if (const VkResult r = take_address(*memory, address == nullptr ? 0 : address->opaqueCaptureAddress); r != VK_SUCCESS)
    return r;
  *a.pMemory = as_handle<VkDeviceMemory>(publish(memory, call.device));
  count_of_programs(memory->size);
  return VK_SUCCESS;
}

void check_allocate(Call& call, const args_vkAllocateMemory& a) {
  const VkMemoryAllocateInfo& info = *a.pAllocateInfo;
  if (info.memoryTypeIndex >= memory_properties().memoryTypeCount)
    return violation("memoryTypeIndex is " + std::to_string(info.memoryTypeIndex) + ", of " +
                     std::to_string(memory_properties().memoryTypeCount) + " types");
  if (info.allocationSize == 0) return violation("allocationSize is 0");
  const auto* flags = chained<VkMemoryAllocateFlagsInfo>(info);
  const auto bits = flags == nullptr ? 0 : flags->flags;
  const auto* address = chained<VkMemoryOpaqueCaptureAddressAllocateInfo>(info);
  if (address != nullptr && address->opaqueCaptureAddress != 0 &&
      (bits & VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT) == 0)
    violation("a captured address is given without VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT");
  if ((bits & VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT) != 0 && !call.device->capture_replay)
    harmless("bufferDeviceAddressCaptureReplay is not enabled");
  const auto* dedicated = chained<VkMemoryDedicatedAllocateInfo>(info);
  if (dedicated != nullptr && dedicated->image != VK_NULL_HANDLE && dedicated->buffer != VK_NULL_HANDLE)
    violation("VkMemoryDedicatedAllocateInfo has both an image and a buffer");
  if (const auto* imported = chained<VkImportMemoryHostPointerInfoEXT>(info);
      imported != nullptr && imported->handleType != 0) {
    const auto at = reinterpret_cast<std::uint64_t>(imported->pHostPointer);
    const VkDeviceSize grain = settings().import_alignment;
    if (at == 0 || at % grain != 0 || info.allocationSize % grain != 0)
      violation("pHostPointer or allocationSize is not a multiple of minImportedHostPointerAlignment");
    else if ((import_types() & (1u << info.memoryTypeIndex)) == 0)
      violation("the memory type cannot import this pointer");
  }
}

void check_free(Call&, const args_vkFreeMemory& a) {
  const auto memory = get<Memory>(a.memory);
  if (memory != nullptr && memory->pending != 0) violation("memory is in use by work that is not finished");
}

void free_memory(Call&, args_vkFreeMemory& a) {
  if (const auto memory = get<Memory>(a.memory); memory != nullptr) {
    Space& s = space();
    const std::lock_guard lock(s.mutex);
    s.of_programs -= std::min(s.of_programs, memory->size);
  }
  retire(Memory::kType, number(a.memory));
}

VkDeviceSize mapped_size(const Memory& memory, VkDeviceSize offset, VkDeviceSize size) {
  return size == VK_WHOLE_SIZE ? memory.size - offset : size;
}

void check_map(Call&, const args_vkMapMemory& a) {
  const auto memory = get<Memory>(a.memory);
  if (!host_visible(*memory)) return violation("memory is not host visible");
  if (memory->mapped) return violation("memory is already mapped");
  if (a.offset >= memory->size) return violation("offset is outside the memory");
  if (a.size == 0 || (a.size != VK_WHOLE_SIZE && a.size > memory->size - a.offset))
    violation("size is 0 or reaches outside the memory");
}

VkResult map(Call&, args_vkMapMemory& a) {
  const auto memory = get<Memory>(a.memory);
  memory->mapped = true;
  memory->map_offset = a.offset;
  memory->map_size = mapped_size(*memory, a.offset, a.size);
  *a.ppData = memory->host + a.offset;
  return VK_SUCCESS;
}

void check_unmap(Call&, const args_vkUnmapMemory& a) {
  if (!get<Memory>(a.memory)->mapped) violation("memory is not mapped");
}

void unmap(Call&, args_vkUnmapMemory& a) { get<Memory>(a.memory)->mapped = false; }

#ifdef VK_KHR_map_memory2
args_vkMapMemory older(const args_vkMapMemory2& a) {
  const VkMemoryMapInfoKHR& info = *a.pMemoryMapInfo;
  return {a.device, info.memory, info.offset, info.size, info.flags, a.ppData};
}
args_vkUnmapMemory older(const args_vkUnmapMemory2& a) { return {a.device, a.pMemoryUnmapInfo->memory}; }

void check_map_2(Call& call, const args_vkMapMemory2& a) { check_map(call, older(a)); }
VkResult map_2(Call& call, args_vkMapMemory2& a) {
  args_vkMapMemory same = older(a);
  return map(call, same);
}
void check_unmap_2(Call& call, const args_vkUnmapMemory2& a) { check_unmap(call, older(a)); }
VkResult unmap_2(Call& call, args_vkUnmapMemory2& a) {
  args_vkUnmapMemory same = older(a);
  unmap(call, same);
  return VK_SUCCESS;
}
#endif

void check_range(const VkMappedMemoryRange& range) {
  const auto memory = get<Memory>(range.memory);
  if (!memory->mapped) return violation("memory is not mapped");
  const VkDeviceSize end_of_map = memory->map_offset + memory->map_size;
  if (range.offset < memory->map_offset || range.offset > end_of_map ||
      (range.size != VK_WHOLE_SIZE && range.size > end_of_map - range.offset))
    return violation("a range reaches outside what is mapped");
  const VkDeviceSize atom = settings().atom;
  const VkDeviceSize end = range.size == VK_WHOLE_SIZE ? end_of_map : range.offset + range.size;
  if (range.offset % atom != 0 || (end % atom != 0 && end != memory->size))
    violation("a range is not a multiple of nonCoherentAtomSize (" + std::to_string(atom) + ")");
}

void copy_range(const VkMappedMemoryRange& range, bool to_device) {
  const auto memory = get<Memory>(range.memory);
  if (memory->host == memory->contents) return;
  const VkDeviceSize bytes =
      range.size == VK_WHOLE_SIZE ? memory->map_offset + memory->map_size - range.offset : range.size;
  std::byte* device = memory->contents + range.offset;
  std::byte* host = memory->host + range.offset;
  std::memcpy(to_device ? device : host, to_device ? host : device, bytes);
}

template <class A>
void check_ranges(Call&, const A& a) {
  for (std::uint32_t i = 0; i < a.memoryRangeCount; ++i) check_range(a.pMemoryRanges[i]);
}

VkResult flush(Call&, args_vkFlushMappedMemoryRanges& a) {
  for (std::uint32_t i = 0; i < a.memoryRangeCount; ++i) copy_range(a.pMemoryRanges[i], true);
  return VK_SUCCESS;
}

VkResult invalidate(Call&, args_vkInvalidateMappedMemoryRanges& a) {
  for (std::uint32_t i = 0; i < a.memoryRangeCount; ++i) copy_range(a.pMemoryRanges[i], false);
  return VK_SUCCESS;
}

void commitment(Call&, args_vkGetDeviceMemoryCommitment& a) {
  *a.pCommittedMemoryInBytes = get<Memory>(a.memory)->size;
}

VkResult host_pointer_properties(Call&, args_vkGetMemoryHostPointerPropertiesEXT& a) {
  a.pMemoryHostPointerProperties->memoryTypeBits = import_types();
  return VK_SUCCESS;
}

std::uint64_t opaque_address(Call&, args_vkGetDeviceMemoryOpaqueCaptureAddress& a) {
  return get<Memory>(a.pInfo->memory)->address;
}

void check_opaque_address(Call&, const args_vkGetDeviceMemoryOpaqueCaptureAddress& a) {
  if (!get<Memory>(a.pInfo->memory)->has_address)
    violation("memory was allocated without VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT");
}

}  // namespace

VkPhysicalDeviceMemoryProperties memory_properties() {
  VkPhysicalDeviceMemoryProperties p{};
  constexpr VkMemoryPropertyFlags local = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  constexpr VkMemoryPropertyFlags visible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
  constexpr VkMemoryPropertyFlags coherent = VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  constexpr VkMemoryPropertyFlags cached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
  if (settings().unified) {
    p.memoryHeapCount = p.memoryTypeCount = 1;
    p.memoryHeaps[0] = {8192 * kMiB, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
    p.memoryTypes[0] = {local | visible | coherent | cached, 0};
    return p;
  }
  p.memoryHeapCount = 3;
  p.memoryHeaps[0] = {8192 * kMiB, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
  p.memoryHeaps[1] = {16384 * kMiB, 0};
  p.memoryHeaps[2] = {256 * kMiB, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
  p.memoryTypeCount = 4;
  p.memoryTypes[0] = {local, 0};
  p.memoryTypes[1] = {visible | cached, 1};
  p.memoryTypes[2] = {visible | coherent | cached, 1};
  p.memoryTypes[3] = {local | visible | coherent, 2};
  return p;
}

std::uint32_t all_memory_types() { return (1u << memory_properties().memoryTypeCount) - 1; }
std::uint32_t import_types() { return settings().unified ? 1u : 4u; }
std::uint32_t optimal_image_types() { return 1u; }

std::shared_ptr<Memory> own_memory(VkDeviceSize size) {
  if (!within_budget(size)) return nullptr;
  auto memory = std::make_shared<Memory>();
  memory->size = size;
  memory->number = next_number();
  memory->contents = memory->host = pages(size);
  return memory->contents == nullptr ? nullptr : memory;
}

std::shared_ptr<const void> reserve(std::uint64_t bytes) {
  if (!within_budget(bytes)) return nullptr;
  return {new std::uint64_t(bytes), [](const std::uint64_t* held) {
            release(*held);
            delete held;
          }};
}

void reset_memory() {
  Space& s = space();
  const std::lock_guard lock(s.mutex);
  s.taken.clear();
  s.allocated = s.numbers = s.of_programs = s.peak = 0;
}

void note_instance() {
  {
    Space& s = space();
    const std::lock_guard lock(s.mutex);
    s.numbers = 0;
  }
  note_contents("instance");
}

Memory::~Memory() {
  if (contents != nullptr) order::forget(contents, size);
  if (contents != nullptr && !settings().contents.empty()) {
    Hash hash;
    hash.bytes(contents, size);
    note_contents(std::to_string(number) + " " + std::to_string(size) + " " + std::to_string(hash.digest()));
  }
  if (host != nullptr && host != contents) munmap(host, size);
  if (contents != nullptr && !imported) munmap(contents, size);
  if (address != 0) {
    Space& s = space();
    const std::lock_guard lock(s.mutex);
    s.taken.erase(address);
  }
  release(size);
}

void install_memory(Table& table) {
  table.check<check_allocate>(CommandId::vkAllocateMemory);
  table.behave<allocate>(CommandId::vkAllocateMemory);
  table.check<check_free>(CommandId::vkFreeMemory);
  table.behave<free_memory>(CommandId::vkFreeMemory);
  table.check<check_map>(CommandId::vkMapMemory);
  table.behave<map>(CommandId::vkMapMemory);
  table.check<check_unmap>(CommandId::vkUnmapMemory);
  table.behave<unmap>(CommandId::vkUnmapMemory);
#ifdef VK_KHR_map_memory2
  table.check<check_map_2>(CommandId::vkMapMemory2);
  table.behave<map_2>(CommandId::vkMapMemory2);
  table.check<check_unmap_2>(CommandId::vkUnmapMemory2);
  table.behave<unmap_2>(CommandId::vkUnmapMemory2);
#endif
  table.check<check_ranges<args_vkFlushMappedMemoryRanges>>(CommandId::vkFlushMappedMemoryRanges);
  table.behave<flush>(CommandId::vkFlushMappedMemoryRanges);
  table.check<check_ranges<args_vkInvalidateMappedMemoryRanges>>(CommandId::vkInvalidateMappedMemoryRanges);
  table.behave<invalidate>(CommandId::vkInvalidateMappedMemoryRanges);
  table.behave<commitment>(CommandId::vkGetDeviceMemoryCommitment);
  table.behave<host_pointer_properties>(CommandId::vkGetMemoryHostPointerPropertiesEXT);
  table.check<check_opaque_address>(CommandId::vkGetDeviceMemoryOpaqueCaptureAddress);
  table.behave<opaque_address>(CommandId::vkGetDeviceMemoryOpaqueCaptureAddress);
}

}  // namespace fake
