// SPDX-License-Identifier: Apache-2.0
// Which buffers and images a device has, what its submits may have written of
// them, and in which layouts its images lie: what checkpoints of submits have
// to know (RONDO_CHECKPOINTS=submit), and nothing keeps otherwise.
//
// Makes no Vulkan call. Any thread; each call locks, but in a forked child. Who holds enter() keeps
// what there is from being destroyed: hooks of destruction come through here
// before they call the driver.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "format/vulkan.h"
#include "layer/checkpoints/watched.h"
#include "layer/recorder/recorder.h"
#include "model/gpu/readback.h"

namespace rondo::layer {

class Resources {
 public:
  // `in_this_process`: the device is a driver in this process, where reading an image changes no memory.
  explicit Resources(bool in_this_process = false) : in_this_process_(in_this_process) {
    g_any_resources.store(true, std::memory_order_relaxed);
  }

  // --- What there is. `unreadable`: why it cannot be read; empty: it can.
  void add(VkImage image, const VkImageCreateInfo& info, VkDeviceSize bytes, std::string unreadable);
  void add(VkBuffer buffer, const VkBufferCreateInfo& info, std::string unreadable);
  void bind(VkImage image, VkDeviceMemory memory, VkDeviceSize offset);
  void bind(VkBuffer buffer, VkDeviceMemory memory, VkDeviceSize offset);
  void forget(VkImage image);
  void forget(VkBuffer buffer);
  void forget(VkDeviceMemory memory);

  // --- What happens to it. Creations that succeeded, and commands, of those that
  // is_watched() names; `args` is the call's args_<name>.
  void watch(CommandId id, const void* args);
  // The driver took these, in this order, for a queue of this family. `in_order`:
  // all before it is finished, or nothing that was submitted waits for the program: so this
  // is executed behind all before.
  void submitted(std::uint32_t family, std::span<const VkCommandBuffer> commands, bool in_order);

  // --- What the host itself does to images, at once. Under enter()'s lock.
  void host_wrote(VkImage image, const VkImageSubresourceLayers& layers);
  void host_moved(VkImage image, const VkImageSubresourceRange& range, VkImageLayout from, VkImageLayout to);

  // --- What is to be read.
  struct Part {
    gpu::Source source;
    std::uint32_t family = VK_QUEUE_FAMILY_IGNORED;  // that it belongs to; IGNORED: not known
    std::vector<std::uint32_t> families;             // that share it: any of them then
    VkDeviceMemory memory = VK_NULL_HANDLE;          // bytes [from, to) of it
    VkDeviceSize from = 0, to = 0;
    std::string unreadable;  // why it cannot be
  };
  using Lock = std::unique_lock<std::mutex>;
  // A forked child has one thread, and the lock may be one of its parent's.
  Lock enter() const { return in_forked_child() ? Lock() : Lock(lock_); }
  // Under that lock: what submits may have written since clear_written().
  std::vector<Part> written() const;
  void clear_written();

