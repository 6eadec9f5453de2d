// SPDX-License-Identifier: Apache-2.0
#include "layer/recorder/recorder.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/auxv.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <mutex>
#include <vector>

#include "format/address_space.h"
#include "format/check.h"
#include "format/codec/schema.h"
#include "format/counts.h"
#include "format/file.h"
#include "format/output_names.h"
#include "generated/args.h"
#include "layer/driver/hidden.h"
#include "layer/driver/state.h"
#include "layer/recorder/environment.h"
#include "layer/recorder/frames.h"
#include "layer/recorder/launcher_report.h"
#include "layer/recorder/log.h"
#include "layer/recorder/lost_pages.h"
#include "layer/recorder/open_files.h"
#include "layer/recorder/output_path.h"
#include "layer/recorder/own_thread.h"
#include "layer/recorder/record.h"
#include "layer/recorder/session.h"
#include "layer/recorder/thread_state.h"
#include "layer/recorder/trigger.h"

namespace rondo::layer {

constinit Hot g_hot;

namespace {

// A mutex that knows which thread holds it. A check may fail in that thread, and what stops the recording then must not
// wait for itself.
class OwnedMutex {
 public:
  void lock() {
    mutex_.lock();
    holder_.store(&t_mark, std::memory_order_relaxed);
  }
  void unlock() {
    holder_.store(nullptr, std::memory_order_relaxed);
    mutex_.unlock();
  }
  bool is_held_here() const { return holder_.load(std::memory_order_relaxed) == &t_mark; }

