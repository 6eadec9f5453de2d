// SPDX-License-Identifier: Apache-2.0
// Mesh shaders against the limits of the captured device, and of the one that plays.
#include <utility>

#include "format/printable.h"
#include "tests/unit/player_checked_shaders.h"

namespace rondo::player {
namespace {

class ShadersOfMeshes : public ShadersInParts {
 protected:
  static VkPhysicalDeviceMeshShaderFeaturesEXT features() {
    auto all =
        of_type<VkPhysicalDeviceMeshShaderFeaturesEXT>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT);
    all.meshShader = all.taskShader = VK_TRUE;
    return all;
  }
  explicit ShadersOfMeshes(const VkPhysicalDeviceMeshShaderFeaturesEXT& enabled = features())
      : ShadersInParts(&enabled) {
    graphics(layout({}, {}), {stage(VK_SHADER_STAGE_MESH_BIT_EXT, module(shader_code("outputs")))}, {},
             VK_PIPELINE_CREATE_LIBRARY_BIT_KHR);
    // Just what "outputs" asks for.
    limits_.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_PROPERTIES_EXT;
    limits_.maxMeshWorkGroupSize[0] = 8;
    limits_.maxMeshWorkGroupSize[1] = 4;
    limits_.maxMeshWorkGroupSize[2] = 1;
    limits_.maxMeshWorkGroupInvocations = 32;
    limits_.maxMeshPayloadAndSharedMemorySize = 84;
    limits_.maxMeshOutputVertices = 96;
    limits_.maxMeshOutputPrimitives = 32;
  }
  VkPhysicalDeviceMeshShaderPropertiesEXT limits_{};
};
TEST_F(ShadersOfMeshes, StayWithinTheLimitsOfTheCapturedDevice) {
  accepts();  // which are not known
  CapturedPhysicalDevice& physical = plan_->physical_devices.at(plan_->devices.at(0).physical);
  physical.meshes = limits_;
  accepts();
  for (const auto& [member, says] :
       {std::pair(&VkPhysicalDeviceMeshShaderPropertiesEXT::maxMeshWorkGroupInvocations,
                  "asks for 32, and maxMeshWorkGroupInvocations of the captured device is 31"),
        std::pair(&VkPhysicalDeviceMeshShaderPropertiesEXT::maxMeshPayloadAndSharedMemorySize,
                  "asks for 84, and maxMeshPayloadAndSharedMemorySize of the captured device is 83"),
        std::pair(&VkPhysicalDeviceMeshShaderPropertiesEXT::maxMeshOutputVertices,
                  "asks for 96, and maxMeshOutputVertices of the captured device is 95"),
        std::pair(&VkPhysicalDeviceMeshShaderPropertiesEXT::maxMeshOutputPrimitives,
                  "asks for 32, and maxMeshOutputPrimitives of the captured device is 31")}) {
    physical.meshes = limits_;
    --((*physical.meshes).*member);
    refuses(std::string("VkPipeline#0.mesh ") + says);
  }
  physical.meshes = limits_;
  physical.meshes->maxMeshWorkGroupSize[1] = 3;
  refuses("asks for 4, and maxMeshWorkGroupSize[1] of the captured device is 3");
}
TEST_F(ShadersOfMeshes, AreNotPlayedOnADeviceWithLess) {
  const auto report = check(Trust::foreign);
  ASSERT_TRUE(report) << report.error().message;
  std::vector<LiveDevice> devices(1);
  const Targets targets{&devices, {0}};
  EXPECT_TRUE(check_workgroups(*plan_, *report, Trust::foreign, targets));  // preflight() says that it has none
  devices[0].meshes = limits_;
  EXPECT_TRUE(check_workgroups(*plan_, *report, Trust::foreign, targets));
  devices[0].meshes.maxMeshOutputVertices = 64;
  const auto refused = check_workgroups(*plan_, *report, Trust::foreign, targets);
  ASSERT_FALSE(refused);
  const std::string said = printable(refused.error());
  EXPECT_NE(said.find("lacks: maxMeshOutputVertices of 96 (it has 64; record "), std::string::npos) << said;
}

}  // namespace
}  // namespace rondo::player
