// SPDX-License-Identifier: Apache-2.0
// What the preload shim and the layer's library say to each other: C, found by dlsym.
#pragma once

#include <stddef.h>
#include <vulkan/vk_icd.h>

#ifdef __cplusplus
extern "C" {
#endif

// Entry points of a driver's library, by the names that loaders look up ("Loader and driver interface",
// LoaderDriverInterface.md).
struct RondoDriver {
  PFN_vkGetInstanceProcAddr get_instance;      // vk_icdGetInstanceProcAddr
  PFN_GetPhysicalDeviceProcAddr get_physical;  // vk_icdGetPhysicalDeviceProcAddr, or null
};

// What whoever looks these up gets instead, for as long as the driver is loaded. `environment`: of the process when it
// began, null-terminated, kept by the caller. False: this process is not recorded, or has 64 other drivers loaded
// (which is said once); nothing changes then. Any thread.
typedef int (*RondoOpenDoor)(const struct RondoDriver* driver, char* const* environment, struct RondoDriver* instead);
#define RONDO_OPEN_DOOR "rondo_layer_open_door"

// Closes the capture, on another thread, and waits for that, `milliseconds` at most. For the end of a process that runs
// no exit handlers. Nothing is locked or allocated here that a signal handler's thread may hold.
typedef void (*RondoClose)(unsigned milliseconds);
#define RONDO_CLOSE "rondo_layer_close"

// The program calls madvise(2) with these. -1: the kernel is to be asked; else it is done (0), or refused with this
// error. Any thread.
typedef int (*RondoAdvise)(void* start, size_t bytes, int advice);
#define RONDO_ADVISE "rondo_layer_advise"

// What copies of the layer's library share where a process has several (of another path, or in another namespace): a
// word of the shim, of which there is one. Changes on how many layers' doors the calling thread makes an instance, and
// returns that.
struct RondoShared {
  int (*at_layers_doors)(int change);
};
// Called for each copy that the shim sees, before a loader calls anything in it; kept. Any thread.
typedef void (*RondoMeet)(const struct RondoShared* shared);
#define RONDO_MEET "rondo_layer_meet"

#ifdef __cplusplus
}
#endif
