// SPDX-License-Identifier: Apache-2.0
// The driver that VK_ICD_FILENAMES leads to.
#pragma once

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

namespace program {

// "library_path" of the manifest.
inline std::string driver() {
  const char* manifest = std::getenv("VK_ICD_FILENAMES");
  if (manifest == nullptr) return {};
  std::ifstream file(manifest);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::size_t key = text.find("\"library_path\"");
  const std::size_t begin = key == std::string::npos ? key : text.find('"', text.find(':', key));
  if (begin == std::string::npos) return {};
  const std::string path = text.substr(begin + 1, text.find('"', begin + 1) - begin - 1);
  return path.find('/') == std::string::npos || path[0] == '/'
             ? path
             : std::string(manifest).substr(0, std::string(manifest).rfind('/') + 1) + path;
}

}  // namespace program
