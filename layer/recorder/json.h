// SPDX-License-Identifier: Apache-2.0
// The few JSON shapes a session needs. Text that is not UTF-8 (paths may be
// anything) has its stray bytes replaced, so that the result always is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rondo::layer {

std::string json_string(std::string_view text);

// Appends members and elements in order; commas are its own business.
class JsonWriter {
 public:
  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }
  JsonWriter& key(std::string_view name);
  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(std::uint64_t number);
  JsonWriter& value(bool truth);
  const std::string& text() const { return text_; }

 private:
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  void separate();

  std::string text_;
  bool first_ = true;
};

}  // namespace rondo::layer
