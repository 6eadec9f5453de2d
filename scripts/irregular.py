# SPDX-License-Identifier: Apache-2.0
"""Fields that a generator alone gets wrong. Each rule's behaviour is C++ in
format/codec/rules.cpp, under the same name; here stands only where it applies.
(docs: shared rules "Pointers the specification says to ignore hold garbage".)
"""

# (structure or command, field) -> rule.
RULES = {
    # VkWriteDescriptorSet: one of three arrays, by descriptorType.
    ("VkWriteDescriptorSet", "dstSet"): "write_set",
    ("VkWriteDescriptorSet", "pImageInfo"): "write_images",
    ("VkWriteDescriptorSet", "pBufferInfo"): "write_buffers",
    ("VkWriteDescriptorSet", "pTexelBufferView"): "write_texel_views",
    ("VkDescriptorGetInfoEXT", "pNext"): "descriptor_info",  # says what its data is
    ("VkDescriptorImageInfo", "sampler"): "image_info_sampler",
    ("VkDescriptorImageInfo", "imageView"): "image_info_view",
    ("VkDescriptorUpdateTemplateCreateInfo", "descriptorSetLayout"): "template_of_set",
    ("VkDescriptorUpdateTemplateCreateInfo", "pipelineLayout"): "template_of_push",
    ("VkDescriptorSetLayoutBinding", "pImmutableSamplers"): "immutable_samplers",
    # Only read when sharingMode is concurrent (the selector is sharingMode).
    ("VkBufferCreateInfo", "pQueueFamilyIndices"): "queue_families",
    ("VkImageCreateInfo", "pQueueFamilyIndices"): "queue_families",
    ("VkSwapchainCreateInfoKHR", "pQueueFamilyIndices"): "queue_families",
    ("VkPhysicalDeviceImageDrmFormatModifierInfoEXT", "pQueueFamilyIndices"): "queue_families",
    ("VkFramebufferCreateInfo", "pAttachments"): "framebuffer_attachments",
    # Command buffers: only secondaries inherit, only inside a render pass.
    ("VkCommandBufferBeginInfo", "pInheritanceInfo"): "inheritance_info",
    ("VkCommandBufferInheritanceInfo", "renderPass"): "inheritance_render_pass",
    ("VkCommandBufferInheritanceInfo", "framebuffer"): "inheritance_render_pass",
    ("VkCommandBufferInheritanceRenderingInfo", "pColorAttachmentFormats"): "inheritance_formats",
    # Graphics pipelines: states under rasterizer discard, dynamic state, libraries.
    ("VkGraphicsPipelineCreateInfo", "pNext"): "pipeline_chain",
    ("VkPipelineRenderingCreateInfo", "pColorAttachmentFormats"): "pipeline_formats",
    ("VkGraphicsPipelineCreateInfo", "pStages"): "pipeline_stages",
    ("VkGraphicsPipelineCreateInfo", "layout"): "pipeline_layout",
    ("VkGraphicsPipelineCreateInfo", "renderPass"): "pipeline_render_pass",
    ("VkGraphicsPipelineCreateInfo", "pVertexInputState"): "pipeline_vertex_input",
    ("VkGraphicsPipelineCreateInfo", "pInputAssemblyState"): "pipeline_input_assembly",
    ("VkGraphicsPipelineCreateInfo", "pTessellationState"): "pipeline_tessellation",
    ("VkGraphicsPipelineCreateInfo", "pViewportState"): "pipeline_viewport",
    ("VkGraphicsPipelineCreateInfo", "pRasterizationState"): "pipeline_rasterization",
    ("VkGraphicsPipelineCreateInfo", "pMultisampleState"): "pipeline_multisample",
    ("VkGraphicsPipelineCreateInfo", "pDepthStencilState"): "pipeline_depth_stencil",
    ("VkGraphicsPipelineCreateInfo", "pColorBlendState"): "pipeline_color_blend",
    ("VkGraphicsPipelineCreateInfo", "basePipelineHandle"): "base_pipeline",
    ("VkComputePipelineCreateInfo", "basePipelineHandle"): "base_pipeline",
    ("VkRayTracingPipelineCreateInfoKHR", "basePipelineHandle"): "base_pipeline",
    ("VkRayTracingPipelineCreateInfoNV", "basePipelineHandle"): "base_pipeline",
    ("VkPipelineViewportStateCreateInfo", "pViewports"): "dynamic_viewports",
    ("VkPipelineViewportStateCreateInfo", "pScissors"): "dynamic_scissors",
    ("VkPipelineColorBlendStateCreateInfo", "pAttachments"): "dynamic_blend_attachments",
    ("VkPipelineMultisampleStateCreateInfo", "pSampleMask"): "dynamic_sample_mask",
    ("VkPipelineViewportWScalingStateCreateInfoNV", "pViewportWScalings"): "dynamic_w_scalings",
    ("VkPipelineViewportShadingRateImageStateCreateInfoNV", "pShadingRatePalettes"): "dynamic_palettes",
    ("VkPipelineDiscardRectangleStateCreateInfoEXT", "pDiscardRectangles"): "dynamic_discard_rectangles",
    ("VkPipelineCoverageModulationStateCreateInfoNV", "pCoverageModulationTable"): "dynamic_coverage_table",
    ("VkAttachmentSampleCountInfoAMD", "pColorAttachmentSamples"): "rendering_samples",
    ("VkRenderingAttachmentInfo", "resolveImageView"): "resolve_view",
    # Only so many elements are written by the driver (the selector says how many); what lies behind them is the program's.
    ("VkPhysicalDeviceGroupProperties", "physicalDevices"): "counted",
    ("VkPhysicalDeviceMemoryProperties", "memoryTypes"): "counted",
    ("VkPhysicalDeviceMemoryProperties", "memoryHeaps"): "counted_heaps",
    ("VkQueueFamilyGlobalPriorityPropertiesKHR", "priorities"): "counted",
    # The template says what lies where in the data.
    ("vkUpdateDescriptorSetWithTemplate", "pData"): "template_data",
    ("vkCmdPushDescriptorSetWithTemplateKHR", "pData"): "template_data",
    ("VkPushDescriptorSetWithTemplateInfo", "pData"): "template_data",
    # As many bytes as the region's texels take in the program's memory.
    ("VkMemoryToImageCopy", "pHostPointer"): "host_texels",
    ("VkImageToMemoryCopy", "pHostPointer"): "host_texels",
    # Elements lie `stride` bytes apart (the selector is the stride).
    ("vkCmdDrawMultiEXT", "pVertexInfo"): "strided",
    ("vkCmdDrawMultiIndexedEXT", "pIndexInfo"): "strided",
    # One array for each element of pInfos, of its geometryCount.
    ("vkCmdBuildAccelerationStructuresKHR", "ppBuildRangeInfos"): "build_ranges",
    ("vkBuildAccelerationStructuresKHR", "ppBuildRangeInfos"): "build_ranges",
    ("vkCmdBuildAccelerationStructuresIndirectKHR", "ppMaxPrimitiveCounts"): "build_ranges",
    # Read by builds alone, not by questions of size; the source by updates alone.
    ("VkAccelerationStructureBuildGeometryInfoKHR", "srcAccelerationStructure"): "update_source",
    ("VkAccelerationStructureBuildGeometryInfoKHR", "dstAccelerationStructure"): "build_target",
    # The selecting member is a VkDebugReportObjectTypeEXT.
    ("vkDebugReportMessageEXT", "object"): "debug_report_object",
    ("VkDebugMarkerObjectNameInfoEXT", "object"): "debug_report_object",
    ("VkDebugMarkerObjectTagInfoEXT", "object"): "debug_report_object",
}

