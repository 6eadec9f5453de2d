// SPDX-License-Identifier: Apache-2.0
#include "layer/recorder/open_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <climits>
#include <ctime>
#include <string_view>
#include <utility>

#include "layer/recorder/recorder.h"
#include "layer/recorder/session.h"

namespace rondo::layer {

namespace {

// A look comes so many times later as the last one took, where a blob was found without, and where one was not.
constexpr std::uint64_t kPauseIfFound = 30, kPauseIfNot = 4;
constexpr std::uint64_t kGlancesNs = 20'000'000;
constexpr int kFirstDescriptor = 512;  // where the table is the program's: out of its way

OpenedFile open_high(const char* path) {
  const int fd = ::open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (fd < 0) return {};
  const int high = ::fcntl(fd, F_DUPFD_CLOEXEC, kFirstDescriptor);
  if (high < 0) return OpenedFile(fd);
  ::close(fd);
  return OpenedFile(high);
}

// What it was opened for, as its line `flags:` in octal says.
bool is_written(const std::string& descriptor) {
  const std::string text = read_text_file(("/proc/self/fdinfo/" + descriptor).c_str());
  const std::size_t at = text.find("flags:");
  if (at == std::string::npos) return true;
  const std::size_t digits = text.find_first_not_of(" \t", at + 6);
  if (digits == std::string::npos) return true;
  unsigned flags = 0;
  std::from_chars(text.data() + digits, text.data() + text.size(), flags, 8);
  return (flags & O_ACCMODE) != O_RDONLY;
}

// The next word of a line, and the line behind it.
std::string_view word(std::string_view& line) {
  const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
  const std::size_t end = std::min(line.find(' ', begin), line.size());
  const std::string_view found = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return found;
}

}  // namespace

// `open_by` leads to the file whatever has become of its path.
void OpenFiles::note(const std::string& path, const std::string& open_by) {
  struct stat status {
  }, at_path{};
  if (files() >= kMost || ::stat(open_by.c_str(), &status) != 0) return;
  const FileIdentity identity = identity_of(status);
  if (!S_ISREG(status.st_mode) || identity.bytes < kSmallest) return;
  if (in_question_.contains({identity.device, identity.inode}) ||
      !seen_.insert({identity.device, identity.inode}).second)
    return;
  // Nobody finds it again by a path that is not its own, as those of deleted files and of memory are.
  if (::stat(path.c_str(), &at_path) != 0 || identity_of(at_path) != identity) return;
  OpenedFile file = open_high(open_by.c_str());
  if (file.descriptor() < 0 || file.identity() != identity) return;
  noticed_.push_back({path, std::move(file), identity});
}

// What was opened last is what is uploaded next.
bool OpenFiles::read_noticed(std::size_t most) {
  if (noticed_.empty()) return false;
  for (; most != 0 && !noticed_.empty(); --most) {
    Noticed one = std::move(noticed_.back());
    noticed_.pop_back();
    const Key key = key_of(one);
    struct stat at_path {};
    if (one.file.identity() != one.identity) {
      seen_.erase(key);  // it may be finished the next time
      forget_if_not_own(one);
    } else if (in_question_.contains(key)) {  // a library that was just being loaded
      // deleted since, as in note()
    } else if (::stat(one.path.c_str(), &at_path) != 0 || identity_of(at_path) != one.identity) {
    } else if (const auto number = matcher_.add(std::move(one.file))) {
      paths_.resize(*number + 1);
      paths_[*number] = std::move(one.path);
    }
  }
  return true;
}

// Where the table of descriptors is the program's, it may have closed this one, and have another file under its number.
void OpenFiles::forget_if_not_own(Noticed& one) {
  const FileIdentity now = one.file.identity();
  if (now.device != one.identity.device || now.inode != one.identity.inode) one.file.forget();
}

// The newest of those that the program has closed are kept: others would take the places of what it opens.
bool OpenFiles::forget_closed() {
  if (noticed_.size() <= kMostClosed) return false;
  std::sort(open_now_.begin(), open_now_.end());
  const auto is_open = [this](const Noticed& one) {
    return std::binary_search(open_now_.begin(), open_now_.end(), key_of(one));
  };
  std::size_t closed =
      noticed_.size() - static_cast<std::size_t>(std::count_if(noticed_.begin(), noticed_.end(), is_open));
  const std::size_t before = noticed_.size();
  for (auto one = noticed_.begin(); closed > kMostClosed;) {
    if (is_open(*one)) {
      ++one;
      continue;
    }
    seen_.erase(key_of(*one));
    forget_if_not_own(*one);
    one = noticed_.erase(one);
    --closed;
  }
  return noticed_.size() != before;
}

// Lines of /proc/self/maps: range, permissions, offset, device, inode, path. Programs and libraries are no data, and
// what is written through a mapping changes.
void OpenFiles::scan_mappings() {
  struct Mapped {
    std::string path, range;
    bool unfit = false;
  };
  std::vector<std::pair<Key, Mapped>> all;
  const std::string text = read_text_file("/proc/self/maps");
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size() - 1);
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    const std::string_view range = word(line), permissions = word(line);
    word(line);
    const std::string_view device = word(line), inode = word(line);
    const std::size_t path = line.find('/');
    if (path == std::string_view::npos || permissions.size() < 4 || inode == "0") continue;
    unsigned major = 0, minor = 0;
    std::uint64_t number = 0;
    const std::size_t colon = device.find(':');
    if (colon == std::string_view::npos) continue;
    std::from_chars(device.data(), device.data() + colon, major, 16);
    std::from_chars(device.data() + colon + 1, device.data() + device.size(), minor, 16);
    std::from_chars(inode.data(), inode.data() + inode.size(), number);
    const bool unfit = permissions[2] == 'x' || (permissions[1] == 'w' && permissions[3] == 's');
    all.push_back({{makedev(major, minor), number}, {std::string(line.substr(path)), std::string(range), unfit}});
  }
  for (const auto& [key, mapped] : all) {
    open_now_.push_back(key);
    if (mapped.unfit) in_question_.insert(key);
  }
  for (const auto& [key, mapped] : all)
    // On some file systems the numbers here are not those that stat() tells: then note() sees by the path that it has
    // been seen. /proc/self/map_files is for the privileged: the path it is.
    if (!in_question_.contains(key) && !seen_.contains(key)) note(mapped.path, mapped.path);
}

