// SPDX-License-Identifier: Apache-2.0
// A subcommand's options. cli.cpp is the only file that includes CLI11.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "format/result.h"

namespace rondo::analyzers {

// Zero-based and half-open.
struct Span {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool overlaps(std::uint64_t first, std::uint64_t last) const { return first < end && last > begin; }
  bool contains(std::uint64_t value) const { return value >= begin && value < end; }
};
// "A:B" with A < B, or "A" for A:A+1; an error says what is wrong with the text.
Result<Span> parse_span(std::string_view text);

// "a,b": each part is one of `known`, or an error names the option and the closest. Empty: no parts.
Result<std::vector<std::string>> parse_list(const char* option, const std::string& given,
                                            std::span<const std::string> known);

// What is bound must outlive parse().
class Cli {
 public:
  Cli(std::string name, std::string summary);
  ~Cli();

  void flag(const char* option, const char* help, bool& out);
  // A flag that may be followed by a range, "A:B" or "A".
  void flag_or_range(const char* option, const char* help, bool& out, std::optional<std::string>& range);
  void value(const char* option, const char* placeholder, const char* help, std::string& out);
  void value(const char* option, const char* placeholder, const char* help, std::optional<std::string>& out);
  void hidden(const char* option, std::string& out);  // for tests: not in --help
  // each time one
  void values(const char* option, const char* placeholder, const char* help, std::vector<std::string>& out);
  void choice(const char* option, std::vector<std::string> choices, const char* help, std::string& out);
  void span(const char* option, const char* help, std::optional<Span>& out);
  void positional(const char* name, const char* help, std::string& out, bool required = true);
  // behind the others, none or more
  void positionals(const char* name, const char* help, std::vector<std::string>& out);
  // The rest of the command line, from `--` or the first word that is no option. `usage`: how --help calls
  // it.
  void program(std::vector<std::string>& out, const char* usage = "-- PROGRAM [ARGS...]");
  // Positional words of two sides: either exactly two words, or `--` between one or more words of each side.
  void sides(const char* first, const char* second, const char* help, std::vector<std::string>& firsts,
             std::vector<std::string>& seconds);
  void footer(const char* text);  // after the options in --help

  // False: help was asked for and printed. Errors have Status::usage.
  Result<bool> parse(std::span<const std::string> args);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rondo::analyzers