# Rules that change what is written, not only whether: part of the encoding hash.
WIRE_RULES = {"strided", "build_ranges", "template_data"}

# Values of hidden extensions that select a member of a union and that old captures already have in their encoding.
# They stay, so that the hash stays.
KEPT_SELECTIONS = {"VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_NV"}

# The member that a rule looks at, stored as Field::selector.
RULE_SELECTORS = {"queue_families": ("sharingMode", "imageSharingMode"), "strided": ("stride",),
                  "counted": ("physicalDeviceCount", "memoryTypeCount", "priorityCount"),
                  "counted_heaps": ("memoryHeapCount",)}

# Pointers whose length nothing in the call says: not recorded. All belong to
# extensions that are hidden from programs.
OPAQUE = {
    ("VkCuLaunchInfoNVX", "pParams"), ("VkCuLaunchInfoNVX", "pExtras"),
    ("VkDeviceFaultInfoEXT", "pAddressInfos"), ("VkDeviceFaultInfoEXT", "pVendorInfos"),
}

# Pointers that are told as numbers: where the program has what it gives to a device.
ADDRESSES = {
    ("VkImportMemoryHostPointerInfoEXT", "pHostPointer"),
    ("vkGetMemoryHostPointerPropertiesEXT", "pHostPointer"),
}

