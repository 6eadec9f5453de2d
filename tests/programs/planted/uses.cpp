// SPDX-License-Identifier: Apache-2.0
// Buffers and images that are used in one way each, for `rondo memory`. It prints the right answer:
//
//   expect class VkBuffer#1 constant       the class of the resource
//   expect advice unused-usage VkBuffer#0  there is advice of this rule about it; of the rule about nothing else
//   expect none unused-usage               there is no advice of this rule
//
//   uses NAME [clean]: the plants below; the clean twin of each differs by what its name says.
#include <map>
#include <string>

#include "kernel.h"
#include "picture.h"
#include "uses.comp.h"

using namespace program;

namespace {

constexpr VkDeviceSize kBytes = 4096;
constexpr std::uint32_t kExtent = 16;
constexpr VkBufferUsageFlags kAll =
    VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;

struct Bench : Session {
  bool clean = false;
  int buffers = 0, images = 0;
};

struct Buffer : MappedBuffer {
  std::string name;  // "VkBuffer#0"
};

Buffer mapped(Bench& b) {
  Buffer made;
  static_cast<MappedBuffer&>(made) = create_mapped_buffer(b, kBytes, kAll);
  made.name = "VkBuffer#" + std::to_string(b.buffers++);
  b.at_end.push_back([made, c = static_cast<const Context&>(b)]() mutable { destroy(c, made); });
  return made;
}

Buffer local(Bench& b, VkBufferUsageFlags usage = kAll, const std::vector<std::uint32_t>& families = {}) {
  Buffer made;
  VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  info.size = made.bytes = kBytes;
  info.usage = usage;
  info.sharingMode = families.size() > 1 ? VK_SHARING_MODE_CONCURRENT : VK_SHARING_MODE_EXCLUSIVE;
  info.queueFamilyIndexCount = static_cast<std::uint32_t>(families.size());
  info.pQueueFamilyIndices = families.data();
  CHECK(vkCreateBuffer(b.device, &info, nullptr, &made.buffer));
  made.name = "VkBuffer#" + std::to_string(b.buffers++);
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(b.device, made.buffer, &needs);
  made.memory = keep(b, vkFreeMemory, allocate(b, needs, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT));
  CHECK(vkBindBufferMemory(b.device, made.buffer, made.memory, 0));
  keep(b, vkDestroyBuffer, made.buffer);
  return made;
}

void fill(const Buffer& buffer, std::uint32_t word) {
  for (std::size_t i = 0; i < kBytes / 4; ++i) buffer.words[i] = word;
}

void copy(Bench& b, const Buffer& from, const Buffer& to) {
  const VkBufferCopy region{0, 0, kBytes};
  vkCmdCopyBuffer(b.cmd, from.buffer, to.buffer, 1, &region);
  barrier(b.cmd);
}

void compute(Bench& b, const Buffer& from, const Buffer& to) {
  const Kernel kernel = create_kernel(b, shader(b, uses_comp_spv), {from, to});
  bind(b.cmd, kernel);
  vkCmdDispatch(b.cmd, kBytes / 256, 1, 1);
  barrier(b.cmd);
}

void expect_class(const Buffer& buffer, const char* kind) {
  std::printf("expect class %s %s\n", buffer.name.c_str(), kind);
}
void expect_advice(const Bench& b, const char* rule, const std::string& about) {
  if (b.clean)
    std::printf("expect none %s\n", rule);
  else
    std::printf("expect advice %s %s\n", rule, about.c_str());
}

// One buffer of each class. The clean twin uses each buffer in one more way, so that it has another class.
void classes(Bench& b) {
  const Buffer up = mapped(b), weights = local(b), middle = local(b), state = local(b), down = mapped(b),
               garbage = local(b), idle = local(b), changing = mapped(b);
  fill(up, 1);
  copy(b, up, weights);
  run(b);
  for (std::uint32_t i = 0; i < 3; ++i) {
    fill(changing, i);
    compute(b, weights, middle);
    compute(b, middle, garbage);
    compute(b, state, down);
    compute(b, changing, state);
    if (b.clean) {
      copy(b, garbage, down);
      copy(b, down, weights);
      compute(b, idle, middle);
      compute(b, up, down);
    }
    run(b);
    if (b.clean) compute(b, middle, idle);
  }
  expect_class(weights, b.clean ? "variable" : "constant");
  expect_class(up, b.clean ? "constant" : "staging-up");
  expect_class(middle, b.clean ? "variable" : "transient");
  expect_class(state, "variable");
  expect_class(changing, "variable");
  expect_class(down, b.clean ? "variable" : "staging-down");
  expect_class(garbage, b.clean ? "transient" : "dead");
  expect_class(idle, b.clean ? "variable" : "unused");
}

void dead(Bench& b) {
  const Buffer from = mapped(b), to = local(b), out = mapped(b);
  fill(from, 3);
  copy(b, from, to);
  if (b.clean) copy(b, to, out);
  run(b);
  expect_advice(b, "dead", to.name);
}

void unused(Bench& b) {
  const Buffer from = mapped(b), to = local(b), out = mapped(b);
  fill(from, 3);
  copy(b, from, out);
  if (b.clean) copy(b, from, to), copy(b, to, out);
  run(b);
  expect_advice(b, "unused", to.name);
}

void host_constant(Bench& b) {
  const Buffer table = mapped(b), near = local(b), out = mapped(b);
  fill(table, 5);
  copy(b, table, near);
  for (int i = 0; i < 3; ++i) {
    compute(b, b.clean ? near : table, out);
    run(b);
  }
  expect_advice(b, "host-constant", table.name);
}

Image target(Bench& b, VkImageUsageFlags usage) {
  ++b.images;
  return create_image(b, image_info(VK_FORMAT_R8G8B8A8_UNORM, kExtent, usage | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT));
}

// It blends, and so reads what it cleared or loaded.
void pass(Bench& b, const Image& image, VkAttachmentLoadOp load, VkAttachmentStoreOp store) {
  VkRenderingAttachmentInfo color = attachment(image.view, VK_IMAGE_LAYOUT_GENERAL, load);
  color.storeOp = store;
  const VkRenderingInfo info{.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                             .renderArea = {{0, 0}, {kExtent, kExtent}},
                             .layerCount = 1,
                             .colorAttachmentCount = 1,
                             .pColorAttachments = &color};
  vkCmdBeginRendering(b.cmd, &info);
  Drawing d = shapes(b);
  d.attachments = {{.blendEnable = VK_TRUE,
                    .srcColorBlendFactor = VK_BLEND_FACTOR_ONE,
                    .dstColorBlendFactor = VK_BLEND_FACTOR_ONE,
                    .srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
                    .dstAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
                    .colorWriteMask = 0xf}};
  vkCmdBindPipeline(b.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, build(b, d));
  set_area(b.cmd, kExtent);
  draw(b.cmd, d.layout, {});
  vkCmdEndRendering(b.cmd);
  barrier(b.cmd);
}

void transient_attachment(Bench& b) {
  const Image image = target(b, b.clean ? VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT : 0);
  transition(b.cmd, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
  for (int i = 0; i < 2; ++i) pass(b, image, VK_ATTACHMENT_LOAD_OP_CLEAR, VK_ATTACHMENT_STORE_OP_DONT_CARE);
  run(b);
  expect_advice(b, "transient-attachment", "VkImage#0");
}

void unread_store(Bench& b) {
  const Image image = target(b, VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
  const MappedBuffer out = create_readback(b, kExtent * kExtent * 4);
  transition(b.cmd, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
  for (int i = 0; i < 3; ++i) {
    pass(b, image, VK_ATTACHMENT_LOAD_OP_CLEAR, VK_ATTACHMENT_STORE_OP_STORE);
    if (b.clean) copy_out(b.cmd, image, VK_IMAGE_LAYOUT_GENERAL, out);
  }
  run(b);
  expect_advice(b, "unread-store", "VkImage#0");
}

void undefined_load(Bench& b) {
  const Image image = target(b, VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
  const MappedBuffer out = create_readback(b, kExtent * kExtent * 4);
  transition(b.cmd, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
  pass(b, image, b.clean ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_LOAD, VK_ATTACHMENT_STORE_OP_STORE);
  pass(b, image, VK_ATTACHMENT_LOAD_OP_LOAD, VK_ATTACHMENT_STORE_OP_STORE);
  copy_out(b.cmd, image, VK_IMAGE_LAYOUT_GENERAL, out);
  run(b);
  expect_advice(b, "undefined-load", "VkImage#0");
}

void unshared(Bench& b) {
  const auto families = static_cast<std::uint32_t>(queue_families(b.physical).size());
  if (families < 2) std::exit(cannot_run("the device has one queue family"));
  const Buffer from = mapped(b), out = mapped(b),
               to = local(b, kAll, b.clean ? std::vector<std::uint32_t>{} : std::vector<std::uint32_t>{0, 1});
  fill(from, 3);
  copy(b, from, to);
  copy(b, to, out);
  run(b);
  expect_advice(b, "unshared", to.name);
}

void unused_usage(Bench& b) {
  constexpr VkBufferUsageFlags copies = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  const Buffer to = local(b, copies | (b.clean ? 0 : VK_BUFFER_USAGE_INDEX_BUFFER_BIT)), other = local(b, copies);
  vkCmdFillBuffer(b.cmd, other.buffer, 0, kBytes, 7);
  barrier(b.cmd);
  copy(b, other, to);
  copy(b, to, other);
  run(b);
  expect_advice(b, "unused-usage", to.name);
}

const std::map<std::string, void (*)(Bench&)> kPlants{
    {"classes", classes},
    {"dead", dead},
    {"unused", unused},
    {"host-constant", host_constant},
    {"transient-attachment", transient_attachment},
    {"unread-store", unread_store},
    {"undefined-load", undefined_load},
    {"unshared", unshared},
    {"unused-usage", unused_usage},
};

}  // namespace

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "classes";
  if (name == "--list") {
    for (const auto& [plant, record] : kPlants) std::printf("%s\n", plant.c_str());
    return 0;
  }
  const auto plant = kPlants.find(name);
  if (plant == kPlants.end()) return 2;
  VkPhysicalDeviceVulkan13Features features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
  features.dynamicRendering = VK_TRUE;
  Bench b;
  static_cast<Session&>(b) = open("uses", {.features = &features});
  b.clean = argc > 2 && std::string(argv[2]) == "clean";
  plant->second(b);
  return finish(b);
}
