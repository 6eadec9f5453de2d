// SPDX-License-Identifier: Apache-2.0
// The values of a module's constants once a pipeline has specialized them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "format/vulkan.h"
#include "model/shaders/module.h"

namespace rondo::shaders {

// By the constant's id, as VkSpecializationMapEntry has it: the bytes that it gets, little-endian.
using SpecializedValues = std::map<std::uint32_t, std::uint64_t>;
SpecializedValues specialized_values(const VkSpecializationInfo* info);  // null: none

// Integers and booleans.
class Constants {
 public:
  Constants(const Module& module, SpecializedValues specialized)
      : module_(module), specialized_(std::move(specialized)) {}
  // None: it is no such constant, or made by an operation that is not known here.
  std::optional<std::uint64_t> value(std::uint32_t id);

 private:
  std::optional<std::uint64_t> find(std::uint32_t id, std::uint32_t depth);
  std::optional<std::uint64_t> compute(const Constant& constant, std::uint32_t depth);
  std::optional<std::uint64_t> apply(const Constant& constant, std::uint32_t depth);
  std::uint32_t width(std::uint32_t id) const;  // bits
  std::int64_t as_signed(std::uint32_t id, std::uint64_t value) const;

  const Module& module_;
  SpecializedValues specialized_;
  std::map<std::uint32_t, std::optional<std::uint64_t>> known_;
};

}  // namespace rondo::shaders
