// SPDX-License-Identifier: Apache-2.0
#include "format/temporary_path.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstring>
#include <utility>

#include "format/outputs.h"

namespace rondo {

namespace {

// A handler can count on no lock and no heap. A name is read only where its place was taken from `live`, so nobody
// writes it.
enum class State : int { free, changing, live };
struct Place {
  std::atomic<State> state{State::free};
  char path[PATH_MAX];
};
static_assert(std::atomic<State>::is_always_lock_free);

constexpr int kPlaces = 16;  // a tool has two at a time
Place g_places[kPlaces];
std::atomic<bool> g_ending{false};

// With what comes behind it, a name is as long as some file systems allow (eCryptfs: 143 bytes).
constexpr std::size_t kMostOfName = 100;

// Some want whole characters of UTF-8.
std::string shortened(const std::string& name) {
  std::size_t bytes = std::min(name.size(), kMostOfName);
  while (bytes != 0 && bytes < name.size() && (static_cast<unsigned char>(name[bytes]) & 0xc0) == 0x80) --bytes;
  return name.substr(0, bytes);
}

[[noreturn]] void wait_for_the_end() {
  for (;;) ::pause();
}

int put(const std::string& path) {
  for (int i = 0; i < kPlaces && path.size() < PATH_MAX; ++i) {
    State expected = State::free;
    if (!g_places[i].state.compare_exchange_strong(expected, State::changing)) continue;
    std::memcpy(g_places[i].path, path.c_str(), path.size() + 1);
    g_places[i].state = State::live;
    // Either the handler sees the name, or this sees the handler.
    if (g_ending) wait_for_the_end();
    return i;
  }
  return -1;
}

}  // namespace

TemporaryPath TemporaryPath::beside(const std::string& path, std::string_view ending) {
  static std::atomic<unsigned> count{0};
  const std::size_t slash = path.rfind('/');
  const std::size_t name = slash == std::string::npos ? 0 : slash + 1;
  TemporaryPath made;
  struct stat there {};
  // A process of this number may have been killed there.
  do {
    made.path_ = path.substr(0, name) + "." + shortened(path.substr(name)) + "." + std::to_string(::getpid()) + "-" +
                 std::to_string(count.fetch_add(1));
    made.path_ += ending;
  } while (::lstat(made.path_.c_str(), &there) == 0);
  made.place_ = put(made.path_);
  return made;
}

TemporaryPath::TemporaryPath(TemporaryPath&& other) noexcept
    : path_(std::exchange(other.path_, {})), place_(std::exchange(other.place_, -1)) {}

TemporaryPath& TemporaryPath::operator=(TemporaryPath&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(place_, other.place_);
  return *this;
}

TemporaryPath::~TemporaryPath() {
  if (!path_.empty()) remove_output(path_);
  forget();
}

void TemporaryPath::forget() {
  path_.clear();
  State live = State::live;
  if (const int place = std::exchange(place_, -1); place >= 0)
    g_places[place].state.compare_exchange_strong(live, State::free);
}

void remove_temporary_files() {
  if (g_ending.exchange(true)) wait_for_the_end();
  // The last ones first: they are renamed to those before them.
  for (int i = kPlaces; i-- > 0;) {
    State live = State::live;
    if (g_places[i].state.compare_exchange_strong(live, State::changing)) ::unlink(g_places[i].path);
  }
  end_output_helper();  // where it made them, it removes them
}

}  // namespace rondo
