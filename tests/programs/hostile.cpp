// SPDX-License-Identifier: Apache-2.0
// Works, does something to its own process in the middle of it, and works on with
// new objects, memory and threads. What it does knows nothing of who else lives in
// the process: closes every descriptor and opens files of its own in their place,
// changes directory, gives up its rights, lowers a limit, cuts files, or filters system calls.
//   hostile [--do WORD] [--amount N] [--path DIRECTORY]
#include <dirent.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <fstream>
#include <string>
#include <thread>

#include "shift.h"

using namespace program;

namespace {

constexpr std::uint32_t kRounds = 12;

struct Files {  // those that the program opens when it has closed all
  std::vector<int> open;
};

constexpr char kMine[] = "the program's own";

const char* word(int argc, char** argv, const char* name, const char* otherwise) {
  for (int i = 1; i + 1 < argc; ++i)
    if (std::strcmp(argv[i], name) == 0) return argv[i + 1];
  return otherwise;
}

void close_all() {
  if (::syscall(SYS_close_range, 3, ~0U, 0) != 0)
    for (int number = 3; number < 20000; ++number) ::close(number);
}

// So many that they have every number that was anybody else's.
void open_files(Files& files) {
  for (std::uint32_t i = 0; i < 1100; ++i) {
    const int fd = static_cast<int>(::syscall(SYS_memfd_create, "mine", 1u));
    if (fd < 0) break;
    if (::write(fd, kMine, sizeof kMine) != sizeof kMine) die("write", errno);
    files.open.push_back(fd);
  }
  if (files.open.empty() || files.open[0] != 3)
    die("a descriptor was left open below", files.open.empty() ? 0 : files.open[0]);
}

void expect_untouched(const Files& files) {
  for (const int fd : files.open) {
    char text[sizeof kMine + 1] = {};
    struct stat status {};
    if (::fstat(fd, &status) != 0 || status.st_size != sizeof kMine ||
        ::pread(fd, text, sizeof text, 0) != sizeof kMine || std::memcmp(text, kMine, sizeof kMine) != 0)
      die("somebody else wrote into the file", fd);
  }
}

void lower(int what, rlim_t to) {
  rlimit limit{};
  if (::getrlimit(static_cast<__rlimit_resource>(what), &limit) != 0) die("getrlimit", errno);
  limit.rlim_cur = to;
  if (::setrlimit(static_cast<__rlimit_resource>(what), &limit) != 0) die("setrlimit", errno);
}

std::size_t address_space() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

// Every file in it, whoever writes it.
void truncate_all(const std::string& directory) {
  DIR* const open = ::opendir(directory.c_str());
  if (open == nullptr) die("opendir", errno);
  while (const dirent* entry = ::readdir(open))
    if (entry->d_name[0] != '.' && ::truncate((directory + "/" + entry->d_name).c_str(), 0) != 0)
      die("truncate", errno);
  ::closedir(open);
}

// What this program and a software driver need when all is set up.
constexpr std::uint32_t kNeeded[] = {SYS_brk, SYS_clock_gettime, SYS_clock_nanosleep, SYS_exit, SYS_exit_group,
                                     SYS_futex, SYS_getrandom, SYS_gettid, SYS_madvise, SYS_mmap, SYS_mprotect,
                                     SYS_mremap, SYS_munmap, SYS_newfstatat, SYS_rt_sigprocmask, SYS_rt_sigreturn,
                                     SYS_sched_yield, SYS_write,
                                     // Threads of the driver's may just be starting.
                                     SYS_clone, SYS_clone3, SYS_prctl, SYS_rseq, SYS_sched_getaffinity,
                                     SYS_sched_setaffinity, SYS_sigaltstack, SYS_set_robust_list, SYS_setpriority};
// … and what a careful sandbox lets programs do as well: it opens no file and starts nothing.
constexpr std::uint32_t kHarmless[] = {SYS_close,    SYS_fallocate,    SYS_fstat,           SYS_ftruncate,
                                       SYS_getpid,   SYS_ioctl,        SYS_lseek,           SYS_memfd_create,
                                       SYS_mincore,  SYS_msync,        SYS_pread64,         SYS_prlimit64,
                                       SYS_pwrite64, SYS_rt_sigaction, SYS_rt_sigtimedwait, SYS_sysinfo};

// What is not on the lists ends in `otherwise`, on every thread or on this one and those that it starts.
void filter(bool harmless, bool all_threads, std::uint32_t otherwise) {
  std::vector<sock_filter> rules{BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  const auto allow = [&](std::uint32_t number) {
    rules.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1));
    rules.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  };
  for (const std::uint32_t number : kNeeded) allow(number);
  if (harmless)
    for (const std::uint32_t number : kHarmless) allow(number);
  rules.push_back(BPF_STMT(BPF_RET | BPF_K, otherwise));
  const sock_fprog program{static_cast<unsigned short>(rules.size()), rules.data()};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, all_threads ? SECCOMP_FILTER_FLAG_TSYNC : 0u, &program) != 0)
    die("seccomp", errno);
}

