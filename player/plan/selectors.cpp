// SPDX-License-Identifier: Apache-2.0
#include "player/plan/selectors.h"

#include <algorithm>

namespace rondo::player {

namespace {

constexpr const char* kForms =
    "VkShaderModule#N, VkPipeline#N.STAGE, VkShaderEXT#N, the begin of a digest, or all@ENTRYPOINT";

bool is_object(const std::string& text) {
  for (const std::string type : {"VkShaderModule#", "VkPipeline#", "VkShaderEXT#"}) {
    if (!text.starts_with(type)) continue;
    const std::size_t end = std::min(text.find_first_not_of("0123456789", type.size()), text.size());
    if (end == type.size()) return false;
    return type == "VkPipeline#" ? end + 1 < text.size() && text[end] == '.' : end == text.size();
  }
  return false;
}

Result<ShaderSelector> parse_selector(const std::string& text) {
  constexpr std::string_view kAll = "all@";
  constexpr std::size_t kDigits = 32;
  ShaderSelector selector;
  selector.text = selector.value = text;
  if (text.starts_with(kAll) && text.size() > kAll.size()) {
    selector.kind = ShaderSelector::Kind::entry_point;
    selector.value = text.substr(kAll.size());
    return selector;
  }
  if (is_object(text)) return selector;
  if (!text.empty() && text.size() <= kDigits &&
      text.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos) {
    selector.kind = ShaderSelector::Kind::digest;
    for (char& c : selector.value)
      if (c >= 'A' && c <= 'F') c = static_cast<char>(c - 'A' + 'a');
    return selector;
  }
  return fail(Status::usage, "--replace: '" + text + "' names no shader: it takes " + kForms);
}

}  // namespace

Result<std::vector<Replacement>> parse_replacements(const std::vector<std::string>& texts) {
  std::vector<Replacement> all;
  for (const std::string& text : texts) {
    const std::size_t sign = text.find('=');
    if (sign == std::string::npos || sign + 1 == text.size())
      return fail(Status::usage, "--replace: '" + text + "' is not SELECTOR=FILE.spv");
    auto selector = parse_selector(text.substr(0, sign));
    if (!selector) return tl::unexpected<Error>(selector.error());
    for (const Replacement& other : all)
      if (other.selector.value == selector->value && other.selector.kind == selector->kind)
        return fail(Status::usage, "--replace: " + selector->text + " is given twice");
    all.push_back({std::move(*selector), text.substr(sign + 1)});
  }
  for (const Replacement& one : all)
    if (one.selector.kind == ShaderSelector::Kind::entry_point && all.size() > 1)
      return fail(Status::usage, "--replace: " + one.selector.text + " means all shaders: it stands alone");
  return all;
}

}  // namespace rondo::player
