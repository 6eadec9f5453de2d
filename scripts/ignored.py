# SPDX-License-Identifier: Apache-2.0
"""Members that the registry leaves to the specification's own words (`noautovalidity`): what may lie in them while
nothing uses them, and what sees to it that garbage there does no harm. tests/unit/ignored_members_test.py holds this
against the newest registry at hand: every such member of what a captured program is shown is here, once.

  rule       not followed, and null in the capture: RULES of irregular.py
  value      an enumerant or flags, replaced at replay where nothing uses them: kUnused of player/legal/values.cpp
  elsewhere  an enumerant or flags, replaced by player/legal/graphics_pipelines.cpp
  chain      pNext: of structures whose types the codec knows
  bytes      numbers, or a union: any value can be recorded and played; what a value leads to is checked, if anything is
  selected   a union that another member selects from (the codec's rows)
  optional   a pointer or handle that is null, or valid
  used       never unused: as any other member
  unread     recorded as no bytes, or not followed: callbacks, window systems
  question   of commands that ask, and that no replay repeats
  memory     of structures that lie in memory and in no call
"""


def _each(*groups):
    table = {}
    for kind, names in groups:
        for name in names.split():
            owner, member = name.split(".")
            assert (owner, member) not in table, name
            table[owner, member] = kind
    return table


