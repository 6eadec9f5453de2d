# SPDX-License-Identifier: Apache-2.0
"""What the registry cannot say about commands, extensions and features.

Every command is recorded by a *layer* hook and replayed by a *player*
executor. Both are generated unless a list here says otherwise; the two facts
are independent. Aliases follow the command that they are an alias of.

  LAYER_HAND    layer/ defines hook_<name> itself
  PLAYER_HAND   player/ has an executor of its own
  PLAYER_NONE   recorded, but refused by name (or skipped: the reason says) at replay
  HIDDEN        core commands whose feature is hidden from the program
  SUPPORTED     extensions that a program may see: each of their commands is called by a
                program of tests/programs (tests/scenarios/called_commands_test.cpp);
                those without commands are values and structures
  UNSUPPORTED   why the others are hidden
  RECORDED_OTHERWISE  where a command may be recorded, against what the registry says
  NOT_KEPT_ANSWERS    answers that a cut leaves out, against facts.py
  NEWER         commands above that the oldest registry (1.3.239) does not have
"""


def _each(*groups):
    table = {}
    for reason, names in groups:
        for name in names.split():
            assert name not in table, name
            table[name] = reason
    return table


LAYER_HAND = _each(
    ("fills the dispatch tables, and records the program's original request",
     "vkCreateInstance vkDestroyInstance vkCreateDevice vkDestroyDevice"),
    ("hides what cannot be recorded; not recorded itself",
     "vkEnumerateInstanceExtensionProperties vkEnumerateInstanceLayerProperties vkEnumerateInstanceVersion "
     "vkEnumerateDeviceExtensionProperties vkEnumerateDeviceLayerProperties vkGetInstanceProcAddr "
     "vkGetDeviceProcAddr vkGetPhysicalDeviceToolProperties"),
    ("answers are made consistent with what is hidden",
     "vkGetPhysicalDeviceFeatures2 vkGetPhysicalDeviceProperties "
     "vkGetPhysicalDeviceProperties2 vkGetPhysicalDeviceQueueFamilyProperties "
     "vkGetPhysicalDeviceQueueFamilyProperties2 vkGetPhysicalDeviceExternalSemaphoreProperties "
     "vkGetPhysicalDeviceExternalFenceProperties"),
    ("what a signal of somebody else's lets go on, and which work a fence stands for",
     "vkImportSemaphoreFdKHR vkGetSemaphoreFdKHR vkImportFenceFdKHR vkGetFenceFdKHR"),
    ("the layer may be asking the fence whether its work has ended",
     "vkResetFences vkDestroyFence"),
    ("the queue's family is a side table",
     "vkGetDeviceQueue vkGetDeviceQueue2"),
    ("feeds the memory tracker, inside the critical section of the host writes",
     "vkAllocateMemory vkFreeMemory vkMapMemory vkUnmapMemory vkMapMemory2 vkUnmapMemory2 "
     "vkFlushMappedMemoryRanges vkInvalidateMappedMemoryRanges"),
    ("the memory tracker learns what a device may write",
     "vkBindBufferMemory vkBindBufferMemory2 vkBindImageMemory vkBindImageMemory2 vkDestroyBuffer "
     "vkDestroyImage"),
    ("host writes are found before it, numbered with it",
     "vkQueueSubmit vkQueueSubmit2 vkQueueBindSparse vkSignalSemaphore vkSetEvent"),
    ("a queue is one thread's at a time: not while a checkpoint submits to it",
     "vkQueueBeginDebugUtilsLabelEXT vkQueueEndDebugUtilsLabelEXT vkQueueInsertDebugUtilsLabelEXT"),
    ("work may wait for what the host signals: how long the layer waits for it",
     "vkCreateSemaphore vkDestroySemaphore vkCreateEvent"),
    ("takes checkpoints, and times the frame",
     "vkQueuePresentKHR"),
    ("a successful wait or poll publishes; checkpoints of memory follow it",
     "vkWaitForFences vkGetFenceStatus vkWaitSemaphores vkGetSemaphoreCounterValue vkGetEventStatus "
     "vkGetQueryPoolResults vkQueueWaitIdle vkDeviceWaitIdle"),
    ("swapchain images are a side table; times the acquire",
     "vkCreateSwapchainKHR vkDestroySwapchainKHR vkAcquireNextImageKHR vkAcquireNextImage2KHR"),
    ("which attachments a subpass uses is a side table (ignored pointers of pipelines)",
     "vkCreateRenderPass vkCreateRenderPass2"),
    ("the layout of the template's data is a side table",
     "vkCreateDescriptorUpdateTemplate"),
    ("the level of a command buffer is a side table",
     "vkAllocateCommandBuffers"),
    ("external-memory structures are added for aliased memory",
     "vkCreateBuffer vkCreateImage vkGetDeviceBufferMemoryRequirements vkGetDeviceImageMemoryRequirements"),
    ("a failed call may publish some of its pipelines",
     "vkCreateGraphicsPipelines vkCreateComputePipelines"),
    ("compiled at once, whatever is deferred; a failed call may publish some of its pipelines",
     "vkCreateRayTracingPipelinesKHR"),
    ("the driver's own data: contents are dropped, the object is kept",
     "vkCreatePipelineCache vkGetPipelineCacheData"),
    ("a failed call may publish some of its shaders; binaries are the driver's own, and refused",
     "vkCreateShadersEXT"),
    ("the driver's own data: recorded without it",
     "vkGetShaderBinaryDataEXT"),
    ("host writes are found before it; checkpoints learn what it writes, and wait for it",
     "vkCopyMemoryToImage vkCopyImageToMemory vkCopyImageToImage vkTransitionImageLayout"),
    ("recorded before it gets to the program's memory",
     "vkGetDescriptorEXT"),
    ("of the image that vkCreateImage would make",
     "vkGetDeviceImageSubresourceLayout"),
)

