// SPDX-License-Identifier: Apache-2.0
// Damages a capture N times and gives each damaged file to everything that
// reads captures: info, dump, accesses, and a whole replay on the fake driver.
//   mutate [--typed] [--seed S] [--count N] [--keep DIRECTORY] CAPTURE...
// --typed: mutants by the types of what they change (typed_mutations.h), else damage of bytes (mutations.h).
// Each batch runs in a process of its own. A crash, a broken promise, more than
// ten seconds, more memory than the budget: the mutation's number is printed and
// its file is kept. With RONDO_TEST_RESULTS=FILE a line a capture goes there
// (scripts/count_tests.py).
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <new>
#include <string>
#include <vector>

#include "analyzers/commands/commands.h"
#include "tests/fuzz/allocations.h"
#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/mutations.h"
#include "tests/fuzz/replay.h"
#include "tests/fuzz/targets.h"
#include "tests/fuzz/typed_mutations.h"

namespace rondo::fuzz {
namespace {

constexpr std::uint64_t kBatch = 500;
constexpr unsigned kSecondsEach = 10;
// The budgets of a reader and of a plan (targets.h), and what is no capture's data.
constexpr std::size_t kAllowed = std::size_t{40} << 20;

// What a batch's process tells the one that started it.
struct Progress {
  std::atomic<std::uint64_t> at;        // the mutation in work
  std::atomic<std::uint64_t> played;    // replays that got to their end
  std::atomic<std::uint64_t> planned;   // … or at least to a refusal behind the reader
  std::atomic<std::size_t> most_bytes;  // allocated for one mutation
};

std::string contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Both end by their status, whatever it is; what they print goes nowhere.
void inspect(const std::string& path) {
  for (const auto& words : {std::vector<std::string>{path, "--submits", "--frames", "--times"}, {path, "--json"}})
    static_cast<void>(analyzers::run_info(words));
  for (const char* format : {"--format=text", "--format=jsonl"})
    static_cast<void>(analyzers::run_dump(std::vector<std::string>{format, path}));
  static_cast<void>(analyzers::run_accesses(std::vector<std::string>{path}));
}

void one(Bytes file, Progress& progress) {
  const MemoryFile memory(file);
  watch_allocations();
  limit_allocations(kAllowed);
  inspect(memory.path());
  for (const bool salvage : {false, true}) {
    const auto done = replay(memory.path(), salvage);
    if (done) {
      ++progress.played;
      break;
    }
    if (done.error().message.starts_with(kViolation)) broken(done.error().message);
    expect(done.error().status != Status::timeout, "no wait of a replay lasts for ever");
    if (salvage && done.error().status != Status::unreadable) ++progress.planned;
  }
  limit_allocations(0);
  const std::size_t bytes = most_allocated();
  if (bytes > progress.most_bytes) progress.most_bytes = bytes;
}

// The file of a number.
using Mutants = std::function<std::vector<std::byte>(std::uint64_t)>;

Mutants mutants_of(const std::string& capture, bool typed) {
  const auto bytes = std::as_bytes(std::span(capture.data(), capture.size()));
  if (!typed) return [mutator = Mutator(bytes)](std::uint64_t number) { return mutator.mutate(number); };
  auto mutator = TypedMutator::from(bytes);
  expect(mutator.has_value(), "a capture of the tests can be read");
  return [mutator = std::move(*mutator)](std::uint64_t number) {
    const auto kind = number % 4 == 0 ? TypedMutator::Kind::shaders : TypedMutator::Kind::records;
    return mutator.mutate(0, number, kind).file;
  };
}

[[noreturn]] void run_batch(const Mutants& mutants, std::uint64_t first, std::uint64_t end, Progress& progress) {
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  ::dup2(nowhere, STDOUT_FILENO);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  for (std::uint64_t i = first; i < end; ++i) {
    progress.at = i;
    const std::vector<std::byte> file = mutants(i);
    ::alarm(kSecondsEach);
    one(file, progress);
    ::alarm(0);
  }
  progress.at = end;
  ::_exit(0);
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) return "took more than ten seconds";
  if (WIFSIGNALED(status)) return std::string("ended by ") + strsignal(WTERMSIG(status));
  return "left with status " + std::to_string(WEXITSTATUS(status));
}

class Campaign {
 public:
  Campaign(bool typed, std::uint64_t seed, std::uint64_t count, std::string keep)
      : typed_(typed), seed_(seed), count_(count), keep_(std::move(keep)) {
    void* shared = ::mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    expect(shared != MAP_FAILED, "a page can be shared");
    progress_ = new (shared) Progress{};
  }

