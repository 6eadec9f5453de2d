// SPDX-License-Identifier: Apache-2.0
#include "player/snapshot/snapshot_list.h"

#include <algorithm>
#include <set>

#include "format/codec/schema.h"
#include "format/flags2.h"
#include "generated/args.h"
#include "model/gpu/readback.h"
#include "model/gpu/texels.h"
#include "player/plan/layouts.h"
#include "player/plan/op_view.h"
#include "player/plan/swapchain_images.h"

namespace rondo::player {

namespace {

constexpr const char* kUnbound = "no memory is bound to it";
constexpr const char* kFreed = "its memory was freed";
constexpr const char* kSparse = "it is sparse: which of its pages are there is not followed";
constexpr const char* kProtected = "it is protected";
constexpr const char* kBetween = "it is between two queue families";

class Lister {
 public:
  Lister(const Plan& plan, std::uint32_t end) : plan_(plan), end_(end), layouts_(plan) {}

  Result<SnapshotList> run() {
    for (std::uint32_t i = 0; i < end_; ++i) take(i);
    if (layouts_.too_many())
      return fail(Status::failed, plan_.path + ": it changes more layouts of images than can be followed");
    SnapshotList list;
    for (const ObjectId id : buffers_) list.buffers.push_back(buffer(id));
    std::vector<ObjectId> ids;
    for (const auto& [id, image] : layouts_.now().images) ids.push_back(id);
    std::sort(ids.begin(), ids.end());
    for (const ObjectId id : ids)
      if (SnapshotImage one; describe(id, one)) list.images.push_back(std::move(one));
    return list;
  }

 private:
  void take(std::uint32_t index) {
    const Op& op = plan_.ops[index];
    layouts_.take(index);
    for (std::uint32_t i = 0; i < op.created; ++i)
      if (const ObjectId id = plan_.created[op.first_created + i].id; type(id) == HandleType::VkBuffer)
        buffers_.insert(id);
    for (std::uint32_t i = 0; i < op.ended; ++i) {
      const ObjectId id = plan_.ended[op.first_ended + i];
      buffers_.erase(id);
      if (type(id) == HandleType::VkDeviceMemory || type(id) == HandleType::VkSwapchainKHR) freed_.insert(id);
    }
    switch (codec::info(op.command).canonical) {
      case CommandId::vkBindBufferMemory:
      case CommandId::vkBindBufferMemory2:
      case CommandId::vkBindImageMemory:
      case CommandId::vkBindImageMemory2:
        for (std::uint32_t i = 0; i < op.patches; ++i) bound_.insert(plan_.patches[op.first_patch + i].id);
        break;
      case CommandId::vkQueuePresentKHR:
        last_present_ = index;
        break;
      default:
        break;
    }
  }

  HandleType type(ObjectId id) const { return plan_.objects.objects()[id].type; }

  template <class Info>
  static std::vector<std::uint32_t> sharing(const Info& info) {
    if (info.sharingMode != VK_SHARING_MODE_CONCURRENT || info.pQueueFamilyIndices == nullptr) return {};
    return {info.pQueueFamilyIndices, info.pQueueFamilyIndices + info.queueFamilyIndexCount};
  }

  // What memory says of it, whatever it is.
  template <class One>
  void look_at_memory(One& one) const {
    const CapturedResource& resource = plan_.resources[plan_.place_of(one.id)];
    if (bound_.count(one.id) == 0) {
      one.unreadable = kUnbound;
      return;
    }
    if (resource.memory >= plan_.memories.size()) return;
    one.memory = plan_.memories[resource.memory].id;
    one.offset = resource.offset;
    if (freed_.count(one.memory) != 0) one.unreadable = kFreed;
  }

  bool is_between(ObjectId id) const {
    const std::vector<Transfer>& given = layouts_.now().transfers;
    return std::any_of(given.begin(), given.end(), [&](const Transfer& one) { return one.resource == id; });
  }