# An executor, or something else of the player's that stands in its place: what the plan takes from the call, or why
# it leaves the call out (player/plan/plan_actions.cpp).
PLAYER_HAND = _each(
    ("the address has to be the captured one",
     "vkGetBufferDeviceAddress vkGetAccelerationStructureDeviceAddressKHR"),
    ("programs store them in shader binding tables: they have to be the captured ones",
     "vkGetRayTracingShaderGroupHandlesKHR"),
    ("programs store descriptors: where the captured ones are written, those from here are",
     "vkGetDescriptorEXT vkCmdUpdateBuffer"),
    ("programs store descriptors by these sizes and offsets: they have to be the captured ones",
     "vkGetDescriptorSetLayoutSizeEXT vkGetDescriptorSetLayoutBindingOffsetEXT"),
    ("a captured address is asked back, or memory of its own is put there",
     "vkCreateBuffer vkCreateImage"),
    ("an image of a swapchain goes with the swapchain",
     "vkDestroyImage"),
    ("what is preprocessed has to have room here, too",
     "vkCmdPreprocessGeneratedCommandsEXT vkCmdExecuteGeneratedCommandsEXT"),
    ("creates what the preflight has chosen",
     "vkCreateInstance vkDestroyInstance vkCreateDevice vkDestroyDevice vkEnumeratePhysicalDevices "
     "vkEnumeratePhysicalDeviceGroups vkGetDeviceQueue vkGetDeviceQueue2"),
    ("memory type, size and offsets are the target's",
     "vkAllocateMemory vkFreeMemory vkBindBufferMemory vkBindBufferMemory2 vkBindImageMemory vkBindImageMemory2 "
     "vkMapMemory vkUnmapMemory vkMapMemory2 vkUnmapMemory2 vkFlushMappedMemoryRanges "
     "vkInvalidateMappedMemoryRanges"),
    ("submits are timed, and watched where later calls depend on their end",
     "vkQueueSubmit vkQueueSubmit2"),
    ("a wait that would never end is refused by name",
     "vkQueueWaitIdle vkDeviceWaitIdle"),
    ("the work that uses it is waited for where the program had seen it end",
     "vkDestroySemaphore"),
    ("waits for a captured success, never for \"not ready\"",
     "vkWaitForFences vkGetFenceStatus vkWaitSemaphores vkGetSemaphoreCounterValue vkGetEventStatus "
     "vkGetQueryPoolResults"),
    ("sync fds are signals and waits of the player's own: nothing leaves the process",
     "vkImportSemaphoreFdKHR vkGetSemaphoreFdKHR vkImportFenceFdKHR vkGetFenceFdKHR vkCreateSemaphore "
     "vkCreateFence"),
    ("swapchains are virtual without a window",
     "vkCreateSwapchainKHR vkDestroySwapchainKHR vkGetSwapchainImagesKHR vkAcquireNextImageKHR "
     "vkAcquireNextImage2KHR vkQueuePresentKHR vkDestroySurfaceKHR vkCreateXcbSurfaceKHR vkCreateXlibSurfaceKHR "
     "vkCreateWaylandSurfaceKHR vkCreateHeadlessSurfaceEXT vkCreateDisplayModeKHR vkCreateDisplayPlaneSurfaceKHR "
     "vkWaitForPresentKHR"),
    ("several objects, some of which may have failed; cache-only compiles are compiled",
     "vkCreateGraphicsPipelines vkCreateComputePipelines vkCreateRayTracingPipelinesKHR"),
    ("several objects, some of which may have failed; no binaries",
     "vkCreateShadersEXT"),
    ("pools grow where the capture's did not run out",
     "vkAllocateDescriptorSets vkFreeDescriptorSets vkResetDescriptorPool vkDestroyDescriptorPool"),
    ("no object of the target stands for a swapchain of the player's",
     "vkSetPrivateData"),
    ("names, tags and labels change nothing that is replayed: kept where the device has the extension",
     "vkSetDebugUtilsObjectNameEXT vkSetDebugUtilsObjectTagEXT vkDebugMarkerSetObjectNameEXT "
     "vkDebugMarkerSetObjectTagEXT vkQueueBeginDebugUtilsLabelEXT vkQueueEndDebugUtilsLabelEXT "
     "vkQueueInsertDebugUtilsLabelEXT vkCmdBeginDebugUtilsLabelEXT vkCmdEndDebugUtilsLabelEXT "
     "vkCmdInsertDebugUtilsLabelEXT vkCmdDebugMarkerBeginEXT vkCmdDebugMarkerEndEXT vkCmdDebugMarkerInsertEXT"),
    ("the driver's own data is dropped",
     "vkCreatePipelineCache vkCreateValidationCacheEXT"),
    ("no replay has displays",
     "vkGetDisplayPlaneSupportedDisplaysKHR"),
    ("what the presentation engine has is the player's own: left out",
     "vkReleaseSwapchainImagesEXT"),
    ("messages of the program's own for its callbacks: left out",
     "vkSubmitDebugUtilsMessageEXT vkDebugReportMessageEXT"),
    ("the player installs its own callbacks",
     "vkCreateDebugUtilsMessengerEXT vkDestroyDebugUtilsMessengerEXT vkCreateDebugReportCallbackEXT "
     "vkDestroyDebugReportCallbackEXT"),
    ("what the driver reads and writes has to be as long here",
     "vkCopyMemoryToImage vkCopyImageToMemory"),
    ("Rondo's own record",
     "rondoHostWrite rondoDeviceIdle rondoWorkEnded rondoCheckpointImage rondoCheckpointMemory rondoCheckpointBuffers "
     "rondoCheckpointSubresources rondoAddress rondoNote rondoModule rondoCallChain rondoCaller rondoScopeBegin rondoScopeEnd rondoPrelude rondoCut "
     "rondoObjectNumbers rondoMemoryContents rondoImageContents rondoMips rondoBarriers rondoEventSet rondoQueries"),
)