 private:
  // Bytes [from, to): of a memory, or of a buffer.
  struct Bytes {
    VkDeviceSize from = 0, to = 0;
  };
  // What lies over the same bytes of a memory.
  struct Overlap {
    VkImage image = VK_NULL_HANDLE;  // or:
    VkBuffer buffer = VK_NULL_HANDLE;
    Bytes at;  // the bytes of the memory that both use
  };
  struct Place {
    VkDeviceMemory memory = VK_NULL_HANDLE;
    VkDeviceSize offset = 0, bytes = 0;
    std::vector<Overlap> overlaps;  // but for buffers over buffers, which see the same bytes
  };
  // One bind.
  struct Bound {
    VkImage image = VK_NULL_HANDLE;  // or:
    VkBuffer buffer = VK_NULL_HANDLE;
    Bytes at;  // of the memory
  };
  struct Subresource {
    VkImageLayout layout = VK_IMAGE_LAYOUT_UNDEFINED;
    bool defined = true;  // its last pass kept what it drew
    bool written = false;
    std::uint32_t family = VK_QUEUE_FAMILY_IGNORED;
    bool between = false;    // given up by one family, not taken by another
    bool uncertain = false;  // its layout: what changed it may not be executed in the order of the submits
    bool lost = false;       // what shares its memory was written since: it has no contents
  };
  struct Image {
    VkImageType type{};
    VkFormat format{};
    VkExtent3D extent{};
    std::uint32_t mips = 1, layers = 1;
    VkSampleCountFlagBits samples = VK_SAMPLE_COUNT_1_BIT;
    bool storage = false, disjoint = false, sparse = false;
    std::vector<std::uint32_t> families;  // that share it, if it is shared
    Place place;
    std::string unreadable;
    std::vector<VkImageAspectFlagBits> aspects;
    std::vector<Subresource> parts;  // by aspect, mip and layer
  };
  struct Buffer {
    VkDeviceSize size = 0;
    bool storage = false;  // written by shaders, or through addresses: at any time
    bool sparse = false;
    bool drivers_own = false;  // preprocessed commands: nobody else can read them
    bool written = false;
    std::uint32_t family = VK_QUEUE_FAMILY_IGNORED;
    std::vector<std::uint32_t> families;  // that share it, if it is shared
    bool between = false;
    std::vector<Bytes> lost;  // in ascending order: an image that shares them was written since
    Place place;
    std::string unreadable;
  };
  struct View {
    VkImage image = VK_NULL_HANDLE;
    VkImageSubresourceRange range{};
  };
  struct Attachment {
    VkImageLayout layout{}, stencil_layout{};
    VkAttachmentStoreOp store{}, stencil_store{};
    bool used = false;
  };
  enum class Change : std::uint8_t {
    none,
    write,
    discard,  // a pass did not keep it
    forget,   // it was transitioned from UNDEFINED
  };
  // Of one command, once it is executed.
  struct Effect {
    VkImage image = VK_NULL_HANDLE;  // or:
    VkBuffer buffer = VK_NULL_HANDLE;
    VkImageSubresourceRange range{};
    VkImageLayout layout = VK_IMAGE_LAYOUT_UNDEFINED;  // UNDEFINED: as it was
    Change change = Change::none;
    std::uint32_t from = VK_QUEUE_FAMILY_IGNORED, to = VK_QUEUE_FAMILY_IGNORED;
    Bytes bytes{0, VK_WHOLE_SIZE};  // of the buffer
  };
  using Effects = std::vector<Effect>;

  template <class Barrier>
  static void image_barriers(Effects& effects, std::uint32_t count, const Barrier* barriers);
  template <class Barrier>
  static void buffer_barriers(Effects& effects, std::uint32_t count, const Barrier* barriers);
  static void dependencies(Effects& effects, std::uint32_t count, const VkDependencyInfo* infos);
  void begin_pass(Effects& effects, const VkRenderPassBeginInfo& info);
  void begin_rendering(Effects& effects, const VkRenderingInfo& info);
  void attachment(Effects& effects, VkImageView view, const Attachment& attachment);
  void writes(VkCommandBuffer commands, VkImage image, const VkImageSubresourceRange& range);
  void writes(VkCommandBuffer commands, VkBuffer buffer, VkDeviceSize offset, VkDeviceSize size);
  template <class Info>
  void writes_texels(VkCommandBuffer commands, const Info& info);
  template <class Info>
  void writes_regions(VkCommandBuffer commands, const Info& info);
  template <class Info>
  void add_pass(VkRenderPass pass, const Info& info);
  void apply(const Effect& effect, std::uint32_t family, bool in_order);
  template <class Visit>
  static void each(Image& image, const VkImageSubresourceRange& range, Visit visit);
  void list(VkImage handle, const Image& image, std::vector<Part>& parts) const;
  void list(VkBuffer handle, const Buffer& buffer, std::vector<Part>& parts) const;
  // resources_shared.cpp
  void find_overlaps(const Bound& bound, Place& place);
  template <class Resource>
  void drop_overlaps(Resource resource, Place& place);
  Place* place_of(const Overlap& overlap);
  void overwrite(const Place& place, Bytes at, bool in_order);
  static void lose(std::vector<Bytes>& lost, Bytes bytes);
  static void take_back(std::vector<Bytes>& lost, Bytes bytes);
  const char* why_shared(const Image& image) const;
  bool shares_drivers_own(const Place& place, Bytes at) const;
  void list_pieces(const Part& like, VkBuffer handle, const Buffer& buffer, std::vector<Part>& parts) const;

  const bool in_this_process_;
  mutable std::mutex lock_;
  std::map<VkImage, Image> images_;
  std::map<VkBuffer, Buffer> buffers_;
  std::unordered_map<VkDeviceMemory, std::vector<Bound>> bound_;
  std::unordered_map<VkImageView, View> views_;
  std::unordered_map<VkFramebuffer, std::vector<VkImageView>> framebuffers_;
  std::unordered_map<VkRenderPass, std::vector<Attachment>> passes_;
  std::unordered_map<VkCommandBuffer, Effects> commands_;
};

}  // namespace rondo::layer
