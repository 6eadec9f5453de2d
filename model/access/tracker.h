// SPDX-License-Identifier: Apache-2.0
// What the model remembers of objects and of what is recorded. Used by access/*.cpp only.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "model/access/label_paths.h"
#include "model/access/model.h"
#include "model/shaders/static_use.h"

namespace rondo::access {

struct Buffer {
  std::uint64_t bytes = 0;
  std::uint64_t address = 0;  // 0: the program was not told
};

struct Image {
  VkImageType type{};
  VkFormat format{};
  VkExtent3D extent{};
  std::uint32_t mips = 1, layers = 1, samples = 1;
};

struct Swapchain {
  Image kind;
  std::vector<ObjectId> images;
};

struct ImageView {
  ObjectId image = ObjectId::null;
  VkImageSubresourceRange part{};  // nothing remaining
};

struct BufferView {
  ObjectId buffer = ObjectId::null;
  std::uint64_t offset = 0, size = 0;
};

struct SetLayout {
  struct Binding {
    VkDescriptorType type{};
    std::uint32_t count = 0;
  };
  std::map<std::uint32_t, Binding> bindings;
};
using SetLayoutRef = std::shared_ptr<const SetLayout>;  // sets outlive their layouts

struct Descriptor {
  VkDescriptorType type{};
  ObjectId object = ObjectId::null;  // a buffer, a view, an acceleration structure
  std::uint64_t offset = 0, range = 0;
};
// By binding and element.
using Descriptors = std::map<std::pair<std::uint32_t, std::uint32_t>, Descriptor>;

struct Set {
  SetLayoutRef layout;
  std::uint32_t last = UINT32_MAX;  // descriptors of the last binding, where its layout lets sets choose
  Descriptors written;              // but for bindings of very many
  std::set<std::uint32_t> copied;   // bindings that something was copied to from such a one

  bool has_many(std::uint32_t binding) const {
    if (copied.count(binding) != 0) return true;
    const auto found = layout->bindings.find(binding);
    if (found == layout->bindings.end()) return false;
    if (found->second.type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK) return false;  // these are bytes
    const bool is_last = std::next(found) == layout->bindings.end();
    return (is_last ? std::min(found->second.count, last) : found->second.count) > kManyDescriptors;
  }
};

// Of one shader: its stage, and what it uses. Null: nobody knows.
struct ShaderUse {
  VkPipelineStageFlags2 stage = 0;
  std::shared_ptr<const shaders::StaticUse> use;
};

struct Pipeline {
  std::vector<ShaderUse> shaders;
  std::uint32_t vertex_bindings = 0;  // by bit; of what is dynamic all
};

struct RenderPass {
  struct Attachment {
    VkAttachmentLoadOp load{}, stencil_load{};
    VkAttachmentStoreOp store{}, stencil_store{};
    bool forgets = false, stencil_forgets = false;  // begins in the layout UNDEFINED
    bool used = false;
  };
  struct Subpass {
    std::vector<std::uint32_t> colors, inputs, resolves;
    std::uint32_t depth = VK_ATTACHMENT_UNUSED, depth_resolve = VK_ATTACHMENT_UNUSED, rate = VK_ATTACHMENT_UNUSED;
    std::uint32_t views = 0;  // that it is drawn for; 0: no multiview
  };
  std::vector<Attachment> attachments;
  std::vector<Subpass> subpasses;
};

struct Framebuffer {
  std::vector<ObjectId> views;
  std::uint32_t layers = 1;
};

struct Template {
  VkPipelineBindPoint point{};  // of pushes
  std::vector<VkDescriptorUpdateTemplateEntry> entries;
};

struct Structure {  // acceleration structure
  ObjectId buffer = ObjectId::null;
  std::uint64_t offset = 0, size = 0;
};

// What draws or dispatches find bound. Shared by all that find the same.
struct Bound {
  struct PlacedSet {
    ObjectId set = ObjectId::null;  // null: pushed
    std::shared_ptr<const Descriptors> pushed;
    bool in_memory = false;              // in a descriptor buffer
    std::vector<std::uint32_t> offsets;  // dynamic
  };
  std::vector<ShaderUse> shaders;
  std::map<std::uint32_t, PlacedSet> sets;
  std::vector<Touch> touches;  // of vertex buffers, attachments, …
};

struct Item {
  std::uint64_t record = 0;
  CommandId command{};
  std::uint32_t first = 0, count = 0;  // of CommandBuffer::touches
  Reach reach;
  Recorded recorded;
  std::shared_ptr<const Bound> bound;
  ObjectId secondary = ObjectId::null;  // that is executed here; `bound` has the attachments of its draws
  // In a secondary that goes on with a pass: it draws to the attachments there, or clears these aspects of them.
  bool draws = false;
  VkImageAspectFlags clears = 0;
  std::uint32_t recording = 0;  // … as it was recorded then
};

struct CommandBuffer {
  std::vector<Item> items;
  std::vector<Touch> touches;
  std::size_t bound = 0;  // of what its draws find, and of what was pushed: touches, sets, descriptors
  std::uint32_t recording = 0;

