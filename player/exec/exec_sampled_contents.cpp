// SPDX-License-Identifier: Apache-2.0
// Writes what a cut brings of images of several samples.
#include <algorithm>
#include <span>

#include "generated/args.h"
#include "model/gpu/samples.h"
#include "model/gpu/texels.h"
#include "player/run/memory_bytes.h"
#include "player/run/sampled_contents.h"

namespace rondo::player {

Result<void> write_sampled_contents(Run& run, const Op& op, std::byte* args, const VkImageCreateInfo& info,
                                    const LiveQueue& queue) {
  const auto& a = as<args_rondoImageContents>(args);
  const std::string name = run.plan().full_name(run.patched_id(op, offset_in(args, &a.image)));
  const auto refuse = [&](Status status, const std::string& why) {
    return tl::unexpected<Error>(run.refuse(op, status, "writing the samples of " + name + ": " + why));
  };
  DeviceState& device = run.device(op);
  const VkQueueFlags can = run.targets()[device.index].families[queue.family].queueFlags;
  if ((can & VK_QUEUE_GRAPHICS_BIT) == 0) return refuse(Status::device, "its queue cannot draw");
  CapturedData data;
  RONDO_TRY(data.load(run, op, a.pData, a.dataSize));
  gpu::Samples samples(device.access, queue.family);
  std::span<const std::byte> rest(data.bytes(), a.dataSize);
  std::vector<std::byte> written;
  for (const RondoSubresource& part : std::span(a.pParts, a.partCount)) {
    gpu::ImageSource to;
    to.image = a.image;
    to.format = info.format;
    to.extent = info.extent;
    to.layout = part.layout;
    to.aspect = part.aspect;
    to.together = part.together;
    to.layer = part.arrayLayer;
    to.samples = info.samples;
    const auto bytes = static_cast<std::size_t>(gpu::bytes_of(gpu::Source(to)));
    if (bytes == 0 || bytes > rest.size()) return refuse(Status::unreadable, "it does not have the bytes of its parts");
    if (const auto wrote = samples.write(queue.handle, to, rest.first(bytes)); !wrote)
      return refuse(wrote.error().status, wrote.error().message);
    // Each device rounds depth in its own way, and depth outside 0 to 1 it may not take.
    if (part.aspect == VK_IMAGE_ASPECT_DEPTH_BIT && (can & VK_QUEUE_COMPUTE_BIT) != 0) {
      written.resize(bytes);
      if (const auto read = samples.read(queue.handle, to, written); !read)
        return refuse(read.error().status, read.error().message);
      if (!std::equal(written.begin(), written.end(), rest.begin()))
        return refuse(Status::device, "the device does not take all of its depths as they were");
    }
    rest = rest.subspan(bytes);
  }
  return {};
}

}  // namespace rondo::player
