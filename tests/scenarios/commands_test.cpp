// SPDX-License-Identifier: Apache-2.0
// Rendering and commands: for each part of Vulkan a tiny program of
// tests/programs that uses it and checks what it drew or computed.
#include <catch2/catch.hpp>

#include "fixture.h"
#include "replays.h"
#include "skip.h"

using namespace scenario;

SCENARIO("secondary command buffers replay, inside a pass and outside", "[commands]") {
  replays_bit_for_bit({program("secondary")}, {.submits = 2});
}

SCENARIO("descriptors replay however they are written: by template, pushed, with garbage beside", "[commands]") {
  replays_bit_for_bit({program("templates")}, {.submits = 1});
}

SCENARIO("values replay that another member makes unused", "[commands]") {
  replays_bit_for_bit({program("unused_values")}, {.submits = 1});
}

SCENARIO("dynamic rendering replays, suspended, resolved and in secondaries", "[commands]") {
  replays_bit_for_bit({program("rendering")}, {.submits = 1});
}

SCENARIO("dynamic rendering to views of several mips, of 3D images and of too few layers replays", "[commands]") {
  replays_bit_for_bit({program("attachment_views")}, {.submits = 10});
  WHEN("a driver that survives it draws to too many layers") {
    const Words words{program("attachment_views"), "--layers", "2"};
    if (const std::string why = cannot_run(words, lavapipe25); !why.empty()) SKIP_SCENARIO(why);
    replays_bit_for_bit(words, {.submits = 2, .driver = lavapipe25});
  }
}

SCENARIO("dynamic rendering to attachments of one sample and of four replays", "[commands]") {
  replays_bit_for_bit({program("mixed_samples")}, {.submits = 3});
}