  // While it is recorded.
  struct Point {
    ObjectId pipeline = ObjectId::null;
    std::map<std::uint32_t, Bound::PlacedSet> sets;
    std::shared_ptr<const Bound> bound;  // null: something changed
  };
  std::array<Point, 3> points;                        // graphics, compute, rays
  std::map<VkShaderStageFlagBits, ObjectId> shaders;  // without pipelines
  struct Range {
    ObjectId buffer = ObjectId::null;
    std::uint64_t offset = 0, size = 0;
  };
  std::map<std::uint32_t, Range> vertices, feedback;  // by binding
  Range indices;
  std::uint32_t index_bytes = 0;
  std::vector<Touch> attachments;  // that a draw of this subpass touches
  bool inherits = false;           // those of the primary
  bool in_pass = false;            // a render pass is open, begun here or, with `inherits`, in the primary
  bool feeding_back = false, conditional = false;
  Range condition;
  std::vector<std::uint64_t> descriptor_buffers;  // addresses
  // The pass that it is in.
  ObjectId pass = ObjectId::null;
  std::uint32_t subpass = 0;
  std::vector<ObjectId> views;
  VkRect2D area{};
  bool area_of_all = true;  // else each device of a group has its own
  std::uint32_t area_layers = 1;
  std::uint32_t views_drawn = 0;  // as Subpass has it
  std::vector<Touch> at_end;      // of dynamic rendering: what is stored, resolved

  std::size_t size() const { return items.size() + touches.size() + bound; }
  void changed() {
    for (Point& point : points) point.bound.reset();
  }
};

// What is alive.
template <class T>
class Table {
 public:
  T* find(ObjectId id) {
    const auto found = all_.find(id);
    return found != all_.end() ? &found->second : nullptr;
  }
  T& make(ObjectId id) { return all_[id] = T{}; }
  void erase(ObjectId id) { all_.erase(id); }
  template <class Visit>
  void each(const Visit& visit) {
    for (auto& [id, one] : all_) visit(id, one);
  }

 private:
  std::unordered_map<ObjectId, T> all_;
};

struct Tracker {
  Tracker(Model::Sink to, const Limits& most) : sink(std::move(to)), limits(most) {}

  const Model::Sink sink;
  const Limits limits;
  bool too_many = false;
  std::uint64_t submits = 0;
  LabelPaths labels;
  // Of the submit that is being executed.
  std::uint64_t draws = 0;
  std::uint32_t batch = 0, primary = 0;
  // As Limits has them.
  std::uint64_t executed = 0;
  std::size_t recorded = 0, descriptors = 0;
  std::vector<ObjectId> executing;  // command buffers, one in the other

  Table<Buffer> buffers;
  Table<Image> images;
  Table<ImageView> views;
  Table<BufferView> buffer_views;
  Table<SetLayoutRef> set_layouts;
  Table<Set> sets;
  Table<std::vector<SetLayoutRef>> pipeline_layouts;
  Table<Template> templates;
  Table<std::vector<shaders::StaticUse>> modules;
  Table<Pipeline> pipelines;
  Table<ShaderUse> shaders;
  Table<RenderPass> passes;
  Table<Framebuffer> framebuffers;
  Table<Structure> structures;
  Table<Swapchain> swapchains;
  Table<CommandBuffer> commands;
  std::multimap<std::uint64_t, ObjectId> addresses;  // buffers by address: those of one memory may share it
  std::uint64_t longest = 0;                         // bytes of any of them
  std::unordered_set<ObjectId> in_memory;            // what descriptors were written of into memory
  std::vector<Touch> touches;                        // while something is executed
  model::SecondForm second;                          // of the call that is taken
  Item beyond;                                       // of what is not remembered

