// SPDX-License-Identifier: Apache-2.0
// What a program may leave out: it says nothing about itself to vkCreateInstance,
// and its first thread, whose number is the process's, ends before another one
// begins to work.
#include <pthread.h>
#include <unistd.h>

#include "accumulate.h"

using namespace program;

namespace {

constexpr std::uint32_t kSubmits = 4;

int work() {
  Context c = create_context("bare", {.api_version = 0});
  Commands commands = create_commands(c);
  Accumulate a = create_accumulate(c, 1);
  for (std::uint32_t i = 0; i < kSubmits; ++i) {
    write_input(a, 0, i);
    begin(commands);
    record_dispatch(a, commands, 0, kNoSlot);
    CHECK(vkEndCommandBuffer(commands.buffer));
    submit(c.queues[0], commands);
    wait(c, commands);
  }
  for (std::uint32_t w = 0; w < kSlotWords; ++w)
    if (a.output.words[w] != 3 * input_value(kSubmits - 1, w)) wrong("wrong result in word", w);
  std::printf("bare: checksum %016llx\n", static_cast<unsigned long long>(checksum(a.output.words, kSlotWords)));
  destroy(c, a);
  destroy(c, commands);
  destroy(c);
  return 0;
}

// pthread_join of it would be shorter, but ThreadSanitizer does not know the first thread by that.
bool first_ended() {
  char path[64], text[256] = {};
  std::snprintf(path, sizeof path, "/proc/self/task/%d/stat", getpid());
  std::FILE* file = std::fopen(path, "r");
  if (file == nullptr) return true;
  const std::size_t read = std::fread(text, 1, sizeof text - 1, file);
  std::fclose(file);
  const char* name_end = std::strrchr(text, ')');  // "pid (name) state …"
  return read == 0 || name_end == nullptr || name_end[1] == '\0' || name_end[2] == 'Z';
}

}  // namespace

int main() {
  pthread_t worker;
  const int error = pthread_create(
      &worker, nullptr,
      [](void*) -> void* {
        while (!first_ended()) usleep(1000);
        std::exit(work());
      },
      nullptr);
  if (error != 0) die("pthread_create", error);
  pthread_exit(nullptr);
}
