// SPDX-License-Identifier: Apache-2.0
// What Vulkan's loader, its layers and the drivers read, and the device nodes that they open: for a sandbox
// that lets nothing else be opened. By families of drivers, for their needs differ.
#pragma once

#include <string>
#include <vector>

namespace rondo::player {

// Manifests of drivers in the order in which the loader looks for them.
std::vector<std::string> driver_manifests();

struct DriverFiles {
  std::vector<std::string> read;     // files, and directories with all below them; not all of them are there
  std::vector<std::string> devices;  // nodes that are here
};
DriverFiles driver_files();

// NVIDIA's driver starts a program that loads its kernel modules and makes its nodes, and its nodes may need
// to be opened once: in a sandbox it can do neither. Does nothing without such a driver. The nodes stay open.
void prepare_nvidia();

}  // namespace rondo::player
