// SPDX-License-Identifier: Apache-2.0
#include "player/sandbox/driver_files.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>

extern char** environ;

namespace rondo::player {

namespace {

namespace fs = std::filesystem;

std::vector<std::string> split(const char* list) {
  std::vector<std::string> parts;
  std::istringstream in(list);
  for (std::string part; std::getline(in, part, ':');)
    if (!part.empty()) parts.push_back(part);
  return parts;
}

const char* get_or(const char* name, const char* fallback) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : fallback;
}

void append(std::vector<std::string>& to, const std::vector<std::string>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

// Of these names, sorted: the files of a directory.
template <class Fits>
std::vector<std::string> files_in(const fs::path& directory, Fits&& fits) {
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error))
    if (fits(entry->path())) found.push_back(entry->path());
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<std::string> manifests_in(const fs::path& directory) {
  return files_in(directory, [](const fs::path& path) { return path.extension() == ".json"; });
}

void add_new(std::vector<std::string>& out, std::vector<std::string> found) {
  for (std::string& one : found)
    if (std::find(out.begin(), out.end(), one) == out.end()) out.push_back(std::move(one));
}

// The directories in which the loader looks for vulkan/icd.d and its like.
std::vector<std::string> manifest_roots() {
  const std::string home = get_or("HOME", "");
  const std::string config_home = get_or("XDG_CONFIG_HOME", (home + "/.config").c_str());
  const std::string data_home = get_or("XDG_DATA_HOME", (home + "/.local/share").c_str());
  std::vector<std::string> roots{config_home};
  append(roots, split(get_or("XDG_CONFIG_DIRS", "/etc/xdg")));
  roots.push_back("/etc");
  roots.push_back(data_home);
  append(roots, split(get_or("XDG_DATA_DIRS", "/usr/local/share:/usr/share")));
  return roots;
}

// "library_path" wherever it stands: manifests of drivers and of layers differ.
void find_libraries(const nlohmann::json& json, std::vector<std::string>& out) {
  if (!json.is_structured()) return;
  for (auto member = json.begin(); member != json.end(); ++member) {
    if (json.is_object() && member.key() == "library_path" && member->is_string()) out.push_back(*member);
    find_libraries(*member, out);
  }
}

// A driver's own libraries lie beside it.
void add_library_directories(const std::string& manifest, std::vector<std::string>& read) {
  std::ifstream in(manifest);
  const nlohmann::json json = nlohmann::json::parse(in, nullptr, /*allow_exceptions=*/false);
  std::vector<std::string> libraries;
  if (!json.is_discarded()) find_libraries(json, libraries);
  for (const std::string& library : libraries) {
    if (library.find('/') == std::string::npos) continue;  // where the linker looks
    std::error_code unknown;
    const fs::path path = library[0] == '/' ? fs::path(library) : fs::path(manifest).parent_path() / library;
    add_new(read, {path.parent_path()});
    // Where it is a link, its neighbours are those of the library itself.
    if (const fs::path real = fs::canonical(path, unknown); !unknown) add_new(read, {real.parent_path()});
  }
}

std::vector<std::string> layer_manifests(const std::vector<std::string>& roots, std::vector<std::string>& read) {
  std::vector<std::string> manifests;
  for (const char* variable :
       {"VK_LAYER_PATH", "VK_ADD_LAYER_PATH", "VK_IMPLICIT_LAYER_PATH", "VK_ADD_IMPLICIT_LAYER_PATH"})
    for (const std::string& place : split(get_or(variable, ""))) {
      read.push_back(place);
      add_new(manifests, place.ends_with(".json") ? std::vector<std::string>{place} : manifests_in(place));
    }
  for (const std::string& root : roots)
    for (const char* kind : {"explicit_layer.d", "implicit_layer.d"})
      add_new(manifests, manifests_in(fs::path(root) / "vulkan" / kind));
  return manifests;
}

// The dynamic linker, the loader, and what every driver may read.
constexpr const char* kForAll[] = {
    "/lib",
    "/lib32",
    "/lib64",
    "/usr/lib",
    "/usr/lib32",
    "/usr/lib64",
    "/usr/local/lib",
    "/usr/local/lib64",
    "/etc/ld.so.cache",
    "/etc/ld.so.preload",
    "/etc/localtime",
    "/usr/share/drirc.d",
    "/etc/drirc",
    "/usr/share/glvnd",
    "/usr/share/egl",
    "/usr/share/libdrm",
    "/usr/share/vulkan",
    "/usr/local/share/vulkan",
    "/etc/vulkan",
    "/usr/local/etc/vulkan",
    "/proc/self",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/version",
    "/proc/filesystems",
    "/proc/sys/vm",
    "/proc/sys/kernel",
    "/sys/devices/system",
    "/sys/kernel/mm/transparent_hugepage",
};
constexpr const char* kDevicesForAll[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/urandom", "/dev/random"};

// What finds a GPU.
constexpr const char* kForGpus[] = {"/sys/dev/char", "/sys/class/drm", "/sys/bus/pci",  "/sys/bus/platform",
                                    "/sys/devices",  "/proc/devices",  "/proc/modules", "/dev/dri"};

// NVIDIA's, also as containers have it.
constexpr const char* kForNvidia[] = {"/proc/driver/nvidia",
                                      "/sys/module/nvidia",
                                      "/sys/module/nvidia_uvm",
                                      "/sys/module/nvidia_modeset",
                                      "/sys/module/nvidia_drm",
                                      "/usr/share/nvidia",
                                      "/etc/nvidia",
                                      "/usr/local/nvidia",
                                      "/run/nvidia/driver/usr/lib"};

// Nodes of NVIDIA's: of the driver itself and of each GPU. Not nvidia-uvm-tools, which looks at other
// processes.
bool is_nvidia_node(const fs::path& path) {
  const std::string name = path.filename();
  constexpr std::string_view gpu = "nvidia";
  return name == "nvidiactl" || name == "nvidia-uvm" || name == "nvidia-modeset" ||
         (name.starts_with(gpu) && name.size() > gpu.size() &&
          name.find_first_not_of("0123456789", gpu.size()) == std::string::npos);
}

std::vector<std::string> nvidia_nodes() {
  std::vector<std::string> nodes = files_in("/dev", is_nvidia_node);
  append(nodes, files_in("/dev/nvidia-caps", [](const fs::path&) { return true; }));
  return nodes;
}

// Of Mesa's drivers: nodes that can render, and not those that show, which let one user's programs see each
// other's pictures.
std::vector<std::string> render_nodes() {
  return files_in("/dev/dri", [](const fs::path& path) { return path.filename().string().starts_with("renderD"); });
}

// Of drivers without a render node: Adreno, Mali, and those of a Windows host.
constexpr const char* kOtherNodes[] = {"/dev/kgsl-3d0", "/dev/mali0", "/dev/dxg"};

bool is_here(const std::string& path) {
  std::error_code none;
  return fs::exists(path, none);
}

}  // namespace

std::vector<std::string> driver_manifests() {
  for (const char* variable : {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"})
    if (const char* list = std::getenv(variable); list != nullptr && *list != '\0') return split(list);
  std::vector<std::string> manifests;
  for (const std::string& root : manifest_roots())
    add_new(manifests, manifests_in(fs::path(root) / "vulkan" / "icd.d"));
  return manifests;
}

DriverFiles driver_files() {
  DriverFiles files;
  files.read.assign(std::begin(kForAll), std::end(kForAll));
  const std::vector<std::string> roots = manifest_roots();
  for (const std::string& root : roots) files.read.push_back(root + "/vulkan");
  std::vector<std::string> manifests = driver_manifests();
  append(manifests, split(get_or("VK_ADD_DRIVER_FILES", "")));
  append(manifests, layer_manifests(roots, files.read));
  for (const std::string& manifest : manifests) {
    files.read.push_back(manifest);
    add_library_directories(manifest, files.read);
  }
  for (const std::string& directory : split(get_or("LD_LIBRARY_PATH", "")))
    if (directory != "/") files.read.push_back(directory);
  files.devices.assign(std::begin(kDevicesForAll), std::end(kDevicesForAll));
  std::vector<std::string> gpus = render_nodes();
  for (const char* node : kOtherNodes)
    if (is_here(node)) gpus.push_back(node);
  const std::vector<std::string> nvidia = nvidia_nodes();
  if (!gpus.empty() || !nvidia.empty()) files.read.insert(files.read.end(), std::begin(kForGpus), std::end(kForGpus));
  if (!nvidia.empty()) files.read.insert(files.read.end(), std::begin(kForNvidia), std::end(kForNvidia));
  append(files.devices, gpus);
  append(files.devices, nvidia);
  return files;
}

void prepare_nvidia() {
  if (!is_here("/proc/driver/nvidia") && !is_here("/dev/nvidiactl")) return;
  constexpr const char* kProgram = "/usr/bin/nvidia-modprobe";
  const bool whole = is_here("/dev/nvidiactl") && is_here("/dev/nvidia-uvm") && is_here("/dev/nvidia-modeset");
  if (!whole && ::access(kProgram, X_OK) == 0) {
    // The first GPU's node, unified memory's, and mode setting's.
    const char* const words[] = {kProgram, "-c", "0", "-u", "-m", nullptr};
    pid_t child = 0;
    if (::posix_spawn(&child, kProgram, nullptr, nullptr, const_cast<char* const*>(words), environ) == 0)
      ::waitpid(child, nullptr, 0);
  }
  for (const std::string& node : nvidia_nodes())
    static_cast<void>(::open(node.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK));
}

}  // namespace rondo::player