  // --- While commands are recorded ---

  // Of this call's command buffer. There is always one: a command of none is a hostile file's.
  CommandBuffer& recording(const Call& c);
  // Of the command that is being recorded: opens it. Beyond the limit one that nobody has.
  Item& record(const Call& c);
  // Something more that its command buffer holds. False: beyond the limit, and not remembered.
  bool remember(const Call& c, std::size_t count);
  void touch(const Call& c, const Touch& touch);
  void touch_buffer(const Call& c, ObjectId buffer, std::uint64_t offset, std::uint64_t size,
                    VkPipelineStageFlags2 stages, VkAccessFlags2 access, bool overwrites = false);
  void touch_image(const Call& c, ObjectId image, const VkImageSubresourceRange& part, VkPipelineStageFlags2 stages,
                   VkAccessFlags2 access, bool overwrites = false);
  // `size` 0: how much nobody says, to the end of its buffer. An address that is in none is unknown.
  void touch_address(const Call& c, VkDeviceAddress address, std::uint64_t size, VkPipelineStageFlags2 stages,
                     VkAccessFlags2 access);
  void touch_structure(const Call& c, ObjectId structure, VkPipelineStageFlags2 stages, VkAccessFlags2 access,
                       bool overwrites = false);
  // With what is bound there.
  void record_bound(const Call& c, VkPipelineBindPoint point);

  // --- Parts ---

  // Bytes from an offset on that there are; VK_WHOLE_SIZE: to the end.
  std::uint64_t bytes_of(ObjectId buffer, std::uint64_t offset, std::uint64_t size);
  // As Model has it.
  std::uint64_t bytes_of(const Touch& touch);
  // Nothing remaining, and no more than there is.
  VkImageSubresourceRange part_of(ObjectId image, VkImageSubresourceRange part);
  VkExtent3D extent_of(const Image& image, VkImageAspectFlags aspect, std::uint32_t mip);
  // The buffer there that reaches furthest.
  bool at_address(VkDeviceAddress address, std::uint64_t size, CommandBuffer::Range& out);
  Touch structure_touch(ObjectId id, VkPipelineStageFlags2 stages, VkAccessFlags2 access, bool overwrites = false);

  // --- Execution (execute.cpp) ---

  // `inherited`: attachments of a primary, for a secondary that goes on with its pass.
  void execute(const Call& c, ObjectId commands, std::span<const Touch> inherited);
  void execute_items(const Call& c, const CommandBuffer& from, std::span<const Touch> inherited);
  // A call that touches memory by itself.
  void emit_now(const Call& c, std::vector<Touch> all);
  void forget(ObjectId id, HandleType type);
  void forget_address(ObjectId id, const Buffer& buffer);
};

std::size_t index_of(VkPipelineBindPoint point);
VkImageSubresourceRange range_of(const VkImageSubresourceLayers& layers);

// passes.cpp: how many views a secondary draws for that goes on with a pass.
void inherit_views(Tracker& t, const Call& c, const VkCommandBufferInheritanceInfo& info);

using Handler = void (*)(Tracker&, const Call&);
using Handlers = std::vector<Handler>;  // by canonical CommandId, of two forms of a command the second

void add_objects(Handlers& handlers);
void add_descriptors(Handlers& handlers);
void add_shaders(Handlers& handlers);
void add_transfers(Handlers& handlers);
void add_passes(Handlers& handlers);
void add_draws(Handlers& handlers);
void add_rays(Handlers& handlers);
void add_queries(Handlers& handlers);
void add_generated_commands(Handlers& handlers);
void add_host_calls(Handlers& handlers);
void add_submits(Handlers& handlers);
void add_labels(Handlers& handlers);
const Handlers& handlers();
Handler handler_of(CommandId canonical);  // of either form; null: the command touches nothing

}  // namespace rondo::access
