// SPDX-License-Identifier: Apache-2.0
#include "format/outputs.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <mutex>

#include "format/file.h"
#include "format/output_helper.h"

namespace rondo {

namespace {

// This process's end of the socket to its helper; -1: it has none.
std::atomic<int> g_helper{-1};
std::mutex g_asking;  // one question at a time

// The helper's answer, and the descriptor that came with it.
int ask(helper::Question question, const std::string& first, const std::string& second, int* opened) {
  const std::lock_guard lock(g_asking);
  const int error = helper::ask(g_helper, question, first, second, opened);
  if (error == 0) return 0;
  errno = error;
  return -1;
}

int apply(int fd, const Attributes& wanted) {
  struct stat now {};
  if (::fstat(fd, &now) != 0) return -1;
  const bool owned = !wanted.has_owner || (now.st_uid == wanted.owner && now.st_gid == wanted.group) ||
                     ::fchown(fd, wanted.owner, wanted.group) == 0 ||
                     (now.st_uid == wanted.owner && ::fchown(fd, static_cast<uid_t>(-1), wanted.group) == 0);
  return ::fchmod(fd, owned ? wanted.mode : wanted.mode & 0700);
}

}  // namespace

Attributes attributes_for(const std::string& path, const std::string& like) {
  struct stat there {};
  if (::stat(path.c_str(), &there) == 0 || (!like.empty() && ::stat(like.c_str(), &there) == 0))
    return {there.st_mode & 0777u, true, there.st_uid, there.st_gid};
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return {0666u & ~mask, false, 0, 0};
}

namespace {

int open_without_waiting(const std::string& path, Opening how) {
  if (has_output_helper()) {
    int opened = -1;
    const auto question = how == Opening::temporary   ? helper::Question::open_temporary
                          : how == Opening::overwrite ? helper::Question::open_to_overwrite
                                                      : helper::Question::open_to_read;
    return ask(question, path, {}, &opened) == 0 ? opened : -1;
  }
  switch (how) {
    case Opening::temporary:
      return ::open(path.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600);
    case Opening::overwrite:
      return ::open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0666);
    case Opening::read:
      return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  }
  return -1;
}

}  // namespace

int open_output(const std::string& path, Opening how) {
  const int fd = open_without_waiting(path, how);
  // Only opening does not wait: writes wait for who reads a pipe.
  if (fd >= 0 && how == Opening::overwrite) static_cast<void>(::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) & ~O_NONBLOCK));
  return fd;
}

int keep_output(int fd, const std::string& temporary, const std::string& path, const Attributes& attributes) {
  if (has_output_helper()) return ask(helper::Question::keep, temporary, path, nullptr);
  return apply(fd, attributes) == 0 ? ::rename(temporary.c_str(), path.c_str()) : -1;
}

void remove_output(const std::string& path) {
  if (has_output_helper())
    static_cast<void>(ask(helper::Question::remove, path, {}, nullptr));
  else
    ::unlink(path.c_str());
}

std::error_code make_output_directory(const std::string& path) {
  if (has_output_helper())
    return ask(helper::Question::make_directory, path, {}, nullptr) == 0
               ? std::error_code()
               : std::error_code(errno, std::generic_category());
  std::error_code error;
  std::filesystem::create_directories(path, error);
  return error;
}

Result<void> start_output_helper(std::vector<NamedOutput> outputs) {
  const auto socket = helper::start(std::move(outputs));
  if (!socket)
    return fail(Status::failed, "no process can be started that writes what is put out: " + errno_text(errno));
  g_helper = *socket;
  File::open_otherwise([](const std::string& path) { return open_output(path, Opening::read); });
  return {};
}

bool has_output_helper() { return g_helper >= 0; }

int output_helper_socket() { return g_helper; }

void end_output_helper() {
  const int helper = g_helper;
  if (helper < 0) return;
  // It answers what it was asked, removes what is left and ends: then nothing more comes from it.
  ::shutdown(helper, SHUT_WR);
  constexpr int kPatience = 2000;  // milliseconds
  char answer[64];
  pollfd wait{helper, POLLIN, 0};
  while (::poll(&wait, 1, kPatience) == 1 && ::recv(helper, answer, sizeof answer, 0) > 0) {
  }
}

}  // namespace rondo
