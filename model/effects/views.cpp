// SPDX-License-Identifier: Apache-2.0
// Buffers, images, views, render passes and framebuffers are made (specification, "Resource Creation", "Render Pass").
#include "model/effects/shared.h"

namespace rondo::model {

namespace {

template <class Id>
void create_buffer(EffectsOf<Id>& e, const CallOf<Id>& c) {
  if (const Id made = c.made(); made != Id{})
    e.views.buffers.make(made).bytes = c.template as<args_vkCreateBuffer>().pCreateInfo->size;
}

template <class Id>
void create_image(EffectsOf<Id>& e, const CallOf<Id>& c) {
  const VkImageCreateInfo& info = *c.template as<args_vkCreateImage>().pCreateInfo;
  e.views.images.make(c.made()) = {info.imageType, info.format,      info.extent,
                                   info.mipLevels, info.arrayLayers, static_cast<std::uint32_t>(info.samples)};
}

template <class Id>
void create_view(EffectsOf<Id>& e, const CallOf<Id>& c) {
  const VkImageViewCreateInfo& info = *c.template as<args_vkCreateImageView>().pCreateInfo;
  const Id image = c.id(&info.image);
  if (image != Id{}) e.views.views.make(c.made()) = {image, e.views.part_of(image, info.subresourceRange)};
}

template <class Id>
void create_pass(EffectsOf<Id>& e, const CallOf<Id>& c) {
  e.views.passes.make(c.made()) = render_pass_of(*c.template as<args_vkCreateRenderPass2>().pCreateInfo);
}

template <class Id>
void create_framebuffer(EffectsOf<Id>& e, const CallOf<Id>& c) {
  const VkFramebufferCreateInfo& info = *c.template as<args_vkCreateFramebuffer>().pCreateInfo;
  FramebufferOf<Id>& made = e.views.framebuffers.make(c.made());
  made.layers = info.layers;
  if ((info.flags & VK_FRAMEBUFFER_CREATE_IMAGELESS_BIT) == 0)
    for (const VkImageView& view : std::span(info.pAttachments, info.attachmentCount))
      made.views.push_back(c.id(&view));
}

template <class Id>
void create_structure(EffectsOf<Id>& e, const CallOf<Id>& c) {
  const auto& info = *c.template as<args_vkCreateAccelerationStructureKHR>().pCreateInfo;
  e.views.structures.make(c.made()) = {c.id(&info.buffer), info.offset, info.size};
}

}  // namespace

template <class Id>
void add_views(SharedHandlers<Id>& handlers) {
  add(handlers, CommandId::vkCreateBuffer, create_buffer<Id>, kObjects);
  add(handlers, CommandId::vkCreateImage, create_image<Id>, kObjects);
  add(handlers, CommandId::vkCreateImageView, create_view<Id>, kObjects);
  add(handlers, CommandId::vkCreateRenderPass2, create_pass<Id>, kObjects);
  add(handlers, CommandId::vkCreateFramebuffer, create_framebuffer<Id>, kObjects);
  add(handlers, CommandId::vkCreateAccelerationStructureKHR, create_structure<Id>, kObjects);
}

template <class Id>
const SharedHandlers<Id>& shared_handlers() {
  static const SharedHandlers<Id> all = [] {
    SharedHandlers<Id> table(codec::commands().size());
    add_views(table);
    add_commands(table);
    add_transfers(table);
    add_passes(table);
    add_barriers(table);
    add_queries(table);
    add_first_forms(table);
    return table;
  }();
  return all;
}

template const SharedHandlers<ObjectId>& shared_handlers<ObjectId>();
template const SharedHandlers<std::uint64_t>& shared_handlers<std::uint64_t>();
template void add_views(SharedHandlers<ObjectId>&);
template void add_views(SharedHandlers<std::uint64_t>&);

}  // namespace rondo::model
