// SPDX-License-Identifier: Apache-2.0
// What the sandbox of foreign captures refuses, to code inside the process: each test sets one up in a child
// and tries.
#include "tests/unit/player_sandbox.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "player/sandbox/landlock.h"

namespace rondo::player {

namespace {

namespace fs = std::filesystem;

#define EXPECT_REFUSED(call) EXPECT_EQ(refused([&]() -> long { return call; }), 0) << #call
#define EXPECT_ALLOWED(call) EXPECT_EQ(inside(request(), [&] { return (call) >= 0 ? 0 : 1; }), 0) << #call

TEST_F(Sandbox, IsForForeignCapturesUnlessItIsAskedFor) {
  EXPECT_TRUE(wants_sandbox(SandboxMode::automatic, Trust::foreign));
  EXPECT_FALSE(wants_sandbox(SandboxMode::automatic, Trust::trusted));
  EXPECT_TRUE(wants_sandbox(SandboxMode::require, Trust::trusted));
  EXPECT_FALSE(wants_sandbox(SandboxMode::off, Trust::foreign));
  for (const std::string& word : sandbox_modes()) {
    const SandboxMode mode = parse_sandbox(word);
    EXPECT_EQ(word[0], mode == SandboxMode::off ? 'o' : mode == SandboxMode::require ? 'r' : 'a');
  }
}

TEST_F(Sandbox, ReadsTheCaptureAndLibrariesAndNothingOfTheUser) {
  EXPECT_ALLOWED(::open(capture().c_str(), O_RDONLY));
  EXPECT_ALLOWED(::open("/usr/share/vulkan", O_RDONLY | O_DIRECTORY));
  EXPECT_ALLOWED(::open("/proc/self/maps", O_RDONLY));
  EXPECT_ALLOWED(::open("/dev/urandom", O_RDONLY));
  EXPECT_REFUSED(::open(secret().c_str(), O_RDONLY));
  EXPECT_REFUSED(::open(directory_.c_str(), O_RDONLY | O_DIRECTORY));
  EXPECT_REFUSED(::open("/etc/passwd", O_RDONLY));
  EXPECT_REFUSED(::open("/proc/1/environ", O_RDONLY));
  EXPECT_REFUSED(::syscall(SYS_openat2, AT_FDCWD, secret().c_str(), nullptr, 0));
}

TEST_F(Sandbox, ReadsWhatTheCommandLineAllows) {
  SandboxRequest more = request();
  more.reads = {directory_ + "/home"};
  EXPECT_EQ(inside(more, [&] { return ::open(secret().c_str(), O_RDONLY) >= 0 ? 0 : 1; }), 0);
}

TEST_F(Sandbox, ChangesNoFile) {
  const std::string other = directory_ + "/other";
  EXPECT_REFUSED(::open(other.c_str(), O_WRONLY | O_CREAT, 0600));
  EXPECT_REFUSED(::open(capture().c_str(), O_RDWR));
  EXPECT_REFUSED(::open(capture().c_str(), O_RDONLY | O_TRUNC));
  EXPECT_REFUSED(::open(directory_.c_str(), O_TMPFILE | O_RDWR, 0600));
  EXPECT_REFUSED(::truncate(capture().c_str(), 0));
  EXPECT_REFUSED(::unlink(secret().c_str()));
  EXPECT_REFUSED(::rename(secret().c_str(), other.c_str()));
  EXPECT_REFUSED(::link(secret().c_str(), other.c_str()));
  EXPECT_REFUSED(::symlink(secret().c_str(), other.c_str()));
  EXPECT_REFUSED(::mkdir(other.c_str(), 0700));
  EXPECT_REFUSED(::mknod(other.c_str(), S_IFREG | 0600, 0));
  EXPECT_REFUSED(::chmod(secret().c_str(), 0666));
  EXPECT_REFUSED(::chown(secret().c_str(), 1, 1));
  EXPECT_REFUSED(::utimensat(AT_FDCWD, secret().c_str(), nullptr, 0));
  EXPECT_REFUSED(::fchmod(::open(capture().c_str(), O_RDONLY), 0666));
  EXPECT_EQ(fs::file_size(capture()), 9u);
}

TEST_F(Sandbox, StartsNoProgramAndNoProcess) {
  char name[] = "/bin/true";
  char* const words[] = {name, nullptr};
  EXPECT_REFUSED(::execv(name, words));
  EXPECT_REFUSED(::syscall(SYS_execveat, AT_FDCWD, name, words, nullptr, 0));
  // A file without a name.
  EXPECT_REFUSED(::fexecve(::memfd_create("program", 0), words, environ));
  EXPECT_REFUSED(::syscall(SYS_fork));
  EXPECT_REFUSED(::syscall(SYS_vfork));
  EXPECT_REFUSED(::syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr));
  EXPECT_REFUSED(::syscall(SYS_clone, CLONE_VM | CLONE_VFORK | SIGCHLD, nullptr, nullptr, nullptr, nullptr));
  EXPECT_REFUSED(::syscall(SYS_clone3, nullptr, 0));
  EXPECT_REFUSED(::unshare(CLONE_NEWUSER));
  EXPECT_REFUSED(::setns(0, 0));
  EXPECT_EQ(inside(request(), [] { return ::system("true") == 0 ? 1 : 0; }), 0);
}

TEST_F(Sandbox, HasThreadsAndCode) {
  EXPECT_EQ(inside(request(),
                   [] {
                     int sum = 0;
                     std::thread([&] { sum = 1; }).join();
                     void* const code =
                         ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
                     return sum == 1 && ::mprotect(code, 4096, PROT_READ | PROT_EXEC) == 0 ? 0 : 1;
                   }),
            0);
  EXPECT_EQ(inside(request(), [] { return ::dlopen("libvulkan.so.1", RTLD_NOW) != nullptr ? 0 : 1; }), 0);
}

// Also in threads that were started in it.
TEST_F(Sandbox, HoldsInItsThreads) {
  EXPECT_EQ(inside(request(),
                   [&] {
                     int opened = 0, connected = 0;
                     std::thread([&] {
                       opened = ::open(secret().c_str(), O_RDONLY);
                       connected = ::socket(AF_UNIX, SOCK_STREAM, 0);
                     }).join();
                     return opened < 0 && connected < 0 ? 0 : 1;
                   }),
            0);
}

TEST_F(Sandbox, OpensNoSocket) {
  EXPECT_REFUSED(::socket(AF_INET, SOCK_STREAM, 0));
  EXPECT_REFUSED(::socket(AF_UNIX, SOCK_STREAM, 0));
  EXPECT_REFUSED(::socket(AF_NETLINK, SOCK_RAW, 0));
  int ends[2];
  // A datagram's may say where it goes.
  EXPECT_REFUSED(::socketpair(AF_UNIX, SOCK_DGRAM, 0, ends));
  EXPECT_REFUSED(::connect(0, nullptr, 0));
  EXPECT_REFUSED(::bind(0, nullptr, 0));
}

TEST_F(Sandbox, ReachesNoOtherProcess) {
  const pid_t parent = ::getpid();
  char byte = 0;
  const iovec local{&byte, 1}, remote{&byte, 1};
  EXPECT_REFUSED(::kill(parent, 0));
  EXPECT_REFUSED(::kill(-1, 0));
  EXPECT_REFUSED(::kill(0, 0));
  EXPECT_REFUSED(::syscall(SYS_tgkill, parent, parent, 0));
  EXPECT_REFUSED(::syscall(SYS_tkill, parent, 0));
  EXPECT_REFUSED(::syscall(SYS_pidfd_open, parent, 0));
  EXPECT_REFUSED(::ptrace(PTRACE_ATTACH, parent, nullptr, nullptr));
  EXPECT_REFUSED(::process_vm_readv(parent, &local, 1, &remote, 1, 0));
  EXPECT_REFUSED(::process_vm_writev(parent, &local, 1, &remote, 1, 0));
  EXPECT_REFUSED(::prlimit(parent, RLIMIT_CORE, nullptr, nullptr));
  EXPECT_REFUSED(::fcntl(0, F_SETOWN, parent));
  EXPECT_REFUSED(::open(("/proc/" + std::to_string(parent) + "/mem").c_str(), O_RDWR));
  EXPECT_REFUSED(::shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600));
  EXPECT_REFUSED(::shmget(1234, 4096, IPC_CREAT | 0600));
  EXPECT_ALLOWED(::kill(::getpid(), 0));
}