  SnapshotBuffer buffer(ObjectId id) {
    SnapshotBuffer one;
    one.id = id;
    const std::uint32_t place = plan_.place_of(id);
    if (place >= plan_.resources.size()) {
      one.unreadable = kUnbound;
      return one;
    }
    one.device = plan_.resources[place].device;
    one.create_op = plan_.resources[place].create_op;
    view_.load(plan_, plan_.ops[one.create_op]);
    const VkBufferCreateInfo& info = *view_.as<args_vkCreateBuffer>().pCreateInfo;
    one.bytes = info.size;
    one.usage = usage_of(info);
    one.families = sharing(info);
    look_at_memory(one);
    if (one.unreadable.empty() && is_between(id)) one.unreadable = kBetween;
    if ((info.flags & VK_BUFFER_CREATE_SPARSE_BINDING_BIT) != 0) one.unreadable = kSparse;
    if ((info.flags & VK_BUFFER_CREATE_PROTECTED_BIT) != 0) one.unreadable = kProtected;
    if ((one.usage & kPreprocessUsage) != 0)
      one.unreadable = "what it holds is the driver's own: preprocessed commands";
    return one;
  }

  // False: nothing that is played made it.
  bool describe(ObjectId id, SnapshotImage& one) {
    one.id = id;
    if (const ObjectId swapchain = swapchain_of(plan_, id); swapchain != ObjectId::null) {
      const std::uint32_t place = plan_.place_of(swapchain);
      if (place >= plan_.swapchains.size() || freed_.count(swapchain) != 0) return false;
      describe_image_of(plan_.swapchains[place], one);
    } else {
      const std::uint32_t place = plan_.place_of(id);
      if (place >= plan_.resources.size() || plan_.resources[place].create_op >= plan_.ops.size()) return false;
      describe_image(plan_.resources[place], one);
    }
    add_parts(one);
    return true;
  }

  void describe_image_of(const CapturedSwapchain& swapchain, SnapshotImage& one) {
    one.device = swapchain.device;
    one.create_op = swapchain.create_op;
    one.swapchain = swapchain.id;
    const MadeOfSwapchain made = made_of_swapchain(plan_, one.id);
    one.index = made.swapchain != ObjectId::null
                    ? made.index
                    : static_cast<std::uint32_t>(std::find(swapchain.images.begin(), swapchain.images.end(), one.id) -
                                                 swapchain.images.begin());
    view_.load(plan_, plan_.ops[one.create_op]);
    const VkSwapchainCreateInfoKHR& info = *view_.as<args_vkCreateSwapchainKHR>().pCreateInfo;
    one.type = VK_IMAGE_TYPE_2D;
    one.format = info.imageFormat;
    one.extent = {info.imageExtent.width, info.imageExtent.height, 1};
    one.layers = info.imageArrayLayers;
    one.usage = info.imageUsage;
    if (info.imageSharingMode == VK_SHARING_MODE_CONCURRENT && info.pQueueFamilyIndices != nullptr)
      one.families = {info.pQueueFamilyIndices, info.pQueueFamilyIndices + info.queueFamilyIndexCount};
    one.presented = was_presented(swapchain.id, one.index);
  }

  bool was_presented(ObjectId swapchain, std::uint32_t index) {
    if (last_present_ == kNone) return false;
    view_.load(plan_, plan_.ops[last_present_]);
    const VkPresentInfoKHR& info = *view_.as<args_vkQueuePresentKHR>().pPresentInfo;
    for (std::uint32_t i = 0; i < info.swapchainCount; ++i)
      if (view_.id(&info.pSwapchains[i]) == swapchain && info.pImageIndices[i] == index) return true;
    return false;
  }

