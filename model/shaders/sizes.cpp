// SPDX-License-Identifier: Apache-2.0
#include "model/shaders/sizes.h"

#include <algorithm>

#include "model/shaders/spirv.h"

namespace rondo::shaders {

namespace {

constexpr std::uint64_t kMost = std::uint64_t{1} << 40;

std::uint64_t times(std::uint64_t count, std::uint64_t bytes) {
  return count != 0 && bytes > kMost / count ? kMost : std::min(kMost, count * bytes);
}
std::uint64_t plus(std::uint64_t a, std::uint64_t b) { return std::min(kMost, a + b); }

constexpr std::uint64_t kAddress = 8;  // bytes

}  // namespace

std::uint64_t Sizes::member(std::uint32_t structure, std::uint32_t m) {
  const auto found = module_.decorated_members.find({structure, m});
  const DecoratedMember decorated = found != module_.decorated_members.end() ? found->second : DecoratedMember{};
  return laid_out(module_.types.at(structure).members[m], decorated.matrix_stride, decorated.row_major);
}

std::uint64_t Sizes::laid_out(std::uint32_t id, std::uint32_t matrix_stride, bool by_rows) {
  const auto key = std::tuple(id, matrix_stride, by_rows);
  if (const auto found = laid_out_.find(key); found != laid_out_.end()) return found->second;
  const std::uint64_t bytes = measure(module_.types.at(id), id, matrix_stride, by_rows);
  laid_out_.emplace(key, bytes);
  return bytes;
}

std::uint64_t Sizes::measure(const Type& type, std::uint32_t id, std::uint32_t matrix_stride, bool by_rows) {
  switch (type.operation) {
    case SpvOpTypeVector:
      return type.count * module_.types.at(type.element).width / 8;
    case SpvOpTypeMatrix: {
      const Type& column = module_.types.at(type.element);
      const std::uint64_t scalar = module_.types.at(column.element).width / 8;
      const std::uint64_t lines = by_rows ? column.count : type.count, across = by_rows ? type.count : column.count;
      return plus(times(lines - 1, matrix_stride), across * scalar);
    }
    case SpvOpTypeArray: {
      const std::uint64_t count = length_(type);
      const auto decorated = module_.decorated.find(id);
      const std::uint32_t stride = decorated != module_.decorated.end() ? decorated->second.array_stride : 0;
      return count == 0 ? 0 : plus(times(count - 1, stride), laid_out(type.element, matrix_stride, by_rows));
    }
    case SpvOpTypeStruct: {
      std::uint64_t end = 0;
      for (std::uint32_t m = 0; m < type.members.size(); ++m) {
        const auto decorated = module_.decorated_members.find({id, m});
        const std::uint32_t offset = decorated != module_.decorated_members.end() ? decorated->second.offset : 0;
        end = std::max(end, plus(offset, member(id, m)));
      }
      return end;
    }
    case SpvOpTypePointer:
      return kAddress;
    default:
      return type.width / 8;
  }
}

std::uint64_t Sizes::packed(std::uint32_t id) {
  if (const auto found = packed_.find(id); found != packed_.end()) return found->second;
  const std::uint64_t bytes = measure_packed(module_.types.at(id));
  packed_.emplace(id, bytes);
  return bytes;
}

std::uint64_t Sizes::measure_packed(const Type& type) {
  switch (type.operation) {
    case SpvOpTypeVector:
    case SpvOpTypeMatrix:
      return times(type.count, packed(type.element));
    case SpvOpTypeArray:
      return times(length_(type), packed(type.element));
    case SpvOpTypeStruct: {
      std::uint64_t bytes = 0;
      for (const std::uint32_t member : type.members) bytes = plus(bytes, packed(member));
      return bytes;
    }
    case SpvOpTypePointer:
      return kAddress;
    default:
      return type.width / 8;
  }
}

std::uint64_t Sizes::locations(std::uint32_t id) {
  if (const auto found = locations_.find(id); found != locations_.end()) return found->second;
  const std::uint64_t count = count_locations(module_.types.at(id));
  locations_.emplace(id, count);
  return count;
}

std::uint64_t Sizes::count_locations(const Type& type) {
  switch (type.operation) {
    case SpvOpTypeVector:
      return module_.types.at(type.element).width == 64 && type.count > 2 ? 2 : 1;
    case SpvOpTypeMatrix:
      return times(type.count, locations(type.element));
    case SpvOpTypeArray:
      return times(std::max<std::uint64_t>(length_(type), 1), locations(type.element));
    case SpvOpTypeStruct: {
      std::uint64_t count = 0;
      for (const std::uint32_t member : type.members) count = plus(count, locations(member));
      return count;
    }
    default:
      return 1;
  }
}

}  // namespace rondo::shaders
