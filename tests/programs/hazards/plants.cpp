// SPDX-License-Identifier: Apache-2.0
#include "plants.h"

#include "objects.h"
#include "placed.vert.h"

namespace hazards {

namespace {

bool has_instance_extension(std::string_view name) {
  std::uint32_t count = 0;
  vkEnumerateInstanceExtensionProperties(nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> extensions(count);
  vkEnumerateInstanceExtensionProperties(nullptr, &count, extensions.data());
  return std::any_of(extensions.begin(), extensions.end(),
                     [&](const VkExtensionProperties& e) { return e.extensionName == name; });
}

// The families of the queues: one with graphics and compute; for two queues the same one twice, or another
// with compute. Empty if there are none.
std::vector<std::uint32_t> choose_families(VkPhysicalDevice physical, Queues queues) {
  const std::vector<VkQueueFamilyProperties> all = queue_families(physical);
  constexpr VkQueueFlags both = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
  for (std::uint32_t f = 0; f < all.size(); ++f) {
    if ((all[f].queueFlags & both) != both) continue;
    if (queues == Queues::one) return {f};
    if (queues == Queues::two && all[f].queueCount > 1) return {f, f};
    for (std::uint32_t other = 0; other < all.size(); ++other)
      if (other != f && (all[other].queueFlags & VK_QUEUE_COMPUTE_BIT) != 0) return {f, other};
    return {};
  }
  return {};
}

bool has_updates_after_bind(VkPhysicalDevice physical) {
  VkPhysicalDeviceDescriptorIndexingFeatures indexing{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_FEATURES};
  VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &indexing, {}};
  vkGetPhysicalDeviceFeatures2(physical, &features);
  return indexing.descriptorBindingStorageBufferUpdateAfterBind == VK_TRUE &&
         indexing.descriptorBindingUpdateUnusedWhilePending == VK_TRUE;
}

bool has_host_query_reset(VkPhysicalDevice physical) {
  VkPhysicalDeviceHostQueryResetFeatures resets{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_QUERY_RESET_FEATURES};
  VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &resets, {}};
  vkGetPhysicalDeviceFeatures2(physical, &features);
  return resets.hostQueryReset == VK_TRUE;
}

void create_device_with(Bench& b, const std::vector<std::uint32_t>& families,
                        const std::vector<const char*>& extensions) {
  constexpr float priorities[2] = {1, 1};
  const bool is_one = families.size() == 1 || families[0] == families[1];
  VkDeviceQueueCreateInfo queues[2];
  for (std::uint32_t i = 0; i < families.size(); ++i)
    queues[i] = {VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                 nullptr,
                 0,
                 families[i],
                 is_one ? static_cast<std::uint32_t>(families.size()) : 1,
                 priorities};
  VkPhysicalDeviceDescriptorIndexingFeatures indexing{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_FEATURES,
      .descriptorBindingStorageBufferUpdateAfterBind = VK_TRUE,
      .descriptorBindingUpdateUnusedWhilePending = VK_TRUE};
  b.updates_after_bind = has_updates_after_bind(b.physical);
  b.resets_queries = has_host_query_reset(b.physical);
  VkPhysicalDeviceHostQueryResetFeatures resets{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_QUERY_RESET_FEATURES,
                                                b.updates_after_bind ? &indexing : nullptr, VK_TRUE};
  void* const next = b.resets_queries ? static_cast<void*>(&resets) : resets.pNext;
  VkPhysicalDeviceTimelineSemaphoreFeatures timelines{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES,
                                                      next, VK_TRUE};
  VkPhysicalDeviceDynamicRenderingFeatures rendering{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES,
                                                     &timelines, VK_TRUE};
  const VkPhysicalDeviceSynchronization2Features features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SYNCHRONIZATION_2_FEATURES,
                                                          &rendering, VK_TRUE};
  const VkDeviceCreateInfo info{.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                .pNext = &features,
                                .queueCreateInfoCount = is_one ? 1 : static_cast<std::uint32_t>(families.size()),
                                .pQueueCreateInfos = queues,
                                .enabledExtensionCount = static_cast<std::uint32_t>(extensions.size()),
                                .ppEnabledExtensionNames = extensions.data()};
  const VkResult created = vkCreateDevice(b.physical, &info, nullptr, &b.device);
  if (created == VK_ERROR_FEATURE_NOT_PRESENT) std::exit(cannot_run("this device lacks a feature of Vulkan 1.3"));
  CHECK(created);
  for (std::uint32_t i = 0; i < families.size(); ++i) {
    VkQueue queue;
    vkGetDeviceQueue(b.device, families[i], is_one ? i : 0, &queue);
    b.queues.push_back(queue);
    b.pools.push_back(keep(b, vkDestroyCommandPool, create_command_pool(b, 0, families[i])));
  }
  b.family = families[0];
  b.families = is_one ? std::vector{families[0]} : families;
}

}  // namespace

