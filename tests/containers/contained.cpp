// SPDX-License-Identifier: Apache-2.0
// contained [--read-only-tmp] PROGRAM ARGS...: starts a program under the system calls that Docker's default
// profile leaves to a container without capabilities, and with EPERM for the others. With --read-only-tmp /tmp,
// /var/tmp and /dev/shm are read only, in a mount namespace of its own. Status 77: this machine does not allow that.
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr int kNotPossible = 77;

// Those of the profile's list that capabilities alone allow, and those that it does not have.
constexpr long kForbidden[] = {SYS_acct,
                               SYS_add_key,
                               SYS_bpf,
                               SYS_clock_adjtime,
                               SYS_clock_settime,
                               SYS_delete_module,
                               SYS_fanotify_init,
                               SYS_finit_module,
                               SYS_fsconfig,
                               SYS_fsmount,
                               SYS_fsopen,
                               SYS_fspick,
                               SYS_get_mempolicy,
                               SYS_init_module,
                               SYS_io_uring_enter,
                               SYS_io_uring_register,
                               SYS_io_uring_setup,
                               SYS_kcmp,
                               SYS_kexec_file_load,
                               SYS_kexec_load,
                               SYS_keyctl,
                               SYS_lookup_dcookie,
                               SYS_mbind,
                               SYS_mount,
                               SYS_move_mount,
                               SYS_move_pages,
                               SYS_nfsservctl,
                               SYS_open_by_handle_at,
                               SYS_open_tree,
                               SYS_perf_event_open,
                               SYS_pidfd_getfd,
                               SYS_pivot_root,
                               SYS_process_madvise,
                               SYS_quotactl,
                               SYS_reboot,
                               SYS_request_key,
                               SYS_set_mempolicy,
                               SYS_setdomainname,
                               SYS_sethostname,
                               SYS_setns,
                               SYS_settimeofday,
                               SYS_swapoff,
                               SYS_swapon,
                               SYS_syslog,
                               SYS_umount2,
                               SYS_unshare,
                               SYS_userfaultfd,
                               SYS_vhangup};
constexpr std::uint32_t kNamespaces =
    CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;

bool forbid() {
  const auto deny = [](int error) {
    return sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(error));
  };
  std::vector<sock_filter> filter = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  for (const long call : kForbidden) {
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, 1));
    filter.push_back(deny(EPERM));
  }
  // Its arguments lie in memory, where no filter can look: the C library then takes clone.
  filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1));
  filter.push_back(deny(ENOSYS));
  filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3));
  filter.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[0])));
  filter.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, kNamespaces, 0, 1));
  filter.push_back(deny(EPERM));
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

bool write_file(const char* path, const std::string& text) {
  const int fd = ::open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool written = ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  ::close(fd);
  return written;
}

// Who is not root has a mount namespace within a user namespace of his own.
bool make_namespace() {
  const auto user = ::getuid();
  const auto group = ::getgid();
  if (::unshare(CLONE_NEWNS) == 0) return true;
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  return write_file("/proc/self/setgroups", "deny") &&
         write_file("/proc/self/uid_map", std::to_string(user) + " " + std::to_string(user) + " 1") &&
         write_file("/proc/self/gid_map", std::to_string(group) + " " + std::to_string(group) + " 1");
}

bool make_read_only() {
  if (!make_namespace() || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
  for (const char* directory : {"/tmp", "/var/tmp", "/dev/shm"})
    if (::mount("none", directory, "tmpfs", MS_RDONLY, nullptr) != 0) return false;
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  int first = 1;
  const bool read_only = argc > first && std::strcmp(argv[first], "--read-only-tmp") == 0;
  first += read_only ? 1 : 0;
  if (argc <= first) return 2;
  // A directory below /tmp stays the current one, and can be written by relative paths.
  if (read_only && !make_read_only()) {
    std::perror("contained: a mount namespace");
    return kNotPossible;
  }
  if (!forbid()) {
    std::perror("contained: the filter");
    return kNotPossible;
  }
  ::execvp(argv[first], argv + first);
  std::perror(argv[first]);
  return 127;
}