  void describe_image(const CapturedResource& resource, SnapshotImage& one) {
    one.device = resource.device;
    one.create_op = resource.create_op;
    view_.load(plan_, plan_.ops[one.create_op]);
    const VkImageCreateInfo& info = *view_.as<args_vkCreateImage>().pCreateInfo;
    one.type = info.imageType;
    one.format = info.format;
    one.extent = info.extent;
    one.mips = info.mipLevels;
    one.layers = info.arrayLayers;
    one.samples = info.samples;
    one.tiling = info.tiling;
    one.usage = info.usage;
    one.families = sharing(info);
    look_at_memory(one);
    // A plane at a time: what is said of the last of them is not true of all.
    if ((info.flags & VK_IMAGE_CREATE_DISJOINT_BIT) != 0) {
      one.memory = ObjectId::null;
      one.offset = 0;
    }
    if ((info.flags & VK_IMAGE_CREATE_SPARSE_BINDING_BIT) != 0) one.unreadable = kSparse;
    if ((info.flags & VK_IMAGE_CREATE_PROTECTED_BIT) != 0) one.unreadable = kProtected;
    if ((info.usage & VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT) != 0) one.unreadable = "it is transient";
    if (info.samples != VK_SAMPLE_COUNT_1_BIT) one.unreadable = "it has several samples a texel";
  }

  void add_parts(SnapshotImage& one) const {
    const ImageLayouts& layouts = layouts_.now().images.at(one.id);
    const bool between = is_between(one.id);
    bool any = false;
    for (std::size_t aspect = 0; aspect < layouts.aspects.size(); ++aspect)
      for (std::uint32_t mip = 0; mip < layouts.mips; ++mip)
        for (std::uint32_t layer = 0; layer < layouts.layers; ++layer) {
          const auto at = [&](std::size_t other) -> const PartLayout& {
            return layouts.at((other * layouts.mips + mip) * layouts.layers + layer);
          };
          SnapshotPart part;
          part.aspect = layouts.aspects[aspect];
          part.together = layouts.planar ? VK_IMAGE_ASPECT_COLOR_BIT : part.aspect;
          if (!layouts.planar && layouts.aspects.size() == 2 && at(0).layout == at(1).layout)
            part.together = VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;
          part.mip = mip;
          part.layer = layer;
          part.extent = gpu::part_extent(one.format, part.aspect, one.extent, mip);
          part.layout = at(aspect).layout;
          part.family = layouts.shared ? VK_QUEUE_FAMILY_IGNORED : at(aspect).family;
          const gpu::ImageSource source{.format = one.format, .extent = part.extent, .aspect = part.aspect};
          if (part.layout == VK_IMAGE_LAYOUT_UNDEFINED)
            part.unreadable = "its contents are not defined: it is in VK_IMAGE_LAYOUT_UNDEFINED";
          else if (part.layout == VK_IMAGE_LAYOUT_PREINITIALIZED)
            part.unreadable = "no device has used it: it is in VK_IMAGE_LAYOUT_PREINITIALIZED";
          else if (gpu::bytes_of(source) == 0)
            part.unreadable = "its format cannot be read back";
          else if (between)
            part.unreadable = kBetween;
          any = any || part.unreadable.empty();
          one.parts.push_back(std::move(part));
        }
    if (any || !one.unreadable.empty() || one.parts.empty()) return;
    const std::string& first = one.parts.front().unreadable;
    const bool same = std::all_of(one.parts.begin(), one.parts.end(),
                                  [&](const SnapshotPart& part) { return part.unreadable == first; });
    one.unreadable = same ? first : "none of its parts can be read";
  }

  const Plan& plan_;
  const std::uint32_t end_;
  LayoutTracker layouts_;
  OpView view_;
  std::set<ObjectId> buffers_, freed_, bound_;  // buffers: alive
  std::uint32_t last_present_ = kNone;
};

}  // namespace

Result<SnapshotList> list_alive(const Plan& plan, std::uint32_t op) { return Lister(plan, op).run(); }

}  // namespace rondo::player