PLAYER_NONE = _each(
    ("refused: capture-replay of addresses is hidden from programs",
     "vkGetBufferOpaqueCaptureAddress vkGetDeviceMemoryOpaqueCaptureAddress"),
    ("refused: host commands for acceleration structures are hidden from programs",
     "vkBuildAccelerationStructuresKHR vkCopyAccelerationStructureKHR vkCopyAccelerationStructureToMemoryKHR "
     "vkCopyMemoryToAccelerationStructureKHR vkWriteAccelerationStructuresPropertiesKHR"),
    ("refused: capture-replay of shader groups is hidden from programs",
     "vkGetRayTracingCaptureReplayShaderGroupHandlesKHR"),
    ("refused: capture-replay of descriptors is hidden from programs",
     "vkGetBufferOpaqueCaptureDescriptorDataEXT vkGetImageOpaqueCaptureDescriptorDataEXT "
     "vkGetImageViewOpaqueCaptureDescriptorDataEXT vkGetSamplerOpaqueCaptureDescriptorDataEXT "
     "vkGetAccelerationStructureOpaqueCaptureDescriptorDataEXT"),
)

# Commands that a program without the hidden feature has no use for: they have a
# hook (a command of the core or of a shown extension is never null) but count as unsupported.
HIDDEN = _each(
    ("the feature bufferDeviceAddressCaptureReplay is hidden",
     "vkGetBufferOpaqueCaptureAddress vkGetDeviceMemoryOpaqueCaptureAddress"),
    ("the feature accelerationStructureHostCommands is hidden",
     "vkBuildAccelerationStructuresKHR vkCopyAccelerationStructureKHR vkCopyAccelerationStructureToMemoryKHR "
     "vkCopyMemoryToAccelerationStructureKHR vkWriteAccelerationStructuresPropertiesKHR"),
    ("the feature rayTracingPipelineShaderGroupHandleCaptureReplay is hidden",
     "vkGetRayTracingCaptureReplayShaderGroupHandlesKHR"),
    ("the feature descriptorBufferCaptureReplay is hidden",
     "vkGetBufferOpaqueCaptureDescriptorDataEXT vkGetImageOpaqueCaptureDescriptorDataEXT "
     "vkGetImageViewOpaqueCaptureDescriptorDataEXT vkGetSamplerOpaqueCaptureDescriptorDataEXT "
     "vkGetAccelerationStructureOpaqueCaptureDescriptorDataEXT"),
)

