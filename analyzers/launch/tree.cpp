// SPDX-License-Identifier: Apache-2.0
#include "analyzers/launch/tree.h"

#include <unistd.h>

#include <algorithm>
#include <climits>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <vector>

#include "analyzers/text/json.h"
#include "analyzers/text/text.h"

namespace rondo::analyzers {

namespace fs = std::filesystem;

namespace {

constexpr const char* kBetweenLibraries = " :";  // ld.so(8), LD_PRELOAD

fs::path executable_directory() {
  std::error_code error;
  const fs::path executable = fs::read_symlink("/proc/self/exe", error);
  return error ? fs::path() : executable.parent_path();
}

// The manifest of our layer, whatever its file is called: the one that
// RONDO_CAPTURE enables.
bool is_our_manifest(const fs::path& path, std::string& library) {
  std::ifstream in(path);
  const std::string content{std::istreambuf_iterator<char>(in), {}};
  const auto manifest = JsonText::parse(content);
  if (!manifest || !manifest->string("/layer/enable_environment/RONDO_CAPTURE")) return false;
  library = manifest->string("/layer/library_path").value_or("");
  if (library.find('/') != std::string::npos && library[0] != '/')
    library = (path.parent_path() / library).lexically_normal();
  return true;
}

}  // namespace

Result<LayerFiles> find_layer() {
  const fs::path share = (executable_directory() / ".." / "share").lexically_normal();
  const fs::path directory = share / "vulkan" / "implicit_layer.d";
  std::vector<fs::path> manifests;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error))
    if (entry->path().extension() == ".json") manifests.push_back(entry->path());
  std::sort(manifests.begin(), manifests.end());
  for (const fs::path& path : manifests) {
    LayerFiles files{share, path, {}};
    if (is_our_manifest(path, files.library)) return files;
  }
  return fail(Status::failed, text("no layer manifest of Rondo's in {}: build or install the layer beside this program",
                                   directory.string()));
}

Result<std::string> find_shim(const LayerFiles& layer) {
  const fs::path path = fs::path(layer.library).replace_filename("librondo_preload.so");
  std::error_code error;
  if (!path.is_absolute() || !fs::is_regular_file(path, error))
    return fail(Status::failed, text("no preload shim {}: build or install it beside the layer", path.string()));
  if (path.string().find_first_of(kBetweenLibraries) != std::string::npos)
    return fail(Status::failed,
                text("{}: LD_PRELOAD has no way to name a file with a blank or colon: move the tree", path.string()));
  return path.string();
}

Result<std::string> find_player() {
  const fs::path here = executable_directory();
  for (const fs::path& path : {here / "player", here / ".." / "player" / "player"}) {
    std::error_code error;
    if (fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0) return path.lexically_normal().string();
  }
  return fail(Status::failed,
              text("no program 'player' in or beside {}: build or install it beside this program", here.string()));
}

std::string data_dirs_with(const std::string& share, const char* current) {
  std::string dirs = share;
  dirs += ':';
  dirs += current != nullptr && *current != '\0' ? current : "/usr/local/share:/usr/share";
  return dirs;
}

ShimPlace shim_place() {
#ifdef RONDO_SANITIZED
  return ShimPlace::behind_others;
#else
  return ShimPlace::first;
#endif
}

std::vector<std::string> preloaded(const char* current) {
  const std::string_view all = current != nullptr ? current : "";
  std::vector<std::string> libraries;
  for (std::size_t begin = 0; begin < all.size();) {
    const std::size_t end = std::min(all.find_first_of(kBetweenLibraries, begin), all.size());
    if (end > begin) libraries.emplace_back(all.substr(begin, end - begin));
    begin = end + 1;
  }
  return libraries;
}

std::string preload_without(const std::string& shim, const char* current) {
  std::string others;
  for (const std::string& one : preloaded(current))
    if (one != shim) others.append(others.empty() ? "" : ":").append(one);
  return others;
}

std::string preload_with(const std::string& shim, const char* current, ShimPlace place) {
  const std::string others = preload_without(shim, current);
  if (place == ShimPlace::behind_others) return others.empty() ? "" : others + ":" + shim;
  return others.empty() ? shim : shim + ":" + others;
}

std::string absolute_path(const std::string& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  return error ? path : absolute.lexically_normal().string();
}

}  // namespace rondo::analyzers
