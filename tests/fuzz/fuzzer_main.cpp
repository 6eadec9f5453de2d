// SPDX-License-Identifier: Apache-2.0
// What libFuzzer calls. RONDO_FUZZ_TARGET is the name of one of the targets.
#include <cstring>

#include "tests/fuzz/mutations.h"
#include "tests/fuzz/targets.h"

namespace {

#define RONDO_TEXT_OF(name) #name
#define RONDO_TEXT(name) RONDO_TEXT_OF(name)

const rondo::fuzz::Target& target() {
  static const rondo::fuzz::Target& found = []() -> const rondo::fuzz::Target& {
    for (const rondo::fuzz::Target& t : rondo::fuzz::kTargets)
      if (t.name == RONDO_TEXT(RONDO_FUZZ_TARGET)) return t;
    rondo::fuzz::broken("there is no such target");
  }();
  return found;
}

}  // namespace

extern "C" {

std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  target().run(std::as_bytes(std::span(data, size)));
  return 0;
}

// A quarter of the mutations is libFuzzer's own. The rest know how a capture is
// built: they reach what lies behind checksums and compression.
std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned seed);
std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned seed) {
  if (!target().takes_a_capture || seed % 4 == 0) return LLVMFuzzerMutate(data, size, max_size);
  const rondo::fuzz::Mutator mutator(std::as_bytes(std::span(data, size)));
  const std::vector<std::byte> mutated = mutator.mutate(seed);
  if (mutated.empty() || mutated.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data, mutated.data(), mutated.size());
  return mutated.size();
}

}  // extern "C"
