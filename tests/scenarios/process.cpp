// SPDX-License-Identifier: Apache-2.0
#include "process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "sanitizers.h"

namespace scenario {

namespace {

struct Pipe {
  int read = -1;
  int write = -1;
  Pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe2 failed");
    read = ends[0];
    write = ends[1];
  }
};

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> out;
  for (std::string& s : strings) out.push_back(s.data());
  out.push_back(nullptr);
  return out;
}

// An unnamed file holding a child's stdin: no writer is needed while it runs.
int input_file(const std::string& bytes) {
  char name[] = "/tmp/rondo-input-XXXXXX";
  const int fd = ::mkostemp(name, O_CLOEXEC);
  ::unlink(name);
  if (fd < 0 || ::write(fd, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()) ||
      ::lseek(fd, 0, SEEK_SET) != 0)
    throw std::runtime_error("cannot write a temporary file");
  return fd;
}

// Of the machine's own lavapipe.
std::string lavapipe_manifest() {
  static const std::string path = [] {
    std::FILE* script = ::popen(RONDO_SCENARIOS "/../../scripts/lavapipe", "r");
    char line[4096] = "";
    if (script != nullptr && std::fgets(line, sizeof line, script) != nullptr) line[std::strcspn(line, "\n")] = 0;
    if (script != nullptr) ::pclose(script);
    return std::string(line);
  }();
  return path;
}

// A driver that needs newer libraries than this machine's has a program beside its manifest that starts others with
// them (scripts/drivers): NAME.run beside NAME.json.
std::vector<std::string> with_libraries_of_driver(const Command& command) {
  std::vector<std::string> words = command.arguments;
  const auto driver = command.environment.find("VK_ICD_FILENAMES");
  if (driver == command.environment.end()) return words;
  const std::string starter = std::filesystem::path(driver->second).replace_extension(".run");
  if (std::filesystem::exists(starter)) words.insert(words.begin(), starter);
  return words;
}

}  // namespace

double now_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

std::string fetched_drivers() {
  const char* there = std::getenv("RONDO_DRIVERS");
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  const std::string caches = cache != nullptr ? cache : std::string(home != nullptr ? home : "/root") + "/.cache";
  return there != nullptr ? there : caches + "/rondo-drivers";
}

bool has_drivers_of_12() {
  static const bool has = std::filesystem::exists(fetched_drivers() + "/lavapipe22.json");
  return has;
}

Environment quiet_environment() {
  Environment e;
  for (const char* name : {"PATH", "HOME", "TMPDIR", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "LSAN_OPTIONS"})
    if (const char* value = std::getenv(name)) e[name] = value;
  const char* driver = std::getenv("RONDO_TEST_ICD");
  const std::string of_12 = fetched_drivers() + "/lavapipe22";
  if (has_drivers_of_12()) e["VK_ADD_LAYER_PATH"] = of_12 + "/usr/share/vulkan/explicit_layer.d";
  e["VK_ICD_FILENAMES"] = driver != nullptr ? driver : has_drivers_of_12() ? of_12 + ".json" : lavapipe_manifest();
  e["NODEVICE_SELECT"] = "1";  // Mesa's implicit layer: not part of what is tested
  // Captures of the launcher are trusted there, and none of the caller's.
  static const TemporaryDirectory state;
  e["XDG_STATE_HOME"] = state.path();
  return e;
}

Process::Process(const Command& command) : started_s_(now_s()), timeout_s_(command.timeout_s) {
  Pipe out, err;
  const int in = input_file(command.input);
  std::vector<std::string> arguments = with_libraries_of_driver(command);
  std::vector<std::string> variables;
  for (const auto& [name, value] : command.environment) variables.push_back(name + "=" + value);
  std::vector<char*> argv = pointers(arguments), envp = pointers(variables);
  pid_ = ::fork();
  if (pid_ < 0) throw std::runtime_error("fork failed");
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // nothing outlives an aborted test
    ::setpgid(0, 0);                     // a time limit ends its children too
    ::dup2(in, STDIN_FILENO);
    ::dup2(out.write, STDOUT_FILENO);
    ::dup2(err.write, STDERR_FILENO);
    if (!command.directory.empty() && ::chdir(command.directory.c_str()) != 0) ::_exit(127);
    // whoever started the tests may ignore them (nohup, &)
    for (const int signal : {SIGHUP, SIGINT, SIGQUIT}) ::signal(signal, SIG_DFL);
    ::execvpe(argv[0], argv.data(), envp.data());
    ::_exit(127);
  }
  ::setpgid(pid_, pid_);
  ::close(in);
  ::close(out.write);
  ::close(err.write);
  out_ = out.read;
  err_ = err.read;
}

