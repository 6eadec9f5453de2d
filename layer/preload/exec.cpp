// SPDX-License-Identifier: Apache-2.0
// Children of programs that clear or choose their environment are captured all the same, unless RONDO_CHILDREN=0.
#include <alloca.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <initializer_list>

#include "layer/preload/shim.h"

extern char** environ;

namespace rondo::preload {

namespace {

const char* value_in(char* const* all, const char* name, size_t length) {
  for (; all != nullptr && *all != nullptr; ++all)
    if (strncmp(*all, name, length) == 0 && (*all)[length] == '=') return *all + length + 1;
  return nullptr;
}

bool is_wanted(char* const* asked) {
  const char* const children = first_variable("RONDO_CHILDREN");
  if (children != nullptr && strcmp(children, "0") == 0) return false;
  if (value_in(asked, "RONDO_DISABLE", 13) != nullptr) return false;
  for (const char* name : {"RONDO_CAPTURE", "RONDO_SHIM", "RONDO_CHILDREN"}) {
    const char* const first = first_variable(name);
    const char* const now = value_in(asked, name, strlen(name));
    if (now != nullptr && (first == nullptr || strcmp(now, first) != 0)) return false;  // the program's own choice
  }
  return true;
}

}  // namespace

namespace {

constexpr char kPreload[] = "LD_PRELOAD=";
constexpr size_t kPreloadLength = sizeof kPreload - 1;

bool is_preload(const char* variable) { return strncmp(variable, kPreload, kPreloadLength) == 0; }

// What it preloads itself, and not the shim.
bool lacks_shim(const char* variable) {
  return is_preload(variable) && strstr(variable + kPreloadLength, own_path()) == nullptr;
}

// The next file of a list, and how long its path is; null: there is none.
const char* next_file(const char* list, size_t& length) {
  list += strspn(list, ": ");
  length = strcspn(list, ": ");
  return length != 0 ? list : nullptr;
}

bool is_own(const char* file, size_t length) {
  return strncmp(file, own_path(), length) == 0 && own_path()[length] == '\0';
}

bool is_there(char* const* all, const char* variable) {
  return value_in(all, variable, static_cast<size_t>(strchr(variable, '=') - variable)) != nullptr;
}

}  // namespace

// Of a variable that is LD_PRELOAD.
bool ChildEnvironment::is_changed(const char* variable) const {
  if (place_ == Place::in_front) return wanted_ && lacks_shim(variable);
  size_t length = 0;
  const char* const first = next_file(variable + kPreloadLength, length);
  return first != nullptr && (is_own(first, length) || (wanted_ && lacks_shim(variable)));
}

// The end of what it wrote, behind a zero; where it began: nothing is to be preloaded.
char* ChildEnvironment::write_preload(const char* variable, char* text) const {
  char* at = stpcpy(text, kPreload);
  const auto add = [&](const char* file, size_t length) {
    if (at[-1] != '=') *at++ = ':';
    at = static_cast<char*>(memcpy(at, file, length)) + length;
  };
  if (place_ == Place::in_front) add(own_path(), strlen(own_path()));
  size_t length = 0;
  for (const char* file = variable + kPreloadLength; (file = next_file(file, length)) != nullptr; file += length)
    if (!is_own(file, length)) add(file, length);
  if (at[-1] == '=') return text;
  if (place_ == Place::behind) add(own_path(), strlen(own_path()));
  *at++ = '\0';
  return at;
}

ChildEnvironment::ChildEnvironment(char* const* environment, Place place) : asked(environment), place_(place) {
  if (!active()) return;
  wanted_ = is_wanted(asked);
  size_t count = 1, more = 0;
  const size_t own = strlen(own_path()) + 2;
  for (char* const* one = asked; one != nullptr && *one != nullptr; ++one, ++count)
    if (is_preload(*one) && is_changed(*one)) text_bytes += strlen(*one) + own;
  for (char* const* kept = first_environment(); wanted_ && *kept != nullptr; ++kept) {
    if (is_there(asked, *kept)) continue;
    ++more;
    if (is_preload(*kept) && is_changed(*kept)) text_bytes += strlen(*kept) + own;
  }
  if (more != 0 || text_bytes != 0) pointer_bytes = (count + more) * sizeof(char*);
}

char* const* ChildEnvironment::write(char** pointers, char* text) const {
  if (pointer_bytes == 0) return asked;
  size_t count = 0;
  const auto add = [&](char* variable) {
    if (!is_preload(variable) || !is_changed(variable)) {
      pointers[count++] = variable;
      return;
    }
    char* const end = write_preload(variable, text);
    if (end != text) pointers[count++] = text;
    text = end;
  };
  for (char* const* one = asked; one != nullptr && *one != nullptr; ++one) add(*one);
  for (char* const* kept = first_environment(); wanted_ && *kept != nullptr; ++kept)
    if (!is_there(asked, *kept)) add(*kept);
  pointers[count] = nullptr;
  return pointers;
}

namespace {

// Appends, where there is a place for it, and counts.
struct Text {
  char* at;
  size_t bytes = 0;
  void add(const char* part, size_t length) {
    if (at != nullptr) at = static_cast<char*>(memcpy(at, part, length)) + length;
    bytes += length;
  }
  void add(const char* part) { add(part, strlen(part)); }
  // Between quotes, where nothing but a quote is more than itself.
  void add_quoted(const char* value) {
    for (; *value != '\0'; ++value) *value == '\'' ? add("'\\''") : add(value, 1);
  }
  // "NAME='VALUE' ": `more` in front of the variable's own value.
  void add_export(const char* variable, const char* more) {
    const char* const value = strchr(variable, '=') + 1;
    add(bytes == 0 ? "export " : " ");
    add(variable, static_cast<size_t>(value - variable));
    add("'");
    add_quoted(more);
    if (*more != '\0' && *value != '\0') add(":");
    add_quoted(value);
    add("'");
  }
};

// What a shell takes for a name, and what does not change how it counts lines.
bool is_for_shells(const char* variable) {
  const char* at = variable;
  for (; *at != '='; ++at)
    if (!(*at == '_' || (*at >= 'A' && *at <= 'Z') || (*at >= 'a' && *at <= 'z') ||
          (at != variable && *at >= '0' && *at <= '9')))
      return false;
  return strchr(at, '\n') == nullptr;
}

}  // namespace

size_t ChildEnvironment::write_command(const char* command, char* text) const {
  if (pointer_bytes == 0 || !wanted_) return 0;
  Text all{text};
  for (char* const* one = asked; one != nullptr && *one != nullptr; ++one)
    if (lacks_shim(*one) && is_for_shells(*one)) all.add_export(*one, own_path());
  for (char* const* kept = first_environment(); *kept != nullptr; ++kept)
    if (!is_there(asked, *kept) && is_for_shells(*kept)) all.add_export(*kept, "");
  if (all.bytes == 0) return 0;
  all.add("; exec /bin/sh -c '");
  all.add_quoted(command);
  all.add("' sh", sizeof "' sh");
  return all.bytes;
}

}  // namespace rondo::preload

