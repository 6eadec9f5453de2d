// SPDX-License-Identifier: Apache-2.0
// Just enough of JSON for scenarios; the heavy header stays in json.cpp.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace scenario {

class Json {
 public:
  static Json parse(const std::string& text);
  bool valid() const { return value_ != nullptr; }
  // The value at an RFC 6901 pointer, written as JSON; empty if there is none.
  std::string at(const std::string& pointer) const;
  std::size_t size(const std::string& pointer) const;  // elements of an array or object; 0 if there is none
  std::vector<std::string> names(const std::string& pointer) const;  // of the members of an object

 private:
  std::shared_ptr<const void> value_;
};

}  // namespace scenario
