// SPDX-License-Identifier: Apache-2.0
// How many bytes the types of a module have in memory.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <tuple>

#include "model/shaders/module.h"

namespace rondo::shaders {

// Sizes end at 2^40: no memory is so large.
class Sizes {
 public:
  using Length = std::function<std::uint64_t(const Type& array)>;  // elements; 0: not known
  Sizes(const Module& module, Length length) : module_(module), length_(std::move(length)) {}

  // As decorations lay it out, up to the end of its last element; 0: of what has no fixed length.
  std::uint64_t laid_out(std::uint32_t type) { return laid_out(type, 0, false); }
  std::uint64_t member(std::uint32_t structure, std::uint32_t m);
  // Where nothing lays it out: at least so many.
  std::uint64_t packed(std::uint32_t type);
  // Of inputs and outputs: how many locations they take; of an array whose length is not known, those of an
  // element.
  std::uint64_t locations(std::uint32_t type);

 private:
  std::uint64_t laid_out(std::uint32_t type, std::uint32_t matrix_stride, bool by_rows);
  std::uint64_t measure(const Type& type, std::uint32_t id, std::uint32_t matrix_stride, bool by_rows);
  std::uint64_t measure_packed(const Type& type);
  std::uint64_t count_locations(const Type& type);

  const Module& module_;
  Length length_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, bool>, std::uint64_t> laid_out_;
  std::map<std::uint32_t, std::uint64_t> packed_, locations_;
};

}  // namespace rondo::shaders
