// SPDX-License-Identifier: Apache-2.0
// Runs a planted synchronization fault by its name, or its clean twin, and prints what a checker has to find.
//   hazards NAME       runs the plant; NAME-clean runs its twin. Status 77 where the device lacks what it needs.
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

int run(const Plant& plant, bool clean) {
  std::optional<Bench> bench = open_bench(plant, clean);
  if (!bench) {
    std::printf("skip: the device does not have the queues, or does not present\n");
    return 77;
  }
  print_answers(plant, clean);
  plant.record(*bench);
  close(*bench);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string wanted = argc == 2 ? argv[1] : "";
  for (const Plant& plant : all_plants()) {
    const std::string name = plant.name, twin = name + "-clean";
    if (wanted == "--list") std::printf("%s\n%s\n", name.c_str(), twin.c_str());
    if (wanted == name || wanted == twin) return run(plant, wanted == twin);
  }
  if (wanted == "--list") return 0;
  std::fprintf(stderr, "usage: hazards NAME | --list\n");
  return 2;
}
