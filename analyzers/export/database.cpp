// SPDX-License-Identifier: Apache-2.0
#include "analyzers/export/database.h"

#include <sqlite3.h>

#include <algorithm>
#include <new>
#include <utility>

#include "format/check.h"
#include "format/printable.h"

namespace rondo::analyzers {

Insertion::Insertion(Database& database, std::string_view statement) : database_(&database) {
  database.check(
      sqlite3_prepare_v2(database.handle_, statement.data(), static_cast<int>(statement.size()), &statement_, nullptr));
}
Insertion::Insertion(Insertion&& other) noexcept
    : database_(other.database_), statement_(std::exchange(other.statement_, nullptr)), next_(other.next_) {}
Insertion::~Insertion() { sqlite3_finalize(statement_); }

Insertion& Insertion::number(std::uint64_t value) {
  const auto most = static_cast<std::uint64_t>(INT64_MAX);
  database_->check(sqlite3_bind_int64(statement_, next_++, static_cast<sqlite3_int64>(std::min(value, most))));
  return *this;
}
Insertion& Insertion::real(double value) {
  database_->check(sqlite3_bind_double(statement_, next_++, value));
  return *this;
}
// A text of SQLite is UTF-8.
Insertion& Insertion::text(std::string_view value) { return text_lines(printable(value)); }
Insertion& Insertion::text_lines(std::string_view value) {
  const std::string shown = printable_lines(value);
  database_->check(sqlite3_bind_text64(statement_, next_++, shown.data(), shown.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
  return *this;
}
Insertion& Insertion::null() {
  database_->check(sqlite3_bind_null(statement_, next_++));
  return *this;
}
void Insertion::run() {
  next_ = 1;
  if (!database_->error_.empty()) return;
  const int status = sqlite3_step(statement_);
  database_->check(status == SQLITE_DONE ? SQLITE_OK : status);
  sqlite3_reset(statement_);
}

void Database::check(int status) {
  if (status == SQLITE_OK || !error_.empty()) return;
  if (status == SQLITE_NOMEM) {  // as of all else that needs memory
    if (const std::new_handler handler = std::get_new_handler(); handler != nullptr) handler();
    throw std::bad_alloc();
  }
  error_ = sqlite3_errmsg(handle_);
}

void Database::execute(const char* statements) {
  if (error_.empty()) check(sqlite3_exec(handle_, statements, nullptr, nullptr, nullptr));
}

Result<std::unique_ptr<Database>> Database::create(const std::string& path, const std::string& capture,
                                                   const char* tables) {
  auto file = NewFile::create(path, capture);
  if (!file) return tl::unexpected(file.error());
  std::unique_ptr<Database> made(new Database(std::move(*file)));
  made->check(sqlite3_open_v2(made->file_.temporary_path().c_str(), &made->handle_,
                              SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr));
  // The file is not there before it is whole, so nothing must be undone.
  made->execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN");
  made->execute(tables);
  if (!made->error_.empty()) return fail(Status::failed, path + ": cannot be written: " + made->error_);
  return made;
}

Database::~Database() { sqlite3_close(handle_); }

Result<std::uint64_t> Database::keep(const char* ends) {
  execute(ends);
  execute("COMMIT");
  const int closed = sqlite3_close(handle_);
  RONDO_CHECK(closed == SQLITE_OK);  // no statement is left
  handle_ = nullptr;
  if (!error_.empty()) return fail(Status::failed, file_.file().path() + ": cannot be written: " + error_);
  const std::uint64_t bytes = file_.file().bytes();
  RONDO_TRY(file_.keep());
  return bytes;
}

}  // namespace rondo::analyzers
