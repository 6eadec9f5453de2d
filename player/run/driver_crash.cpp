// SPDX-License-Identifier: Apache-2.0
#include "player/run/driver_crash.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <span>
#include <string_view>

#include "format/address_space.h"
#include "format/printable.h"
#include "format/result.h"
#include "format/temporary_path.h"

namespace rondo::player {

namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
constexpr std::size_t kStackBytes = std::size_t{64} << 10;
// A stack that takes longer to walk is damaged.
constexpr unsigned kWalkSeconds = 5;

enum class Owner : std::uint8_t { rondo, common, driver };

// Code that was there before a driver was: addresses [begin, end).
struct Code {
  std::uintptr_t begin = 0, end = 0;
  bool executable = false;  // of the program itself; else of a library
};

// All that the handler reads, made before: it may only make system calls.
const char* program_name = "";
Code codes[256];
std::size_t code_count = 0;
struct sigaction previous[NSIG];
char played_file[2048] = "";
char hint[256] = "";  // of a limit of address space: drivers crash where they get no memory
std::atomic<const std::atomic<std::uint64_t>*> played_record{nullptr};
std::atomic<pid_t> crashed{0};            // the thread whose crash is being handled
thread_local bool is_own_thread = false;  // one that Rondo started, or the main one

pid_t this_thread() { return static_cast<pid_t>(::syscall(SYS_gettid)); }

int note_code(dl_phdr_info* info, std::size_t, void* first) {
  bool& is_first = *static_cast<bool*>(first);  // the program itself comes first
  for (int i = 0; i < info->dlpi_phnum && code_count < std::size(codes); ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD || (header.p_flags & PF_X) == 0) continue;
    const std::uintptr_t begin = info->dlpi_addr + header.p_vaddr;
    codes[code_count++] = {begin, begin + header.p_memsz, is_first};
  }
  is_first = false;
  return 0;
}

Owner owner_of(std::uintptr_t address) {
  for (std::size_t i = 0; i < code_count; ++i)
    if (address >= codes[i].begin && address < codes[i].end) return codes[i].executable ? Owner::rondo : Owner::common;
  return Owner::driver;
}

struct Instruction {
  std::uintptr_t at = 0;
  const std::uintptr_t* caller = nullptr;  // where the return address is, if `at` is the begin of a function
};

Instruction interrupted(const void* context) {
  const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return {static_cast<std::uintptr_t>(machine.gregs[REG_RIP]),
          reinterpret_cast<const std::uintptr_t*>(machine.gregs[REG_RSP])};
#elif defined(__aarch64__)
  return {static_cast<std::uintptr_t>(machine.pc), reinterpret_cast<const std::uintptr_t*>(&machine.regs[30])};
#else
#error "crashes of drivers: say where this processor's program counter is"
#endif
}

struct Walk {
  std::uintptr_t from = 0;     // the instruction that crashed
  bool inside = false;         // the frames of the handler have been passed
  std::uintptr_t decided = 0;  // in code that is not common
};

_Unwind_Reason_Code visit(_Unwind_Context* context, void* data) {
  Walk& walk = *static_cast<Walk*>(data);
  int before = 0;
  const std::uintptr_t address = _Unwind_GetIPInfo(context, &before);
  walk.inside = walk.inside || address == walk.from;
  // A return address may lie behind the end of the function that called.
  const std::uintptr_t inside = before != 0 ? address : address - 1;
  if (!walk.inside || owner_of(inside) == Owner::common) return _URC_NO_REASON;
  walk.decided = inside;
  return _URC_END_OF_STACK;
}

// Of several frames the innermost that says whose fault it is; 0: none does.
std::uintptr_t deciding_address(const siginfo_t& info, const void* context) {
  const Instruction instruction = interrupted(context);
  Walk walk;
  walk.from = instruction.at;
  // A call to where no code is: whoever made it.
  if (info.si_code > 0 && info.si_signo == SIGSEGV && info.si_addr == reinterpret_cast<void*>(walk.from))
    return owner_of(*instruction.caller) == Owner::common ? 0 : *instruction.caller;
  if (owner_of(walk.from) != Owner::common) return walk.from;
  _Unwind_Backtrace(visit, &walk);
  return walk.decided;
}

// A line without an allocation.
class Line {
 public:
  Line& operator<<(std::string_view text) {
    used_ += printable_into(std::span(bytes_).subspan(used_, sizeof bytes_ - 1 - used_), text);
    return *this;
  }
  Line& operator<<(std::uint64_t number) {
    char digits[20];
    std::size_t at = sizeof digits;
    do digits[--at] = static_cast<char>('0' + number % 10);
    while ((number /= 10) != 0);
    return *this << std::string_view(digits + at, sizeof digits - at);
  }
  void write() {
    bytes_[used_++] = '\n';
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, bytes_, used_);
  }

 private:
  char bytes_[4096];
  std::size_t used_ = 0;
};

