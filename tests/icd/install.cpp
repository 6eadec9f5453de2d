// SPDX-License-Identifier: Apache-2.0
#include "tests/icd/install.h"

namespace fake {

void install_all(Table& table) {
  install_execution(table);  // first: those below may do a command otherwise
  install_instance(table);
  install_physical_device(table);
  install_formats(table);
  install_device(table);
  install_memory(table);
  install_resources(table);
  install_views(table);
  install_descriptors(table);
  install_descriptor_writes(table);
  install_render_passes(table);
  install_pipelines(table);
  install_swapchains(table);
  install_displays(table);
  install_command_buffers(table);
  install_transfer_checks(table);
  install_binding_checks(table);
  install_draw_checks(table);
  install_barrier_checks(table);
  install_query_checks(table);
  install_counters(table);
  install_device_clock(table);
  install_rendering_checks(table);
  install_submit_checks(table);
  install_feature_checks(table);
}

}  // namespace fake