IGNORED = _each(
    ("rule", """
        VkDescriptorImageInfo.sampler VkDescriptorImageInfo.imageView VkWriteDescriptorSet.dstSet
        VkWriteDescriptorSet.pImageInfo VkWriteDescriptorSet.pBufferInfo VkWriteDescriptorSet.pTexelBufferView
        VkBufferCreateInfo.pQueueFamilyIndices VkImageCreateInfo.pQueueFamilyIndices
        VkSwapchainCreateInfoKHR.pQueueFamilyIndices VkDescriptorSetLayoutBinding.pImmutableSamplers
        VkComputePipelineCreateInfo.basePipelineHandle VkPipelineViewportStateCreateInfo.pViewports
        VkPipelineViewportStateCreateInfo.pScissors VkGraphicsPipelineCreateInfo.pStages
        VkGraphicsPipelineCreateInfo.pVertexInputState VkGraphicsPipelineCreateInfo.pInputAssemblyState
        VkGraphicsPipelineCreateInfo.pTessellationState VkGraphicsPipelineCreateInfo.pViewportState
        VkGraphicsPipelineCreateInfo.pRasterizationState VkGraphicsPipelineCreateInfo.pMultisampleState
        VkGraphicsPipelineCreateInfo.pDepthStencilState VkGraphicsPipelineCreateInfo.pColorBlendState
        VkGraphicsPipelineCreateInfo.layout VkGraphicsPipelineCreateInfo.renderPass
        VkGraphicsPipelineCreateInfo.basePipelineHandle VkCommandBufferInheritanceInfo.renderPass
        VkCommandBufferInheritanceInfo.framebuffer VkCommandBufferBeginInfo.pInheritanceInfo
        VkFramebufferCreateInfo.pAttachments VkDescriptorUpdateTemplateCreateInfo.descriptorSetLayout
        VkDescriptorUpdateTemplateCreateInfo.pipelineLayout VkRayTracingPipelineCreateInfoKHR.basePipelineHandle
        VkAccelerationStructureBuildGeometryInfoKHR.srcAccelerationStructure
        VkAccelerationStructureBuildGeometryInfoKHR.dstAccelerationStructure
        VkPipelineRenderingCreateInfo.pColorAttachmentFormats vkCmdDrawMultiEXT.pVertexInfo
        vkCmdDrawMultiIndexedEXT.pIndexInfo vkUpdateDescriptorSetWithTemplate.pData
        vkCmdPushDescriptorSetWithTemplateKHR.pData
        VkPipelineViewportWScalingStateCreateInfoNV.pViewportWScalings
        VkPipelineViewportShadingRateImageStateCreateInfoNV.pShadingRatePalettes
        VkPipelineDiscardRectangleStateCreateInfoEXT.pDiscardRectangles
        VkPipelineCoverageModulationStateCreateInfoNV.pCoverageModulationTable
        VkAttachmentSampleCountInfoAMD.pColorAttachmentSamples VkPipelineMultisampleStateCreateInfo.pSampleMask"""),
    ("value", """
        VkDescriptorImageInfo.imageLayout VkBufferCreateInfo.usage VkBufferMemoryBarrier.srcAccessMask
        VkBufferMemoryBarrier.dstAccessMask VkImageMemoryBarrier.srcAccessMask VkImageMemoryBarrier.dstAccessMask
        VkDescriptorSetLayoutBinding.stageFlags VkComputePipelineCreateInfo.flags
        VkPipelineColorBlendStateCreateInfo.logicOp VkGraphicsPipelineCreateInfo.flags VkSamplerCreateInfo.compareOp
        VkSamplerCreateInfo.borderColor VkCommandBufferInheritanceInfo.queryFlags
        VkQueryPoolCreateInfo.pipelineStatistics VkDescriptorUpdateTemplateCreateInfo.pipelineBindPoint
        VkSampleLocationsInfoEXT.sampleLocationsPerPixel VkAttachmentReference2.aspectMask
        VkSubpassDescriptionDepthStencilResolve.depthResolveMode
        VkSubpassDescriptionDepthStencilResolve.stencilResolveMode VkRayTracingPipelineCreateInfoKHR.flags
        VkAccelerationStructureBuildGeometryInfoKHR.mode
        VkPipelineFragmentShadingRateStateCreateInfoKHR.combinerOps VkDescriptorBufferBindingInfoEXT.usage
        VkAttachmentSampleCountInfoAMD.depthStencilAttachmentSamples"""),
    ("elsewhere", """
        VkPipelineRenderingCreateInfo.depthAttachmentFormat VkPipelineRenderingCreateInfo.stencilAttachmentFormat"""),
    ("bytes", """
        VkViewport.x VkViewport.y VkViewport.width VkViewport.height VkBufferCopy.size VkBufferCopy2.size
        VkSpecializationMapEntry.size VkGraphicsPipelineCreateInfo.stageCount VkGraphicsPipelineCreateInfo.subpass
        VkClearAttachment.clearValue VkDisplayModeParametersKHR.refreshRate VkRectLayerKHR.extent
        VkDescriptorUpdateTemplateCreateInfo.set VkSamplerCustomBorderColorCreateInfoEXT.customBorderColor
        VkAccelerationStructureGeometryTrianglesDataKHR.vertexData
        VkAccelerationStructureGeometryTrianglesDataKHR.indexData
        VkAccelerationStructureGeometryTrianglesDataKHR.transformData VkAccelerationStructureGeometryAabbsDataKHR.data
        VkAccelerationStructureGeometryInstancesDataKHR.data VkAccelerationStructureBuildGeometryInfoKHR.scratchData
        VkCopyAccelerationStructureToMemoryInfoKHR.dst VkCopyMemoryToAccelerationStructureInfoKHR.src
        VkDeviceCreateInfo.enabledLayerCount"""),
    ("selected", """
        VkIndirectExecutionSetCreateInfoEXT.info VkIndirectCommandsLayoutTokenEXT.data VkDescriptorGetInfoEXT.data"""),
    ("optional", """
        VkBindImageMemoryInfo.memory vkCmdBindTransformFeedbackBuffersEXT.pSizes
        vkCmdBeginTransformFeedbackEXT.pCounterBuffers vkCmdEndTransformFeedbackEXT.pCounterBuffers"""),
    ("used", """
        VkCommandBufferInheritanceInfo.pipelineStatistics VkRenderPassBeginInfo.pClearValues
        VkRenderingAttachmentLocationInfo.pColorAttachmentLocations vkFreeDescriptorSets.pDescriptorSets
        vkFreeCommandBuffers.pCommandBuffers vkCmdClearColorImage.pColor
        VkPhysicalDeviceShaderSubgroupExtendedTypesFeatures.shaderSubgroupExtendedTypes
        VkDeviceCreateInfo.ppEnabledLayerNames VkShaderCreateInfoEXT.pSetLayouts"""),
    ("unread", """
        VkAllocationCallbacks.pfnAllocation VkAllocationCallbacks.pfnReallocation VkAllocationCallbacks.pfnFree
        VkAllocationCallbacks.pfnInternalAllocation VkAllocationCallbacks.pfnInternalFree
        VkWaylandSurfaceCreateInfoKHR.display VkWaylandSurfaceCreateInfoKHR.surface VkXlibSurfaceCreateInfoKHR.dpy
        VkXcbSurfaceCreateInfoKHR.connection"""),
    ("question", """
        VkPhysicalDeviceExternalBufferInfo.usage VkDeviceImageMemoryRequirements.planeAspect
        VkPhysicalDeviceSurfaceInfo2KHR.surface
        VkRenderingAreaInfo.pColorAttachmentFormats VkRenderingAreaInfo.depthAttachmentFormat
        VkRenderingAreaInfo.stencilAttachmentFormat"""),
    ("memory", """
        VkDrawIndirectCommand.firstInstance VkDrawIndexedIndirectCommand.firstInstance VkDispatchIndirectCommand.x
        VkDispatchIndirectCommand.y VkDispatchIndirectCommand.z VkDrawMeshTasksIndirectCommandEXT.groupCountX
        VkDrawMeshTasksIndirectCommandEXT.groupCountY VkDrawMeshTasksIndirectCommandEXT.groupCountZ"""),
)