// The library's file name, without its directory.
std::string_view library_of(std::uintptr_t address) {
  dl_find_object found;
  if (address == 0 || _dl_find_object(reinterpret_cast<void*>(address), &found) != 0) return {};
  const std::string_view path = found.dlfo_link_map->l_name;
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

[[noreturn]] void end(int signal, std::uintptr_t address) {
  Line line;
  line << program_name << ": ";
  const std::atomic<std::uint64_t>* played = played_record.load(std::memory_order_acquire);
  if (played != nullptr && played_file[0] != '\0') line << played_file << ": ";
  line << "the driver crashed ";
  const std::uint64_t record = played == nullptr ? 0 : played->load(std::memory_order_relaxed);
  if (record == 0)
    line << "before the first record";
  else
    line << (is_own_thread ? "in record " : "in a thread of its own, during record ") << record;
  const char* name = ::sigabbrev_np(signal);
  line << " (SIG" << (name == nullptr ? "?" : name) << " in ";
  const std::string_view library = library_of(address);
  line << (library.empty() ? "code that it generated" : library) << ")" << hint << "; a debugger shows where";
  line.write();
  remove_temporary_files();
  _exit(static_cast<int>(Status::failed));
}

void take_too_long(int) { end(SIGSEGV, 0); }

// It comes again, and is what it would have been.
void pass_on(int signal, const siginfo_t& info) {
  for (const int one : kSignals) ::sigaction(one, &previous[one], nullptr);
  if (info.si_code <= 0) ::raise(signal);  // sent, and not the processor's
}

void on_crash(int signal, siginfo_t* info, void* context) {
  if (info->si_code <= 0 && info->si_pid != ::getpid()) return pass_on(signal, *info);  // another process sent it
  pid_t none = 0;
  const pid_t self = this_thread();
  const bool first = crashed.compare_exchange_strong(none, self);
  // Another thread crashed before: that one ends the process.
  while (!first && none != self) ::pause();
  // Walking the stack crashed, too: its frames say nothing. A thread that only a driver can have started is a
  // driver's.
  std::uintptr_t address = first ? 0 : interrupted(context).at;
  bool is_drivers = !first && !is_own_thread;
  if (first) {
    struct sigaction late {};
    late.sa_handler = take_too_long;
    ::sigaction(SIGALRM, &late, nullptr);
    ::alarm(kWalkSeconds);
    address = deciding_address(*info, context);
    is_drivers = address == 0 ? !is_own_thread : owner_of(address) == Owner::driver;
  }
  if (is_drivers) end(signal, address);
  ::alarm(0);
  pass_on(signal, *info);
}

_Unwind_Reason_Code stop(_Unwind_Context*, void*) { return _URC_END_OF_STACK; }

}  // namespace

CrashStack::CrashStack() {
  is_own_thread = true;
  stack_t stack{};
  if (::sigaltstack(nullptr, &stack) != 0 || (stack.ss_flags & SS_DISABLE) == 0) return;  // a sanitizer's is there
  bytes_ = std::make_unique<std::byte[]>(kStackBytes);
  stack = {};
  stack.ss_sp = bytes_.get();
  stack.ss_size = kStackBytes;
  ::sigaltstack(&stack, nullptr);
}

CrashStack::~CrashStack() {
  if (bytes_ == nullptr) return;
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  ::sigaltstack(&none, nullptr);
}

void tell_crashes_of(const std::string& file, const std::atomic<std::uint64_t>& record) {
  played_record.store(nullptr, std::memory_order_relaxed);
  played_file[file.copy(played_file, sizeof played_file - 1)] = '\0';
  played_record.store(&record, std::memory_order_release);
}

void tell_crashes_no_more_of(const std::atomic<std::uint64_t>& record) {
  const std::atomic<std::uint64_t>* mine = &record;
  played_record.compare_exchange_strong(mine, nullptr, std::memory_order_relaxed);
}

void end_where_drivers_crash(const char* program) {
  static const CrashStack stack;
  program_name = program;
  hint[address_space_hint().copy(hint, sizeof hint - 1)] = '\0';
  code_count = 0;
  bool first = true;
  ::dl_iterate_phdr(note_code, &first);
  _Unwind_Backtrace(stop, nullptr);  // what it makes at its first call is made now
  static bool installed = false;
  if (installed) return;
  installed = true;
  for (const int signal : kSignals) {
    struct sigaction action {};
    action.sa_sigaction = on_crash;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    ::sigaction(signal, &action, &previous[signal]);
  }
}

}  // namespace rondo::player