void OpenFiles::scan_descriptors() {
  DIR* const directory = ::opendir("/proc/self/fd");
  if (directory == nullptr) return;
  while (const dirent* entry = ::readdir(directory)) {
    if (entry->d_name[0] == '.') continue;
    const std::string link = std::string("/proc/self/fd/") + entry->d_name;
    char path[PATH_MAX];
    const ssize_t length = ::readlink(link.c_str(), path, sizeof path);
    if (length <= 0 || path[0] != '/' || static_cast<std::size_t>(length) >= sizeof path) continue;
    struct stat status {};
    if (::stat(link.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    open_now_.emplace_back(status.st_dev, status.st_ino);
    if (seen_.contains(open_now_.back())) continue;
    // One that the program writes changes; it may open it for reading later.
    if (is_written(entry->d_name)) continue;
    note(std::string(path, static_cast<std::size_t>(length)), link);
  }
  ::closedir(directory);
}

void OpenFiles::scan(Pace& pace, std::uint64_t pause, std::uint64_t least_ns) {
  const std::uint64_t begin = now_ns();
  if (begin < pace.looked_ns + std::max(pause * pace.took_ns, least_ns) || matcher_.files() >= kMost) return;
  const std::size_t before = files();
  const auto pass = [this] {
    in_question_.clear();
    open_now_.clear();
    scan_mappings();
    scan_descriptors();
    return forget_closed();
  };
  if (pass() && before >= kMost) pass();  // there was no place for what is new
  pace.looked_ns = now_ns();
  // Where something came, more may come.
  pace.took_ns = files() != before ? 0 : pace.looked_ns - begin;
}

void OpenFiles::glance() { scan(glances_, kPauseIfFound, kGlancesNs); }

std::vector<FilePiece> OpenFiles::look(std::span<const std::byte> blob) {
  std::vector<FilePiece> pieces = matcher_.find(blob);
  const auto is_whole = [&] {
    return !pieces.empty() &&
           std::none_of(pieces.begin(), pieces.end(), [](const FilePiece& p) { return p.file == kInNoFile; });
  };
  scan(looks_, is_whole() ? kPauseIfFound : kPauseIfNot, 0);
  // Twice as many each time: a blob is looked for again and again, and so are files read that it is not in.
  for (std::size_t most = 1; !is_whole() && read_noticed(most); most *= 2) pieces = matcher_.find(blob);
  return pieces;
}

ExternalFile OpenFiles::describe(std::uint32_t number) const {
  ExternalFile file;
  file.path = paths_[number];
  file.identity = matcher_.identity(number);
  return file;
}

bool OpenFiles::read(std::uint32_t number, std::uint64_t offset, std::span<std::byte> out) {
  return matcher_.file(number).read(offset, out) && matcher_.still(number);
}

void OpenFiles::close() {
  for (Noticed& one : noticed_) forget_if_not_own(one);
  noticed_.clear();
  matcher_.close();
}

}  // namespace rondo::layer
