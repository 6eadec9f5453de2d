// SPDX-License-Identifier: Apache-2.0
#include "analyzers/launch/program_check.h"

#include <elf.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string_view>
#include <utility>

#include "analyzers/launch/binfmt.h"
#include "analyzers/launch/elf_program.h"
#include "analyzers/text/text.h"

namespace rondo::analyzers {

namespace {

constexpr int kMostInterpreters = 5;  // of one exec (exec_binprm)
constexpr int kMostSteps = 64;        // of programs that env starts: they may go round in circles
constexpr std::size_t kHead = 256;    // what the kernel reads first (BINPRM_BUF_SIZE)
constexpr std::string_view kBlanks = " \t";

// Open for reading, or not: then nothing can be told of the contents.
class OpenFile {
 public:
  explicit OpenFile(const std::string& path) : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~OpenFile() {
    if (fd_ >= 0) ::close(fd_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int fd() const { return fd_; }
  // Nothing: it cannot be read.
  std::optional<std::string> head() const {
    std::string bytes(kHead, '\0');
    const ssize_t got = fd_ < 0 ? -1 : ::pread(fd_, bytes.data(), bytes.size(), 0);
    if (got < 0) return std::nullopt;
    bytes.resize(static_cast<std::size_t>(got));
    return bytes;
  }

 private:
  int fd_;
};

struct Shebang {
  std::string interpreter;
  std::string argument;
};

// load_script() of fs/binfmt_script.c. Nothing: it is no script.
std::optional<Shebang> read_shebang(const std::string& head) {
  if (!head.starts_with("#!")) return std::nullopt;
  const std::size_t line_end = head.find('\n');
  std::string_view line = std::string_view(head).substr(2, line_end == std::string::npos ? line_end : line_end - 2);
  const std::size_t name = line.find_first_not_of(kBlanks);
  if (name == std::string_view::npos) return std::nullopt;
  line.remove_prefix(name);
  std::size_t name_end = line.find_first_of(std::string_view(" \t\0", 3));
  if (name_end == std::string_view::npos) {
    if (line_end == std::string::npos && head.size() == kHead) return std::nullopt;  // it may be longer
    name_end = line.size();
  }
  Shebang found{std::string(line.substr(0, name_end)), {}};
  line.remove_prefix(name_end);
  line = line.substr(0, line.find('\0'));
  if (const std::size_t begin = line.find_first_not_of(kBlanks); begin != std::string_view::npos)
    found.argument = line.substr(begin, line.find_last_not_of(kBlanks) + 1 - begin);
  if (found.interpreter.empty()) return std::nullopt;
  return found;
}

// Whom env(1) starts that gets this as its one argument. Nothing: nobody, or that cannot be told.
std::optional<std::string> started_by_env(std::string argument) {
  for (const std::string_view split : {"-S", "--split-string="}) {
    if (!argument.starts_with(split)) continue;
    argument.erase(0, split.size());
    if (argument.find_first_of("\\\"'$#") != std::string::npos) return std::nullopt;
    std::istringstream words(argument);
    while (words >> argument)
      if (argument.find('=') == std::string::npos || argument.starts_with("PATH=")) break;
  }
  // With blanks, options or assignments env says itself what is wrong, or sets what changes the search.
  if (argument.empty() || argument[0] == '-' || argument.find_first_of("= \t") != std::string::npos)
    return std::nullopt;
  return argument;
}

bool is_mapped(const char* map, std::uint64_t id) {
  std::ifstream in(map);
  bool any = false;
  for (std::uint64_t inside = 0, outside = 0, count = 0; in >> inside >> outside >> count; any = true)
    if (id >= inside && id - inside < count) return true;
  return !any;
}

// bprm_fill_uid() of fs/exec.c; what it changes makes the process a secure one (cap_bprm_creds_from_file).
std::string set_id(const struct stat& info, const Starter& starter) {
  if (starter.no_new_privileges) return {};
  if ((info.st_mode & S_ISUID) != 0 && info.st_uid != starter.user && is_mapped("/proc/self/uid_map", info.st_uid))
    return text("is set-user-ID of another user ({})", info.st_uid);
  if ((info.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && info.st_gid != starter.group &&
      is_mapped("/proc/self/gid_map", info.st_gid))
    return text("is set-group-ID of another group ({})", info.st_gid);
  return {};
}

// Those of a user namespace (version 3) may not count in this one: that is not told.
bool gains_capabilities(const std::string& path, const Starter& starter) {
  vfs_ns_cap_data data{};
  const ssize_t bytes = ::getxattr(path.c_str(), "security.capability", &data, sizeof data);
  if (starter.user == 0 || bytes < static_cast<ssize_t>(XATTR_CAPS_SZ_1)) return false;
  const std::uint32_t words = le32toh(data.magic_etc);
  if ((words & VFS_CAP_REVISION_MASK) == VFS_CAP_REVISION_3) return false;
  const bool grows = data.data[0].permitted != 0 || data.data[1].permitted != 0;
  return (words & VFS_CAP_FLAGS_EFFECTIVE) != 0 || (grows && !starter.no_new_privileges);
}

// What a sentence begins with: the program, or what is to run it.
class Subject {
 public:
  explicit Subject(const std::string& program) : words_(printable(program) + ":") {}
  Subject its(const char* what, const std::string& name) const {
    Subject other = *this;
    other.words_ += text("{} {} {}", is_program_ ? " its" : ", whose", what, printable(name));
    other.is_program_ = false;
    return other;
  }
  const std::string& words() const { return words_; }
  bool is_program() const { return is_program_; }

 private:
  std::string words_;
  bool is_program_ = true;
};

bool is_absent(const std::string& path) {
  return ::access(path.c_str(), F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

bool is_mounted(const std::string& path, unsigned long how) {
  struct statvfs place {};
  return ::statvfs(path.c_str(), &place) == 0 && (place.f_flag & how) != 0;
}

// What is asked of every file that exec opens.
std::optional<Refusal> check_file(const std::string& path, const std::string& who, const char* where_absent) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) {
    const int error = errno;
    if (error == ENOENT) return Refusal{error, text("{} does not exist: {}", who, where_absent)};
    return Refusal{error, text("{} cannot be reached: {}", who, std::strerror(error))};
  }
  if (S_ISDIR(info.st_mode)) return Refusal{EACCES, text("{} is a directory: name a program in it", who)};
  if (!S_ISREG(info.st_mode)) return Refusal{EACCES, text("{} is no regular file: name a program", who)};
  if (is_mounted(path, ST_NOEXEC))
    return Refusal{EACCES, text("{} lies on a file system that is mounted noexec: copy it to another one", who)};
  if (::faccessat(AT_FDCWD, path.c_str(), X_OK, AT_EACCESS) != 0 && errno == EACCES)
    return Refusal{EACCES, text("{} may not be executed by this user: chmod +x gives the permission", who)};
  return std::nullopt;
}

class Check {
 public:
  explicit Check(const Starter& starter) : starter_(starter) {}
  bool has_first_library() const { return has_first_library_; }

  // `starts_with`: what runs it, where it is not the program itself.
  std::optional<Refusal> program(const std::string& word, const Subject* starts_with = nullptr) {
    const bool searched = word.find('/') == std::string::npos;
    std::optional<Refusal> kept;
    for (const std::string& place : places_of(word, starter_.search_path)) {
      if (searched && is_absent(place)) continue;
      auto found = file(place, starts_with != nullptr ? *starts_with : Subject(place), 0);
      if (!found || !is_looked_for_further(found->error)) return found;
      if (!kept || found->error == EACCES) kept = found;
    }
    if (kept) return kept;
    if (word.empty()) return Refusal{ENOENT, "the program's name is empty: name one behind --"};
    const Subject who = starts_with != nullptr ? *starts_with : Subject(word);
    const bool is_here = who.is_program() && ::access(word.c_str(), X_OK) == 0;
    return Refusal{ENOENT, text("{} is in no directory of PATH: {}", who.words(),
                                is_here ? text("name the one that is here: ./{}", printable(word))
                                        : "install it, or name its path")};
  }

 private:
  std::optional<Refusal> file(const std::string& path, const Subject& who, int depth) {
    if (++steps_ > kMostSteps) return std::nullopt;
    if (depth > kMostInterpreters)
      return Refusal{ELOOP, text("{} is one too many: the kernel follows {}", who.words(), kMostInterpreters)};
    if (auto refused = check_file(path, who.words(),
                                  path.ends_with('\r') ? "its line ends with a carriage return: dos2unix removes them"
                                                       : "install it, or correct the path"))
      return refused;
    const OpenFile open(path);
    const auto head = open.head();
    if (!head) return std::nullopt;
    if (const auto handler = binfmt_handler(starter_.formats, path, *head)) {
      if (handler->kept_open && is_absent(handler->path)) return std::nullopt;
      return file(handler->path, who.its("interpreter", handler->path), depth + 1);
    }
    if (head->empty()) return Refusal{ENOEXEC, text("{} is an empty file: build or copy it again", who.words())};
    if (const auto elf = read_elf_program(open.fd())) return elf_file(path, who, *elf);
    if (const auto script = read_shebang(*head)) return interpreter(*script, who, depth);
    return std::nullopt;  // a shell takes it if it is text; else the kernel may have been told of it
  }

  std::optional<Refusal> interpreter(const Shebang& script, const Subject& who, int depth) {
    const std::string& path = script.interpreter;
    if (auto refused = file(path, who.its("interpreter", path), depth + 1)) return refused;
    if (path.substr(path.rfind('/') + 1) != "env") return std::nullopt;
    const auto started = started_by_env(script.argument);
    if (!started) return std::nullopt;
    const Subject by_env = who.its("interpreter", *started + " (by env)");
    return program(*started, &by_env);
  }

  std::optional<Refusal> elf_file(const std::string& path, const Subject& who, const ElfProgram& elf) {
    static const Machine own = own_machine();
    if (elf.machine != own && elf.machine.number != EM_NONE && own.number != EM_NONE)
      return Refusal{
          0, text("{} is a program for {}, and this Rondo is one for {}: take a build of the program for that, or "
                  "of Rondo for this one",
                  who.words(), machine_text(elf.machine), machine_text(own))};
    if (!elf.whole)
      return Refusal{ENOEXEC,
                     text("{} is an ELF file that is cut off or damaged: build or copy it again", who.words())};
    if (!elf.executable || !elf.has_segments)
      return Refusal{
          ENOEXEC,
          text("{} is an ELF file, and no program (an object file, a library or a core dump): name the linked program",
               who.words())};
    if (!elf.interpreter.empty())
      if (auto refused = dynamic_linker(elf, who.its("dynamic linker", elf.interpreter))) return refused;
    if (const std::string rights = other_rights(path); !rights.empty())
      return Refusal{
          0, text("{} {}: the dynamic linker and the Vulkan loader then ignore all that captures: run a copy without "
                  "(cp makes one), or run it as a user who has these rights",
                  who.words(), rights)};
    has_first_library_ = std::any_of(elf.libraries.begin(), elf.libraries.end(), is_first_library);
    if (elf.is_static)
      return Refusal{
          0,
          text("{} is a static program: neither a layer nor a library can be put under it: link it dynamically; where "
               "it only starts others, capture those, or put env in front of it",
               who.words())};
    return std::nullopt;
  }

  // Rights that make the process a secure one (AT_SECURE).
  std::string other_rights(const std::string& path) const {
    struct stat info {};
    if (is_mounted(path, ST_NOSUID) || ::stat(path.c_str(), &info) != 0) return {};
    if (std::string bits = set_id(info, starter_); !bits.empty()) return bits;
    return gains_capabilities(path, starter_) ? "has file capabilities" : "";
  }

  static std::optional<Refusal> dynamic_linker(const ElfProgram& elf, const Subject& who) {
    constexpr const char* kRemedy = "install the C library that it was built for";
    if (auto refused = check_file(elf.interpreter, who.words(), kRemedy)) return refused;
    const OpenFile open(elf.interpreter);
    if (open.fd() < 0) return std::nullopt;
    const auto found = read_elf_program(open.fd());
    if (found && found->machine == elf.machine && found->whole) return std::nullopt;
    return Refusal{ELIBBAD, text("{} is no library for {}: {}", who.words(), machine_text(elf.machine), kRemedy)};
  }

  const Starter& starter_;
  int steps_ = 0;
  bool has_first_library_ = false;
};

}  // namespace

Checked check_program(const std::string& program, const Starter& starter) {
  Check check(starter);
  auto refusal = check.program(program);
  return {std::move(refusal), check.has_first_library()};
}

bool is_first_library(std::string_view library) {
  const std::string_view name = library.substr(library.rfind('/') + 1);
  return name.starts_with("libasan.") || name.starts_with("libclang_rt.asan");
}

Starter Starter::this_process() {
  Starter starter;
  starter.user = ::getuid();
  starter.group = ::getgid();
  starter.no_new_privileges = ::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1;
  if (const char* path = std::getenv("PATH")) starter.search_path = path;
  return starter;
}

std::vector<std::string> places_of(const std::string& program, const std::optional<std::string>& search_path) {
  if (program.empty()) return {};
  if (program.find('/') != std::string::npos) return {program};
  std::string directories = search_path.value_or("");
  if (!search_path) {
    directories.resize(::confstr(_CS_PATH, nullptr, 0));
    ::confstr(_CS_PATH, directories.data(), directories.size());
    directories.resize(std::strlen(directories.c_str()));
  }
  std::vector<std::string> places;
  for (std::size_t begin = 0; begin <= directories.size();) {
    const std::size_t end = std::min(directories.find(':', begin), directories.size());
    const std::string directory = directories.substr(begin, end - begin);
    places.push_back(directory.empty() ? program : directory + "/" + program);
    begin = end + 1;
  }
  return places;
}

bool is_looked_for_further(int error) {
  return error == EACCES || error == ENOENT || error == ESTALE || error == ENOTDIR || error == ENODEV ||
         error == ETIMEDOUT;
}

bool is_text(const std::string& path) {
  const auto head = OpenFile(path).head();
  if (!head || head->empty()) return false;
  const std::string line = head->substr(0, head->find('\n'));
  return std::all_of(line.begin(), line.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte >= 0x20 && byte != 0x7f) || (byte >= '\a' && byte <= '\r') || byte == 0x1b;
  });
}

std::string exec_error_text(int error) {
  if (error == ENOENT) return "does not exist, or what it names as its interpreter: install it, or correct the path";
  if (error == ENOEXEC) return "is neither a program that this kernel knows nor a script: name one that is";
  return text("cannot be executed: {}", std::strerror(error));
}

}  // namespace rondo::analyzers