Process::~Process() {
  if (pid_ > 0) {
    ::kill(-pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  if (out_ >= 0) ::close(out_);
  if (err_ >= 0) ::close(err_);
}

void Process::kill(int signal) const { ::kill(pid_, signal); }

bool Process::running() {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0;
}

void Process::drain(int timeout_ms) {
  pollfd fds[2] = {{out_, POLLIN, 0}, {err_, POLLIN, 0}};
  if (::poll(fds, 2, timeout_ms) <= 0) return;
  const auto take = [](pollfd& fd, int& from, std::string& to) {
    if ((fd.revents & (POLLIN | POLLHUP | POLLERR)) == 0) return;
    char buffer[65536];
    const ssize_t n = ::read(from, buffer, sizeof buffer);
    if (n > 0) {
      to.append(buffer, static_cast<std::size_t>(n));
    } else if (n == 0 || errno != EINTR) {
      ::close(from);
      from = -1;
    }
  };
  take(fds[0], out_, outcome_.out);
  take(fds[1], err_, outcome_.err);
}

Outcome Process::wait() {
  const auto late = [&] { return now_s() - started_s_ > timeout_s_; };
  while ((out_ >= 0 || err_ >= 0) && !late()) {
    drain(100);
    // A grandchild may hold the pipes open: what counts is that the child ended.
    if (!running()) {
      for (int i = 0; i < 20 && (out_ >= 0 || err_ >= 0); ++i) drain(10);
      break;
    }
  }
  while (running() && !late()) ::usleep(2000);
  if (running()) {
    outcome_.timed_out = true;
    ::kill(-pid_, SIGKILL);
  }
  int status = 0;
  ::waitpid(pid_, &status, 0);
  pid_ = -1;
  outcome_.seconds = now_s() - started_s_;
  outcome_.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  outcome_.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  if (const std::string reports = take_sanitizer_reports(); !reports.empty()) FAIL_CHECK(reports);
  return outcome_;
}

Outcome run(const Command& command) { return Process(command).wait(); }

namespace {

bool accepts(const std::string& socket_path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket_path.size() >= sizeof address.sun_path) return false;
  std::strcpy(address.sun_path, socket_path.c_str());
  const int to = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool does = ::connect(to, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  ::close(to);
  return does;
}

}  // namespace

TemporaryDirectory::TemporaryDirectory() {
  const char* root = std::getenv("TMPDIR");
  std::string pattern = std::string(root != nullptr ? root : "/tmp") + "/rondo-scenario-XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make a directory like " + pattern);
  path_ = pattern;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

VirtualDisplay::VirtualDisplay(const std::string& pictures) {
  Pipe number;
  pid_ = ::fork();
  if (pid_ < 0) throw std::runtime_error("fork failed");
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    ::dup2(number.write, 3);
    const int nowhere = ::open("/dev/null", O_RDWR);
    ::dup2(nowhere, STDOUT_FILENO);
    ::dup2(nowhere, STDERR_FILENO);
    ::execlp("Xvfb", "Xvfb", "-displayfd", "3", "-screen", "0", "1024x768x24", "-nolisten", "tcp",
             "-noreset",  // a program that comes when the last one has just left would find nobody there
             pictures.empty() ? nullptr : "-fbdir", pictures.c_str(), nullptr);
    ::_exit(127);
  }
  ::close(number.write);
  char byte = 0;
  while (::read(number.read, &byte, 1) == 1 && byte != '\n') name_ += byte;
  ::close(number.read);
  if (name_.empty()) throw std::runtime_error("Xvfb does not start; ./scripts/setup installs it");
  name_ = ":" + name_;
}

VirtualDisplay::~VirtualDisplay() {
  ::kill(pid_, SIGTERM);
  ::waitpid(pid_, nullptr, 0);
}

Compositor::Compositor(const std::string& display) {
  pid_ = ::fork();
  if (pid_ < 0) throw std::runtime_error("fork failed");
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    const int nowhere = ::open("/dev/null", O_RDWR);
    ::dup2(nowhere, STDOUT_FILENO);
    ::dup2(nowhere, STDERR_FILENO);
    ::setenv("XDG_RUNTIME_DIR", directory_.path().c_str(), 1);
    const std::string socket = "--socket=" + name_;
    if (display.empty())
      ::execlp("weston", "weston", "--no-config", "--backend=headless-backend.so", "--idle-time=0", socket.c_str(),
               nullptr);
    ::setenv("DISPLAY", display.c_str(), 1);
    ::execlp("weston", "weston", "--no-config", "--backend=x11-backend.so", "--use-pixman", "--idle-time=0",
             socket.c_str(), nullptr);
    ::_exit(127);
  }
  constexpr double kPatience = 20;
  for (const double until = now_s() + kPatience; !accepts(directory_.file(name_));) {
    if (now_s() > until || ::waitpid(pid_, nullptr, WNOHANG) == pid_)
      throw std::runtime_error("weston does not start; ./scripts/setup installs it");
    ::usleep(10'000);
  }
}

Compositor::~Compositor() {
  ::kill(pid_, SIGTERM);
  ::waitpid(pid_, nullptr, 0);
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!file) throw std::runtime_error("cannot write " + path);
}

std::vector<std::string> files_in(const std::string& directory) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace scenario