NEWER = frozenset("""
    vkCreateShadersEXT vkGetShaderBinaryDataEXT vkGetDeviceImageSubresourceLayout
    vkCmdPreprocessGeneratedCommandsEXT vkCmdExecuteGeneratedCommandsEXT
    vkCopyMemoryToImage vkCopyImageToMemory vkCopyImageToImage vkTransitionImageLayout
    vkMapMemory2 vkUnmapMemory2
""".split())

# Where commands may be recorded otherwise than the registry says: {what: instead}, why.
RECORDED_OTHERWISE = {name: (facts, reason) for facts, reason, names in (
    ({"render_pass": "outside"}, "within a render pass only by VK_QCOM_tile_shading, which is hidden",
     "vkCmdDispatch vkCmdDispatchBase vkCmdDispatchIndirect"),
    ({"render_pass": "either"}, "programs do it within render passes, and drivers take it",
     "vkCmdFillBuffer vkCmdUpdateBuffer"),
    ({"queues": 0}, "engines label their uploads, too; older registries say graphics or compute",
     "vkCmdBeginDebugUtilsLabelEXT vkCmdEndDebugUtilsLabelEXT vkCmdInsertDebugUtilsLabelEXT "
     "vkCmdDebugMarkerBeginEXT vkCmdDebugMarkerEndEXT vkCmdDebugMarkerInsertEXT"),
) for name in names.split()}

# Answers that a cut does not keep, although facts.py's KEPT_ANSWERS has the begin of the name.
NOT_KEPT_ANSWERS = _each(
    ("no replay reads the clocks of the program's machine",
     "vkGetPhysicalDeviceCalibrateableTimeDomainsEXT"),
)

# Numbered before the driver is called (docs/architecture.md, "The sequence
# rule"): prefixes, whole names. Everything else numbers after.
NUMBERED_BEFORE_PREFIXES = ("vkCmd", "vkDestroy", "vkFree", "vkReset", "vkQueueSubmit", "vkUnmapMemory",
                            "vkQueueBeginDebug", "vkQueueEndDebug", "vkQueueInsertDebug", "vkRelease", "rondo")
NUMBERED_BEFORE = set("""
    vkQueuePresentKHR vkQueueBindSparse vkSignalSemaphore vkSetEvent vkFlushMappedMemoryRanges
    vkBeginCommandBuffer vkEndCommandBuffer vkTrimCommandPool vkUpdateDescriptorSets
    vkUpdateDescriptorSetWithTemplate vkSetDebugUtilsObjectNameEXT vkSetDebugUtilsObjectTagEXT
    vkDebugMarkerSetObjectNameEXT vkDebugMarkerSetObjectTagEXT vkSubmitDebugUtilsMessageEXT
    vkDebugReportMessageEXT vkSetPrivateData vkSetHdrMetadataEXT vkSetDeviceMemoryPriorityEXT
    vkCopyMemoryToImage vkCopyImageToImage vkTransitionImageLayout
    vkSetLocalDimmingAMD vkUninitializePerformanceApiINTEL vkQueueSetPerformanceConfigurationINTEL
""".split())

