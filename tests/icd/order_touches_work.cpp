// SPDX-License-Identifier: Apache-2.0
// What draws, dispatches and traces read and write: the descriptors that their shaders declare, whole, and the vertex
// data that is bound; and what happens to attachments.
#include <algorithm>
#include <bit>

#include "tests/icd/order_touches.h"
#include "tests/icd/pipeline_uses.h"
#include "tests/icd/sensitive.h"

using namespace rondo;  // args_vk…

namespace fake::order {
namespace {

constexpr Stages kIndirect = VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT;

VkPipelineBindPoint bind_point_of(CommandId id) {
  switch (id) {
    case CommandId::vkCmdDispatch:
    case CommandId::vkCmdDispatchBase:
    case CommandId::vkCmdDispatchIndirect:
      return VK_PIPELINE_BIND_POINT_COMPUTE;
    case CommandId::vkCmdTraceRaysKHR:
      return VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR;
    default:
      return VK_PIPELINE_BIND_POINT_GRAPHICS;
  }
}

bool is_indexed(CommandId id) {
  switch (id) {
    case CommandId::vkCmdDrawIndexed:
    case CommandId::vkCmdDrawMultiIndexedEXT:
    case CommandId::vkCmdDrawIndexedIndirect:
    case CommandId::vkCmdDrawIndexedIndirectCount:
      return true;
    default:
      return false;
  }
}

// From the offset to the end of the buffer: parameters may be many.
void add_parameters(Touches& to, VkBuffer buffer, VkDeviceSize offset) {
  Touch read{kIndirect, VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT};
  add_bytes(read.bytes, get<Buffer>(buffer).get(), offset, VK_WHOLE_SIZE);
  to.push_back(std::move(read));
}

template <class Args>
void add_counted(Touches& to, const Args& a) {
  add_parameters(to, a.buffer, a.offset);
  add_parameters(to, a.countBuffer, a.countBufferOffset);
}

void add_indirect(Touches& to, const Arguments& arguments) {
  switch (arguments.command()) {
    case CommandId::vkCmdDispatchIndirect:
      return add_parameters(to, arguments.as<args_vkCmdDispatchIndirect>().buffer,
                            arguments.as<args_vkCmdDispatchIndirect>().offset);
    case CommandId::vkCmdDrawIndirect:
      return add_parameters(to, arguments.as<args_vkCmdDrawIndirect>().buffer,
                            arguments.as<args_vkCmdDrawIndirect>().offset);
    case CommandId::vkCmdDrawIndexedIndirect:
      return add_parameters(to, arguments.as<args_vkCmdDrawIndexedIndirect>().buffer,
                            arguments.as<args_vkCmdDrawIndexedIndirect>().offset);
    case CommandId::vkCmdDrawMeshTasksIndirectEXT:
      return add_parameters(to, arguments.as<args_vkCmdDrawMeshTasksIndirectEXT>().buffer,
                            arguments.as<args_vkCmdDrawMeshTasksIndirectEXT>().offset);
    case CommandId::vkCmdDrawIndirectByteCountEXT: {
      const auto& a = arguments.as<args_vkCmdDrawIndirectByteCountEXT>();
      // "vkCmdDrawIndirectByteCountEXT": the counter is read as a transform feedback counter.
      Touch read{kIndirect,
                 VK_ACCESS_2_TRANSFORM_FEEDBACK_COUNTER_READ_BIT_EXT | VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT};
      add_bytes(read.bytes, get<Buffer>(a.counterBuffer).get(), a.counterBufferOffset, sizeof(std::uint32_t));
      to.push_back(std::move(read));
      return;
    }
    case CommandId::vkCmdDrawIndirectCount:
      return add_counted(to, arguments.as<args_vkCmdDrawIndirectCount>());
    case CommandId::vkCmdDrawIndexedIndirectCount:
      return add_counted(to, arguments.as<args_vkCmdDrawIndexedIndirectCount>());
    case CommandId::vkCmdDrawMeshTasksIndirectCountEXT:
      return add_counted(to, arguments.as<args_vkCmdDrawMeshTasksIndirectCountEXT>());
    default:
      return;
  }
}

void add_bound(Ranges& to, const BoundBuffer& bound) {
  if (bound.end() > bound.offset) add_bytes(to, bound.buffer.get(), bound.offset, bound.end() - bound.offset);
}

void add_inputs(Touches& to, const CommandState& state, bool indexed) {
  Touch vertices{VK_PIPELINE_STAGE_2_VERTEX_ATTRIBUTE_INPUT_BIT, VK_ACCESS_2_VERTEX_ATTRIBUTE_READ_BIT};
  for (const auto& [binding, bound] : state.vertex_buffers) add_bound(vertices.bytes, bound);
  to.push_back(std::move(vertices));
  if (indexed) {
    Touch indices{VK_PIPELINE_STAGE_2_INDEX_INPUT_BIT, VK_ACCESS_2_INDEX_READ_BIT};
    add_bound(indices.bytes, state.index_buffer);
    to.push_back(std::move(indices));
  }
  if (!state.feedback) return;
  Touch written{VK_PIPELINE_STAGE_2_TRANSFORM_FEEDBACK_BIT_EXT, VK_ACCESS_2_TRANSFORM_FEEDBACK_WRITE_BIT_EXT, true};
  for (const auto& [binding, bound] : state.feedback_buffers) add_bound(written.bytes, bound);
  to.push_back(std::move(written));
}

Stages pipeline_stages(const BindPoint& point) {
  Stages stages = 0;
  if (point.pipeline != nullptr)
    for (const Pipeline::Stage& stage : point.pipeline->stages) stages |= stages_of_shaders(stage.stage);
  return stages;
}

// What a shader may write it may also only write: nobody can tell. So a barrier for writes is taken for one for both.
Accesses reads_of(VkDescriptorType type, bool may_write) {
  switch (type) {
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC:
      return VK_ACCESS_2_UNIFORM_READ_BIT;
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC:
    case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
    case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
      return VK_ACCESS_2_SHADER_STORAGE_READ_BIT | (may_write ? VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT : Accesses{0});
    case VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT:
      return VK_ACCESS_2_INPUT_ATTACHMENT_READ_BIT;
    default:
      return VK_ACCESS_2_SHADER_SAMPLED_READ_BIT;
  }
}

void add_descriptors(Touches& to, const BindPoint& point, Stages all) {
  each_reached_bytes(point, [&](std::pair<std::uint32_t, std::uint32_t> place, const Descriptor& descriptor,
                                bool may_write, std::byte* begin, std::size_t size) {
    if (size == 0) return;
    Stages stages = all;
    if (const auto found = point.pipeline->uses->stages.find(place); found != point.pipeline->uses->stages.end())
      stages = stages_of_shaders(found->second);
    const bool is_input = descriptor.type == VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT;
    const Ranges bytes{{begin, begin + size}};
    // Each stage that reads it needs to see it.
    for (Stages left = stages; left != 0; left &= left - 1)
      to.push_back({left & (~left + 1), reads_of(descriptor.type, may_write), false, bytes,
                    is_input ? Role::input : Role::none});
    if (may_write) to.push_back({stages, VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT, true, bytes});
  });
}

// Touches of one kind as one: rows of images are many.
Touches joined(Touches touches) {
  Touches all;
  for (Touch& touch : touches) {
    const auto same = std::find_if(all.begin(), all.end(), [&](const Touch& t) {
      return t.stages == touch.stages && t.access == touch.access && t.writes == touch.writes && t.role == touch.role;
    });
    if (same == all.end())
      all.push_back(std::move(touch));
    else
      same->bytes.insert(same->bytes.end(), touch.bytes.begin(), touch.bytes.end());
  }
  return all;
}

std::uint32_t layers_drawn(const RenderTarget& target, const VkImageSubresourceRange& range) {
  const auto layers =
      target.view_mask != 0 ? static_cast<std::uint32_t>(std::bit_width(target.view_mask)) : target.layers;
  return std::min(layers, range.layerCount);
}

void add_area(Ranges& to, const RenderTarget& target, const Image& image, const VkImageSubresourceRange& range,
              VkImageAspectFlags aspects) {
  for (const VkImageAspectFlagBits aspect : aspects_of(image, range.aspectMask & aspects))
    for (std::uint32_t layer = 0; layer < layers_drawn(target, range); ++layer)
      if (target.view_mask == 0 || (target.view_mask >> layer & 1) != 0)
        add_box(to, box_of_area(image, aspect, range, layer, target.area));
}

bool loads(const Attachment& a, VkAttachmentLoadOp how) {
  return how == VK_ATTACHMENT_LOAD_OP_CLEAR || how == VK_ATTACHMENT_LOAD_OP_DONT_CARE ||
         (a.discarded && how == VK_ATTACHMENT_LOAD_OP_LOAD);
}

}  // namespace

bool is_draw(CommandId id) {
  switch (id) {
    case CommandId::vkCmdDraw:
    case CommandId::vkCmdDrawMultiEXT:
    case CommandId::vkCmdDrawIndirect:
    case CommandId::vkCmdDrawIndirectCount:
    case CommandId::vkCmdDrawIndirectByteCountEXT:
    case CommandId::vkCmdDrawMeshTasksEXT:
    case CommandId::vkCmdDrawMeshTasksIndirectEXT:
    case CommandId::vkCmdDrawMeshTasksIndirectCountEXT:
      return true;
    default:
      return is_indexed(id);
  }
}

Stages work_stages(CommandId id, const Execution& execution) {
  switch (id) {
    case CommandId::vkCmdDispatch:
    case CommandId::vkCmdDispatchBase:
      return VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
    case CommandId::vkCmdDispatchIndirect:
      return VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT | kIndirect;
    case CommandId::vkCmdTraceRaysKHR:
      return VK_PIPELINE_STAGE_2_RAY_TRACING_SHADER_BIT_KHR;
    default:
      break;
  }
  if (!is_draw(id)) return 0;
  Stages stages = pipeline_stages(execution.state().graphics) | VK_PIPELINE_STAGE_2_VERTEX_ATTRIBUTE_INPUT_BIT;
  if (is_indexed(id)) stages |= VK_PIPELINE_STAGE_2_INDEX_INPUT_BIT;
  if (execution.state().feedback) stages |= VK_PIPELINE_STAGE_2_TRANSFORM_FEEDBACK_BIT_EXT;
  switch (id) {
    case CommandId::vkCmdDraw:
    case CommandId::vkCmdDrawIndexed:
    case CommandId::vkCmdDrawMultiEXT:
    case CommandId::vkCmdDrawMultiIndexedEXT:
    case CommandId::vkCmdDrawMeshTasksEXT:
      return stages;
    default:
      return stages | kIndirect;
  }
}

Touches touches_of_work(const Arguments& arguments, Execution& execution) {
  Touches touches;
  if (!execution.state().predicate) return touches;
  add_indirect(touches, arguments);
  const CommandId id = arguments.command();
  if (is_draw(id)) add_inputs(touches, execution.state(), is_indexed(id));
  const BindPoint& point = execution.bind_point(bind_point_of(id));
  if (point.pipeline != nullptr && point.pipeline->uses != nullptr)
    add_descriptors(touches, point, pipeline_stages(point));
  return joined(std::move(touches));
}

Touches touches_of_feedback(const Arguments& arguments) {
  const auto counters = [](const auto& a, Accesses access, bool writes) {
    Touch touch{VK_PIPELINE_STAGE_2_TRANSFORM_FEEDBACK_BIT_EXT | (writes ? Stages{0} : kIndirect), access, writes};
    for (std::uint32_t i = 0; i < a.counterBufferCount && a.pCounterBuffers != nullptr; ++i)
      add_bytes(touch.bytes, get<Buffer>(a.pCounterBuffers[i]).get(),
                a.pCounterBufferOffsets == nullptr ? 0 : a.pCounterBufferOffsets[i], sizeof(std::uint32_t));
    return Touches{std::move(touch)};
  };
  if (arguments.command() == CommandId::vkCmdBeginTransformFeedbackEXT)
    return counters(arguments.as<args_vkCmdBeginTransformFeedbackEXT>(),
                    VK_ACCESS_2_TRANSFORM_FEEDBACK_COUNTER_READ_BIT_EXT, false);
  return counters(arguments.as<args_vkCmdEndTransformFeedbackEXT>(),
                  VK_ACCESS_2_TRANSFORM_FEEDBACK_COUNTER_WRITE_BIT_EXT, true);
}

Touches touches_of_predicate(const Arguments& arguments) {
  const auto& begin = *arguments.as<args_vkCmdBeginConditionalRenderingEXT>().pConditionalRenderingBegin;
  Touch read{VK_PIPELINE_STAGE_2_CONDITIONAL_RENDERING_BIT_EXT, VK_ACCESS_2_CONDITIONAL_RENDERING_READ_BIT_EXT};
  add_bytes(read.bytes, get<Buffer>(begin.buffer).get(), begin.offset, sizeof(std::uint32_t));
  return {std::move(read)};
}

Touches touches_of_attachments(const RenderTarget& target, Attached how, bool depth, std::uint64_t subpass) {
  const Stages stages = depth ? kDepthStages : kColorStage;
  const Accesses reads = depth ? VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT : VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT;
  const Accesses writes =
      depth ? VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT : VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT;
  const Role role = how == Attached::load ? Role::load : Role::attachment;
  // A draw may read them or not: blending and tests decide, which are not known here. Loads read.
  Touch loaded{stages, reads, false, {}, role, subpass};
  Touch read{stages, reads | writes, false, {}, role, subpass}, written{stages, writes, true, {}, role, subpass};
  // Resolves are operations of the color attachment output, of depth too.
  Touch resolved_to{kColorStage | stages, VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT | writes, true, {}, role, subpass};
  for (const Attachment& a : depth ? target.depth_stencil : target.colors) {
    if (a.image == nullptr) continue;
    const VkImageAspectFlags stencil = VK_IMAGE_ASPECT_STENCIL_BIT;
    const auto area = [&](Ranges& to, VkImageAspectFlags aspects) { add_area(to, target, *a.image, a.range, aspects); };
    switch (how) {
      case Attached::load:
        if (loads(a, a.load)) area(written.bytes, ~stencil);
        if (loads(a, a.stencil_load)) area(written.bytes, stencil);
        break;
      case Attached::draw:
        area(a.begins && a.load == VK_ATTACHMENT_LOAD_OP_LOAD ? loaded.bytes : read.bytes, ~VkImageAspectFlags{0});
        if (!a.read_only) area(written.bytes, ~VkImageAspectFlags{0});
        break;
      case Attached::clear:
        if (!a.read_only) area(written.bytes, ~VkImageAspectFlags{0});
        break;
      case Attached::finish:
        if (a.resolve != nullptr && a.resolve->image != nullptr) {
          area(read.bytes, ~VkImageAspectFlags{0});
          add_area(resolved_to.bytes, target, *a.resolve->image, a.resolve->range, a.range.aspectMask);
        }
        if (a.read_only) break;
        if (a.store == VK_ATTACHMENT_STORE_OP_DONT_CARE) area(written.bytes, ~stencil);
        if (a.stencil_store == VK_ATTACHMENT_STORE_OP_DONT_CARE) area(written.bytes, stencil);
        break;
    }
  }
  return {std::move(loaded), std::move(read), std::move(written), std::move(resolved_to)};
}

}  // namespace fake::order
