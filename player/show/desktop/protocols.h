// SPDX-License-Identifier: Apache-2.0
// What wayland-scanner makes of the protocols: calls, and the tables that they
// name. For one source file; the tables are not taken from libwayland-client,
// which is only opened at run time.
#pragma once

#include <cstdint>
#include <cstdlib>

#include "wayland.client.h"
#include "xdg-shell.client.h"
// Behind the declarations: C++ gives constants no external linkage of their own.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wattributes"  // they are not looked at before that either
#include "wayland.tables.h"
#include "xdg-shell.tables.h"
#pragma GCC diagnostic pop