SUPPORTED = set("""
    VK_KHR_surface VK_KHR_xcb_surface VK_KHR_xlib_surface VK_KHR_wayland_surface VK_EXT_headless_surface
    VK_KHR_get_physical_device_properties2 VK_KHR_get_surface_capabilities2 VK_KHR_device_group_creation
    VK_KHR_external_fence_capabilities VK_KHR_external_memory_capabilities
    VK_KHR_external_semaphore_capabilities VK_EXT_debug_report VK_EXT_debug_utils
    VK_EXT_swapchain_colorspace VK_KHR_portability_enumeration VK_KHR_surface_protected_capabilities
    VK_EXT_validation_features VK_EXT_validation_flags

    VK_KHR_swapchain VK_KHR_swapchain_mutable_format VK_KHR_incremental_present VK_KHR_present_id
    VK_KHR_present_wait VK_KHR_display VK_KHR_get_display_properties2
    VK_EXT_surface_maintenance1 VK_EXT_swapchain_maintenance1
    VK_KHR_maintenance1 VK_KHR_maintenance2 VK_KHR_maintenance3 VK_KHR_maintenance4
    VK_KHR_bind_memory2 VK_KHR_copy_commands2 VK_KHR_create_renderpass2 VK_KHR_dedicated_allocation
    VK_KHR_depth_stencil_resolve VK_KHR_descriptor_update_template VK_KHR_device_group
    VK_KHR_draw_indirect_count VK_KHR_driver_properties VK_KHR_dynamic_rendering VK_KHR_external_fence
    VK_KHR_external_fence_fd VK_KHR_external_memory VK_KHR_external_semaphore VK_KHR_external_semaphore_fd
    VK_KHR_format_feature_flags2
    VK_KHR_get_memory_requirements2 VK_KHR_image_format_list VK_KHR_imageless_framebuffer VK_KHR_multiview
    VK_KHR_push_descriptor VK_KHR_relaxed_block_layout VK_KHR_sampler_mirror_clamp_to_edge
    VK_KHR_sampler_ycbcr_conversion VK_KHR_separate_depth_stencil_layouts VK_KHR_synchronization2
    VK_KHR_timeline_semaphore VK_KHR_pipeline_library VK_KHR_buffer_device_address

    VK_KHR_16bit_storage VK_KHR_8bit_storage VK_KHR_shader_atomic_int64 VK_KHR_shader_clock
    VK_KHR_shader_draw_parameters VK_KHR_shader_float16_int8 VK_KHR_shader_float_controls
    VK_KHR_shader_integer_dot_product VK_KHR_shader_non_semantic_info
    VK_KHR_shader_subgroup_extended_types VK_KHR_shader_subgroup_uniform_control_flow
    VK_KHR_shader_terminate_invocation VK_KHR_spirv_1_4 VK_KHR_storage_buffer_storage_class
    VK_KHR_uniform_buffer_standard_layout VK_KHR_variable_pointers VK_KHR_vulkan_memory_model
    VK_KHR_workgroup_memory_explicit_layout VK_KHR_zero_initialize_workgroup_memory
    VK_KHR_fragment_shader_barycentric VK_KHR_fragment_shading_rate

    VK_EXT_4444_formats VK_EXT_attachment_feedback_loop_layout VK_EXT_blend_operation_advanced
    VK_EXT_border_color_swizzle VK_EXT_calibrated_timestamps VK_EXT_color_write_enable
    VK_EXT_conditional_rendering VK_EXT_conservative_rasterization VK_EXT_custom_border_color
    VK_EXT_depth_clamp_zero_one VK_EXT_depth_clip_control VK_EXT_depth_clip_enable
    VK_EXT_depth_range_unrestricted VK_EXT_discard_rectangles VK_EXT_extended_dynamic_state
    VK_EXT_extended_dynamic_state2 VK_EXT_extended_dynamic_state3 VK_EXT_filter_cubic
    VK_EXT_fragment_shader_interlock VK_EXT_global_priority VK_KHR_global_priority
    VK_EXT_global_priority_query VK_EXT_graphics_pipeline_library VK_EXT_host_query_reset
    VK_EXT_image_2d_view_of_3d VK_EXT_image_robustness VK_EXT_image_view_min_lod VK_EXT_index_type_uint8
    VK_EXT_inline_uniform_block VK_EXT_line_rasterization VK_EXT_load_store_op_none VK_EXT_memory_budget
    VK_EXT_memory_priority VK_EXT_mesh_shader VK_EXT_multi_draw
    VK_EXT_multisampled_render_to_single_sampled VK_EXT_mutable_descriptor_type
    VK_EXT_non_seamless_cube_map VK_EXT_pipeline_creation_cache_control
    VK_EXT_pipeline_creation_feedback VK_EXT_pipeline_robustness VK_EXT_post_depth_coverage
    VK_EXT_primitive_topology_list_restart VK_EXT_primitives_generated_query VK_EXT_private_data
    VK_EXT_provoking_vertex VK_EXT_rasterization_order_attachment_access VK_EXT_rgba10x6_formats
    VK_EXT_robustness2 VK_EXT_sample_locations VK_EXT_sampler_filter_minmax VK_EXT_scalar_block_layout
    VK_EXT_separate_stencil_usage VK_EXT_shader_atomic_float VK_EXT_shader_atomic_float2
    VK_EXT_shader_demote_to_helper_invocation VK_EXT_shader_image_atomic_int64
    VK_EXT_shader_stencil_export VK_EXT_shader_subgroup_ballot VK_EXT_shader_subgroup_vote
    VK_EXT_shader_viewport_index_layer VK_EXT_subgroup_size_control VK_EXT_subpass_merge_feedback
    VK_EXT_texel_buffer_alignment VK_EXT_texture_compression_astc_hdr VK_EXT_transform_feedback
    VK_EXT_tooling_info VK_EXT_vertex_attribute_divisor VK_EXT_vertex_input_dynamic_state
    VK_EXT_ycbcr_2plane_444_formats VK_EXT_ycbcr_image_arrays VK_EXT_descriptor_indexing
    VK_EXT_queue_family_foreign VK_EXT_pci_bus_info VK_EXT_debug_marker VK_EXT_external_memory_host
    VK_ARM_rasterization_order_attachment_access VK_GOOGLE_decorate_string VK_GOOGLE_hlsl_functionality1
    VK_GOOGLE_user_type VK_IMG_filter_cubic VK_AMD_gpu_shader_half_float VK_AMD_gpu_shader_int16
    VK_AMD_shader_ballot VK_AMD_shader_fragment_mask VK_AMD_shader_trinary_minmax
    VK_AMD_shader_explicit_vertex_parameter VK_AMD_shader_image_load_store_lod VK_AMD_texture_gather_bias_lod
    VK_AMD_draw_indirect_count VK_AMD_mixed_attachment_samples VK_AMD_negative_viewport_height
    VK_AMD_device_coherent_memory VK_AMD_memory_overallocation_behavior VK_AMD_rasterization_order
    VK_NV_compute_shader_derivatives VK_NV_shader_subgroup_partitioned VK_NV_sample_mask_override_coverage
    VK_NV_geometry_shader_passthrough VK_NV_viewport_array2 VK_NV_viewport_swizzle
    VK_NV_fragment_coverage_to_color VK_NV_framebuffer_mixed_samples VK_NV_fill_rectangle
    VK_NV_fragment_shader_barycentric VK_NV_shader_image_footprint VK_NV_shader_sm_builtins
    VK_NV_corner_sampled_image VK_NV_linear_color_attachment VK_NV_glsl_shader
    VK_NV_dedicated_allocation VK_NV_representative_fragment_test VK_NV_clip_space_w_scaling
    VK_NV_coverage_reduction_mode VK_NV_shading_rate_image
    VK_INTEL_shader_integer_functions2
    VK_KHR_acceleration_structure VK_KHR_deferred_host_operations VK_KHR_ray_query
    VK_KHR_ray_tracing_pipeline VK_KHR_ray_tracing_maintenance1 VK_KHR_ray_tracing_position_fetch
    VK_EXT_pipeline_library_group_handles VK_EXT_descriptor_buffer
    VK_KHR_maintenance5 VK_EXT_device_generated_commands
    VK_EXT_shader_object VK_EXT_host_image_copy VK_KHR_map_memory2 VK_KHR_maintenance6
    VK_KHR_maintenance7 VK_KHR_maintenance8 VK_EXT_nested_command_buffer VK_KHR_dynamic_rendering_local_read
    VK_KHR_line_rasterization VK_KHR_index_type_uint8 VK_KHR_load_store_op_none
    VK_KHR_vertex_attribute_divisor VK_EXT_attachment_feedback_loop_dynamic_state
    VK_EXT_dynamic_rendering_unused_attachments VK_EXT_image_sliced_view_of_3d
    VK_EXT_legacy_vertex_attributes VK_EXT_pageable_device_local_memory VK_EXT_pipeline_protected_access
    VK_EXT_shader_replicated_composites
    VK_KHR_surface_maintenance1 VK_KHR_swapchain_maintenance1 VK_KHR_robustness2 VK_KHR_calibrated_timestamps
    VK_KHR_depth_clamp_zero_one VK_KHR_maintenance9 VK_KHR_maintenance10 VK_KHR_maintenance11
    VK_KHR_unified_image_layouts VK_EXT_depth_bias_control VK_EXT_primitive_restart_index
    VK_KHR_cooperative_matrix VK_NV_cooperative_matrix2 VK_KHR_shader_bfloat16 VK_KHR_shader_quad_control
    VK_KHR_shader_untyped_pointers VK_KHR_shader_fma VK_EXT_shader_64bit_indexing VK_EXT_shader_float8
    VK_EXT_shader_long_vector VK_EXT_shader_subgroup_partitioned VK_EXT_shader_tile_image
    VK_EXT_shader_uniform_buffer_unsized_array VK_EXT_vertex_attribute_robustness VK_EXT_legacy_dithering
    VK_AMD_gcn_shader VK_AMD_shader_core_properties VK_AMD_shader_core_properties2
    VK_AMD_shader_early_and_late_fragment_tests VK_ARM_shader_core_builtins VK_ARM_shader_core_properties
    VK_IMG_relaxed_line_rasterization VK_MSFT_layered_driver VK_NV_raw_access_chains
    VK_NV_shader_atomic_float16_vector VK_QCOM_filter_cubic_clamp VK_VALVE_shader_mixed_float_dot_product
    VK_KHR_compute_shader_derivatives VK_KHR_shader_expect_assume VK_KHR_shader_float_controls2
    VK_KHR_shader_maximal_reconvergence VK_KHR_shader_relaxed_extended_instruction
    VK_KHR_shader_subgroup_rotate
""".split())