std::optional<Bench> open_bench(const Plant& plant, bool clean, bool eager) {
  Bench b;
  b.name = plant.name;
  b.clean = clean;
  b.is_eager = eager;
  b.form = plant.form;
  const bool labels = has_instance_extension(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
  std::vector<const char*> extensions;
  if (labels) extensions.push_back(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
  if (plant.presents) {
    if (!has_instance_extension(VK_EXT_HEADLESS_SURFACE_EXTENSION_NAME)) return std::nullopt;
    extensions.insert(extensions.end(), {VK_KHR_SURFACE_EXTENSION_NAME, VK_EXT_HEADLESS_SURFACE_EXTENSION_NAME});
  }
  b.instance = create_instance("hazards", VK_API_VERSION_1_3, extensions);
  std::uint32_t count = 1;
  const VkResult enumerated = vkEnumeratePhysicalDevices(b.instance, &count, &b.physical);
  if (enumerated < 0 || count == 0) die("vkEnumeratePhysicalDevices", enumerated);
  const std::vector<std::uint32_t> families = choose_families(b.physical, plant.queues);
  if (families.empty()) {
    vkDestroyInstance(b.instance, nullptr);
    return std::nullopt;
  }
  create_device_with(b, families,
                     plant.presents ? std::vector{VK_KHR_SWAPCHAIN_EXTENSION_NAME} : std::vector<const char*>{});
  if (labels) {
    b.begin_label = load<PFN_vkCmdBeginDebugUtilsLabelEXT>(b, "vkCmdBeginDebugUtilsLabelEXT");
    b.end_label = load<PFN_vkCmdEndDebugUtilsLabelEXT>(b, "vkCmdEndDebugUtilsLabelEXT");
  }
  begin(b);
  return b;
}

void close(Bench& b) {
  if (b.is_recording) submit(b);
  // One wait for all queues: of several waits some can be superfluous.
  if (!b.is_idle) CHECK(b.queues.size() == 1 ? vkQueueWaitIdle(b.queues[0]) : vkDeviceWaitIdle(b.device));
  for (auto last = b.at_end.rbegin(); last != b.at_end.rend(); ++last) (*last)();
  destroy(static_cast<Context&>(b));
}

void begin(Bench& b, std::uint32_t queue, VkCommandBufferUsageFlags usage) {
  b.cmd = allocate_command_buffer(b, b.pools[queue]);
  program::begin(b.cmd, usage);
  b.is_recording = true;
}

VkCommandBuffer begin_secondary(const Bench& b, VkCommandPool pool) {
  const VkCommandBufferAllocateInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, pool,
                                         VK_COMMAND_BUFFER_LEVEL_SECONDARY, 1};
  VkCommandBuffer made;
  CHECK(vkAllocateCommandBuffers(b.device, &info, &made));
  const VkCommandBufferInheritanceInfo inherited{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
  const VkCommandBufferBeginInfo begins{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr,
                                        VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT, &inherited};
  CHECK(vkBeginCommandBuffer(made, &begins));
  return made;
}

void submit(Bench& b, const Submit& what) {
  const std::uint32_t buffers = b.is_recording ? 1 : 0;
  const std::uint32_t waits = what.wait.semaphore != VK_NULL_HANDLE ? 1 : 0;
  const std::uint32_t signals = what.signal.semaphore != VK_NULL_HANDLE ? 1 : 0;
  if (b.is_recording) CHECK(vkEndCommandBuffer(b.cmd));
  b.is_recording = b.is_idle = false;
  if (b.form == Form::first) {
    const VkTimelineSemaphoreSubmitInfo values{VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                               nullptr,
                                               waits,
                                               &what.wait.value,
                                               signals,
                                               &what.signal.value};
    const VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO,
                            what.wait.value != 0 || what.signal.value != 0 ? &values : nullptr,
                            waits,
                            &what.wait.semaphore,
                            &what.wait.at.stages,
                            buffers,
                            &b.cmd,
                            signals,
                            &what.signal.semaphore};
    CHECK(vkQueueSubmit(b.queues[what.queue], 1, &info, what.fence));
    return;
  }
  const auto described = [](const Semaphore& s) {
    return VkSemaphoreSubmitInfo{
        VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO, nullptr, s.semaphore, s.value, s.at.stages2, 0};
  };
  const VkSemaphoreSubmitInfo wait = described(what.wait), signal = described(what.signal);
  const VkCommandBufferSubmitInfo buffer{VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, nullptr, b.cmd, 0};
  const VkSubmitInfo2 info{
      VK_STRUCTURE_TYPE_SUBMIT_INFO_2, nullptr, 0, waits, &wait, buffers, &buffer, signals, &signal};
  CHECK(vkQueueSubmit2(b.queues[what.queue], 1, &info, what.fence));
}

VkSemaphore binary(Bench& b) { return keep(b, vkDestroySemaphore, create_semaphore(b)); }
VkSemaphore timeline(Bench& b) { return keep(b, vkDestroySemaphore, create_timeline(b)); }
VkFence make_fence(Bench& b) { return keep(b, vkDestroyFence, create_fence(b)); }

void wait_for(const Bench& b, VkFence fence) { CHECK(vkWaitForFences(b.device, 1, &fence, VK_TRUE, UINT64_MAX)); }

void wait_for(const Bench& b, const Semaphore& reached) {
  const VkSemaphoreWaitInfo info{
      VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, nullptr, 0, 1, &reached.semaphore, &reached.value};
  CHECK(vkWaitSemaphores(b.device, &info, UINT64_MAX));
}

std::function<void()> take_last(Bench& b) {
  std::function<void()> last = std::move(b.at_end.back());
  b.at_end.pop_back();
  return last;
}

namespace {

constexpr VkBufferUsageFlags kEveryUse = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                                         VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                         VK_BUFFER_USAGE_INDEX_BUFFER_BIT | VK_BUFFER_USAGE_VERTEX_BUFFER_BIT |
                                         VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT;

}  // namespace

MappedBuffer make_local_buffer(Bench& b, Sharing sharing, VkMemoryPropertyFlags memory) {
  const bool is_shared = sharing == Sharing::concurrent && b.families.size() > 1;
  const VkBufferCreateInfo info{.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                .size = kBytes,
                                .usage = kEveryUse,
                                .sharingMode = is_shared ? VK_SHARING_MODE_CONCURRENT : VK_SHARING_MODE_EXCLUSIVE,
                                .queueFamilyIndexCount = is_shared ? static_cast<std::uint32_t>(b.families.size()) : 0,
                                .pQueueFamilyIndices = b.families.data()};
  MappedBuffer made{.bytes = kBytes};
  CHECK(vkCreateBuffer(b.device, &info, nullptr, &made.buffer));
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(b.device, made.buffer, &needs);
  made.memory = keep(b, vkFreeMemory, allocate(b, needs, memory));
  CHECK(vkBindBufferMemory(b.device, made.buffer, made.memory, 0));
  keep(b, vkDestroyBuffer, made.buffer);
  return made;
}

MappedBuffer make_buffer(Bench& b, std::uint32_t word) {
  MappedBuffer made = create_mapped_buffer(b, kBytes, kEveryUse, b.families);
  std::fill_n(made.words, kBytes / sizeof word, word);
  b.at_end.push_back([made, c = static_cast<const Context&>(b)]() mutable { destroy(c, made); });
  return made;
}

namespace {

void barrier_of_first_form(Bench& b, const std::vector<Dependency>& dependencies) {
  std::vector<VkMemoryBarrier> memory;
  std::vector<VkBufferMemoryBarrier> buffers;
  std::vector<VkImageMemoryBarrier> images;
  VkPipelineStageFlags from = 0, to = 0;
  for (const Dependency& d : dependencies) {
    from |= d.from.stages;
    to |= d.to.stages;
    if (d.buffer != VK_NULL_HANDLE)
      buffers.push_back({VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER, nullptr, d.from.access, d.to.access, d.from_family,
                         d.to_family, d.buffer, 0, d.bytes});
    else if (d.image != VK_NULL_HANDLE)
      images.push_back({VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER, nullptr, d.from.access, d.to.access, d.before, d.after,
                        d.from_family, d.to_family, d.image, d.range});
    else if ((d.from.access | d.to.access) != 0)
      memory.push_back({VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, d.from.access, d.to.access});
  }
  vkCmdPipelineBarrier(b.cmd, from, to, 0, static_cast<std::uint32_t>(memory.size()), memory.data(),
                       static_cast<std::uint32_t>(buffers.size()), buffers.data(),
                       static_cast<std::uint32_t>(images.size()), images.data());
}

void barrier_of_second_form(Bench& b, const std::vector<Dependency>& dependencies) {
  std::vector<VkMemoryBarrier2> memory;
  std::vector<VkBufferMemoryBarrier2> buffers;
  std::vector<VkImageMemoryBarrier2> images;
  for (const Dependency& d : dependencies) {
    if (d.buffer != VK_NULL_HANDLE)
      buffers.push_back({VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER_2, nullptr, d.from.stages2, d.from.access2,
                         d.to.stages2, d.to.access2, d.from_family, d.to_family, d.buffer, 0, d.bytes});
    else if (d.image != VK_NULL_HANDLE)
      images.push_back({VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2, nullptr, d.from.stages2, d.from.access2, d.to.stages2,
                        d.to.access2, d.before, d.after, d.from_family, d.to_family, d.image, d.range});
    else
      memory.push_back(
          {VK_STRUCTURE_TYPE_MEMORY_BARRIER_2, nullptr, d.from.stages2, d.from.access2, d.to.stages2, d.to.access2});
  }
  const VkDependencyInfo info{VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
                              nullptr,
                              0,
                              static_cast<std::uint32_t>(memory.size()),
                              memory.data(),
                              static_cast<std::uint32_t>(buffers.size()),
                              buffers.data(),
                              static_cast<std::uint32_t>(images.size()),
                              images.data()};
  vkCmdPipelineBarrier2(b.cmd, &info);
}

}  // namespace

void barrier(Bench& b, const char* label, const std::vector<Dependency>& dependencies) {
  labelled(b, label, [&] {
    if (b.form == Form::first)
      barrier_of_first_form(b, dependencies);
    else
      barrier_of_second_form(b, dependencies);
  });
}

void dispatch(Bench& b, const char* label, const Kernel& k) {
  program::bind(b.cmd, k);
  labelled(b, label, [&] { vkCmdDispatch(b.cmd, kBytes / 4 / 64, 1, 1); });
}

void copy(Bench& b, const char* label, const MappedBuffer& from, const MappedBuffer& to) {
  const VkBufferCopy all{0, 0, kBytes};
  labelled(b, label, [&] { vkCmdCopyBuffer(b.cmd, from.buffer, to.buffer, 1, &all); });
}

VkAttachmentDescription cleared(VkFormat format, VkImageLayout layout) {
  return {0,
          format,
          VK_SAMPLE_COUNT_1_BIT,
          VK_ATTACHMENT_LOAD_OP_CLEAR,
          VK_ATTACHMENT_STORE_OP_STORE,
          VK_ATTACHMENT_LOAD_OP_DONT_CARE,
          VK_ATTACHMENT_STORE_OP_DONT_CARE,
          VK_IMAGE_LAYOUT_UNDEFINED,
          layout};
}

Image make_image(Bench& b, VkImageUsageFlags usage, std::uint32_t mips) {
  VkImageCreateInfo info = image_info(VK_FORMAT_R8G8B8A8_UNORM, kExtent, usage);
  info.mipLevels = mips;
  return create_image(b, info);
}

VkRenderPass make_pass(Bench& b, const VkAttachmentDescription& attachment, VkImageLayout layout,
                       const std::vector<VkSubpassDependency>& dependencies) {
  const VkAttachmentReference reference{0, layout};
  const bool is_color = attachment.format == VK_FORMAT_R8G8B8A8_UNORM;
  const VkSubpassDescription subpass{.colorAttachmentCount = is_color ? 1u : 0u,
                                     .pColorAttachments = is_color ? &reference : nullptr,
                                     .pDepthStencilAttachment = is_color ? nullptr : &reference};
  const VkRenderPassCreateInfo info{VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                    nullptr,
                                    0,
                                    1,
                                    &attachment,
                                    1,
                                    &subpass,
                                    static_cast<std::uint32_t>(dependencies.size()),
                                    dependencies.data()};
  VkRenderPass pass;
  CHECK(vkCreateRenderPass(b.device, &info, nullptr, &pass));
  return keep(b, vkDestroyRenderPass, pass);
}

VkFramebuffer make_framebuffer(Bench& b, VkRenderPass pass, const std::vector<VkImageView>& views) {
  const VkFramebufferCreateInfo info{VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                     nullptr,
                                     0,
                                     pass,
                                     static_cast<std::uint32_t>(views.size()),
                                     views.data(),
                                     kExtent,
                                     kExtent,
                                     1};
  VkFramebuffer framebuffer;
  CHECK(vkCreateFramebuffer(b.device, &info, nullptr, &framebuffer));
  return keep(b, vkDestroyFramebuffer, framebuffer);
}

Target make_target(Bench& b) {
  Target t;
  t.image = make_image(b, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
  constexpr VkImageLayout layout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
  t.pass = make_pass(b, cleared(t.image.info.format, layout), layout);
  t.framebuffer = make_framebuffer(b, t.pass, {t.image.view});
  return t;
}

Graphics make_graphics(Bench& b, VkRenderPass pass) {
  Drawing d = shapes(b);
  d.pass = pass;
  return {d.layout, build(b, d)};
}

void bind(const Bench& b, const Graphics& g) {
  constexpr VkPipelineBindPoint graphics = VK_PIPELINE_BIND_POINT_GRAPHICS;
  const Shape all;
  vkCmdBindPipeline(b.cmd, graphics, g.pipeline);
  vkCmdPushConstants(b.cmd, g.layout, kShapeRange.stageFlags, 0, sizeof all, &all);
  if (g.set != VK_NULL_HANDLE) vkCmdBindDescriptorSets(b.cmd, graphics, g.layout, 0, 1, &g.set, 0, nullptr);
}

void begin_pass(const Bench& b, const char* label, VkRenderPass pass, VkFramebuffer framebuffer) {
  const VkClearValue clears[2]{};
  const VkRenderPassBeginInfo info{
      VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO, nullptr, pass, framebuffer, {{0, 0}, {kExtent, kExtent}}, 2, clears};
  labelled(b, label, [&] { vkCmdBeginRenderPass(b.cmd, &info, VK_SUBPASS_CONTENTS_INLINE); });
  set_area(b.cmd, kExtent);
}

void end_pass(const Bench& b, const char* label) {
  labelled(b, label, [&] { vkCmdEndRenderPass(b.cmd); });
}

void draw_vertices(Bench& b, const char* label, const MappedBuffer& vertices) {
  const Target target = make_target(b);
  Drawing d = shapes(b);
  d.pass = target.pass;
  d.stages[0] = stage(VK_SHADER_STAGE_VERTEX_BIT, shader(b, placed_vert_spv));
  const VkVertexInputBindingDescription binding{0, 8, VK_VERTEX_INPUT_RATE_VERTEX};
  const VkVertexInputAttributeDescription attribute{0, 0, VK_FORMAT_R32G32_SFLOAT, 0};
  d.input.vertexBindingDescriptionCount = d.input.vertexAttributeDescriptionCount = 1;
  d.input.pVertexBindingDescriptions = &binding;
  d.input.pVertexAttributeDescriptions = &attribute;
  const Graphics g{d.layout, build(b, d)};
  constexpr VkDeviceSize offset = 0;
  begin_pass(b, nullptr, target.pass, target.framebuffer);
  bind(b, g);
  vkCmdBindVertexBuffers(b.cmd, 0, 1, &vertices.buffer, &offset);
  draw(b, label);
  end_pass(b, nullptr);
}

}  // namespace hazards
