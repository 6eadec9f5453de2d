// SPDX-License-Identifier: Apache-2.0
#include "layer/recorder/output_path.h"

namespace rondo::layer {

std::string expand_output(std::string_view pattern, const ProcessNames& names) {
  std::string path;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%' || i + 1 == pattern.size()) {
      path += pattern[i];
      continue;
    }
    switch (pattern[++i]) {
      case 'e':
        path += names.program;
        break;
      case 'p':
        path += std::to_string(names.pid);
        break;
      case 't': {
        std::tm broken_down{};
        gmtime_r(&names.start, &broken_down);
        char text[32];
        path.append(text, std::strftime(text, sizeof text, "%Y%m%d-%H%M%S", &broken_down));
        break;
      }
      case '%':
        path += '%';
        break;
      default:
        path += '%';
        path += pattern[i];
    }
  }
  if (path.empty() || path[0] != '/') path = names.directory + "/" + path;
  return path;
}

std::string with_suffix(std::string_view path, std::string_view suffix) {
  const std::size_t slash = path.rfind('/');
  const std::size_t name = slash == std::string_view::npos ? 0 : slash + 1;
  std::size_t dot = path.rfind('.');
  if (dot == std::string_view::npos || dot <= name) dot = path.size();
  std::string result(path.substr(0, dot));
  result += suffix;
  result += path.substr(dot);
  return result;
}

}  // namespace rondo::layer
