// SPDX-License-Identifier: Apache-2.0
// Layouts of images, and who owns them: a scope "middle" begins with those of before it and leaves
// others, so that its barriers are wrong when it is simply played again.
//   layouts --state barriers|passes|preinitialized|owners
#include <cstring>

#include "objects.h"

using namespace program;

namespace {

constexpr VkFormat kFormat = VK_FORMAT_R8G8B8A8_UNORM;
constexpr VkExtent3D kExtent{16, 16, 1};
constexpr std::uint32_t kTexels = 16 * 16;
constexpr VkImageSubresourceRange kBoth{VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT, 0, 1, 0, 1};

struct Layouts {
  Context c;
  VkQueue other = VK_NULL_HANDLE;  // of another family, if there is one
  std::uint32_t other_family = 0;
  Commands commands, others;
  MappedBuffer out;  // what was read of the images
  std::uint32_t read = 0;
  PFN_vkQueueBeginDebugUtilsLabelEXT begin_label;
  PFN_vkQueueEndDebugUtilsLabelEXT end_label;

  template <class Record>
  void run(const Record& record) {
    run_once(c, commands, record);
  }
  template <class Record>
  void run_other(const Record& record) {
    begin(others);
    record(others.buffer);
    CHECK(vkEndCommandBuffer(others.buffer));
    submit(other, others);
    wait(c, others);
  }
  void enter() {
    VkDebugUtilsLabelEXT label{};
    label.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT;
    label.pLabelName = "middle";
    begin_label(c.queues[0], &label);
  }
  void leave() { end_label(c.queues[0]); }
  // Behind what was read before.
  void read_image(VkCommandBuffer into, VkImage image, std::uint32_t layer = 0,
                  VkImageAspectFlags aspect = VK_IMAGE_ASPECT_COLOR_BIT) {
    VkBufferImageCopy region{};
    region.bufferOffset = read * kTexels * 4;
    region.imageSubresource = {aspect, 0, layer, 1};
    region.imageExtent = kExtent;
    vkCmdCopyImageToBuffer(into, image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, out.buffer, 1, &region);
    ++read;
    transfers_to_host(into);
  }
};

void clear(VkCommandBuffer into, VkImage image, float red, const VkImageSubresourceRange& range = kColor) {
  const VkClearColorValue color{{red, 0.5f, 0.25f, 1.0f}};
  vkCmdClearColorImage(into, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &color, 1, &range);
}

constexpr VkImageUsageFlags kUsage =
    VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_SAMPLED_BIT;

// One of its layers is read, drawn anew, and left in two layouts.
void barriers(Layouts& l) {
  VkImageCreateInfo info = image_info(kFormat, kExtent, kUsage);
  info.mipLevels = info.arrayLayers = 2;
  const VkImage image = create_unbound_image(l.c, info);
  const VkDeviceMemory memory = bind_to_memory_of_its_own(l.c, image);
  l.run([&](VkCommandBuffer b) {
    change_layout(b, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    clear(b, image, 0.25f);
    change_layout(b, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
  });
  constexpr VkImageSubresourceRange second{VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 1, 1};
  l.enter();
  l.run([&](VkCommandBuffer b) {
    l.read_image(b, image, 1);
    change_layout(b, image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, second);
    clear(b, image, 0.75f, second);
    change_layout(b, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
                  {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 1, 1});
  });
  l.leave();
  l.run([&](VkCommandBuffer b) {
    l.read_image(b, image);
    change_layout(b, image, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                  {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 1, 1});
    l.read_image(b, image, 1);
  });
  vkDestroyImage(l.c.device, image, nullptr);
  vkFreeMemory(l.c.device, memory, nullptr);
}

VkFormat depth_format(const Context& c) {
  for (const VkFormat format : {VK_FORMAT_D32_SFLOAT_S8_UINT, VK_FORMAT_D24_UNORM_S8_UINT}) {
    VkFormatProperties properties;
    vkGetPhysicalDeviceFormatProperties(c.physical, format, &properties);
    if ((properties.optimalTilingFeatures & VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT) != 0) return format;
  }
  die("no format of depth and stencil", 0);
}

VkAttachmentDescription attachment(VkFormat format, VkAttachmentLoadOp load, VkImageLayout from, VkImageLayout to) {
  return {0,    format, VK_SAMPLE_COUNT_1_BIT, load, VK_ATTACHMENT_STORE_OP_STORE, load, VK_ATTACHMENT_STORE_OP_STORE,
          from, to};
}

// A pass that begins with one layout and ends with another, of its colour and its depth.
void passes(Layouts& l) {
  const VkFormat depth = depth_format(l.c);
  Texture color = create_texture(l.c, kFormat, kExtent, kUsage | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
  Texture both;
  both.image =
      create_unbound_image(l.c, image_info(depth, kExtent, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | kUsage));
  both.memory = bind_to_memory_of_its_own(l.c, both.image);
  both.view = create_view(l.c, both.image, VK_IMAGE_VIEW_TYPE_2D, depth, kBoth);
  const VkAttachmentDescription attachments[] = {
      attachment(kFormat, VK_ATTACHMENT_LOAD_OP_LOAD, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                 VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL),
      attachment(depth, VK_ATTACHMENT_LOAD_OP_LOAD, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                 VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL)};
  const VkAttachmentReference first{0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL},
      second{1, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL};
  VkSubpassDescription subpass{};
  subpass.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS;
  subpass.colorAttachmentCount = 1;
  subpass.pColorAttachments = &first;
  subpass.pDepthStencilAttachment = &second;
  VkRenderPassCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO;
  info.attachmentCount = 2;
  info.pAttachments = attachments;
  info.subpassCount = 1;
  info.pSubpasses = &subpass;
  VkRenderPass pass;
  CHECK(vkCreateRenderPass(l.c.device, &info, nullptr, &pass));
  const VkImageView views[] = {color.view, both.view};
  const VkFramebufferCreateInfo target{
      VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO, nullptr, 0, pass, 2, views, kExtent.width, kExtent.height, 1};
  VkFramebuffer framebuffer;
  CHECK(vkCreateFramebuffer(l.c.device, &target, nullptr, &framebuffer));
  l.run([&](VkCommandBuffer b) {
    change_layout(b, color.image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    change_layout(b, both.image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, kBoth);
    clear(b, color.image, 0.25f);
    const VkClearDepthStencilValue value{0.5f, 3};
    vkCmdClearDepthStencilImage(b, both.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &value, 1, &kBoth);
    change_layout(b, color.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    change_layout(b, both.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, kBoth);
  });
  l.enter();
  l.run([&](VkCommandBuffer b) {
    l.read_image(b, color.image);
    l.read_image(b, both.image, 0, VK_IMAGE_ASPECT_STENCIL_BIT);
    transfer_barrier(b, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT);
    const VkRect2D area{{0, 0}, {kExtent.width, kExtent.height}};
    const VkRenderPassBeginInfo begin_info{
        VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO, nullptr, pass, framebuffer, area, 0, nullptr};
    vkCmdBeginRenderPass(b, &begin_info, VK_SUBPASS_CONTENTS_INLINE);
    VkClearAttachment clears[2]{};
    clears[0].aspectMask = VK_IMAGE_ASPECT_COLOR_BIT;
    clears[0].clearValue.color = {{0.75f, 0.5f, 0.25f, 1.0f}};
    clears[1].aspectMask = kBoth.aspectMask;
    clears[1].clearValue.depthStencil = {0.25f, 5};
    const VkClearRect rect{{{2, 2}, {8, 8}}, 0, 1};
    vkCmdClearAttachments(b, 2, clears, 1, &rect);
    vkCmdEndRenderPass(b);
  });
  l.leave();
  l.run([&](VkCommandBuffer b) {
    change_layout(b, color.image, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    change_layout(b, both.image, VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                  kBoth);
    l.read_image(b, color.image);
    l.read_image(b, both.image, 0, VK_IMAGE_ASPECT_STENCIL_BIT);
  });
  vkDestroyFramebuffer(l.c.device, framebuffer, nullptr);
  vkDestroyRenderPass(l.c.device, pass, nullptr);
  destroy(l.c, both);
  destroy(l.c, color);
}

// What the host wrote before is read by the first work that there is.
void preinitialized(Layouts& l) {
  VkImageCreateInfo info = image_info(kFormat, kExtent, VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
  info.tiling = VK_IMAGE_TILING_LINEAR;
  info.initialLayout = VK_IMAGE_LAYOUT_PREINITIALIZED;
  const VkImage image = create_unbound_image(l.c, info);
  const VkDeviceMemory memory =
      bind_to_memory_of_its_own(l.c, image, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  const VkImageSubresource all{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0};
  VkSubresourceLayout lies;
  vkGetImageSubresourceLayout(l.c.device, image, &all, &lies);
  void* mapped = nullptr;
  CHECK(vkMapMemory(l.c.device, memory, 0, VK_WHOLE_SIZE, 0, &mapped));
  for (std::uint32_t y = 0; y < kExtent.height; ++y)
    for (std::uint32_t x = 0; x < kExtent.width; ++x) {
      const std::uint32_t texel = mix(x, y);
      std::memcpy(static_cast<char*>(mapped) + lies.offset + y * lies.rowPitch + x * 4, &texel, 4);
    }
  l.run([&](VkCommandBuffer) {});
  l.enter();
  l.run([&](VkCommandBuffer b) {
    change_layout(b, image, VK_IMAGE_LAYOUT_PREINITIALIZED, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    l.read_image(b, image);
  });
  l.leave();
  for (std::uint32_t i = 0; i < kTexels; ++i)
    if (l.out.words[i] != mix(i % kExtent.width, i / kExtent.width)) die("texel", i);
  vkDestroyImage(l.c.device, image, nullptr);
  vkFreeMemory(l.c.device, memory, nullptr);
}

void hand_over(VkCommandBuffer b, VkImage image, VkImageLayout from, VkImageLayout to, VkBuffer buffer,
               std::uint32_t source, std::uint32_t target) {
  const VkAccessFlags any = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  const VkImageMemoryBarrier of_image{
      VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER, nullptr, any, any, from, to, source, target, image,
      {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
  const VkBufferMemoryBarrier of_buffer{
      VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER, nullptr, any, any, source, target, buffer, 0, VK_WHOLE_SIZE};
  vkCmdPipelineBarrier(b, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, nullptr, 1,
                       &of_buffer, 1, &of_image);
}

// Given up by one family before it, taken by another in it and given up again.
void owners(Layouts& l) {
  Texture image = create_texture(l.c, kFormat, kExtent, kUsage);
  MappedBuffer buffer =
      create_mapped_buffer(l.c, kTexels * 4, VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  const std::uint32_t own = l.c.family, other = l.other_family;
  constexpr VkImageLayout write = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, read = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
  VkBufferImageCopy region{};
  region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  region.imageExtent = kExtent;
  l.run([&](VkCommandBuffer b) {
    change_layout(b, image.image, VK_IMAGE_LAYOUT_UNDEFINED, write);
    clear(b, image.image, 0.25f);
    vkCmdFillBuffer(b, buffer.buffer, 0, VK_WHOLE_SIZE, 7);
    hand_over(b, image.image, write, read, buffer.buffer, own, other);
  });
  l.enter();
  l.run_other([&](VkCommandBuffer b) {
    hand_over(b, image.image, write, read, buffer.buffer, own, other);
    vkCmdCopyImageToBuffer(b, image.image, read, buffer.buffer, 1, &region);
    change_layout(b, image.image, read, write);
    hand_over(b, image.image, write, read, buffer.buffer, other, own);
  });
  l.leave();
  l.run([&](VkCommandBuffer b) {
    hand_over(b, image.image, write, read, buffer.buffer, other, own);
    l.read_image(b, image.image);
  });
  if (l.out.words[0] != buffer.words[0]) die("texel", static_cast<long>(l.out.words[0]));
  destroy(l.c, buffer);
  destroy(l.c, image);
}

// With a queue of another family, where there is one that copies.
Layouts create_layouts() {
  Layouts l;
  l.c.instance = create_instance("layouts", VK_API_VERSION_1_1, {VK_EXT_DEBUG_UTILS_EXTENSION_NAME});
  std::uint32_t count = 1;
  if (vkEnumeratePhysicalDevices(l.c.instance, &count, &l.c.physical) < 0) die("no device", 0);
  const std::vector<VkQueueFamilyProperties> families = queue_families(l.c.physical);
  const auto has = [&](std::uint32_t f, VkQueueFlags flags) { return (families[f].queueFlags & flags) != 0; };
  while (!has(l.c.family, VK_QUEUE_GRAPHICS_BIT)) ++l.c.family;
  l.other_family = static_cast<std::uint32_t>(families.size());
  for (std::uint32_t f = 0; f < families.size(); ++f)
    if (f != l.c.family && has(f, VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT)) l.other_family = f;
  const bool two = l.other_family < families.size();
  const float priority = 1;
  VkDeviceQueueCreateInfo queues[2]{};
  for (VkDeviceQueueCreateInfo& queue : queues) {
    queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
    queue.queueFamilyIndex = &queue == queues ? l.c.family : l.other_family;
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;
  }
  VkDeviceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.queueCreateInfoCount = two ? 2 : 1;
  info.pQueueCreateInfos = queues;
  CHECK(vkCreateDevice(l.c.physical, &info, nullptr, &l.c.device));
  l.c.queues.resize(1);
  vkGetDeviceQueue(l.c.device, l.c.family, 0, &l.c.queues[0]);
  l.commands = create_commands(l.c);
  if (two) {
    vkGetDeviceQueue(l.c.device, l.other_family, 0, &l.other);
    l.others = create_commands(l.c, l.other_family);
  }
  l.out = create_mapped_buffer(l.c, 4 * kTexels * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  std::memset(l.out.words, 0, l.out.bytes);
  l.begin_label = reinterpret_cast<PFN_vkQueueBeginDebugUtilsLabelEXT>(
      vkGetInstanceProcAddr(l.c.instance, "vkQueueBeginDebugUtilsLabelEXT"));
  l.end_label = reinterpret_cast<PFN_vkQueueEndDebugUtilsLabelEXT>(
      vkGetInstanceProcAddr(l.c.instance, "vkQueueEndDebugUtilsLabelEXT"));
  return l;
}

struct State {
  const char* name;
  void (*play)(Layouts&);
};
constexpr State kStates[] = {
    {"barriers", barriers}, {"passes", passes}, {"preinitialized", preinitialized}, {"owners", owners}};

}  // namespace

int main(int argc, char** argv) {
  const std::string_view wanted = argc == 3 && std::string_view(argv[1]) == "--state" ? argv[2] : "barriers";
  Layouts l = create_layouts();
  if (l.begin_label == nullptr || l.end_label == nullptr) return cannot_run("this loader has no labels");
  if (wanted == "owners" && l.other == VK_NULL_HANDLE) return cannot_run("this device has one family of queues");
  for (const State& state : kStates) {
    if (wanted != state.name) continue;
    state.play(l);
    std::printf("layouts: %s, checksum %016llx\n", state.name,
                static_cast<unsigned long long>(checksum(l.out.words, l.out.bytes / 4)));
    destroy(l.c, l.out);
    if (l.other != VK_NULL_HANDLE) destroy(l.c, l.others);
    destroy(l.c, l.commands);
    destroy(l.c);
    return 0;
  }
  die("no such state", argc);
}
