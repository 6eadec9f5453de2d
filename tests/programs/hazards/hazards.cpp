// SPDX-License-Identifier: Apache-2.0
// Runs a planted synchronization fault by its name, or its clean twin, and prints what a checker has to find.
//   hazards NAME       runs the plant; NAME-clean runs its twin. Status 77 where the device lacks what it needs.
//   hazards --times N NAME   does so N times in one process, and prints what has to be found once
//   hazards --eager NAME     does not watch until work is over that the plant does not wait for (lifetimes.cpp)
//   hazards --list     prints all names
#include "plants.h"

using namespace hazards;

namespace {

std::vector<Plant> all_plants() {
  std::vector<Plant> all;
  for (const auto& some :
       {dispatch_plants, barrier_plants, needless_plants, submit_plants, event_plants, draw_plants, pass_plants,
        image_plants, wait_plants, semaphore_plants, owner_plants, lifetime_plants, present_plants}) {
    const std::vector<Plant> plants = some();
    all.insert(all.end(), plants.begin(), plants.end());
  }
  return all;
}

void print_answers(const Plant& plant, bool clean) {
  for (const std::string_view answer : clean ? plant.of_clean : plant.answers) {
    const bool is_whole = answer.starts_with("allow ") || answer.starts_with("either ");
    std::printf("%s%s\n", is_whole ? "" : "expect ", answer.data());
  }
}

struct Options {
  std::string name;
  int times = 1;
  bool is_eager = false;
};

int run(const Plant& plant, bool clean, const Options& options) {
  for (int i = 0; i < options.times; ++i) {
    std::optional<Bench> bench = open_bench(plant, clean, options.is_eager);
    if (!bench) {
      std::printf("skip: the device does not have the queues, or does not present\n");
      return 77;
    }
    if (i == 0) print_answers(plant, clean);
    plant.record(*bench);
    close(*bench);
  }
  return 0;
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--times" && i + 1 < argc)
      options.times = std::atoi(argv[++i]);
    else if (word == "--eager")
      options.is_eager = true;
    else if (options.name.empty())
      options.name = word;
    else
      return {};
  }
  return options.times > 0 ? options : Options{};
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  const std::string& wanted = options.name;
  for (const Plant& plant : all_plants()) {
    const std::string name = plant.name, twin = name + "-clean";
    if (wanted == "--list") std::printf("%s\n%s\n", name.c_str(), twin.c_str());
    if (wanted == name || wanted == twin) return run(plant, wanted == twin, options);
  }
  if (wanted == "--list") return 0;
  std::fprintf(stderr, "usage: hazards [--times N] [--eager] NAME | --list\n");
  return 2;
}
