// SPDX-License-Identifier: Apache-2.0
#include "player/sandbox/filter.h"

#include <asm/ioctls.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ipc.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "player/sandbox/system_calls.h"

namespace rondo::player {

namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kArchitecture = 0;
#endif

// Numbers beyond are newer than this table: whoever tries one has another way where a kernel lacks it.
constexpr std::uint32_t kNewestKnown = 470;
// SECCOMP_FILTER_FLAG_SPEC_ALLOW: older kernels slow a filtered process down
constexpr unsigned kFilterSpecAllow = 1u << 2;

// Instructions of classic BPF. Every rule for a system call ends in an answer, so that rules do not depend on
// each other.
class Program {
 public:
  void load(std::size_t offset) { add(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)); }
  void load_number() { load(offsetof(seccomp_data, nr)); }
  // The lower half of an argument: all that the kernel looks at where a parameter has 32 bits.
  // (Little-endian.)
  void load_argument(unsigned index) { load(offsetof(seccomp_data, args) + index * sizeof(std::uint64_t)); }
  void load_upper_half(unsigned index) { load(offsetof(seccomp_data, args) + index * sizeof(std::uint64_t) + 4); }
  void answer(std::uint32_t what) { add(BPF_RET | BPF_K, what); }
  void allow() { answer(SECCOMP_RET_ALLOW); }
  void refuse(int error) { answer(SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error)); }
  // The next `skipped` instructions are for values that are so.
  void unless_equal_skip(std::uint32_t value, std::uint8_t skipped) { jump(BPF_JEQ, value, 0, skipped); }
  void if_equal_skip(std::uint32_t value, std::uint8_t skipped) { jump(BPF_JEQ, value, skipped, 0); }
  void if_any_bit_skip(std::uint32_t bits, std::uint8_t skipped) { jump(BPF_JSET, bits, skipped, 0); }
  void unless_any_bit_skip(std::uint32_t bits, std::uint8_t skipped) { jump(BPF_JSET, bits, 0, skipped); }
  void unless_at_least_skip(std::uint32_t value, std::uint8_t skipped) { jump(BPF_JGE, value, 0, skipped); }
  void if_above_skip(std::uint32_t value, std::uint8_t skipped) { jump(BPF_JGT, value, skipped, 0); }
  void mask(std::uint32_t bits) { add(BPF_ALU | BPF_AND | BPF_K, bits); }

  std::vector<sock_filter> instructions;

 private:
  void add(unsigned code, std::uint32_t value) {
    instructions.push_back({static_cast<std::uint16_t>(code), 0, 0, value});
  }
  void jump(unsigned test, std::uint32_t value, std::uint8_t if_true, std::uint8_t if_false) {
    instructions.push_back({static_cast<std::uint16_t>(BPF_JMP | test | BPF_K), if_true, if_false, value});
  }
};

// One system call, whose rule `body` appends; the body ends in an answer.
template <class Body>
void rule(Program& program, long number, Body&& body) {
  Program inside;
  body(inside);
  program.unless_equal_skip(static_cast<std::uint32_t>(number), static_cast<std::uint8_t>(inside.instructions.size()));
  program.instructions.insert(program.instructions.end(), inside.instructions.begin(), inside.instructions.end());
}

void refuse(Program& program, long number, int error) {
  rule(program, number, [&](Program& p) { p.refuse(error); });
}

// One argument is one of these values.
void one_of(Program& program, long number, unsigned argument, std::initializer_list<std::uint32_t> values) {
  rule(program, number, [&](Program& p) {
    p.load_argument(argument);
    for (const std::uint32_t value : values) {
      p.unless_equal_skip(value, 1);
      p.allow();
    }
    p.refuse(EPERM);
  });
}

// One argument is none of these values.
void none_of(Program& program, long number, unsigned argument, std::initializer_list<std::uint32_t> values) {
  rule(program, number, [&](Program& p) {
    p.load_argument(argument);
    for (const std::uint32_t value : values) {
      p.unless_equal_skip(value, 1);
      p.refuse(EPERM);
    }
    p.allow();
  });
}

// Threads of this process; no processes, and no namespaces.
void rule_for_threads(Program& program) {
  constexpr std::uint32_t thread = CLONE_VM | CLONE_THREAD | CLONE_SIGHAND;
  constexpr std::uint32_t foreign = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |
                                    CLONE_NEWPID | CLONE_NEWNET | CLONE_PTRACE | CLONE_VFORK;
  rule(program, SYS_clone, [](Program& p) {
    p.load_argument(0);
    p.mask(thread | foreign);
    p.unless_equal_skip(thread, 1);
    p.allow();
    p.refuse(EPERM);
  });
  // Its flags lie in memory, where no filter sees them: the C library then calls clone().
  refuse(program, SYS_clone3, ENOSYS);
}