# The newest version of the API that a program sees; format/versions.h has it, too.
NEWEST_VERSION = (1, 4)

# Why the others are hidden; UNTESTED, of those that no line names.
UNTESTED = "no test of Rondo's covers it yet"
UNSUPPORTED = _each(
    ("VK_KHR_buffer_device_address has taken its place", "VK_EXT_buffer_device_address"),
    ("VK_EXT_mutable_descriptor_type has taken its place", "VK_VALVE_mutable_descriptor_type"),
    ("VK_EXT_device_generated_commands has taken its place",
     "VK_NV_device_generated_commands VK_NV_device_generated_commands_compute"),
    ("vendors' ray tracing is not replayed yet",
     "VK_NV_ray_tracing VK_NV_ray_tracing_motion_blur VK_NV_ray_tracing_invocation_reorder "
     "VK_NV_ray_tracing_validation VK_NV_ray_tracing_linear_swept_spheres VK_NV_cluster_acceleration_structure "
     "VK_NV_partitioned_acceleration_structure"),
    ("opacity micromaps are not replayed yet",
     "VK_EXT_opacity_micromap VK_KHR_opacity_micromap VK_ARM_pipeline_opacity_micromap"),
    ("what lies in a pool is the driver's own", "VK_VALVE_descriptor_set_host_mapping"),
    ("it may be another process's memory, whose writes a capture cannot know",
     "VK_KHR_external_memory_fd VK_EXT_external_memory_dma_buf VK_EXT_external_memory_acquire_unmodified "
     "VK_NV_external_memory VK_NV_external_memory_capabilities VK_NV_external_memory_rdma "
     "VK_NV_external_memory_sci_buf VK_EXT_image_drm_format_modifier"),
    ("another process may signal it, which a capture cannot know", "VK_NV_external_sci_sync VK_NV_external_sci_sync2"),
    ("what another interface (CUDA) does on its queues a capture cannot know", "VK_NV_external_compute_queue"),
    ("the display reads the image while the program draws to it: no present says what was seen",
     "VK_KHR_shared_presentable_image"),
    ("video coding is not recorded",
     "VK_KHR_video_queue VK_KHR_video_decode_queue VK_KHR_video_encode_queue VK_KHR_video_decode_h264 "
     "VK_KHR_video_decode_h265 VK_KHR_video_decode_av1 VK_KHR_video_decode_vp9 VK_KHR_video_encode_h264 "
     "VK_KHR_video_encode_h265 VK_KHR_video_encode_av1 "
     "VK_KHR_video_maintenance1 VK_KHR_video_maintenance2 VK_KHR_video_encode_intra_refresh "
     "VK_KHR_video_encode_quantization_map VK_KHR_video_encode_feedback2 VK_VALVE_video_encode_rgb_conversion"),
    ("direct mode and control of displays are not replayed yet",
     "VK_KHR_display_swapchain VK_EXT_direct_mode_display VK_EXT_acquire_xlib_display VK_EXT_acquire_drm_display "
     "VK_EXT_display_surface_counter VK_EXT_display_control VK_AMD_display_native_hdr VK_NV_display_stereo"),
    ("what it asks or says of presentation is not replayed yet",
     "VK_GOOGLE_display_timing VK_EXT_present_timing VK_NV_present_barrier VK_NV_present_metering VK_NV_low_latency "
     "VK_NV_low_latency2 VK_AMD_anti_lag VK_EXT_hdr_metadata VK_HUAWEI_hdr_vivid"),
    ("its data is the driver's own",
     "VK_EXT_shader_module_identifier VK_EXT_validation_cache VK_KHR_pipeline_binary VK_NVX_image_view_handle"),
    ("its code runs on one kind of GPU alone", "VK_NVX_binary_import"),
    ("what it reports is of this machine, driver or run",
     "VK_EXT_physical_device_drm VK_INTEL_performance_query VK_KHR_performance_query VK_AMD_gpa_interface "
     "VK_ARM_performance_counters_by_region VK_ARM_shader_instrumentation VK_QCOM_elapsed_timer_query "
     "VK_NV_device_diagnostic_checkpoints VK_NV_device_diagnostics_config VK_EXT_device_fault VK_KHR_device_fault "
     "VK_EXT_device_memory_report VK_AMD_shader_info VK_KHR_pipeline_executable_properties VK_EXT_pipeline_properties "
     "VK_EXT_device_address_binding_report VK_ARM_data_graph_neural_accelerator_statistics"),
)