SCENARIO("pipelines replay without the states that are dynamic as a whole", "[commands]") {
  const std::string needed = "Debian's layer needs the states all the same";
  WHEN("depth and stencil are") {
    replays_bit_for_bit({program("null_states"), "--state", "0"}, {.submits = 1, .not_validated_because = needed});
  }
  WHEN("each state is, once") {
    const Words words{program("null_states")};
    if (const std::string why = cannot_run(words, lavapipe25); !why.empty()) SKIP_SCENARIO(why);
    replays_bit_for_bit(words, {.submits = 6, .driver = lavapipe25, .not_validated_because = needed});
  }
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

SCENARIO("what programs get away with replays: commands not asked for, memory mapped after its wait, limits",
         "[commands]") {
  replays_bit_for_bit({program("liberties")}, {.submits = 5, .draws_message = "VUID-vkCmdDispatch-groupCountX-00386"});
}

SCENARIO("specialization constants replay, whatever their sizes and gaps", "[commands]") {
  replays_bit_for_bit({program("constants")}, {.submits = 1});
}

SCENARIO("results of queries that are copied submits later replay", "[commands]") {
  replays_bit_for_bit({program("query_copies")}, {.submits = 3});
}

SCENARIO("what the device makes of nothing replays bit for bit", "[commands]") {
  replays_bit_for_bit({program("noise")}, {.submits = 6});
}

SCENARIO("queries replay, with and without availability, waiting and partial", "[commands]") {
  replays_bit_for_bit({program("queries")}, {.submits = 2});
}

SCENARIO("the device's own times, copied to buffers, are not compared, and what lies beside them is", "[commands]") {
  constexpr int kFrames = 3;
  replays_bit_for_bit({program("times")}, {.submits = kFrames + 1,
                                           .not_compared = 2 * kFrames,
                                           .not_compared_because = "of memory ranges the capture keeps digests alone"});
  if (!no_readback().empty()) SKIP_SCENARIO(no_readback());
  GIVEN("a capture that keeps contents") {
    const Recording& capture = captured({program("times")}, {.checkpoints = "submit"});
    REQUIRE(capture.run.status == 0);
    THEN("all are equal, but for the times") {
      const Outcome outcome = player({"--verify", capture.path});
      INFO(outcome.both());
      CHECK(outcome.status == 0);
      CHECK(outcome.out.find(" of them but for times of the GPU)") != std::string::npos);
      for (const char* what : {"memory ranges", "parts of buffers and images"}) {
        const Compared result = compared(outcome, what);
        CHECK(result.all > 0);
        CHECK(result.equal == result.all);
      }
    }
    // Right before the times, behind the second, in the copy.
    for (const char* damage :
         {"drop:vkCmdUpdateBuffer#0", "drop:vkCmdCopyBuffer#0", "drop:vkCmdCopyQueryPoolResults#0"}) {
      WHEN(damage) {
        const Outcome outcome = player({"--verify", "--damage", damage, capture.path});
        INFO(outcome.both());
        CHECK(outcome.status == 5);
        CHECK(outcome.both().find("VkBuffer#") != std::string::npos);
      }
    }
  }
}

SCENARIO("pipelines out of libraries, caches and derivatives replay", "[commands]") {
  replays_bit_for_bit({program("libraries")}, {.submits = 1});
}

SCENARIO("a program that can do without sparse binding falls back and replays", "[commands]") {
  replays_bit_for_bit({program("sparse")}, {.submits = 1});
}

SCENARIO("inline uniform blocks replay, written, copied and by template", "[commands]") {
  replays_bit_for_bit({program("inline_uniforms")}, {.submits = 1});
}

SCENARIO("conditional rendering replays by what the device decided", "[commands]") {
  replays_bit_for_bit({program("conditional")}, {.submits = 1});
}

SCENARIO("geometry, tessellation, clipping, viewports and views replay", "[commands]") {
  replays_bit_for_bit({program("geometry")}, {.submits = 1});
}

SCENARIO("transform feedback replays, paused and resumed and drawn from", "[commands]") {
  replays_bit_for_bit({program("feedback")}, {.submits = 1});
}

SCENARIO("names, labels, messages and private data replay", "[commands]") {
  replays_bit_for_bit({program("labels")}, {.submits = 1});
}

SCENARIO("draws and dispatches by numbers in buffers replay, indices of every width", "[commands]") {
  replays_bit_for_bit({program("indirect")}, {.submits = 1});
}

SCENARIO("a device group of one replays, masks and bases and all", "[commands]") {
  // Memory with a device mask is not aliased: its own bytes are not compared.
  replays_bit_for_bit({program("groups")},
                      {.submits = 1, .not_compared = 1, .not_compared_because = "cannot tell them from the device's"});
}

SCENARIO("images of every shape replay: compressed, mipmapped, solid, multisampled", "[commands]") {
  replays_bit_for_bit({program("images")}, {.submits = 1});
}

SCENARIO("what shaders compute with small and large numbers, atomics and subgroups replays", "[commands]") {
  replays_bit_for_bit({program("arithmetic")}, {.submits = 1});
}

SCENARIO("samplers and views of every kind replay, and descriptors of nothing", "[commands]") {
  replays_bit_for_bit({program("samplers")}, {.submits = 1});
}

SCENARIO("memory asked for by newer means, events and submits of synchronization2 replay", "[commands]") {
  replays_bit_for_bit({program("memory")}, {.submits = 1});
}

SCENARIO("samples of their own replay, in many formats", "[commands]") {
  replays_bit_for_bit({program("samples")}, {.submits = 2});
}

SCENARIO("multisampled drawing replays, also into images of one sample", "[commands]") {
  replays_bit_for_bit({program("multisample")}, {.submits = 1});
}

SCENARIO("images of several planes replay on a driver that has them", "[commands]") {
  replays_bit_for_bit({program("planes")}, {.submits = 1, .driver = fake});
}

SCENARIO("descriptor indexing replays on a driver that has it", "[commands]") {
  replays_bit_for_bit({program("indexing")}, {.submits = 1, .driver = fake});
}

SCENARIO("core commands that other programs call by their extensions' names replay", "[commands]") {
  replays_bit_for_bit({program("core")}, {.submits = 1});
}

SCENARIO("commands of extensions that became core replay by the names that were called", "[commands]") {
  replays_bit_for_bit({program("aliases")}, {.submits = 1});
}

SCENARIO("dynamic states that lavapipe lacks replay on a driver that has them", "[commands]") {
  replays_bit_for_bit({program("dynamic_rest")}, {.submits = 2, .driver = fake});
}

SCENARIO("the dynamic states of discard rectangles replay", "[commands]") {
  const Words words{program("discards")};
  if (const std::string why = cannot_run(words, fake); !why.empty()) SKIP_SCENARIO(why);
  replays_bit_for_bit(
      {program("discards")},
      {.submits = 1, .driver = fake, .not_validated_because = "newer than Debian 12's validation layer"});
}

SCENARIO("mesh shaders and a vendor's counted draws replay on a driver that has them", "[commands]") {
  replays_bit_for_bit(without_checks({program("meshes")}), {.submits = 1, .driver = fake});
}

SCENARIO("markers, conversions and questions about surfaces replay on a driver that has them", "[commands]") {
  replays_bit_for_bit({program("sundry")}, {.submits = 1, .driver = fake});
}

SCENARIO("block-compressed images of every kind replay, copied and sampled", "[commands]") {
  replays_bit_for_bit({program("compressed")}, {.submits = 1});
}

SCENARIO("drawing that reads its own attachment replays, sampled and in order", "[commands]") {
  replays_bit_for_bit({program("loops")}, {.submits = 1});
}
