// SPDX-License-Identifier: Apache-2.0
// Shaders without pipelines that are not what they are bound as.
#include "tests/unit/player_descriptors.h"

#ifdef VK_EXT_shader_object

namespace rondo::player {
namespace {

using test::kDevice;
using test::of_type;
using test::ok;

class HostileShaderObjects : public test::Descriptors {
 protected:
  VkShaderCreateInfoEXT info_of(VkShaderStageFlagBits stage) {
    auto info = of_type<VkShaderCreateInfoEXT>(VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT);
    info.stage = stage;
    info.codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT;
    info.codeSize = sizeof code_;
    info.pCode = code_;
    info.pName = "main";
    return info;
  }
  VkShaderEXT shader(const VkShaderCreateInfoEXT& info) {
    auto made = fresh<VkShaderEXT>();
    capture.call(CommandId::vkCreateShadersEXT, args_vkCreateShadersEXT{kDevice, 1, &info, nullptr, &made}, ok());
    return made;
  }
  VkShaderEXT shader(VkShaderStageFlagBits stage) { return shader(info_of(stage)); }
  void bind(VkCommandBuffer into, VkShaderStageFlagBits stage, VkShaderEXT what) {
    capture.call(CommandId::vkCmdBindShadersEXT, args_vkCmdBindShadersEXT{into, 1, &stage, &what});
  }
  VkCommandBuffer drawing() {
    const VkCommandBuffer into = recording();
    auto pass = of_type<VkRenderingInfo>(VK_STRUCTURE_TYPE_RENDERING_INFO);
    pass.renderArea = {{0, 0}, {16, 16}};
    pass.layerCount = 1;
    capture.call(CommandId::vkCmdBeginRendering, args_vkCmdBeginRendering{into, &pass});
    return into;
  }
  void draw(VkCommandBuffer into) { capture.call(CommandId::vkCmdDraw, args_vkCmdDraw{into, 3, 1, 0, 0}); }

 private:
  const std::uint32_t code_[5] = {0x07230203};
};

TEST_F(HostileShaderObjects, DrawAndDispatch) {
  const VkCommandBuffer into = drawing();
  bind(into, VK_SHADER_STAGE_VERTEX_BIT, shader(VK_SHADER_STAGE_VERTEX_BIT));
  draw(into);
  const VkCommandBuffer other = recording();
  bind(other, VK_SHADER_STAGE_COMPUTE_BIT, shader(VK_SHADER_STAGE_COMPUTE_BIT));
  capture.call(CommandId::vkCmdDispatch, args_vkCmdDispatch{other, 1, 1, 1});
  accepts();
}
TEST_F(HostileShaderObjects, AreOfOneStage) {
  shader(static_cast<VkShaderStageFlagBits>(VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT));
  refuses("shader 0: stage is not one of the stages");
}
TEST_F(HostileShaderObjects, HaveCode) {
  auto info = info_of(VK_SHADER_STAGE_VERTEX_BIT);
  info.codeSize = 0;
  shader(info);
  refuses("vkCreateShadersEXT: shader 0");
}
TEST_F(HostileShaderObjects, HaveALayoutForEachSet) {
  auto info = info_of(VK_SHADER_STAGE_VERTEX_BIT);
  info.pushConstantRangeCount = 1;
  shader(info);
  refuses("pPushConstantRanges is null");
}
TEST_F(HostileShaderObjects, AreNotMadeOfBinaries) {
  auto info = info_of(VK_SHADER_STAGE_VERTEX_BIT);
  info.codeType = VK_SHADER_CODE_TYPE_BINARY_EXT;
  shader(info);
  refuses("makes VkShaderEXT#0 of a binary, or behind one");
}
TEST_F(HostileShaderObjects, AreBoundToTheirStage) {
  bind(recording(), VK_SHADER_STAGE_FRAGMENT_BIT, shader(VK_SHADER_STAGE_VERTEX_BIT));
  refuses("VkShaderEXT#0 is bound to another stage than it is of");
}
TEST_F(HostileShaderObjects, AreBoundToStagesOfShaders) {
  bind(recording(), VK_SHADER_STAGE_RAYGEN_BIT_KHR, VK_NULL_HANDLE);
  refuses("there are no shaders of such a stage");
}
TEST_F(HostileShaderObjects, DrawsNeedAVertexShader) {
  const VkCommandBuffer into = drawing();
  const VkShaderEXT vertex = shader(VK_SHADER_STAGE_VERTEX_BIT);
  bind(into, VK_SHADER_STAGE_VERTEX_BIT, vertex);
  bind(into, VK_SHADER_STAGE_VERTEX_BIT, VK_NULL_HANDLE);
  draw(into);
  refuses("vkCmdDraw");
}
TEST_F(HostileShaderObjects, TessellationShadersAreTwo) {
  const VkCommandBuffer into = drawing();
  bind(into, VK_SHADER_STAGE_VERTEX_BIT, shader(VK_SHADER_STAGE_VERTEX_BIT));
  bind(into, VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT, shader(VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT));
  draw(into);
  refuses("one of two tessellation shaders is bound");
}

}  // namespace
}  // namespace rondo::player

#endif
