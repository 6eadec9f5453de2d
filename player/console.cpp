// SPDX-License-Identifier: Apache-2.0
#include "player/console.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "format/counts.h"
#include "format/printable.h"

namespace rondo::player {

namespace {

void put(std::FILE* to, std::string_view text) { std::fwrite(text.data(), 1, text.size(), to); }

}  // namespace

void print_line(std::string_view text) { put(stdout, printable(text) + "\n"); }

void print_lines(std::string_view text) { put(stdout, printable_lines(text)); }

void print_error(const Error& error) { put(stderr, "player: " + printable(error) + "\n"); }

void print_error(std::string_view message) { put(stderr, "player: " + printable(message) + "\n"); }

Result<void> finish_output() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return {};
  // A reader that goes away (`player | head`) is no error.
  pollfd reader{STDOUT_FILENO, 0, 0};
  if (::poll(&reader, 1, 0) == 1 && (reader.revents & POLLERR) != 0) return {};
  return fail(Status::failed, "standard output cannot be written");
}

Result<void> check_validation(const std::string& file, std::vector<std::string> messages) {
  if (messages.empty()) return {};
  for (std::string& message : messages) message = on_one_line(message);
  return fail_list(Status::failed, file + ": the validation layer says:", std::move(messages));
}

Result<void> check_missing(const std::string& file, const std::vector<std::string>& lines) {
  if (lines.empty()) return {};
  return fail_list(Status::device,
                   file + ": cannot be played here, " + plural(lines.size(), "thing") +
                       (lines.size() == 1 ? " is missing:" : " are missing:"),
                   lines);
}

std::string on_one_line(std::string_view text) {
  std::string line(text);
  std::replace(line.begin(), line.end(), '\n', ' ');
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace rondo::player
