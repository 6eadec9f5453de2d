// SPDX-License-Identifier: Apache-2.0
// The fields of scripts/irregular.py: whether a pointer may be followed or a
// handle means something, by what the specification says about the members
// around it. Encoding only: what is ignored is not in the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "format/codec/encoder.h"
#include "format/codec/schema.h"
#include "format/vulkan.h"

namespace rondo::codec {

// Lives for one encode(). Fields are asked in the order of their rows, parents
// before what they point to, so a parent's answer can prepare its children's.
class Rules {
 public:
  Rules(EncodeContext& context, CommandId command, const void* args)
      : context_(context), command_(command), args_(args) {}

  // May the pointer be followed; is the handle valid? `owner` is the structure
  // (or args) that the field is in. Only called for fields with a rule.
  bool applies(const Field& field, const std::byte* owner);
  // template_data: null if the template is unknown.
  EncodeContext::TemplateLayout template_layout(const std::byte* owner);
  // The descriptors encoded next are of this type (image_info_sampler and _view).
  void set_descriptor_type(std::uint32_t type) { descriptor_type_ = type; }
  // host_texels: bytes of the region that `owner` is; nothing: nobody knows.
  std::optional<std::uint64_t> host_texels(const std::byte* owner) const;
  // build_ranges: the elements of array `index`.
  std::size_t inner_count(std::size_t index) const;

 private:
  void read_pipeline(const VkGraphicsPipelineCreateInfo& create);
  bool pipeline_applies(RuleId rule) const;
  bool dynamic(VkDynamicState state) const;
  bool uses_depth_stencil() const;
  bool uses_color() const;

  EncodeContext& context_;
  CommandId command_;
  const void* args_;
  // of the VkWriteDescriptorSet or VkDescriptorGetInfoEXT around; max: none
  std::uint32_t descriptor_type_ = UINT32_MAX;
  bool continues_render_pass_ = false;  // of the VkCommandBufferBeginInfo around
  bool continues_rendering_ = false;    // the same, and it inherits no render pass

  // Of the VkGraphicsPipelineCreateInfo around.
  const VkGraphicsPipelineCreateInfo* pipeline_ = nullptr;
  const VkPipelineRenderingCreateInfo* rendering_ = nullptr;
  VkGraphicsPipelineLibraryFlagsEXT parts_ = 0;
  bool links_ = false;  // other parts are those of libraries
  bool discards_ = false;
  bool mesh_ = false;
  bool tessellates_ = false;
};

// The decoder's side: whether a rule that is for the encoder a reason to write
// null leaves a kRequired field required, seen from the members before it in
// `owner`. `in_parts`: a pipeline library may be what is being created.
bool required_by_rule(const Field& field, CommandId command, const std::byte* owner, bool in_parts);

}  // namespace rondo::codec
