// SPDX-License-Identifier: Apache-2.0
// Draws a triangle without a window, copies it to a mapped buffer, and checks
// a texel inside and one outside it. Each frame has another tint and a command
// buffer of its own, all recorded before the first submit.
//   triangle [--frames N] [--ppm FILE] [--event 1]
// With --event it has one that the host could set, and nothing waits for.
#include "raster.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 256;

std::uint32_t rgba(std::uint32_t r, std::uint32_t g, std::uint32_t b) { return r | g << 8 | b << 16 | 0xff000000u; }

struct Frame {
  Commands commands;
  std::uint32_t red = 0, green = 0;
};

void record(const Raster& r, const Frame& frame, const MappedBuffer& vertices, const MappedBuffer& readback) {
  const Commands& commands = frame.commands;
  const float tint[4] = {static_cast<float>(frame.red) / 255.0f, static_cast<float>(frame.green) / 255.0f, 0, 1};
  begin(commands);
  begin_pass(r, commands, vertices, tint);
  vkCmdDraw(commands.buffer, 3, 1, 0, 0);
  vkCmdEndRenderPass(commands.buffer);
  VkBufferImageCopy copy{};
  copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  copy.imageExtent = {kExtent, kExtent, 1};
  vkCmdCopyImageToBuffer(commands.buffer, r.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, readback.buffer, 1, &copy);
  VkMemoryBarrier host{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_TRANSFER_WRITE_BIT,
                       VK_ACCESS_HOST_READ_BIT};
  vkCmdPipelineBarrier(commands.buffer, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &host, 0,
                       nullptr, 0, nullptr);
  CHECK(vkEndCommandBuffer(commands.buffer));
}

void write_ppm(const char* path, const std::uint32_t* texels) {
  std::FILE* file = std::fopen(path, "wb");
  if (file == nullptr) die(path, 0);
  std::fprintf(file, "P6\n%u %u\n255\n", kExtent, kExtent);
  for (std::uint32_t i = 0; i < kExtent * kExtent; ++i) std::fwrite(&texels[i], 1, 3, file);
  std::fclose(file);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<Frame> frames(option(argc, argv, "--frames", 1));
  Context c = create_context("triangle");
  Raster r = create_raster(c, kExtent);
  VkEvent event = VK_NULL_HANDLE;
  const VkEventCreateInfo event_info{VK_STRUCTURE_TYPE_EVENT_CREATE_INFO, nullptr, 0};
  if (option(argc, argv, "--event", 0) != 0) CHECK(vkCreateEvent(c.device, &event_info, nullptr, &event));
  MappedBuffer vertices = create_vertices(c);
  MappedBuffer readback = create_mapped_buffer(c, kExtent * kExtent * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  for (std::uint32_t i = 0; i < frames.size(); ++i) {
    frames[i] = {create_commands(c), 255 - i % 256, i * 5 % 256};
    record(r, frames[i], vertices, readback);
  }
  for (const Frame& frame : frames) {
    submit(c.queues[0], frame.commands);
    wait(c, frame.commands);
    if (readback.words[kExtent * kExtent / 2 + kExtent / 2] != rgba(frame.red, frame.green, 0))
      wrong("wrong centre, red should be", frame.red);
    if (readback.words[0] != rgba(0, 0, 64)) wrong("wrong corner", static_cast<long>(readback.words[0]));
  }
  std::printf("triangle: %zu frames, checksum %016llx\n", frames.size(),
              static_cast<unsigned long long>(checksum(readback.words, kExtent * kExtent)));
  for (int i = 1; i + 1 < argc; ++i)
    if (std::strcmp(argv[i], "--ppm") == 0) write_ppm(argv[i + 1], readback.words);
  vkDestroyEvent(c.device, event, nullptr);
  destroy(c, readback);
  destroy(c, vertices);
  destroy(c, r);
  for (Frame& frame : frames) destroy(c, frame.commands);
  destroy(c);
  return 0;
}
