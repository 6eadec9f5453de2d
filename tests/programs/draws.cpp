// SPDX-License-Identifier: Apache-2.0
// What one vkCmd* call costs the program: records many of a kind into one
// command buffer and prints the best nanoseconds a call. Nothing but the last,
// small command buffer is submitted.
//   draws [--calls N] [--repeat N] [--instructions 1]
// --instructions: and how many instructions a call takes, where the machine counts them.
#include <algorithm>
#include <chrono>

#include "instructions.h"
#include "raster.h"

using namespace program;

namespace {

constexpr float kTint[4] = {1, 1, 1, 1};

template <class Call>
void measure(const char* name, const Raster& r, const Commands& commands, const MappedBuffer& vertices,
             std::uint32_t calls, std::uint32_t repeat, const Instructions* instructions, Call&& call) {
  double best = 0;
  std::uint64_t fewest = UINT64_MAX;
  for (std::uint32_t n = 0; n < repeat; ++n) {
    begin(commands);
    begin_pass(r, commands, vertices, kTint);
    const std::uint64_t before = instructions != nullptr ? instructions->executed() : 0;
    const auto start = std::chrono::steady_clock::now();
    for (std::uint32_t i = 0; i < calls; ++i) call(commands.buffer, i);
    const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - start;
    if (instructions != nullptr) fewest = std::min(fewest, instructions->executed() - before);
    vkCmdEndRenderPass(commands.buffer);
    CHECK(vkEndCommandBuffer(commands.buffer));
    const double each = spent.count() / calls;
    if (n == 0 || each < best) best = each;
  }
  std::printf("%s %.1f ns\n", name, best);
  if (instructions != nullptr && instructions->are_counted())
    std::printf("%s %.1f instructions\n", name, static_cast<double>(fewest) / calls);
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint32_t calls = option(argc, argv, "--calls", 100000);
  const std::uint32_t repeat = option(argc, argv, "--repeat", 5);
  const bool asked = option(argc, argv, "--instructions", 0) != 0;
  const Instructions counter;
  const Instructions* instructions = asked ? &counter : nullptr;
  if (asked && !counter.are_counted()) std::printf("this machine counts no instructions\n");
  Context c = create_context("draws");
  Commands commands = create_commands(c);
  Raster r = create_raster(c, 16);
  MappedBuffer vertices = create_vertices(c);

  const VkViewport viewport{0, 0, 16, 16, 0, 1};
  measure("vkCmdDraw", r, commands, vertices, calls, repeat, instructions,
          [](VkCommandBuffer b, std::uint32_t i) { vkCmdDraw(b, 3, 1, 0, i); });
  measure("vkCmdSetViewport", r, commands, vertices, calls, repeat, instructions,
          [&](VkCommandBuffer b, std::uint32_t) { vkCmdSetViewport(b, 0, 1, &viewport); });
  measure("vkCmdPushConstants", r, commands, vertices, calls, repeat, instructions,
          [&](VkCommandBuffer b, std::uint32_t) {
            vkCmdPushConstants(b, r.layout, VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof kTint, kTint);
          });

  begin(commands);
  begin_pass(r, commands, vertices, kTint);
  vkCmdDraw(commands.buffer, 3, 1, 0, 0);
  vkCmdEndRenderPass(commands.buffer);
  CHECK(vkEndCommandBuffer(commands.buffer));
  submit(c.queues[0], commands);
  wait(c, commands);
  destroy(c, vertices);
  destroy(c, r);
  destroy(c, commands);
  destroy(c);
  return 0;
}