void act(const std::string& what, std::uint32_t amount, const char* path, Files& files) {
  if (what == "nothing") return;
  if (what == "chdir") {
    if (::chdir(path) != 0) die("chdir", errno);
  } else if (what == "close") {
    close_all();
    open_files(files);
  } else if (what == "nobody") {
    if (::setgid(65534) != 0 || ::setuid(65534) != 0) die("setuid", errno);
  } else if (what == "address-space") {
    lower(RLIMIT_AS, address_space() + std::size_t{amount} * 1024);
  } else if (what == "gigabytes") {
    lower(RLIMIT_AS, std::size_t{amount} << 30);
  } else if (what == "file-size") {
    lower(RLIMIT_FSIZE, std::size_t{amount} * 1024);
  } else if (what == "descriptors") {
    lower(RLIMIT_NOFILE, amount);
  } else if (what == "forbid") {
    filter((amount & 1) != 0, (amount & 2) != 0, SECCOMP_RET_ERRNO | EPERM);
  } else if (what == "kill") {
    filter((amount & 1) != 0, (amount & 2) != 0, SECCOMP_RET_KILL_PROCESS);
  } else if (what == "truncate") {
    truncate_all(path);
  } else {
    die("--do what?", 0);
  }
}

// One buffer more, used once: memory and objects that nobody knew before.
void one_more(const Context& c, const Commands& commands, Shift& shift) {
  MappedBuffer more = create_mapped_buffer(c, 256 * 1024, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
  for (std::uint32_t i = 0; i < kShiftWords; ++i) more.words[i] = mix(7, i);
  run_once(c, commands, [&](VkCommandBuffer cmd) {
    const VkBufferCopy all{0, 0, kShiftWords * 4};
    vkCmdCopyBuffer(cmd, more.buffer, shift.words.buffer, 1, &all);
    record_shift(shift, cmd);
  });
  expect_shifted(shift, 1);
  destroy(c, more);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = word(argc, argv, "--do", "nothing");
  Context c = create_context("hostile");
  Commands commands = create_commands(c);
  Shift shift = create_shift(c);
  Files files;
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    if (round == 4) act(what, option(argc, argv, "--amount", 0), word(argc, argv, "--path", "/"), files);
    one_more(c, commands, shift);
    for (std::uint32_t times = 2; times <= 40; ++times) {
      run_once(c, commands, [&](VkCommandBuffer cmd) { record_shift(shift, cmd); });
      expect_shifted(shift, times);
    }
  }
  expect_untouched(files);
  std::printf("hostile: %s, checksum %016llx\n", what.c_str(),
              static_cast<unsigned long long>(checksum(shift.words.words, kShiftWords)));
  destroy(c, shift);
  destroy(c, commands);
  destroy(c);
  return 0;
}