  // False: something failed.
  bool run(const std::string& path) {
    const std::string seed = contents(path);
    const Mutants mutants = mutants_of(seed, typed_);
    const std::string name = std::filesystem::path(path).stem().string();
    new (progress_) Progress{};
    std::uint64_t failures = plays_whole(path) ? 0 : 1;
    for (std::uint64_t next = seed_; next < seed_ + count_;) {
      const std::uint64_t end = std::min(next + kBatch, seed_ + count_);
      const pid_t child = ::fork();
      expect(child >= 0, "fork works");
      if (child == 0) run_batch(mutants, next, end, *progress_);
      int status = 0;
      while (::waitpid(child, &status, 0) < 0) {
      }
      next = progress_->at;
      if (status == 0) continue;
      ++failures;
      keep(name, next, mutants(next), how_it_ended(status));
      ++next;
    }
    std::printf("%s: %llu mutations, %llu failures; %llu played, %llu refused by a check; at most %zu KiB\n",
                name.c_str(), static_cast<unsigned long long>(count_), static_cast<unsigned long long>(failures),
                static_cast<unsigned long long>(progress_->played.load()),
                static_cast<unsigned long long>(progress_->planned.load()), progress_->most_bytes.load() / 1024);
    std::fflush(stdout);
    note(failures == 0, (typed_ ? "typed mutations of " : "mutations of ") + name, failures);
    return failures == 0;
  }

 private:
  // What does not even play undamaged would prove nothing.
  static bool plays_whole(const std::string& path) {
    const pid_t child = ::fork();
    expect(child >= 0, "fork works");
    if (child == 0) {
      ::alarm(kSecondsEach);
      const auto done = replay(path, false);
      if (!done) std::fprintf(stderr, "%s\n", done.error().message.c_str());
      ::_exit(done ? 0 : 1);
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0) {
    }
    if (status != 0) std::printf("%s, not damaged, %s\n", path.c_str(), how_it_ended(status).c_str());
    return status == 0;
  }

  void keep(const std::string& name, std::uint64_t number, const std::vector<std::byte>& file, const std::string& why) {
    std::filesystem::create_directories(keep_);
    const std::string path = keep_ + "/" + name + "-" + std::to_string(number) + ".rondo";
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
    std::printf("%s: mutation %llu %s: kept as %s\n", name.c_str(), static_cast<unsigned long long>(number),
                why.c_str(), path.c_str());
    std::fflush(stdout);
  }

  static void note(bool passed, const std::string& name, std::uint64_t failures) {
    const char* results = std::getenv("RONDO_TEST_RESULTS");
    if (results == nullptr) return;
    std::ofstream(results, std::ios::app) << (passed ? "passed\t" : "failed\t") << name << '\t'
                                          << (passed ? "" : std::to_string(failures) + " mutations failed") << '\n';
  }

  bool typed_;
  std::uint64_t seed_, count_;
  std::string keep_;
  Progress* progress_;
};

int run(int argc, char** argv) {
  bool typed = false;
  std::uint64_t seed = 1, count = 200;
  std::string keep = "mutations-kept";
  std::vector<std::string> captures;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool more = i + 1 < argc;
    if (word == "--typed")
      typed = true;
    else if (word == "--seed" && more)
      seed = std::strtoull(argv[++i], nullptr, 10);
    else if (word == "--count" && more)
      count = std::strtoull(argv[++i], nullptr, 10);
    else if (word == "--keep" && more)
      keep = argv[++i];
    else
      captures.push_back(word);
  }
  if (captures.empty()) {
    std::fprintf(stderr, "usage: mutate [--typed] [--seed S] [--count N] [--keep DIRECTORY] CAPTURE...\n");
    return 2;
  }
  Campaign campaign(typed, seed, count, keep);
  bool good = true;
  for (const std::string& capture : captures) good = campaign.run(capture) && good;
  return good ? 0 : 1;
}

}  // namespace
}  // namespace rondo::fuzz

int main(int argc, char** argv) { return rondo::fuzz::run(argc, argv); }
