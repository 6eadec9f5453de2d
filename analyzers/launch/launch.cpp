// SPDX-License-Identifier: Apache-2.0
#include "analyzers/launch/launch.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <optional>

#include "analyzers/launch/program_check.h"
#include "analyzers/text/text.h"

namespace rondo::analyzers {

namespace {

// Whatever else would end the launcher before it has told of the captures; not what comes of its own mistakes, or of
// writing.
sigset_t forwarded_signals() {
  sigset_t all;
  sigemptyset(&all);
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGIO,
                           SIGXCPU, SIGPWR, SIGSTKFLT})
    sigaddset(&all, signal);
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) sigaddset(&all, signal);
  return all;
}

// Signals of the terminal reach the whole process group, the program too:
// passing them on would deliver them twice.
bool already_delivered(const siginfo_t& info) { return info.si_code == SI_KERNEL; }

// execvp(3), which hands to a shell what the kernel does not know, but not what no shell could read. Returns errno.
int execute(const std::vector<char*>& argv) {
  const char* path = std::getenv("PATH");
  bool denied = false;
  int error = ENOENT;
  for (const std::string& place :
       places_of(argv[0], path != nullptr ? std::optional<std::string>(path) : std::nullopt)) {
    ::execv(place.c_str(), argv.data());
    error = errno;
    if (error == ENOEXEC && is_text(place)) {
      std::string shell = "/bin/sh", script = place;
      std::vector<char*> words{shell.data(), script.data()};
      words.insert(words.end(), argv.begin() + 1, argv.end());
      ::execv(shell.c_str(), words.data());
      error = errno;
    }
    if (!is_looked_for_further(error)) return error;
    denied = denied || error == EACCES;
  }
  return denied ? EACCES : error;
}

[[noreturn]] void become(const std::vector<std::string>& words, const EnvironmentChanges& environment, int output,
                         int errors, int report) {
  if (output != STDOUT_FILENO) ::dup2(output, STDOUT_FILENO);
  if (errors != STDERR_FILENO) ::dup2(errors, STDERR_FILENO);
  for (const auto& [name, value] : environment) {
    if (value)
      ::setenv(name.c_str(), value->c_str(), 1);
    else
      ::unsetenv(name.c_str());
  }
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const int error = execute(argv);
  // The launcher reads the reason; should that fail, the status says as much.
  if (::write(report, &error, sizeof error) != sizeof error) ::_exit(126);
  ::_exit(127);
}

void wait_and_forward(pid_t child, const sigset_t& awaited, int& wait_status) {
  for (;;) {
    siginfo_t info{};
    const int signal = ::sigwaitinfo(&awaited, &info);
    if (signal < 0) continue;  // EINTR
    if (signal == SIGCHLD) {
      if (::waitpid(child, &wait_status, WNOHANG) == child) return;
    } else if (!already_delivered(info)) {
      ::kill(child, signal);
    }
  }
}

}  // namespace

Result<Ended> launch(const std::vector<std::string>& words, const EnvironmentChanges& environment, int output,
                     int errors) {
  int report[2];
  if (::pipe2(report, O_CLOEXEC) != 0)
    return fail(Status::failed, text("cannot make a pipe: {}", std::strerror(errno)));

  sigset_t awaited = forwarded_signals();
  sigset_t before;
  sigaddset(&awaited, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &awaited, &before);
  // Where SIGCHLD is ignored the kernel would reap the program before we could.
  struct sigaction child_default {};
  struct sigaction child_before {};
  child_default.sa_handler = SIG_DFL;
  ::sigaction(SIGCHLD, &child_default, &child_before);

  Ended ended;
  ended.pid = ::fork();
  if (ended.pid == 0) {
    ::sigaction(SIGCHLD, &child_before, nullptr);
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    become(words, environment, output, errors, report[1]);
  }
  const int fork_error = errno;
  ::close(report[1]);
  int wait_status = 0;
  if (ended.pid > 0) {
    ssize_t got;
    do {
      got = ::read(report[0], &ended.exec_error, sizeof ended.exec_error);
    } while (got < 0 && errno == EINTR);
    wait_and_forward(ended.pid, awaited, wait_status);
  }
  ::close(report[0]);
  // What came for the program and too late for it is not meant for us.
  const timespec now{};
  while (::sigtimedwait(&awaited, nullptr, &now) > 0) {
  }
  ::sigaction(SIGCHLD, &child_before, nullptr);
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  if (ended.pid < 0) return fail(Status::failed, text("cannot start a process: {}", std::strerror(fork_error)));
  if (WIFSIGNALED(wait_status))
    ended.signal = WTERMSIG(wait_status);
  else
    ended.status = WEXITSTATUS(wait_status);
  return ended;
}

int end_like(const Ended& ended) {
  if (ended.signal == 0) return ended.status;
  const rlimit no_core{0, 0};  // the program's own core is the one of interest
  ::setrlimit(RLIMIT_CORE, &no_core);
  std::signal(ended.signal, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, ended.signal);
  ::sigprocmask(SIG_UNBLOCK, &only, nullptr);
  ::raise(ended.signal);
  return 128 + ended.signal;
}

std::string signal_name(int signal) {
  const char* name = ::sigabbrev_np(signal);
  return name != nullptr ? text("SIG{}", name) : text("signal {}", signal);
}

}  // namespace rondo::analyzers
