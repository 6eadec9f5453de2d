// SPDX-License-Identifier: Apache-2.0
// What is fuzzed: functions that take any bytes and must neither crash, hang
// nor break a promise (then they abort with a sentence). libFuzzer drives them
// in build-fuzz/, the corpus test everywhere else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace rondo::fuzz {

using Bytes = std::span<const std::byte>;

void container(Bytes file);  // a capture: read, salvaged, finished
void chunk(Bytes input);     // selector byte, then stored bytes or columns or records
void dictionary(Bytes payload);
void codec(Bytes input);     // u32 selector of a command, then the payload of a record
void resolver(Bytes input);  // a stream of calls with their handles
void shader(Bytes code);     // SPIR-V
void accesses(Bytes file);   // a capture: what its commands touch
void graph(Bytes file);      // a capture: its work graph, and what orders it
void plan(Bytes file);       // a capture: planned, and played on the fake driver

// Names a command in the codec's input, whatever number it has in this build.
std::uint32_t codec_selector(std::string_view command);

struct Target {
  std::string_view name;
  void (*run)(Bytes);
  bool takes_a_capture;  // mutations may repair digests
};

inline constexpr Target kTargets[] = {
    {"container", container, true}, {"chunk", chunk, false},       {"dictionary", dictionary, false},
    {"codec", codec, false},        {"resolver", resolver, false}, {"shader", shader, false},
    {"accesses", accesses, true},   {"graph", graph, true},
#ifdef RONDO_FUZZ_PLAN
    {"plan", plan, true},
#endif
};

// Bytes of decompressed data that a reader under test may hold.
inline constexpr std::size_t kReaderBudget = std::size_t{4} << 20;
// … and a whole replay: arena, blobs and what the driver gave out.
inline constexpr std::size_t kPlanBudget = std::size_t{32} << 20;

// A promise that did not hold: says which, and aborts.
[[noreturn]] void broken(std::string_view promise);
inline void expect(bool holds, std::string_view promise) {
  if (!holds) broken(promise);
}

}  // namespace rondo::fuzz