# Feature bits that a program sees as absent, whatever the driver says.
HIDDEN_FEATURES = tuple(
    (structure, member, reason)
    for structures, members, reason in (
        ("VkPhysicalDeviceVulkan11Features VkPhysicalDeviceProtectedMemoryFeatures", "protectedMemory",
         "protected memory cannot be read"),
        ("VkPhysicalDeviceVulkan12Features VkPhysicalDeviceBufferDeviceAddressFeatures",
         "bufferDeviceAddressCaptureReplay", "Rondo itself asks for the same addresses again"),
        ("VkPhysicalDeviceVulkan12Features VkPhysicalDeviceBufferDeviceAddressFeatures",
         "bufferDeviceAddressMultiDevice", "devices of several GPUs are not replayed"),
        ("VkPhysicalDeviceAccelerationStructureFeaturesKHR", "accelerationStructureCaptureReplay",
         "a structure's address is its buffer's, which Rondo itself asks for again"),
        ("VkPhysicalDeviceAccelerationStructureFeaturesKHR", "accelerationStructureHostCommands",
         "what the host builds is not replayed yet"),
        ("VkPhysicalDeviceRayTracingPipelineFeaturesKHR",
         "rayTracingPipelineShaderGroupHandleCaptureReplay rayTracingPipelineShaderGroupHandleCaptureReplayMixed",
         "Rondo itself compares the handles"),
        ("VkPhysicalDeviceDescriptorBufferFeaturesEXT", "descriptorBufferCaptureReplay",
         "Rondo itself puts the descriptors of the replay where the captured ones were"),
    )
    for structure in structures.split() for member in members.split())
