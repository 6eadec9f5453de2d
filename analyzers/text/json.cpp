// SPDX-License-Identifier: Apache-2.0
#include "analyzers/text/json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "format/printable.h"

namespace rondo::analyzers {

void JsonWriter::new_line() {
  if (!indented_) return;
  out_ += '\n';
  out_.append(filled_.size() * 2, ' ');
}

void JsonWriter::separate() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (filled_.empty()) return;
  if (filled_.back()) out_ += ',';
  filled_.back() = true;
  new_line();
}

void JsonWriter::open(char bracket) {
  separate();
  out_ += bracket;
  filled_.push_back(false);
}

void JsonWriter::close(char bracket) {
  const bool filled = filled_.back();
  filled_.pop_back();
  if (filled) new_line();
  out_ += bracket;
}

void JsonWriter::key(std::string_view name) {
  string(name);
  out_ += indented_ ? ": " : ":";
  after_key_ = true;
}

void JsonWriter::value(std::string_view json) {
  separate();
  out_ += json;
}

void JsonWriter::unsigned_value(std::uint64_t v) {
  char digits[24];
  value({digits, static_cast<std::size_t>(std::to_chars(digits, std::end(digits), v).ptr - digits)});
}

void JsonWriter::signed_value(std::int64_t v) {
  char digits[24];
  value({digits, static_cast<std::size_t>(std::to_chars(digits, std::end(digits), v).ptr - digits)});
}

void JsonWriter::floating_value(double v, bool single) {
  if (std::isnan(v)) return string("NaN");
  if (std::isinf(v)) return string(v < 0 ? "-Infinity" : "Infinity");
  char digits[40];
  const auto end = single ? std::to_chars(digits, std::end(digits), static_cast<float>(v))
                          : std::to_chars(digits, std::end(digits), v);
  value({digits, static_cast<std::size_t>(end.ptr - digits)});
}

void JsonWriter::string(std::string_view v) {
  separate();
  append_json_string(out_, v);
}

struct JsonText::Tree {
  nlohmann::json root;

  const nlohmann::json* find(const char* pointer) const {
    const nlohmann::json::json_pointer where(pointer);
    return root.contains(where) ? &root.at(where) : nullptr;
  }
  static std::string show(const nlohmann::json& value) {
    if (value.is_string()) return value.get<std::string>();
    return printable_json(value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  }
};

namespace {

// A session is a few kilobytes deep by a few levels; a hostile one must not
// overflow the stack of the recursive destructor and printer.
constexpr int kMaxDepth = 64;
// A tree takes some 70 bytes for each of its values, however short its text is.
constexpr std::size_t kMaxValues = 1u << 20;

// The byte at which the text is nested too deeply, or has too many values; its end where it is neither.
std::size_t too_large(std::string_view text) {
  int depth = 0;
  std::size_t values = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\')
        i += 1;
      else if (c == '"')
        quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kMaxDepth || ++values > kMaxValues) return i;
    } else if (c == ']' || c == '}') {
      depth -= 1;
    } else if (c == ',' || c == ':') {
      if (++values > kMaxValues) return i;
    }
  }
  return text.size();
}

using Drops = std::function<bool(const std::string& pointer)>;
using Change = std::function<std::string(const std::string& text)>;

nlohmann::json edited_tree(const nlohmann::json& value, const std::string& pointer, const Drops& drops,
                           const Change& change) {
  if (value.is_string()) return change(value.get<std::string>());
  if (!value.is_structured()) return value;
  nlohmann::json made = value.is_array() ? nlohmann::json::array() : nlohmann::json::object();
  for (const auto& item : value.items()) {
    const std::string at = pointer + "/" + item.key();
    if (drops(at)) continue;
    nlohmann::json one = edited_tree(item.value(), at, drops, change);
    if (value.is_array())
      made.push_back(std::move(one));
    else
      made[item.key()] = std::move(one);
  }
  return made;
}

}  // namespace

Result<JsonText> JsonText::parse(std::string_view text) {
  if (const std::size_t at = too_large(text); at != text.size())
    return fail(Status::failed, "it is nested too deeply, or has too many values, at offset " + std::to_string(at));
  try {
    JsonText result;
    result.tree_ = std::make_shared<const Tree>(Tree{nlohmann::json::parse(text)});
    return result;
  } catch (const nlohmann::json::parse_error& error) {  // counts bytes from 1, and the end as one
    return fail(Status::failed,
                "it is not JSON, at offset " + std::to_string(error.byte - std::min<std::size_t>(error.byte, 1)));
  } catch (const nlohmann::json::out_of_range&) {  // a number beyond all
    return fail(Status::failed, "it is not JSON: a number in it is too large");
  }
}

JsonText JsonText::merge(std::span<const std::string> texts) {
  nlohmann::json merged = nlohmann::json::object();
  for (const std::string& text : texts) {
    if (too_large(text) != text.size()) continue;
    const auto part = nlohmann::json::parse(text, nullptr, false);
    if (part.is_object()) merged.update(part, /*merge_objects=*/true);
  }
  JsonText result;
  result.tree_ = std::make_shared<const Tree>(Tree{std::move(merged)});
  return result;
}

std::optional<std::string> JsonText::string(const char* pointer) const {
  const auto* value = tree_->find(pointer);
  if (value == nullptr || !value->is_string()) return std::nullopt;
  return value->get<std::string>();
}

std::optional<std::uint64_t> JsonText::number(const char* pointer) const {
  const auto* value = tree_->find(pointer);
  if (value == nullptr || !value->is_number_unsigned()) return std::nullopt;
  return value->get<std::uint64_t>();
}

std::optional<double> JsonText::real(const char* pointer) const {
  const auto* value = tree_->find(pointer);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  return value->get<double>();
}

bool JsonText::is_array(const char* pointer) const {
  const auto* value = tree_->find(pointer);
  return value != nullptr && value->is_array();
}

std::size_t JsonText::size(const char* pointer) const {
  const auto* value = tree_->find(pointer);
  return value != nullptr && value->is_structured() ? value->size() : 0;
}

std::optional<std::string> JsonText::shown(const char* pointer) const {
  const auto* value = tree_->find(pointer);
  if (value == nullptr || value->is_null()) return std::nullopt;
  return Tree::show(*value);
}

std::vector<std::pair<std::string, std::string>> JsonText::members(const char* pointer) const {
  std::vector<std::pair<std::string, std::string>> rows;
  const auto* value = tree_->find(pointer);
  if (value == nullptr || !value->is_structured()) return rows;
  for (const auto& item : value->items()) rows.emplace_back(item.key(), Tree::show(item.value()));
  return rows;
}

std::string JsonText::compact() const {
  return printable_json(tree_->root.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

std::string JsonText::edited(const Drops& drops, const Change& change) const {
  return printable_json(
      edited_tree(tree_->root, "", drops, change).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace rondo::analyzers
