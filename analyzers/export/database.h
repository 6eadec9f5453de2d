// SPDX-License-Identifier: Apache-2.0
// A file of SQLite that is written in one transaction. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "format/new_file.h"
#include "format/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace rondo::analyzers {

// A prepared INSERT. Values are given from left to right; then run() inserts a row.
class Insertion {
 public:
  Insertion(Insertion&& other) noexcept;
  Insertion& operator=(Insertion&&) = delete;
  ~Insertion();

  Insertion& number(std::uint64_t value);  // SQLite's numbers have 63 bits: a larger one is its largest
  Insertion& number(std::optional<std::uint64_t> value) { return value ? number(*value) : null(); }
  Insertion& real(double value);
  Insertion& text(std::string_view value);
  Insertion& text_lines(std::string_view value);  // line feeds stay
  Insertion& text_or_null(std::string_view value) { return value.empty() ? null() : text(value); }
  Insertion& null();
  void run();

 private:
  friend class Database;
  Insertion(class Database& database, std::string_view statement);
  Database* database_;
  sqlite3_stmt* statement_ = nullptr;
  int next_ = 1;
};

class Database {
 public:
  // Makes the file with these tables ("CREATE TABLE …; …"), and begins the transaction. `capture`: as of NewFile.
  static Result<std::unique_ptr<Database>> create(const std::string& path, const std::string& capture,
                                                  const char* tables);
  ~Database();

  // "INSERT INTO items VALUES (?, ?)". Lives no longer than the database.
  Insertion insertion(std::string_view statement) { return {*this, statement}; }
  // Ends the transaction, and gives the file its name. `ends`: statements before that (indexes). All insertions are
  // gone. Status::failed: the first error of all.
  Result<std::uint64_t> keep(const char* ends);

 private:
  friend class Insertion;
  explicit Database(NewFile file) : file_(std::move(file)) {}
  void execute(const char* statements);
  void check(int status);  // keeps the first error

  NewFile file_;
  sqlite3* handle_ = nullptr;
  std::string error_;
};

}  // namespace rondo::analyzers