using namespace rondo::preload;

#define RONDO_SEEN extern "C" __attribute__((visibility("default")))
// On the stack: between vfork and exec there is no other place. As much as it takes: a signal handler's may be small.
#define RONDO_ENVIRONMENT(child) \
  child.write(static_cast<char**>(alloca(child.pointer_bytes)), static_cast<char*>(alloca(child.text_bytes)))

namespace {

using Execve = int (*)(const char*, char* const*, char* const*);
using Spawn = int (*)(pid_t*, const char*, const posix_spawn_file_actions_t*, const posix_spawnattr_t*, char* const*,
                      char* const*);

int exec_with(const char* call, const char* path, char* const* arguments, char* const* environment) {
  const ChildEnvironment child(environment, place_in(AT_FDCWD, path, rondo::is_same(call, "execvpe")));
  return reinterpret_cast<Execve>(real_function(call))(path, arguments, RONDO_ENVIRONMENT(child));
}

int spawn_with(const char* call, pid_t* pid, const char* path, const posix_spawn_file_actions_t* actions,
               const posix_spawnattr_t* attributes, char* const* arguments, char* const* environment) {
  const auto real = reinterpret_cast<Spawn>(real_function(call));
  const ChildEnvironment child(environment, place_in(AT_FDCWD, path, rondo::is_same(call, "posix_spawnp")));
  return real(pid, path, actions, attributes, arguments, RONDO_ENVIRONMENT(child));
}

size_t count_of_list(va_list list) {
  size_t count = 1;
  while (va_arg(list, char*) != nullptr) ++count;
  return count;
}

}  // namespace

