// SPDX-License-Identifier: Apache-2.0
// Each kind of state that outlives a submit: a scope "middle" begins with what
// was before it and leaves something else, so that it comes out otherwise when
// it is simply played again.
//   states --state contents|sets|recordings|half|secondaries|fences|events|waiting|device-events|binaries|timelines
//                  |queries|results|objects|bound|freed|devices|signalled|ticks|told
#include "states_sync.h"

using namespace program;

namespace {

// A slot that adds to what it held.
void contents(States& s) {
  s.dispatch(s.commands.buffer, s.a.set, 0, 0);
  s.run(s.commands.buffer);
  s.enter();
  s.run(s.commands.buffer);
  s.run(s.commands.buffer);
  s.leave();
}

// A set that names one buffer, and then another.
void sets(States& s) {
  Accumulate other = s.a;
  other.output = create_mapped_buffer(s.c, s.a.output.bytes, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  std::memset(other.output.words, 0, other.output.bytes);
  s.enter();
  s.dispatch(s.commands.buffer, s.a.set, 0, kNoSlot);
  s.run(s.commands.buffer);
  write_set(s.c, other, s.a.set);
  s.dispatch(s.commands.buffer, s.a.set, 1, kNoSlot);
  s.run(s.commands.buffer);
  s.leave();
  destroy(s.c, other.output);
}

// What was recorded before is submitted, and then something else in its place.
void recordings(States& s) {
  s.dispatch(s.commands.buffer, s.a.set, 0, kNoSlot);
  s.enter();
  s.run(s.commands.buffer);
  s.dispatch(s.commands.buffer, s.a.set, 1, kNoSlot);
  s.run(s.commands.buffer);
  s.leave();
}

// Recorded one half before and one half in it; another is left in the middle, and one goes on from before
// to behind it.
void half(States& s) {
  const VkCommandBuffer open = another(s), long_open = another(s);
  begin(long_open, 0);
  record_dispatch(s.a, long_open, s.a.set, 3, kNoSlot);
  begin(s.commands.buffer, 0);
  record_dispatch(s.a, s.commands.buffer, s.a.set, 0, kNoSlot);
  s.enter();
  record_dispatch(s.a, s.commands.buffer, s.a.set, 1, 1);
  CHECK(vkEndCommandBuffer(s.commands.buffer));
  s.run(s.commands.buffer);
  begin(open, 0);
  record_dispatch(s.a, open, s.a.set, 2, 1);
  record_dispatch(s.a, long_open, s.a.set, 4, 3);
  s.run(s.commands.buffer);
  s.leave();
  CHECK(vkEndCommandBuffer(open));
  s.run(open);
  CHECK(vkEndCommandBuffer(long_open));
  s.run(long_open);
}

// A secondary that the primaries of before and of the scope execute, recorded anew behind it.
void secondaries(States& s) {
  VkCommandBufferAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  info.commandPool = s.commands.pool;
  info.level = VK_COMMAND_BUFFER_LEVEL_SECONDARY;
  info.commandBufferCount = 1;
  VkCommandBuffer secondary;
  CHECK(vkAllocateCommandBuffers(s.c.device, &info, &secondary));
  const auto record = [&](std::uint32_t slot) {
    const VkCommandBufferInheritanceInfo none{
        VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO, nullptr, VK_NULL_HANDLE, 0, VK_NULL_HANDLE, VK_FALSE, 0, 0};
    VkCommandBufferBeginInfo begin_info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr, 0, &none};
    CHECK(vkBeginCommandBuffer(secondary, &begin_info));
    record_dispatch(s.a, secondary, s.a.set, slot, kNoSlot);
    CHECK(vkEndCommandBuffer(secondary));
  };
  record(0);
  begin(s.commands.buffer, 0);
  vkCmdExecuteCommands(s.commands.buffer, 1, &secondary);
  CHECK(vkEndCommandBuffer(s.commands.buffer));
  s.enter();
  s.run(s.commands.buffer);
  record(1);
  begin(s.commands.buffer, 0);
  vkCmdExecuteCommands(s.commands.buffer, 1, &secondary);
  CHECK(vkEndCommandBuffer(s.commands.buffer));
  s.run(s.commands.buffer);
  s.leave();
}

// Made in it, and left behind: a buffer with its memory, a set of a pool that frees none, a pipeline.
void objects(States& s) {
  const VkDescriptorPool pool = create_set_pool(s.c, 1, 0);
  s.enter();
  Accumulate other = s.a;
  other.output = create_mapped_buffer(s.c, s.a.output.bytes, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  std::memset(other.output.words, 0, other.output.bytes);
  VkDescriptorSet set;
  CHECK(allocate_sets(s.c, pool, s.a.set_layout, 1, &set));
  write_set(s.c, other, set);
  const VkCommandBuffer work = another(s);
  s.dispatch(work, set, 0, 0);
  s.run(work);
  s.leave();
  s.run(work);
  vkDestroyDescriptorPool(s.c.device, pool, nullptr);
  destroy(s.c, other.output);
}

// Made before it, and bound in it to memory that is allocated there.
void bound(States& s) {
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = s.a.output.bytes;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  Accumulate other = s.a;
  CHECK(vkCreateBuffer(s.c.device, &info, nullptr, &other.output.buffer));
  const VkDescriptorPool pool = create_set_pool(s.c, 1, 0);
  VkDescriptorSet set;
  CHECK(allocate_sets(s.c, pool, s.a.set_layout, 1, &set));
  s.enter();
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(s.c.device, other.output.buffer, &needs);
  other.output.memory =
      allocate(s.c, needs, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  CHECK(vkBindBufferMemory(s.c.device, other.output.buffer, other.output.memory, 0));
  void* mapped = nullptr;
  CHECK(vkMapMemory(s.c.device, other.output.memory, 0, VK_WHOLE_SIZE, 0, &mapped));
  std::memset(mapped, 0, other.output.bytes);
  write_set(s.c, other, set);
  s.dispatch(s.commands.buffer, set, 0, 0);  // adds to what is there
  s.run(s.commands.buffer);
  vkFreeMemory(s.c.device, other.output.memory, nullptr);
  s.leave();
  vkDestroyBuffer(s.c.device, other.output.buffer, nullptr);
  vkDestroyDescriptorPool(s.c.device, pool, nullptr);
}

// Ended in it: what was made before it.
void freed(States& s) {
  const VkDescriptorPool pool = create_set_pool(s.c, 2, 0), gone = create_set_pool(s.c, 1, 0);
  VkDescriptorSet two[2], one;
  CHECK(allocate_sets(s.c, pool, s.a.set_layout, 2, two));
  CHECK(allocate_sets(s.c, gone, s.a.set_layout, 1, &one));
  Accumulate other = s.a;
  other.output = create_mapped_buffer(s.c, s.a.output.bytes, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  std::memset(other.output.words, 0, other.output.bytes);
  for (const VkDescriptorSet set : {two[0], two[1], one}) write_set(s.c, other, set);
  const VkCommandBuffer old[2] = {another(s), another(s)};
  s.dispatch(old[0], two[0], 0, 0);
  s.dispatch(old[1], one, 1, 0);
  s.enter();
  s.run(old[0]);
  s.run(old[1]);
  const VkCommandBuffer fresh = another(s);
  s.dispatch(fresh, two[1], 2, 1);
  s.run(fresh);
  const VkCommandBuffer all[3] = {old[0], fresh, old[1]};
  vkFreeCommandBuffers(s.c.device, s.commands.pool, 3, all);
  CHECK(vkResetDescriptorPool(s.c.device, pool, 0));
  vkDestroyDescriptorPool(s.c.device, gone, nullptr);
  VkDescriptorSet again[2];
  CHECK(allocate_sets(s.c, pool, s.a.set_layout, 2, again));
  write_set(s.c, other, again[1]);
  s.dispatch(s.commands.buffer, again[1], 3, 2);
  s.run(s.commands.buffer);
  destroy(s.c, other.output);
  s.leave();
  vkDestroyDescriptorPool(s.c.device, pool, nullptr);
}

// Devices that are made in it, with labels that stay open on their queues: one goes there, one stays.
void devices(States& s) {
  VkDebugUtilsLabelEXT label{};
  label.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT;
  label.pLabelName = "open";
  s.dispatch(s.commands.buffer, s.a.set, 0, 0);
  s.enter();
  const Context gone = create_device(s.c.instance, {}), stays = create_device(s.c.instance, {});
  s.run(s.commands.buffer);
  for (const Context& other : {gone, stays}) s.begin_label(other.queues[0], &label);
  vkDestroyDevice(gone.device, nullptr);
  s.leave();
  vkDestroyDevice(stays.device, nullptr);
}

// Said of an object before it, and asked for in it; a label is open all the while.
void told(States& s) {
  VkPrivateDataSlotCreateInfo slot_info{};
  slot_info.sType = VK_STRUCTURE_TYPE_PRIVATE_DATA_SLOT_CREATE_INFO;
  VkPrivateDataSlot slot;
  CHECK(vkCreatePrivateDataSlot(s.c.device, &slot_info, nullptr, &slot));
  const auto output = reinterpret_cast<std::uint64_t>(s.a.output.buffer);
  const auto name_it = reinterpret_cast<PFN_vkSetDebugUtilsObjectNameEXT>(
      vkGetInstanceProcAddr(s.c.instance, "vkSetDebugUtilsObjectNameEXT"));
  VkDebugUtilsObjectNameInfoEXT name{};
  name.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT;
  name.objectType = VK_OBJECT_TYPE_BUFFER;
  name.objectHandle = output;
  for (const std::uint64_t last : {1, 2}) {
    CHECK(vkSetPrivateData(s.c.device, VK_OBJECT_TYPE_BUFFER, output, slot, last));
    name.pObjectName = last == 2 ? "the output" : "something";
    CHECK(name_it(s.c.device, &name));
  }
  VkDebugUtilsLabelEXT label{};
  label.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT;
  label.pLabelName = "around";
  s.begin_label(s.c.queues[0], &label);
  s.dispatch(s.commands.buffer, s.a.set, 0, 0);
  s.run(s.commands.buffer);
  s.enter();
  std::uint64_t data = 0;
  vkGetPrivateData(s.c.device, VK_OBJECT_TYPE_BUFFER, output, slot, &data);
  if (data != 2) die("private data", static_cast<long>(data));
  s.run(s.commands.buffer);
  s.leave();
  s.end_label(s.c.queues[0]);
  vkDestroyPrivateDataSlot(s.c.device, slot, nullptr);
}

struct State {
  const char* name;
  void (*play)(States&);
};
constexpr State kStates[] = {{"contents", contents},
                             {"sets", sets},
                             {"recordings", recordings},
                             {"half", half},
                             {"secondaries", secondaries},
                             {"fences", fences},
                             {"events", events},
                             {"waiting", waiting},
                             {"device-events", device_events},
                             {"binaries", binaries},
                             {"timelines", timelines},
                             {"queries", queries},
                             {"results", results},
                             {"objects", objects},
                             {"bound", bound},
                             {"freed", freed},
                             {"devices", devices},
                             {"signalled", signalled},
                             {"ticks", ticks},
                             {"told", told}};

}  // namespace

int main(int argc, char** argv) {
  const std::string_view wanted = argc == 3 && std::string_view(argv[1]) == "--state" ? argv[2] : "contents";
  VkPhysicalDeviceSynchronization2Features sync2{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SYNCHRONIZATION_2_FEATURES, nullptr,
                                                 VK_TRUE};
  VkPhysicalDeviceTimelineSemaphoreFeatures feature{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES,
                                                    &sync2, VK_TRUE};
  VkPhysicalDevicePrivateDataFeatures data{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRIVATE_DATA_FEATURES, &feature, VK_TRUE};
  Wanted device;
  device.api_version = VK_API_VERSION_1_3;
  device.features = &data;
  device.instance_extensions = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME};
  Context c = create_context("states", device);
  States s{c, create_commands(c), create_accumulate(c, kSlots),
           reinterpret_cast<PFN_vkQueueBeginDebugUtilsLabelEXT>(
               vkGetInstanceProcAddr(c.instance, "vkQueueBeginDebugUtilsLabelEXT")),
           reinterpret_cast<PFN_vkQueueEndDebugUtilsLabelEXT>(
               vkGetInstanceProcAddr(c.instance, "vkQueueEndDebugUtilsLabelEXT"))};
  if (s.begin_label == nullptr || s.end_label == nullptr) return cannot_run("this loader has no labels");
  for (std::uint32_t slot = 0; slot < kSlots; ++slot) write_input(s.a, slot, slot);
  for (const State& state : kStates) {
    if (wanted != state.name) continue;
    state.play(s);
    std::printf("states: %s, checksum %016llx\n", state.name,
                static_cast<unsigned long long>(checksum(s.a.output.words, kSlots * kSlotWords)));
    destroy(c, s.a);
    destroy(c, s.commands);
    destroy(c);
    return 0;
  }
  die("no such state", argc);
}
