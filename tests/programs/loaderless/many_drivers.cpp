// SPDX-License-Identifier: Apache-2.0
// Opens many drivers: each file of a directory, in the order of their names, and renders with each that can. None is
// closed, or each is before the next one (nothing comes to lie where it was), or each has a thread of its own; and each
// so many times.
//   many_drivers DIRECTORY held|closed|threads TIMES
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "fill.h"

namespace {

// Takes the page where a function was.
void take_page_of(void* function) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  mmap(reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(function) & ~(page - 1)), page, PROT_NONE,
       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
}

// 0, or what the process ends with.
int open_one(const std::string& file, bool closed, std::atomic<int>& rendered) {
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const looked_up = library != nullptr ? dlsym(library, "vk_icdGetInstanceProcAddr") : nullptr;
  if (looked_up == nullptr) return 1;
  void* const own = dlsym(library, "lookups_own");  // of one that renders nothing
  const auto get = reinterpret_cast<PFN_vkGetInstanceProcAddr>(looked_up);
  if (get(nullptr, "vkCreateInstance") != nullptr) {
    if (const int result = program::fill_directly(get); result != 0) return result;
    ++rendered;
  }
  if (!closed) return 0;
  dlclose(library);
  if (own != nullptr) take_page_of(own);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  std::vector<std::string> files;
  for (const auto& file : std::filesystem::directory_iterator(argv[1])) files.push_back(file.path());
  std::sort(files.begin(), files.end());
  const std::string_view how = argv[2];
  const int times = std::atoi(argv[3]);
  std::atomic<int> rendered{0}, result{0};
  std::vector<std::thread> threads;
  for (const std::string& file : files) {
    if (how != "threads") break;
    threads.emplace_back([&, file] {
      for (int time = 0; time < times; ++time)
        if (const int one = open_one(file, true, rendered); one != 0) result = one;
    });
  }
  for (std::thread& one : threads) one.join();
  for (int time = 0; time < times && threads.empty(); ++time)
    for (const std::string& file : files)
      if (const int one = open_one(file, how == "closed", rendered); one != 0) return one;
  if (result != 0) return result;
  std::printf("%zu files, rendered %d times\n", files.size(), rendered.load());
  return 0;
}
