// SPDX-License-Identifier: Apache-2.0
// JSON: a streaming writer (rows of a dump never exist as a tree), and a
// reader for small texts. json.cpp is the only file that includes nlohmann's.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "format/result.h"

namespace rondo::analyzers {

// Appends to a string. Compact on one line, or indented by two spaces.
// Not-a-number and infinity, which JSON lacks, are written as strings.
class JsonWriter {
 public:
  explicit JsonWriter(std::string& out, bool indented = false) : out_(out), indented_(indented) {}

  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }
  void key(std::string_view name);
  void null() { value("null"); }
  void boolean(bool v) { value(v ? "true" : "false"); }
  void unsigned_value(std::uint64_t v);
  void signed_value(std::int64_t v);
  void floating_value(double v, bool single = false);  // the shortest text that reads back the same
  void string(std::string_view v);                     // invalid UTF-8 becomes U+FFFD
  void value(std::string_view json);                   // text that is JSON already

  void field(std::string_view name, std::string_view v) { key(name), string(v); }
  void field(std::string_view name, const char* v) { key(name), string(v); }
  void field(std::string_view name, bool v) { key(name), boolean(v); }
  void field(std::string_view name, std::uint64_t v) { key(name), unsigned_value(v); }
  void field(std::string_view name, std::uint32_t v) { key(name), unsigned_value(v); }
  void field(std::string_view name, std::int64_t v) { key(name), signed_value(v); }
  void field(std::string_view name, std::int32_t v) { key(name), signed_value(v); }

 private:
  void open(char bracket);
  void close(char bracket);
  void separate();
  void new_line();

  std::string& out_;
  bool indented_;
  bool after_key_ = false;
  std::vector<bool> filled_;  // one a container that is open: has it an element yet?
};

// A parsed JSON text.
class JsonText {
 public:
  // An error says at which byte of it.
  static Result<JsonText> parse(std::string_view text);
  // Objects merged one into the other, in order; texts that are no objects are left out.
  static JsonText merge(std::span<const std::string> texts);

  // By JSON pointer ("/layer/name"). Nothing where it is absent or of another type.
  std::optional<std::string> string(const char* pointer) const;
  std::optional<std::uint64_t> number(const char* pointer) const;
  std::optional<double> real(const char* pointer) const;  // any number
  bool is_array(const char* pointer) const;
  std::size_t size(const char* pointer) const;  // elements of an array or object; 0: it is none
  // What stands at `pointer`, as text on one line; strings without quotes.
  std::optional<std::string> shown(const char* pointer) const;
  // The members of an object or array at `pointer`: (key or index, value as `shown`).
  std::vector<std::pair<std::string, std::string>> members(const char* pointer) const;
  std::string compact() const;
  // Another text: without the members whose JSON pointer `drops` names, and with each string as `change` returns it.
  std::string edited(const std::function<bool(const std::string& pointer)>& drops,
                     const std::function<std::string(const std::string& text)>& change) const;

 private:
  struct Tree;
  std::shared_ptr<const Tree> tree_;
};

}  // namespace rondo::analyzers