// Signals go to this process alone.
void rules_for_signals(Program& program) {
  const auto self = static_cast<std::uint32_t>(::getpid());
  for (const long number : {SYS_kill, SYS_tgkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo})
    one_of(program, number, 0, {self});
  one_of(program, SYS_prlimit64, 0, {0, self});
  // Drivers compare descriptors of their own by it.
  rule(program, SYS_kcmp, [&](Program& p) {
    for (const unsigned argument : {0u, 1u}) {
      p.load_argument(argument);
      p.if_equal_skip(self, 1);
      p.refuse(EPERM);
    }
    p.allow();
  });
  constexpr std::uint32_t set_signal = 10,
                          set_owner_ex = 15;  // F_SETSIG, F_SETOWN_EX: whom a file's signals go to
  none_of(program, SYS_fcntl, 1, {F_SETOWN, set_owner_ex, set_signal, F_NOTIFY});
}

// No words into the terminal that this process was started from, and no signals by way of a socket.
void rule_for_ioctl(Program& program) {
  constexpr std::uint32_t file_set_owner = 0x8901, socket_set_owner = 0x8902;  // FIOSETOWN, SIOCSPGRP
  none_of(
      program, SYS_ioctl, 1,
      {TIOCSTI, TIOCLINUX, TIOCCONS, TIOCSCTTY, TIOCSPGRP, TIOCSETD, TIOCVHANGUP, file_set_owner, socket_set_owner});
}

void rule_for_opening(Program& program, long number, unsigned argument, const FilterOptions& options) {
  rule(program, number, [&](Program& p) {
    if (options.refuse_truncating_reads) {
      p.load_argument(argument);
      p.mask(O_TRUNC | O_ACCMODE);
      p.unless_equal_skip(O_TRUNC | O_RDONLY, 1);
      p.refuse(EACCES);
    }
    p.allow();
  });
}

void rules_for_arguments(Program& program, const FilterOptions& options) {
  rule_for_threads(program);
  rules_for_signals(program);
  rule_for_ioctl(program);
  rule_for_opening(program, SYS_openat, 2, options);
#ifdef SYS_open
  rule_for_opening(program, SYS_open, 1, options);
#endif
  // Its flags lie in memory.
  refuse(program, SYS_openat2, ENOSYS);
  constexpr std::uint32_t set_vma = 0x53564d41;  // PR_SET_VMA: names of memory
  one_of(program, SYS_prctl, 0,
         {PR_SET_NAME, PR_GET_NAME, PR_GET_DUMPABLE, PR_CAPBSET_READ, PR_GET_SECCOMP, PR_GET_NO_NEW_PRIVS,
          PR_SET_NO_NEW_PRIVS, PR_SET_TIMERSLACK, PR_GET_TIMERSLACK, PR_GET_THP_DISABLE, PR_SET_THP_DISABLE, set_vma});
  for (const long number : {SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register})
    refuse(program, number, ENOSYS);
  if (options.names)
    for (const long number : kCallsForNames) rule(program, number, [](Program& p) { p.allow(); });
  if (!options.shared_memory) return;
  // A segment without a key is one that this process makes.
  one_of(program, SYS_shmget, 0, {IPC_PRIVATE});
  for (const long number : {SYS_shmat, SYS_shmdt, SYS_shmctl}) rule(program, number, [](Program& p) { p.allow(); });
}

// The numbers as ranges: most of them stand beside each other.
void rules_for_numbers(Program& program) {
  std::vector<std::uint32_t> numbers;
  for (const long number : kAllowedCalls) numbers.push_back(static_cast<std::uint32_t>(number));
  std::sort(numbers.begin(), numbers.end());
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i + 1;
    while (end < numbers.size() && numbers[end] <= numbers[end - 1] + 1) ++end;
    program.unless_at_least_skip(numbers[i], 2);
    program.if_above_skip(numbers[end - 1], 1);
    program.allow();
    i = end;
  }
}

Program make_program(const FilterOptions& options) {
  Program program;
  program.load(offsetof(seccomp_data, arch));
  program.if_equal_skip(kArchitecture, 1);
  program.answer(SECCOMP_RET_KILL_PROCESS);
  program.load_number();
  program.unless_at_least_skip(kNewestKnown + 1, 1);
  program.refuse(ENOSYS);
  rules_for_arguments(program, options);
  rules_for_numbers(program);
  program.refuse(EPERM);
  return program;
}

}  // namespace

bool has_filters() {
  if (kArchitecture == 0) return false;
  const std::uint32_t action = SECCOMP_RET_ERRNO;
  return ::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

bool install_filter(const FilterOptions& options) {
  Program program = make_program(options);
  const sock_fprog filter{static_cast<unsigned short>(program.instructions.size()), program.instructions.data()};
  if (::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, kFilterSpecAllow, &filter) == 0) return true;
  return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) == 0;
}

}  // namespace rondo::player
