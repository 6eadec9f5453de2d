// SPDX-License-Identifier: Apache-2.0
#include "json.h"

#include <nlohmann/json.hpp>

namespace scenario {

namespace {

const nlohmann::json* find(const void* value, const std::string& pointer) {
  const auto* json = static_cast<const nlohmann::json*>(value);
  const nlohmann::json::json_pointer at(pointer);
  return json != nullptr && json->contains(at) ? &json->at(at) : nullptr;
}

}  // namespace

Json Json::parse(const std::string& text) {
  auto value = std::make_shared<nlohmann::json>(nlohmann::json::parse(text, nullptr, false));
  Json out;
  if (!value->is_discarded()) out.value_ = value;
  return out;
}

std::string Json::at(const std::string& pointer) const {
  const nlohmann::json* found = find(value_.get(), pointer);
  return found != nullptr ? found->dump() : std::string();
}

std::size_t Json::size(const std::string& pointer) const {
  const nlohmann::json* found = find(value_.get(), pointer);
  return found != nullptr && found->is_structured() ? found->size() : 0;
}

std::vector<std::string> Json::names(const std::string& pointer) const {
  std::vector<std::string> names;
  if (const nlohmann::json* found = find(value_.get(), pointer); found != nullptr && found->is_object())
    for (const auto& [name, value] : found->items()) names.push_back(name);
  return names;
}

}  // namespace scenario
