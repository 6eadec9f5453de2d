// SPDX-License-Identifier: Apache-2.0
// Programs that start only where another library than the shim is the first one: those of AddressSanitizer's shared
// runtime. Read from their files, on the stack, between vfork and exec.
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <initializer_list>

#include "layer/preload/shim.h"

namespace rondo::preload {

namespace {

bool read_at(int file, void* to, size_t bytes, uint64_t offset) {
  return pread(file, to, bytes, static_cast<off_t>(offset)) == static_cast<ssize_t>(bytes);
}

struct Segments {
  static constexpr size_t kMost = 16;
  ElfW(Phdr) loaded[kMost];
  size_t count = 0;
  ElfW(Phdr) dynamic{};

  bool read(int file) {
    ElfW(Ehdr) header;
    if (!read_at(file, &header, sizeof header, 0) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(ElfW(Phdr)))
      return false;
    for (size_t i = 0; i < header.e_phnum && count < kMost; ++i) {
      ElfW(Phdr)& one = loaded[count];
      if (!read_at(file, &one, sizeof one, header.e_phoff + i * sizeof one)) return false;
      if (one.p_type == PT_DYNAMIC) dynamic = one;
      if (one.p_type == PT_LOAD) ++count;
    }
    return dynamic.p_type == PT_DYNAMIC;
  }
  // Where the file has what is loaded there; 0: nowhere.
  uint64_t offset_of(ElfW(Addr) address) const {
    for (size_t i = 0; i < count; ++i)
      if (address >= loaded[i].p_vaddr && address - loaded[i].p_vaddr < loaded[i].p_filesz)
        return address - loaded[i].p_vaddr + loaded[i].p_offset;
    return 0;
  }
};

bool is_runtime(const char* name) {
  for (const char* begin : {"libasan.so", "libclang_rt.asan"})
    if (strncmp(name, begin, strlen(begin)) == 0) return true;
  return false;
}

// Calls `with` for each entry of the dynamic section, until it returns true.
template <class With>
bool any_entry(int file, const ElfW(Phdr) & dynamic, With with) {
  ElfW(Dyn) some[32];
  for (uint64_t at = 0; at + sizeof *some <= dynamic.p_filesz; at += sizeof some) {
    const uint64_t left = dynamic.p_filesz - at;
    const size_t count = (left < sizeof some ? left : sizeof some) / sizeof *some;
    if (!read_at(file, some, count * sizeof *some, dynamic.p_offset + at)) return false;
    for (size_t i = 0; i < count; ++i) {
      if (some[i].d_tag == DT_NULL) return false;
      if (with(some[i])) return true;
    }
  }
  return false;
}

bool needs_runtime(int file) {
  Segments segments;
  if (!segments.read(file)) return false;
  uint64_t names = 0;
  any_entry(file, segments.dynamic, [&](const ElfW(Dyn) & one) {
    if (one.d_tag == DT_STRTAB) names = segments.offset_of(one.d_un.d_ptr);
    return names != 0;
  });
  return names != 0 && any_entry(file, segments.dynamic, [&](const ElfW(Dyn) & one) {
           char name[sizeof "libclang_rt.asan"] = "";
           return one.d_tag == DT_NEEDED &&
                  pread(file, name, sizeof name - 1, static_cast<off_t>(names + one.d_un.d_val)) > 0 &&
                  is_runtime(name);
         });
}

// Not a pipe that somebody would wait for.
int open_program(int directory, const char* path) {
  return openat(directory, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

bool answer(int file) {
  struct stat status;
  const bool needs = file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) && needs_runtime(file);
  if (file >= 0) close(file);
  return needs;
}

// As execvpe finds it.
int open_in_path(const char* name) {
  const char* path = getenv("PATH");
  if (path == nullptr) path = "/bin:/usr/bin";
  for (const char *begin = path, *end; *name != '\0'; begin = end + 1) {
    end = strchrnul(begin, ':');
    char whole[4096];
    const size_t directory = static_cast<size_t>(end - begin), bytes = strlen(name) + 1;
    if (directory + 1 + bytes <= sizeof whole) {
      memcpy(whole, begin, directory);
      whole[directory] = '/';
      memcpy(whole + directory + (directory != 0 ? 1 : 0), name, bytes);
      const int file = open_program(AT_FDCWD, whole);
      if (file >= 0 && faccessat(AT_FDCWD, whole, X_OK, AT_EACCESS) == 0) return file;
      if (file >= 0) close(file);
    }
    if (*end == '\0') break;
  }
  return -1;
}

}  // namespace

Place place_in(int directory, const char* path, bool in_path) {
  if (!active() || path == nullptr) return Place::in_front;
  const int before = errno;
  const int file = in_path && strchr(path, '/') == nullptr ? open_in_path(path) : open_program(directory, path);
  const bool needs = answer(file);
  errno = before;
  return needs ? Place::behind : Place::in_front;
}

Place place_in(int program) {
  char path[sizeof "/proc/self/fd/" + 3 * sizeof program] = "/proc/self/fd/";
  if (!active() || program < 0) return Place::in_front;
  // What is read is the file's, wherever the descriptor stands.
  char digits[3 * sizeof program];
  size_t count = 0;
  for (int left = program; count == 0 || left != 0; left /= 10) digits[count++] = static_cast<char>('0' + left % 10);
  char* at = path + strlen(path);
  while (count != 0) *at++ = digits[--count];
  *at = '\0';
  return place_in(AT_FDCWD, path, false);
}

}  // namespace rondo::preload
