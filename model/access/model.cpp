// SPDX-License-Identifier: Apache-2.0
#include "model/access/model.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <span>

#include "format/codec/schema.h"
#include "model/access/tracker.h"
#include "model/shaders/sites.h"

namespace rondo::access {

namespace {

// Whether parameters name an object or an address, as far as the structures say that they hold.
bool names_something(StructId id, bool is_args, std::set<StructId>& seen) {
  if (!seen.insert(id).second) return false;
  std::span<const codec::Field> fields = codec::info(id).fields;
  if (is_args) fields = fields.subspan(1);  // the command buffer
  return std::any_of(fields.begin(), fields.end(), [&](const codec::Field& field) {
    if (field.element == codec::Element::handle || field.element == codec::Element::untyped_handle) return true;
    if (field.semantic == codec::Semantic::device_address) return true;
    const bool is_structure = field.element == codec::Element::structure || field.element == codec::Element::union_type;
    return is_structure && names_something(static_cast<StructId>(field.type), false, seen);
  });
}

// Commands of state and order that name objects, and touch no memory all the same.
constexpr struct {
  CommandId command;
  const char* why;
} kTouchNothing[] = {
    {CommandId::vkCmdPushConstants, "the layout says which shaders see them"},
    {CommandId::vkCmdSetEvent, "an event is no memory"},
    {CommandId::vkCmdResetEvent, "an event is no memory"},
    {CommandId::vkCmdSetEvent2, "an event is no memory; what it orders is done where it is waited for"},
    {CommandId::vkCmdResetEvent2, "an event is no memory"},
    {CommandId::vkCmdBindDescriptorBufferEmbeddedSamplersEXT, "samplers are no memory"},
#ifdef VK_KHR_maintenance6
    {CommandId::vkCmdPushConstants2, "the layout says which shaders see them"},
    {CommandId::vkCmdBindDescriptorBufferEmbeddedSamplers2EXT, "samplers are no memory"},
#endif
};

// A command that only sets state or orders others touches no memory by itself, if it names nothing that has any.
bool touches_nothing(const codec::CommandInfo& command) {
  if ((command.recording.tasks & (codec::kAction | codec::kIndirection)) != 0) return false;
  std::set<StructId> seen;
  return !names_something(command.args, true, seen) ||
         std::any_of(std::begin(kTouchNothing), std::end(kTouchNothing),
                     [&](const auto& one) { return one.command == command.canonical; });
}

// Some pipelines and shaders may have been made, and a submit is counted.
bool counts_though_failed(CommandId canonical) {
  return shaders::makes_shaders(canonical) || canonical == CommandId::vkQueueSubmit ||
         canonical == CommandId::vkQueueSubmit2;
}

}  // namespace

const Handlers& handlers() {
  static const Handlers all = [] {
    Handlers table(codec::commands().size(), nullptr);
    add_objects(table);
    add_descriptors(table);
    add_shaders(table);
    add_transfers(table);
    add_passes(table);
    add_draws(table);
    add_rays(table);
    add_queries(table);
    add_generated_commands(table);
    add_host_calls(table);
    add_submits(table);
    add_labels(table);
    return table;
  }();
  return all;
}

Handler handler_of(CommandId canonical) {
  static const Handlers of_both_forms = [] {
    Handlers table = handlers();
    for (const codec::CommandInfo& command : codec::commands())
      table[static_cast<std::size_t>(command.id)] =
          handlers()[static_cast<std::size_t>(model::second_form_of(command.id))];
    return table;
  }();
  return of_both_forms[static_cast<std::size_t>(canonical)];
}

ObjectId Call::created(std::size_t i) const {
  const std::vector<codec::HandleRef>& handles = view.lowered().handles;
  for (std::size_t at = 0; at < handles.size(); ++at)
    if ((handles[at].flags & codec::kCreated) != 0 && i-- == 0) return resolution.ids[at];
  return ObjectId::null;
}

struct Model::Impl : Tracker {
  using Tracker::Tracker;
};

Model::Model(Sink sink, const Limits& limits) : impl_(std::make_unique<Impl>(std::move(sink), limits)) {}
Model::~Model() = default;
Model::Model(Model&&) noexcept = default;

void Model::take(const Call& call) {
  Tracker& t = *impl_;
  const CommandId canonical = call.command.canonical;
  const Handler handler = handler_of(canonical);
  if (handler != nullptr && !t.too_many && (call.succeeded || counts_though_failed(canonical))) {
    Call one = call;
    if (t.second.take(canonical, &call.view.as<std::byte>())) one.second = &t.second;
    handler(t, one);
  }
  for (const ObjectId id : call.resolution.ended) t.forget(id, call.objects.objects()[id].type);
}

void Tracker::forget_address(ObjectId id, const Buffer& buffer) {
  const auto [first, last] = addresses.equal_range(buffer.address);
  const auto own = std::find_if(first, last, [&](const auto& one) { return one.second == id; });
  if (own != last) addresses.erase(own);
}

void Tracker::forget(ObjectId id, HandleType type) {
  in_memory.erase(id);
  switch (type) {
    case HandleType::VkBuffer:
      if (const Buffer* buffer = buffers.find(id); buffer != nullptr) forget_address(id, *buffer);
      return buffers.erase(id);
    case HandleType::VkImage:
      return images.erase(id);
    case HandleType::VkImageView:
      return views.erase(id);
    case HandleType::VkBufferView:
      return buffer_views.erase(id);
    case HandleType::VkDescriptorSetLayout:
      return set_layouts.erase(id);
    case HandleType::VkDescriptorSet:
      if (const Set* set = sets.find(id); set != nullptr) descriptors -= set->written.size();
      return sets.erase(id);
    case HandleType::VkPipelineLayout:
      return pipeline_layouts.erase(id);
    case HandleType::VkDescriptorUpdateTemplate:
      return templates.erase(id);
    case HandleType::VkShaderModule:
      return modules.erase(id);
    case HandleType::VkPipeline:
      return pipelines.erase(id);
#ifdef VK_EXT_shader_object
    case HandleType::VkShaderEXT:
      return shaders.erase(id);
#endif
    case HandleType::VkRenderPass:
      return passes.erase(id);
    case HandleType::VkFramebuffer:
      return framebuffers.erase(id);
    case HandleType::VkAccelerationStructureKHR:
      return structures.erase(id);
    case HandleType::VkSwapchainKHR:
      return swapchains.erase(id);
    case HandleType::VkCommandBuffer:
      if (const CommandBuffer* one = commands.find(id); one != nullptr) recorded -= one->size();
      return commands.erase(id);
    default:
      return;
  }
}

std::vector<ObjectId> Model::reachable() const {
  std::vector<ObjectId> all(impl_->in_memory.begin(), impl_->in_memory.end());
  for (const auto& [address, buffer] : impl_->addresses) all.push_back(buffer);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::vector<std::string_view> Model::labels_of(std::uint32_t path) const { return impl_->labels.names(path); }

std::uint64_t Model::bytes_of(const Touch& touch) const { return impl_->bytes_of(touch); }

bool Model::too_many() const { return impl_->too_many; }

bool Model::knows(const codec::CommandInfo& command) {
  return handler_of(command.canonical) != nullptr || touches_nothing(command);
}

}  // namespace rondo::access
