// SPDX-License-Identifier: Apache-2.0
// Gives mutants of captures (typed_mutations.h) to the tools, each in a process of its own:
//   mutants [OPTIONS] CAPTURE...
//     --build DIR        of the tools
//     --driver FILE      manifest of the driver to play on
//     --seed S           of the mutants (1)
//     --first N          the number of the first mutant of each capture (0)
//     --count N          mutants, over all captures (100)
//     --for S            end after S seconds, however many there were (0: no limit)
//     --shaders PERCENT  so many of them change a shader (25)
//     --tools NAME,…     player, loop, verify, trim, extract, pack, recompress, diff, info, … (all)
//     --seconds S        limit of each (2)
//     --slower F         the machine, or a sanitizer, makes it so much slower (1)
//     --most-mib N       a tool may hold so much memory (1024)
//     --keep DIR         where what fails is kept (mutants-kept)
//     --write FILE       only write the first mutant
// What fails is named `mutant N of seed S of CAPTURE`, and these three numbers make it again. Status 1:
// something failed: a crash that is not a driver's, an end without a line, a hang, too much memory, a control
// character in the output.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tests/fuzz/child.h"
#include "tests/fuzz/tools.h"
#include "tests/fuzz/typed_mutations.h"

namespace rondo::fuzz {
namespace {

struct Wishes {
  std::string build = "build", driver, keep = "mutants-kept", write;
  std::uint64_t seed = 1, first = 0, count = 100, shaders = 25, most_mib = 1024;
  double seconds = 2, slower = 1, most_seconds = 0;
  std::vector<std::string> captures;
  std::vector<const Tool*> chosen;
};

std::string contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_file(const std::string& path, const std::vector<std::byte>& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

// Of one tool.
struct Tally {
  std::uint64_t runs = 0, failures = 0;
  std::map<std::string, std::uint64_t> ends;     // by status
  std::map<std::string, std::uint64_t> drivers;  // crashes, by what crashed
  double most_seconds = 0;
  std::size_t most_kib = 0;
};

class Campaign {
 public:
  explicit Campaign(Wishes wishes) : wishes_(std::move(wishes)) {
    char name[] = "/tmp/mutants-XXXXXX";
    const char* made = ::mkdtemp(name);
    if (made == nullptr) std::abort();
    directory_ = made;
    environment_ = {"PATH=/usr/bin:/bin", "HOME=/nonexistent", "MESA_SHADER_CACHE_DISABLE=true",
                    "XDG_RUNTIME_DIR=/nonexistent", "VK_ICD_FILENAMES=" + wishes_.driver};
    for (const char* kept : {"ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "RONDO_FAKE_ICD"})
      if (const char* value = std::getenv(kept); value != nullptr)
        environment_.push_back(std::string(kept) + "=" + value);
  }
  Campaign(const Campaign&) = delete;
  Campaign& operator=(const Campaign&) = delete;
  ~Campaign() {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }

  bool run() {
    std::vector<TypedMutator> mutators;
    std::vector<std::string> names;
    for (const std::string& path : wishes_.captures) {
      const std::string text = contents(path);
      auto mutator = TypedMutator::from(std::as_bytes(std::span(text)));
      if (!mutator) return std::fprintf(stderr, "%s: not a capture that this build can read\n", path.c_str()), false;
      mutators.push_back(std::move(*mutator));
      names.push_back(path);
    }
    // One of each capture after the other, so that a short run has some of all.
    const auto begin = std::chrono::steady_clock::now();
    const auto is_over = [&] {
      const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
      return wishes_.most_seconds > 0 && passed.count() > wishes_.most_seconds;
    };
    for (std::uint64_t i = 0; i < wishes_.count && !is_over(); ++i) {
      const std::size_t which = i % mutators.size();
      one(mutators[which], names[which], wishes_.first + i / mutators.size());
    }
    for (const Tool* tool : wishes_.chosen) print(*tool, tallies_[tool->name]);
    return failures_ == 0;
  }

 private:
  void one(const TypedMutator& mutator, const std::string& capture, std::uint64_t number) {
    const bool shader = (number * wishes_.shaders) % 100 < wishes_.shaders;
    const Mutant mutant =
        mutator.mutate(wishes_.seed, number, shader ? TypedMutator::Kind::shaders : TypedMutator::Kind::records);
    if (!wishes_.write.empty()) {
      write_file(wishes_.write, mutant.file);
      std::printf("%s\n", mutant.what.c_str());
      return;
    }
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "%g", wishes_.seconds * wishes_.slower);
    const ToolPlace place{wishes_.build, capture, directory_ + "/mutant.rondo", directory_, seconds};
    for (const Tool* tool : wishes_.chosen) {
      write_file(place.mutant, mutant.file);  // a tool may have finished it
      Limits limits;
      limits.seconds = wishes_.seconds * wishes_.slower;
      limits.most_seconds = 20 * limits.seconds;
      Ended ended = run_tool(tool->words(place), environment_, limits);
      judge(*tool, limits, ended);
      note(*tool, ended, mutant, capture, number);
      for (const auto& entry : std::filesystem::directory_iterator(directory_))
        std::filesystem::remove_all(entry.path());
    }
  }

  void judge(const Tool& tool, const Limits& limits, Ended& ended) const {
    // Those that have no limit of their own are measured by what they compute, whatever else the machine has
    // to do.
    if (ended.end != End::slow && !tool.has_timeout && ended.cpu > limits.seconds) {
      ended.end = End::slow;
      ended.why = "computed for " + std::to_string(ended.cpu) + " s";
    }
  }

  void note(const Tool& tool, const Ended& ended, const Mutant& mutant, const std::string& capture,
            std::uint64_t number) {
    Tally& tally = tallies_[tool.name];
    ++tally.runs;
    ++tally.ends[ended.end == End::told ? "status " + std::to_string(ended.status) : end_name(ended.end)];
    tally.most_seconds = std::max(tally.most_seconds, ended.seconds);
    tally.most_kib = std::max(tally.most_kib, ended.most_kib);
    if (ended.end == End::driver) {
      const std::size_t begin = ended.why.find("(SIG");
      ++tally.drivers[begin == std::string::npos ? ended.why
                                                 : ended.why.substr(begin, ended.why.find(')', begin) - begin + 1)];
    }
    const bool large = ended.most_kib > wishes_.most_mib * 1024;
    const bool failed = (ended.end != End::told && ended.end != End::driver) || large || ended.controls;
    if (!failed && ended.end != End::driver) return;
    const std::string name = std::filesystem::path(capture).stem().string() + "-" + std::to_string(wishes_.seed) + "-" +
                             std::to_string(number) + ".rondo";
    const std::string kept = wishes_.keep + (failed ? "/" : "/driver-") + tool.name + "-" + name;
    std::filesystem::create_directories(wishes_.keep);
    write_file(kept, mutant.file);
    std::string why = ended.why;
    if (large) why = "held " + std::to_string(ended.most_kib / 1024) + " MiB; " + why;
    if (ended.controls) why = "printed a control character; " + why;
    std::printf("%s: mutant %llu of seed %llu of %s: %s: %s; %s; kept as %s\n", tool.name,
                static_cast<unsigned long long>(number), static_cast<unsigned long long>(wishes_.seed), capture.c_str(),
                failed ? end_name(ended.end) : "driver", printable(why).c_str(), printable(mutant.what).c_str(),
                kept.c_str());
    std::fflush(stdout);
    if (!failed) return;
    ++tally.failures;
    ++failures_;
    std::ofstream(kept + ".txt") << mutant.what << '\n' << ended.errors;
  }

  static std::string printable(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c >= 0x7f; }, '?');
    return text;
  }

  static void print(const Tool& tool, const Tally& tally) {
    std::string ends, drivers;
    for (const auto& [name, count] : tally.ends) ends += ", " + name + ": " + std::to_string(count);
    for (const auto& [name, count] : tally.drivers)
      drivers += "  " + std::to_string(count) + " times the driver crashed " + name + "\n";
    std::printf("%s: %llu mutants, %llu failures%s; at most %.1f s, %zu MiB\n%s", tool.name,
                static_cast<unsigned long long>(tally.runs), static_cast<unsigned long long>(tally.failures),
                ends.c_str(), tally.most_seconds, tally.most_kib / 1024, drivers.c_str());
    const char* results = std::getenv("RONDO_TEST_RESULTS");
    if (results == nullptr) return;
    std::ofstream(results, std::ios::app)
        << (tally.failures == 0 ? "passed" : "failed") << "\tmutants through " << tool.name << '\t'
        << (tally.failures == 0 ? "" : std::to_string(tally.failures) + " mutants failed") << '\n';
  }

  Wishes wishes_;
  std::string directory_;
  std::vector<std::string> environment_;
  std::map<std::string, Tally> tallies_;
  std::uint64_t failures_ = 0;
};

bool choose(const std::string& names, std::vector<const Tool*>& chosen) {
  std::istringstream words(names);
  for (std::string name; std::getline(words, name, ',');) {
    const auto found =
        std::find_if(tools().begin(), tools().end(), [&](const Tool& tool) { return tool.name == name; });
    if (found == tools().end()) return std::fprintf(stderr, "mutants: no tool is named %s\n", name.c_str()), false;
    chosen.push_back(&*found);
  }
  return true;
}

bool parse(int argc, char** argv, Wishes& wishes) {
  std::string names;
  for (const Tool& tool : tools()) names += (names.empty() ? "" : ",") + std::string(tool.name);
  const std::map<std::string, std::uint64_t*> numbers = {{"--seed", &wishes.seed},
                                                         {"--first", &wishes.first},
                                                         {"--count", &wishes.count},
                                                         {"--shaders", &wishes.shaders},
                                                         {"--most-mib", &wishes.most_mib}};
  const std::map<std::string, std::string*> texts = {{"--build", &wishes.build},
                                                     {"--driver", &wishes.driver},
                                                     {"--keep", &wishes.keep},
                                                     {"--write", &wishes.write},
                                                     {"--tools", &names}};
  const std::map<std::string, double*> times = {
      {"--seconds", &wishes.seconds}, {"--slower", &wishes.slower}, {"--for", &wishes.most_seconds}};
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool is_option = word.starts_with("--");
    if (is_option && i + 1 == argc) return false;
    if (const auto number = numbers.find(word); number != numbers.end())
      *number->second = std::strtoull(argv[++i], nullptr, 10);
    else if (const auto text = texts.find(word); text != texts.end())
      *text->second = argv[++i];
    else if (const auto time = times.find(word); time != times.end())
      *time->second = std::strtod(argv[++i], nullptr);
    else if (is_option)
      return false;
    else
      wishes.captures.push_back(word);
  }
  return choose(names, wishes.chosen) && !wishes.captures.empty();
}

}  // namespace
}  // namespace rondo::fuzz

int main(int argc, char** argv) {
  rondo::fuzz::Wishes wishes;
  if (!rondo::fuzz::parse(argc, argv, wishes)) {
    std::fprintf(stderr,
                 "usage: mutants [--build DIR] [--driver MANIFEST] [--seed S] [--first N] [--count N] "
                 "[--shaders PERCENT]\n"
                 "               [--tools NAME,...] [--seconds S] [--slower F] [--most-mib N] [--keep DIR] "
                 "CAPTURE...\n");
    return 2;
  }
  return rondo::fuzz::Campaign(std::move(wishes)).run() ? 0 : 1;
}
