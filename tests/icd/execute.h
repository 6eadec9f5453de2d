// SPDX-License-Identifier: Apache-2.0
// A queue at work on one command buffer. Transfers do what they say. No shader
// is run: a draw or dispatch writes a pattern into what it may write, and the
// pattern follows from all that the draw was given, so that two executions
// which differ in any parameter, bound object or byte read leave different
// contents (docs/testing.md).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "tests/icd/digest.h"
#include "tests/icd/driver.h"
#include "tests/icd/queue.h"

namespace fake {

namespace order {
class Gatherer;  // order_gather.h
}

struct BoundBuffer {
  std::shared_ptr<Buffer> buffer;
  VkDeviceSize offset = 0;
  VkDeviceSize size = VK_WHOLE_SIZE;  // from `offset`
  std::optional<VkDeviceSize> stride = {};

  VkDeviceSize end() const;  // in the buffer
};

struct BoundSet {
  std::shared_ptr<DescriptorSet> set;
  std::vector<std::uint32_t> dynamic_offsets;
};

struct BindPoint {
  std::shared_ptr<Pipeline> pipeline;
  std::map<std::uint32_t, BoundSet> sets;
};

// A subresource range of a view or image, as an attachment.
struct Attachment {
  std::shared_ptr<Image> image;
  VkFormat format = VK_FORMAT_UNDEFINED;  // the view's
  VkImageSubresourceRange range{};
  VkAttachmentLoadOp load = VK_ATTACHMENT_LOAD_OP_LOAD, stencil_load = VK_ATTACHMENT_LOAD_OP_LOAD;
  VkAttachmentStoreOp store = VK_ATTACHMENT_STORE_OP_STORE, stencil_store = VK_ATTACHMENT_STORE_OP_STORE;
  VkClearValue clear{};
  bool read_only = false;
  bool discarded = false;  // its layout was undefined
  bool begins = false;     // the load operations are done here: not by a subpass before, nor before a suspension
  std::shared_ptr<ImageView> resolve;
};

// What a render pass instance draws to. Secondaries share it.
struct RenderTarget {
  VkRect2D area{};
  std::uint32_t layers = 1;
  std::uint32_t view_mask = 0;
  std::vector<Attachment> colors;
  std::vector<Attachment> depth_stencil;  // none, one, or depth and stencil apart
  bool drawn = false;                     // draws whose pattern is not written yet
  std::uint64_t digest = 0;               // of those draws
};

// Where a render pass stands.
struct RenderPassInstance {
  std::shared_ptr<RenderPass> pass;
  std::vector<std::shared_ptr<ImageView>> views;
  std::vector<VkClearValue> clears;
  std::vector<bool> used;  // attachments that a subpass before used
  std::uint32_t subpass = 0;
  std::uint32_t layers = 1;
  VkRect2D area{};
};

// What a command buffer has set so far.
struct CommandState {
  Hash chain;  // every command of it up to now
  BindPoint graphics, compute, ray_tracing;
  std::map<std::uint32_t, BoundBuffer> vertex_buffers;
  BoundBuffer index_buffer;
  VkIndexType index_type = VK_INDEX_TYPE_UINT16;
  std::map<std::uint32_t, BoundBuffer> feedback_buffers;
  std::map<std::uint32_t, VkDeviceSize> feedback_bytes;  // written to each of them
  bool feedback = false;
  // Dynamic; else the pipeline's.
  std::vector<VkVertexInputBindingDescription2EXT> vertex_bindings;
  std::vector<VkVertexInputAttributeDescription2EXT> vertex_attributes;
  bool predicate = true;  // conditional rendering
};

class Execution {
 public:
  explicit Execution(QueueState& queue) : queue_(queue) {}

  void run(CommandBuffer& buffer);
  void run_secondary(CommandBuffer& buffer);

  CommandState& state() { return state_; }
  const CommandState& state() const { return state_; }
  BindPoint& bind_point(VkPipelineBindPoint point);
  QueueState& queue() { return queue_; }

  // How many views a draw is for, and so how many queries it takes. 1: no multiview.
  std::uint32_t views() const;
  // A render pass instance: null outside.
  RenderTarget* target() { return target_ ? &*target_ : nullptr; }
  void begin_target(RenderTarget target);  // with its load operations
  void load_attachments(bool depth);       // of depth and stencil, or of colors
  void flush_target();                     // writes what was drawn
  void end_target();                       // with that, its resolves and store operations
  void finish_attachments(bool depth);     // its resolves and store operations

  // Takes what this comes to, in place of running it (order_gather.h). Null: it is run.
  order::Gatherer* gatherer = nullptr;

  RenderPassInstance instance;

  // Queries that are active: pool and index, and what they count.
  struct Counter {
    std::uint64_t draws = 0, digest = 0;
    std::uint64_t vertices = 0, groups = 0,
                  meshes = 0;  // of draws, of dispatches, workgroups of mesh shaders
  };
  std::map<std::pair<std::shared_ptr<QueryPool>, std::uint32_t>, Counter> queries;

 private:
  void run_steps(CommandBuffer& buffer);

  QueueState& queue_;
  CommandState state_;
  std::optional<RenderTarget> target_;
};

// What a recorded command does when a queue comes to it: `void f(Execution&,
// const args_vkFoo&)`. Commands without are folded into what follows them.
template <auto f>
void execute(Table& table, CommandId id);

// One a file of commands; called by install_execution().
void install_copies(Table& table);
void install_blits(Table& table);
void install_clears(Table& table);
void install_rendering(Table& table);
void install_bindings(Table& table);
void install_draws(Table& table);
void install_queries(Table& table);
void install_events(Table& table);
void install_host_sync(Table& table);
void install_sync_files(Table& table);
void install_submits(Table& table);
void install_presentation(Table& table);
void install_execution(Table& table);  // all of them

// --- recording -------------------------------------------------------------

// Copies the call's parameters into its command buffer, for `run`.
using Run = void (*)(Execution&, const Arguments&);
void record_call(Call& call, Run run);

namespace detail {
template <class A>
struct ParameterOf;
template <class A>
struct ParameterOf<void (*)(Execution&, const A&)> {
  using type = A;
};
}  // namespace detail

template <auto f>
void execute(Table& table, CommandId id) {
  using A = typename detail::ParameterOf<decltype(f)>::type;
  table.set(id, [](Call& call) -> std::int64_t {
    record_call(call, [](Execution& execution, const Arguments& arguments) { f(execution, arguments.as<A>()); });
    return 0;
  });
}

}  // namespace fake
