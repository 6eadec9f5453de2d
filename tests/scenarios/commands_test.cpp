// SPDX-License-Identifier: Apache-2.0
// Rendering and commands: for each part of Vulkan a tiny program of
// tests/programs that uses it and checks what it drew or computed.
#include <catch2/catch.hpp>

#include "fixture.h"
#include "replays.h"

using namespace scenario;

SCENARIO("secondary command buffers replay, inside a pass and outside", "[commands]") {
  replays_bit_for_bit({program("secondary")}, {.submits = 2});
}

SCENARIO("descriptors replay however they are written: by template, pushed, with garbage beside",
         "[commands]") {
  replays_bit_for_bit({program("templates")}, {.submits = 1});
}

SCENARIO("dynamic rendering replays, suspended, resolved and in secondaries", "[commands]") {
  replays_bit_for_bit({program("rendering")}, {.submits = 1});
}

SCENARIO("render passes of both kinds replay: subpasses, resolves, imageless framebuffers", "[commands]") {
  replays_bit_for_bit({program("passes")}, {.submits = 1});
}

SCENARIO("dynamic states of Vulkan 1.0 and of the first two extensions replay", "[commands]") {
  replays_bit_for_bit({program("dynamic")}, {.submits = 1});
}

SCENARIO("the other dynamic states replay: blending, clipping, lines, vertex input", "[commands]") {
  replays_bit_for_bit({program("dynamic3")}, {.submits = 1});
}

SCENARIO("specialization constants replay, whatever their sizes and gaps", "[commands]") {
  replays_bit_for_bit({program("constants")}, {.submits = 1});
}

SCENARIO("queries replay, with and without availability, waiting and partial", "[commands]") {
  replays_bit_for_bit({program("queries")}, {.submits = 2});
}
