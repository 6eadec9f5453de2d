// SPDX-License-Identifier: Apache-2.0
// Every Vulkan header that Rondo knows, without the window systems' own
// headers: their types are only named here.
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstdint>

struct xcb_connection_t;
using xcb_window_t = std::uint32_t;
using xcb_visualid_t = std::uint32_t;
using Display = struct _XDisplay;
using Window = unsigned long;
using VisualID = unsigned long;
using RROutput = unsigned long;
struct wl_display;
struct wl_surface;

#include <vulkan/vulkan_wayland.h>
#include <vulkan/vulkan_xcb.h>
#include <vulkan/vulkan_xlib.h>
#include <vulkan/vulkan_xlib_xrandr.h>
