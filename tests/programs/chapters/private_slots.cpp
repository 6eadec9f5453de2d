// SPDX-License-Identifier: Apache-2.0
// Chapter "Private Data" and "Debugging": numbers kept with objects of many types,
// in slots that the device reserved and in others, and names of any bytes.
#include "objects.h"
#include "words.h"

using namespace program;

namespace {

template <class Handle>
std::uint64_t value(Handle handle) {
  return reinterpret_cast<std::uint64_t>(handle);
}

struct Thing {
  VkObjectType type;
  std::uint64_t handle;
};

VkDevice create_with_slots(const Context& first) {
  const VkDevicePrivateDataCreateInfo slots{VK_STRUCTURE_TYPE_DEVICE_PRIVATE_DATA_CREATE_INFO, nullptr, 3};
  VkPhysicalDevicePrivateDataFeatures feature{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRIVATE_DATA_FEATURES,
                                              const_cast<VkDevicePrivateDataCreateInfo*>(&slots), VK_TRUE};
  Wanted wanted;
  wanted.features = &feature;
  return create_device(first.instance, wanted).device;
}

std::uint64_t keep_numbers(Session& s, VkDevice device, const std::vector<Thing>& things) {
  const VkPrivateDataSlotCreateInfo info{VK_STRUCTURE_TYPE_PRIVATE_DATA_SLOT_CREATE_INFO};
  VkPrivateDataSlot slots[8];
  for (VkPrivateDataSlot& slot : slots) CHECK(vkCreatePrivateDataSlot(device, &info, nullptr, &slot));
  std::uint64_t sum = 0;
  for (std::uint32_t round = 0; round < 2; ++round)
    for (std::uint32_t i = 0; i < 8; ++i)
      for (const Thing& thing : things) {
        std::uint64_t number = 1;
        vkGetPrivateData(device, thing.type, thing.handle, slots[i], &number);
        sum = sum * 31 + number;
        EXPECT(s, (number == 0) == (round == 0));
        const std::uint64_t next = std::uint64_t{mix(i, thing.type)} << (i * 8 % 33) | 1;
        CHECK(vkSetPrivateData(device, thing.type, thing.handle, slots[i], next));
      }
  for (std::uint32_t i = 0; i < 8; ++i) vkDestroyPrivateDataSlot(device, slots[(i * 3) % 8], nullptr);
  return sum;
}

void name(Session& s, const Thing& thing, const char* name) {
  LOAD(s, vkSetDebugUtilsObjectNameEXT);
  const VkDebugUtilsObjectNameInfoEXT info{VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT, nullptr, thing.type,
                                           thing.handle, name};
  CHECK(vkSetDebugUtilsObjectNameEXT(s.device, &info));
}

void tag(Session& s, const Thing& thing, std::size_t bytes) {
  LOAD(s, vkSetDebugUtilsObjectTagEXT);
  std::vector<unsigned char> data(bytes);
  for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<unsigned char>(i);
  const VkDebugUtilsObjectTagInfoEXT info{
      VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_TAG_INFO_EXT, nullptr, thing.type, thing.handle, 1, bytes, data.data()};
  CHECK(vkSetDebugUtilsObjectTagEXT(s.device, &info));
}

}  // namespace

int main() {
  Needs needs;
  needs.instance_extensions = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME};
  NEED(needs, Vulkan13Features, privateData);
  Session s = open("private_slots", needs);
  Unused unused = create_unused(s);
  const std::vector<Thing> things{{VK_OBJECT_TYPE_EVENT, value(unused.event)},
                                  {VK_OBJECT_TYPE_QUERY_POOL, value(unused.queries)},
                                  {VK_OBJECT_TYPE_SAMPLER, value(unused.sampler)},
                                  {VK_OBJECT_TYPE_PIPELINE_CACHE, value(unused.cache)},
                                  {VK_OBJECT_TYPE_IMAGE, value(unused.target.image)},
                                  {VK_OBJECT_TYPE_DEVICE_MEMORY, value(unused.target.memory)},
                                  {VK_OBJECT_TYPE_IMAGE_VIEW, value(unused.target.view)},
                                  {VK_OBJECT_TYPE_RENDER_PASS, value(unused.render_pass)},
                                  {VK_OBJECT_TYPE_FRAMEBUFFER, value(unused.framebuffer)},
                                  {VK_OBJECT_TYPE_BUFFER, value(unused.texels.buffer)},
                                  {VK_OBJECT_TYPE_BUFFER_VIEW, value(unused.texel_view)},
                                  {VK_OBJECT_TYPE_FENCE, value(s.commands.done)},
                                  {VK_OBJECT_TYPE_COMMAND_POOL, value(s.commands.pool)},
                                  {VK_OBJECT_TYPE_COMMAND_BUFFER, value(s.cmd)},
                                  {VK_OBJECT_TYPE_QUEUE, value(s.queues[0])},
                                  {VK_OBJECT_TYPE_DEVICE, value(s.device)}};
  s.sum = keep_numbers(s, s.device, things);
  const VkDevice other = create_with_slots(s);
  s.sum += keep_numbers(s, other, {{VK_OBJECT_TYPE_DEVICE, value(other)}});
  vkDestroyDevice(other, nullptr);

  const std::string longest(3000, 'x');
  const char* const names[] = {"",
                               "\"quoted\" \\ and \t tabbed \n lines",
                               "\xff\xfe\x80 no UTF-8",
                               "\xF0\x9F\x8C\xB8",
                               "\x01\x1f\x7f",
                               longest.c_str()};
  for (std::size_t i = 0; i < things.size(); ++i) name(s, things[i], names[i % std::size(names)]);
  for (std::size_t i = 0; i < 3; ++i) tag(s, things[i], std::size_t{1} << (i * 5));
  const MappedBuffer out = buffer(s, 64, kCopies);
  vkCmdFillBuffer(s.cmd, out.buffer, 0, 64, 5);
  run(s);
  add(s, out);
  destroy(s, unused);
  return finish(s);
}
