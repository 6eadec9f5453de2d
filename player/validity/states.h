// SPDX-License-Identifier: Apache-2.0
// What is remembered of each object, by kind.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "format/objects.h"
#include "format/vulkan.h"
#include "player/validity/work.h"

namespace rondo::player::validity {

struct Memory {
  VkDeviceSize bytes = 0;
};

struct Buffer {
  VkDeviceSize bytes = 0;
  bool bound = false;  // or sparse
};

struct Image {
  VkImageType type = VK_IMAGE_TYPE_2D;
  VkFormat format = VK_FORMAT_UNDEFINED;
  VkExtent3D extent{};
  std::uint32_t mips = 1, layers = 1;
  VkImageCreateFlags flags = 0;
  VkSampleCountFlagBits samples = VK_SAMPLE_COUNT_1_BIT;
  bool bound = false;  // or sparse
};

struct ImageView {
  ObjectId image = 0;
  VkFormat format = VK_FORMAT_UNDEFINED;
  VkExtent3D extent{};  // of its first mip; 0 wide: not known
};

struct BufferView {
  ObjectId buffer = 0;
};

struct Binding {
  std::uint32_t binding = 0;
  VkDescriptorType type{};
  std::uint32_t count = 0;
  bool operator==(const Binding&) const = default;
};
struct SetLayout {
  std::vector<Binding> bindings;    // ascending
  std::uint32_t dynamic = 0;        // descriptors with a dynamic offset
  std::vector<std::uint32_t> late;  // bindings that may be written while the set is in use
};
using SetLayoutRef = std::shared_ptr<const SetLayout>;  // sets outlive their layouts

struct PipelineLayout {
  std::vector<SetLayoutRef> sets;  // null: none, or not known
  std::vector<VkPushConstantRange> ranges;
  bool partial = false;  // of pipeline libraries: sets may be null
};

struct Template {
  std::vector<VkDescriptorUpdateTemplateEntry> entries;
};

struct RenderPass {
  struct Subpass {
    std::uint32_t colors = 0;
    bool depth = false;
  };
  std::vector<Subpass> subpasses;
  std::uint32_t attachments = 0;
  std::uint32_t cleared = 0;  // clear values that a begin has to give
};

struct Framebuffer {
  std::vector<ObjectId> views;
  std::uint32_t attachments = 0;
  std::uint32_t width = 0, height = 0, layers = 0;
  bool imageless = false;
};

struct Pipeline {
  VkPipelineBindPoint point = VK_PIPELINE_BIND_POINT_GRAPHICS;
};

struct CommandPool {
  std::vector<ObjectId> buffers;
};

struct CommandBuffer {
  enum class State : std::uint8_t { initial, recording, executable };
  enum class Pass : std::uint8_t { none, render_pass, rendering, inherited };
  State state = State::initial;
  Pass pass = Pass::none;
  bool secondary = false;
  bool compute = false, graphics = false;  // pipelines bound
  std::uint32_t subpass = 0, subpasses = 0;
  std::uint32_t recording = 0;  // counts begins: secondaries are known by it
  std::uint32_t begin_op = 0;   // of this recording
  VkCommandBufferUsageFlags usage = 0;
  bool given = false;  // submitted or executed since it was recorded
  ObjectId index_buffer = 0;
  VkDeviceSize index_offset = 0;
  std::uint32_t index_bytes = 0;
  std::vector<ObjectId> uses;  // what has to be alive when it is executed
  struct Executed {
    ObjectId commands;
    std::uint32_t recording;
  };
  std::vector<Executed> executes;
  struct ActiveQuery {
    ObjectId pool;
    std::uint32_t query, index;
    bool operator==(const ActiveQuery&) const = default;
  };
  std::vector<ActiveQuery> queries;  // begun, not ended
};

struct QueryPool {
  VkQueryType type{};
  std::uint32_t count = 0;
};

struct Fence {
  bool signals = false;  // signalled, or about to be
  Place place;           // by this batch
};

struct Semaphore {
  bool timeline = false;
  bool followed = true;       // false: something else may signal it
  std::uint32_t signals = 0;  // binary: not yet waited for
  std::uint64_t value = 0;    // timelines: the highest that was asked for
  struct Signal {
    std::uint64_t value;  // of a timeline
    Place place;          // by this batch, or the host
  };
  std::vector<Signal> given;  // ascending; those that are not known to have happened, and the last that is
};

}  // namespace rondo::player::validity