RONDO_SEEN int execve(const char* path, char* const arguments[], char* const environment[]) noexcept {
  return exec_with("execve", path, arguments, environment);
}
RONDO_SEEN int execv(const char* path, char* const arguments[]) noexcept {
  return exec_with("execve", path, arguments, environ);
}
RONDO_SEEN int execvpe(const char* file, char* const arguments[], char* const environment[]) noexcept {
  return exec_with("execvpe", file, arguments, environment);
}
RONDO_SEEN int execvp(const char* file, char* const arguments[]) noexcept {
  return exec_with("execvpe", file, arguments, environ);
}
RONDO_SEEN int fexecve(int file, char* const arguments[], char* const environment[]) noexcept {
  const auto real = reinterpret_cast<int (*)(int, char* const*, char* const*)>(real_function("fexecve"));
  const ChildEnvironment child(environment, place_in(file));
  return real(file, arguments, RONDO_ENVIRONMENT(child));
}

RONDO_SEEN int execveat(int directory, const char* path, char* const arguments[], char* const environment[],
                        int flags) noexcept {
  const auto real =
      reinterpret_cast<int (*)(int, const char*, char* const*, char* const*, int)>(real_function("execveat"));
  const bool by_descriptor = (flags & AT_EMPTY_PATH) != 0 && path != nullptr && *path == '\0';
  const ChildEnvironment child(environment, by_descriptor ? place_in(directory) : place_in(directory, path, false));
  char* const* const with = RONDO_ENVIRONMENT(child);
  // C libraries before 2.34 have none.
  return real != nullptr ? real(directory, path, arguments, with, flags)
                         : static_cast<int>(syscall(SYS_execveat, directory, path, arguments, with, flags));
}

// The list of arguments that `first` begins, and what is behind its null.
#define RONDO_LIST(first, list, arguments)                                                  \
  va_list list;                                                                             \
  va_start(list, first);                                                                    \
  const size_t list##_count = first == nullptr ? 0 : count_of_list(list);                   \
  va_end(list);                                                                             \
  char** const arguments = static_cast<char**>(alloca((list##_count + 1) * sizeof(char*))); \
  va_start(list, first);                                                                    \
  if (list##_count != 0) arguments[0] = const_cast<char*>(first);                           \
  for (size_t i = 1; i < list##_count; ++i) arguments[i] = va_arg(list, char*);             \
  if (list##_count != 0) static_cast<void>(va_arg(list, char*));                            \
  arguments[list##_count] = nullptr

RONDO_SEEN int execl(const char* path, const char* first, ...) noexcept {
  RONDO_LIST(first, list, arguments);
  va_end(list);
  return exec_with("execve", path, arguments, environ);
}
RONDO_SEEN int execlp(const char* file, const char* first, ...) noexcept {
  RONDO_LIST(first, list, arguments);
  va_end(list);
  return exec_with("execvpe", file, arguments, environ);
}
RONDO_SEEN int execle(const char* path, const char* first, ...) noexcept {
  RONDO_LIST(first, list, arguments);
  char* const* const environment = va_arg(list, char* const*);
  va_end(list);
  return exec_with("execve", path, arguments, environment);
}

RONDO_SEEN int posix_spawn(pid_t* pid, const char* path, const posix_spawn_file_actions_t* actions,
                           const posix_spawnattr_t* attributes, char* const arguments[],
                           char* const environment[]) noexcept {
  return spawn_with("posix_spawn", pid, path, actions, attributes, arguments, environment);
}
RONDO_SEEN int posix_spawnp(pid_t* pid, const char* file, const posix_spawn_file_actions_t* actions,
                            const posix_spawnattr_t* attributes, char* const arguments[],
                            char* const environment[]) noexcept {
  return spawn_with("posix_spawnp", pid, file, actions, attributes, arguments, environment);
}