TEST_F(Sandbox, SharesPicturesWithAnXServerWhereThereIsOne) {
  SandboxRequest window = request();
  window.shares_pictures = true;
  EXPECT_EQ(inside(window,
                   [] {
                     const int segment = ::shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
                     if (segment < 0) return 1;
                     ::shmctl(segment, IPC_RMID, nullptr);
                     return ::shmget(1234, 4096, IPC_CREAT | 0600) < 0 ? 0 : 2;
                   }),
            0);
}

TEST_F(Sandbox, GainsNoRights) {
  EXPECT_EQ(inside(request(), [] { return ::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? 0 : 1; }), 0);
  EXPECT_REFUSED(::setuid(0));
  EXPECT_REFUSED(::chroot("/"));
  EXPECT_REFUSED(::syscall(SYS_mount, "none", "/mnt", "tmpfs", 0, nullptr));
  EXPECT_REFUSED(::syscall(SYS_bpf, 0, nullptr, 0));
  EXPECT_REFUSED(::syscall(SYS_userfaultfd, 0));
  EXPECT_REFUSED(::syscall(SYS_io_uring_setup, 1, nullptr));
  EXPECT_REFUSED(::syscall(SYS_perf_event_open, nullptr, 0, 0, 0, 0));
  EXPECT_REFUSED(::syscall(SYS_keyctl, 0, 0, 0, 0, 0));
  EXPECT_REFUSED(::syscall(SYS_open_by_handle_at, 0, nullptr, 0));
  EXPECT_REFUSED(::ioctl(0, TIOCSTI, ""));
  EXPECT_REFUSED(::syscall(100'000));  // whatever it will be
}

TEST_F(Sandbox, ClosesWhatTheParentLeftOpen) {
  const int left = ::open(secret().c_str(), O_RDONLY);
  ASSERT_GE(left, 0);
  char byte = 0;
  EXPECT_EQ(inside(request(), [&] { return ::read(left, &byte, 1) < 0 ? 0 : 1; }), 0);
  SandboxRequest by_number = request();
  by_number.capture = "/dev/fd/" + std::to_string(left);
  EXPECT_EQ(
      inside(by_number,
             [&] { return ::read(left, &byte, 1) == 1 && ::open(by_number.capture.c_str(), O_RDONLY) >= 0 ? 0 : 1; }),
      0);
  ::close(left);
}

// Nobody else's are in reach: neither the user's, nor those of other captures.
TEST_F(Sandbox, KeepsCompiledShadersOfItsCaptureAlone) {
  const std::string all = directory_ + "/caches/rondo/foreign";
  const auto keep = [] {
    const std::string own = std::getenv("MESA_SHADER_CACHE_DIR");
    if (::mkdir((own + "/ab").c_str(), 0700) != 0) return 1;
    std::ofstream(own + "/ab/new") << "a shader";
    if (std::rename((own + "/ab/new").c_str(), (own + "/ab/cd").c_str()) != 0) return 2;
    // Not outside of it.
    if (std::rename((own + "/ab/cd").c_str(), (own + "/../cd").c_str()) == 0) return 3;
    return ::mkdir((own + "/../other").c_str(), 0700) != 0 && ::unlink((own + "/../../../../a.rondo").c_str()) != 0 ? 0
                                                                                                                    : 4;
  };
  const auto find = [] { return std::ifstream(std::string(std::getenv("MESA_SHADER_CACHE_DIR")) + "/ab/cd") ? 0 : 1; };
  EXPECT_EQ(inside(request(), keep), 0);
  EXPECT_EQ(inside(request(), find), 0);
  SandboxRequest other = request();
  other.capture = directory_ + "/b.rondo";
  write(other.capture, "another");
  EXPECT_EQ(inside(other, find), 1);
  EXPECT_EQ(std::distance(fs::directory_iterator(all), fs::directory_iterator()), 2);
  // They are bounded, and the oldest go first.
  for (int i = 0; i < 20; ++i) {
    other.capture = directory_ + "/" + std::to_string(i) + ".rondo";
    write(other.capture, "another");
    EXPECT_EQ(inside(other, [] { return 0; }), 0);
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(all), fs::directory_iterator()), 16);
  EXPECT_EQ(inside(request(), find), 1);
}

TEST_F(Sandbox, WritesFilesThatALibraryOpensByName) {
  SandboxRequest more = request();
  const std::string out = directory_ + "/rows.json";
  more.writes = {out};
  EXPECT_EQ(inside(more,
                   [&] {
                     std::ofstream file(out);
                     file << "rows";
                     file.close();
                     return file ? 0 : 1;
                   }),
            0);
  EXPECT_EQ(fs::file_size(out), 4u);
}

}  // namespace

}  // namespace rondo::player
