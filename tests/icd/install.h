// SPDX-License-Identifier: Apache-2.0
// Every file of behaviours and checks, by what it is about. Private to tests/icd.
#pragma once

#include "tests/icd/driver.h"

namespace fake {

using namespace rondo;  // args_vk…

void install_instance(Table& table);
void install_physical_device(Table& table);
void install_formats(Table& table);
void install_device(Table& table);
void install_memory(Table& table);
void install_resources(Table& table);
void install_views(Table& table);
void install_descriptors(Table& table);
void install_descriptor_writes(Table& table);
void install_pipelines(Table& table);
void install_render_passes(Table& table);
void install_command_buffers(Table& table);
void install_swapchains(Table& table);
void install_displays(Table& table);
void install_execution(Table& table);  // execute.h
void install_counters(Table& table);
void install_device_clock(Table& table);

// Checks only.
void install_transfer_checks(Table& table);
void install_binding_checks(Table& table);
void install_draw_checks(Table& table);
void install_barrier_checks(Table& table);
void install_query_checks(Table& table);
void install_rendering_checks(Table& table);
void install_submit_checks(Table& table);
void install_feature_checks(Table& table);

}  // namespace fake