# Outputs that a replay compares with its own, of any length.
COMPARED = {
    ("vkGetRayTracingShaderGroupHandlesKHR", "pData"),
    ("VkImageToMemoryCopy", "pHostPointer"),
}

# Handles that a call cannot tell to be ignored: they may be garbage in the file.
PERHAPS_IGNORED_RULES = {"image_info_sampler"}

# Rules under which a null may still be refused: rules.cpp's required_by_rule()
# says when. All others write nulls of their own.
REQUIRING_RULES = {"write_set", "write_images", "write_buffers", "write_texel_views", "queue_families",
                   "template_of_set", "template_of_push",
                   "framebuffer_attachments", "pipeline_stages", "strided", "template_data", "build_ranges"}

# Must not be null (an array: unless its count is 0), where the registry does not say so.
REQUIRED = {
    ("VkGraphicsPipelineCreateInfo", "pStages"),
    ("VkRenderPassBeginInfo", "pClearValues"),
    ("VkDescriptorUpdateTemplateCreateInfo", "descriptorSetLayout"),
    # Newer registries make these optional for extensions that Rondo hides. They stay required.
    ("VkDeviceCreateInfo", "ppEnabledLayerNames"), ("VkShaderCreateInfoEXT", "pSetLayouts"),
    ("VkComputePipelineCreateInfo", "layout"), ("VkRayTracingPipelineCreateInfoKHR", "layout"),
    ("vkCmdSetSampleMaskEXT", "pSampleMask"),
    ("VkDescriptorUpdateTemplateCreateInfo", "pipelineLayout"),
    ("vkCmdClearColorImage", "pColor"),
    ("VkRenderingAttachmentLocationInfo", "pColorAttachmentLocations"),
    ("vkFreeCommandBuffers", "pCommandBuffers"), ("vkFreeDescriptorSets", "pDescriptorSets"),
}

# May be null, where the registry does not say so: drivers look past a barrier's
# resource, and past labels.
NOT_REQUIRED = {
    ("VkBufferMemoryBarrier", "buffer"), ("VkBufferMemoryBarrier2", "buffer"),
    ("VkImageMemoryBarrier", "image"), ("VkImageMemoryBarrier2", "image"),
    ("VkDebugUtilsLabelEXT", "pLabelName"), ("VkDebugMarkerMarkerInfoEXT", "pMarkerName"),
    ("VkDebugUtilsMessengerCallbackDataEXT", "pMessage"),
}

# Arrays whose elements must not be null either: member -> structures and commands.
REQUIRED_ELEMENTS = {
    "pCommandBuffers": ("VkSubmitInfo", "vkCmdExecuteCommands"),
    "pFences": ("vkWaitForFences", "vkResetFences"),
    "pSemaphores": ("VkSemaphoreWaitInfo",),
    "pWaitSemaphores": ("VkSubmitInfo", "VkPresentInfoKHR", "VkBindSparseInfo"),
    "pSignalSemaphores": ("VkSubmitInfo", "VkBindSparseInfo"),
    "pSwapchains": ("VkPresentInfoKHR",),
    "pSetLayouts": ("VkShaderCreateInfoEXT",),
    "ppGeometries": ("VkAccelerationStructureBuildGeometryInfoKHR",),
}