 private:
  static inline thread_local char t_mark = 0;  // its address stands for the thread
  std::mutex mutex_;
  std::atomic<const char*> holder_{nullptr};
};

// Guarded by `lock`, but for what the fork handler clears.
struct Recorder {
  OwnedMutex lock;
  bool tried = false;  // a file was created, or could not be
  bool modules = false;
  Ending ending = Ending::exited;
  std::string path;
  pid_t pid = 0;  // of the recorded process
  // set before `recording`: not zero, but in children of fork; null where the kernel has none such
  const volatile char* own_page = nullptr;
  std::mutex closing;                       // held while the file is closed; before `lock`
  bool finished = false;                    // guarded by `closing`
  std::atomic<bool> told_of_shared{false};  // memory with a child
};

// A file that is closed while the program runs waits so long for calls that threads are in: a
// present may wait for a window that nobody sees.
constexpr unsigned kCallsMilliseconds = 10'000;

// In a child of fork, also where its number is its parent's: the first of a namespace has one that is the first of
// another.
bool is_copied(const Recorder& r) { return r.own_page != nullptr && *r.own_page == 0; }

Recorder& recorder() {
  static Recorder* const r = new Recorder;  // outlives every destructor
  return *r;
}

std::atomic<bool> g_forked{false};

void finish_recording(unsigned calls_ms) {
  if (in_forked_child()) return;  // another thread may have held the lock
  Recorder& r = recorder();
  if (r.pid != ::getpid() || is_copied(r)) return;  // a child that no fork handler has seen
  const std::lock_guard guard(r.closing);
  if (r.finished || g_hot.writer == nullptr) return;
  r.finished = true;
  Ending ending{};
  {
    const std::lock_guard ends(r.lock);
    g_hot.recording.store(false, std::memory_order_seq_cst);
    ending = r.ending;
  }
  if (open_thread_states() > 1) {
    // Another thread may stand between taking a number and committing its
    // record; what it has begun is over long before this.
    const std::timespec pause{0, 2'000'000};
    ::nanosleep(&pause, nullptr);
  }
  auto summary = g_hot.writer->finish(ending, calls_ms);
  if (!summary) {
    // One line is enough: where the recording has stopped, that was said.
    log(ending == Ending::stopped ? LogLevel::info : LogLevel::error,
        r.path + " is not complete: " + summary.error().message);
    return;
  }
  log(LogLevel::info, r.path + ": " + plural(summary->records, "record") + ", " + plural(summary->file_bytes, "byte"));
}

void close_file(unsigned calls_ms) noexcept {
  try {
    finish_recording(calls_ms);
  } catch (...) {
    log(LogLevel::error, "out of memory while closing the capture: `rondo finish` completes it");
  }
}

__attribute__((destructor)) void at_exit() { close_now(); }

void close_and_end() noexcept {
  ::pthread_setname_np(::pthread_self(), "rondo-closer");
  close_file(kCallsMilliseconds);
}

// What a child needs to forward its calls is whole when it is forked, and not
// locked by a thread that the child does not have. No lock here is held over a
// driver call; what else there is a child does not touch. glibc holds no lock of
// its own while it runs these: the first lock puts forks at once in a row, and
// nothing but the locks is shared.
void before_fork() {
  g_instances.lock();
  g_devices.lock();
  host_memory().before_fork();
  by_handle().lock();
  lock_modules();
}
void after_fork(bool is_child) {
  unlock_modules();
  by_handle().unlock();
  host_memory().after_fork(is_child);
  g_devices.unlock();
  g_instances.unlock();
}

// What the child has no copies of, though it had without capture (memory/fork_copies.h).
void tell_of_shared_memory() noexcept try {
  constexpr std::uint64_t mib = 1u << 20;
  std::uint64_t shared = 0;
  {
    const auto lock = host_memory().enter();
    if (const memory::Tracker* const tracker = host_memory().tracker()) shared = tracker->left_shared();
  }
  if (shared == 0 || !recording() || recorder().told_of_shared.exchange(true)) return;
  note("a child of fork shares " + std::to_string((shared + mib - 1) / mib) +
       " MiB of device memory with its parent, and would have a copy without capture: each sees what the other "
       "writes there. With RONDO_MEMORY=pagemap it has a copy");
} catch (const std::bad_alloc&) {
}

void after_fork_in_parent() {
  after_fork(false);
  tell_of_shared_memory();
}

void leave_to_parent() {
  const bool was_recording = g_hot.recording.exchange(false);
  if (g_hot.writer != nullptr) g_hot.writer->abandon();
  if (was_recording) log(LogLevel::info, "a forked child is not recorded");
}

void after_fork_in_child() {
  g_forked.store(true);
  after_fork(true);
  leave_to_parent();
}

// Made by a system call (clone): no fork handler has seen it. Told when it asks for an instance: what it has from its
// parent is of no use to it, since the driver's threads are not there.
bool is_unseen_child() {
  if (!recording() || !is_copied(recorder())) return false;
  g_forked.store(true);
  leave_to_parent();
  return true;
}

// Seen in /proc/PID/maps by descendants. That the layer is loaded would say less: it is
// for a program that only asks for the version, too.
constexpr char kMark[] = "rondo-recording";

void mark_as_recorded() {
  const int fd = ::memfd_create(kMark, MFD_CLOEXEC);
  if (fd < 0) return;  // descendants then take themselves for the first
  ::mmap(nullptr, 1, PROT_NONE, MAP_PRIVATE, fd, 0);
  ::close(fd);
}

const volatile char* map_own_page() {
  void* const map = ::mmap(nullptr, 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (map == MAP_FAILED || ::madvise(map, 1, MADV_WIPEONFORK) != 0) return nullptr;
  return static_cast<const volatile char*>(std::memset(map, 1, 1));
}

// True if a live ancestor is or was recorded: then this process is not the
// first one of its capture.
bool ancestor_records() {
  long pid = ::getppid();
  for (int depth = 0; pid > 1 && depth < 16; ++depth) {
    const std::string directory = "/proc/" + std::to_string(pid);
    if (read_text_file((directory + "/maps").c_str()).find(std::string("/memfd:") + kMark) != std::string::npos)
      return true;
    const std::string stat = read_text_file((directory + "/stat").c_str());
    const std::size_t name_end = stat.rfind(')');  // pid (name) state ppid
    if (name_end == std::string::npos || name_end + 4 > stat.size()) return false;
    pid = std::strtol(stat.c_str() + name_end + 4, nullptr, 10);
  }
  return false;
}

// A recorder holds a lock on its file.
bool being_recorded(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return false;
  const bool locked = ::flock(fd, LOCK_SH | LOCK_NB) != 0;
  ::close(fd);
  return locked;
}

std::vector<DictionaryEntry> dictionary() {
  std::vector<DictionaryEntry> rows;
  for (const codec::CommandInfo& command : codec::commands())
    // Core commands have a hook even where their feature is hidden.
    if (command.id != CommandId::none && (command.kind != codec::CommandClass::unsupported ||
                                          std::string_view(command.feature).starts_with("VK_VERSION")))
      rows.push_back({DictionaryKind::command, static_cast<std::uint16_t>(command.id),
                      codec::info(command.args).encoding_hash, command.name});
  for (const codec::StructInfo& structure : codec::structures())
    if (structure.stype != codec::kNull)
      rows.push_back({DictionaryKind::structure, static_cast<std::uint16_t>(structure.id), structure.encoding_hash,
                      structure.name});
  return rows;
}

// A check of Rondo's own does not hold. What the layer was doing ends by the exception, like where memory is missing.
[[noreturn]] void stop_and_throw(const std::string& failure) {
  stop_recording("a mistake of Rondo's own: " + failure);
  throw CheckFailure(failure);
}

bool exists(const std::string& path) { return ::faccessat(AT_FDCWD, path.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0; }

// The first free name; a file that appears meanwhile is never overwritten.
std::unique_ptr<CaptureWriter> create_file(const ProcessNames& names, bool later, std::string& path) {
  const Settings& s = settings();
  if (s.output[0] != '/' && names.directory.empty()) {
    log(LogLevel::error, "not recording: the program's directory is gone, and RONDO_OUTPUT names none");
    return nullptr;
  }
  std::string base = expand_output(s.output, names);
  if (!names_file(base)) {
    log(LogLevel::error,
        "not recording: " + base + ": names no file: add one, as %e-%p.rondo (RONDO_OUTPUT, --output)");
    return nullptr;
  }
  const bool names_process = s.output.find("%p") != std::string::npos;
  if (!names_process && (later || being_recorded(base))) base = with_suffix(base, "-" + std::to_string(names.pid));
  spare_address_space();
  WriterOptions options;
  options.compression = s.compression;
  options.dictionary = dictionary();
  options.files = s.files;
  options.file_check = s.file_check;
  if (s.files != FilePolicy::embed) options.places = std::make_shared<OpenFiles>();
  for (int attempt = 0; attempt < 10000; ++attempt) {
    path = attempt == 0 ? base : with_suffix(base, "-" + std::to_string(attempt));
    if (exists(path)) continue;
    options.path = path;
    auto writer = CaptureWriter::create(options);
    if (writer) return std::move(*writer);
    if (!exists(path)) {
      const bool has_remedy = writer.error().status == Status::usage;
      log(LogLevel::error, "not recording: " + writer.error().message +
                               (has_remedy ? "" : ": choose another place (RONDO_OUTPUT, --output)"));
      return nullptr;
    }
  }
  log(LogLevel::error, "not recording: no free file name for " + base);
  return nullptr;
}

}  // namespace

bool forward_only() {
  static const bool secure = ::getauxval(AT_SECURE) != 0;
  return secure;
}

bool wanted() {
  // Asked first: with another user's rights nothing that the environment names is touched.
  if (forward_only() || in_forked_child() || is_unseen_child()) return false;
  static const bool first_or_any = [] {
    const bool yes = settings().children || (!ancestor_records() && !LauncherReport().has_other_than(::getpid()));
    if (!yes) log(LogLevel::info, "not recording a later process (RONDO_CHILDREN=0)");
    return yes;
  }();
  return first_or_any;
}

bool in_forked_child() { return g_forked.load(std::memory_order_relaxed); }

const Settings& settings() {
  static const Settings* const s = [] {
    auto* read = new Settings(read_settings([](const char* name) -> const char* { return environment_of(name); }));
    set_log_level(read->log_level);
    for (const std::string& warning : read->warnings) log(LogLevel::warn, warning);
    return read;
  }();
  return *s;
}

void start_recording(const VkInstanceCreateInfo* info) {
  if (!wanted()) return;
  Recorder& r = recorder();
  const std::lock_guard guard(r.lock);
  if (r.tried) return;
  r.tried = true;
  const ProcessNames names = process_names();
  std::unique_ptr<CaptureWriter> writer;
  {
    const LauncherReport report;
    const bool later = ancestor_records() || report.has_other_than(names.pid);
    if (later && !settings().children) return;  // another one has been first since wanted()
    writer = create_file(names, later, r.path);
    report.add(names.pid, writer != nullptr ? r.path : std::string());
  }
  if (writer == nullptr) return;
  r.pid = ::getpid();
  r.own_page = map_own_page();
  mark_as_recorded();
  writer->add_session(session_start(settings(), names, info));
  if (const auto& frames = settings().frames) {
    writer->add_session(cut_request(*frames));
    stop_behind(*frames);
  }
  g_hot.backtraces = settings().backtraces;
  g_hot.writer = writer.release();
  ::pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
  ::at_quick_exit(at_exit);
  survive_lost_pages(*g_hot.writer);
  set_check_handler(stop_and_throw);
  log(LogLevel::info, "recording to " + r.path);
  g_hot.recording.store(true, std::memory_order_release);
  write_hidden();
  start_trigger();
}

void stop_recording(std::string_view reason) noexcept {
  if (!recording()) return;
  try {
    Recorder& r = recorder();
    std::unique_lock guard(r.lock, std::defer_lock);
    if (!r.lock.is_held_here()) guard.lock();
    if (!recording()) return;
    r.ending = Ending::stopped;
    const std::string text(reason);
    write_note(text.c_str(), true);
    g_hot.recording.store(false, std::memory_order_release);
    log(LogLevel::error, "recording stopped: " + text);
  } catch (...) {
    g_hot.recording.store(false, std::memory_order_release);
    log(LogLevel::error, "recording stopped: out of memory");
  }
}

void close_capture() noexcept {
  const int before = errno;  // of the program
  if (const int error = start_own_thread(close_and_end))
    log(LogLevel::info, "no thread to close the capture: " + errno_text(error) + "; the program's end does");
  errno = before;
}

void close_now() noexcept {
  // Where another thread is closing it, the process waits for that, and that for no call.
  if (g_hot.writer != nullptr && !in_forked_child()) g_hot.writer->hurry();
  close_file(0);
}

const std::string& capture_path() { return recorder().path; }

void note(std::string_view text) noexcept {
  if (!recording()) return;
  try {
    const std::string copy(text);
    write_note(copy.c_str(), false);
    log(LogLevel::warn, copy);
  } catch (...) {
    stop_recording("out of memory");
  }
}

void record_modules() noexcept {
  if (!recording()) return;
  try {
    Recorder& r = recorder();
    const std::lock_guard guard(r.lock);
    if (r.modules) return;
    r.modules = true;
    g_hot.writer->add_session(session_modules(settings()));
  } catch (...) {
    stop_recording("out of memory");
  }
}

std::uint64_t now_ns() {
  std::timespec t{};
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(t.tv_nsec);
}

}  // namespace rondo::layer
