// SPDX-License-Identifier: Apache-2.0
// Reads and writes images of several samples, which cannot be copied from and to buffers: a shader fetches
// each sample, and draws under a mask of one sample write it. Color goes as bits, through a view in an
// integer format.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "format/result.h"
#include "model/gpu/access.h"
#include "model/gpu/one_shot.h"
#include "model/gpu/readback.h"
#include "model/gpu/staging.h"

namespace rondo::gpu {

// The format in which a view shows the bits of a texel: of color an integer one as large, else the image's
// own. UNDEFINED: there is none.
VkFormat samples_view_format(VkFormat format);
// What an image has to be made for, to be read and written; with these flags, too.
VkImageUsageFlags samples_usage(VkFormat format);
VkImageCreateFlags samples_flags(VkFormat format);
// Why the samples of such an image cannot be read and written, whatever the device can; empty: they can.
std::string why_no_samples(const VkImageCreateInfo& info);

// One for each queue family, which can do graphics and (to read) compute. One thread at a time; the caller
// holds the external synchronization of the queue it passes. What is read and written are, for one aspect of
// one layer of a 2D image, the texels of sample 0 as copies of a single-sampled image would have them, then
// those of sample 1, ….
class Samples {
 public:
  Samples(const Access& access, std::uint32_t queue_family);
  Samples(const Samples&) = delete;
  Samples& operator=(const Samples&) = delete;
  ~Samples();

  // `texels`: of bytes_of(image). The image is in its layout before and afterwards.
  Result<void> read(VkQueue queue, const ImageSource& from, std::span<std::byte> texels);
  // Depth that has no exact representation as a float is written as the device rounds it: read() tells.
  Result<void> write(VkQueue queue, const ImageSource& to, std::span<const std::byte> texels);

 private:
  static constexpr VkShaderStageFlags kStages = VK_SHADER_STAGE_COMPUTE_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
  struct Push {
    std::uint32_t width, row, rows, each, number, bit;
  };
  struct Kind {  // of the pipelines
    bool write = false;
    VkFormat format = VK_FORMAT_UNDEFINED;  // of the view
    VkImageAspectFlags aspect = 0;
    VkSampleCountFlagBits samples = VK_SAMPLE_COUNT_1_BIT;
    bool operator==(const Kind&) const = default;
  };
  // Drops what belongs to the part: its image may be gone afterwards.
  struct PartEnd {
    Samples& samples;
    ~PartEnd() { samples.drop_view(); }
  };
  Result<void> prepare(const Kind& kind);
  Result<void> create_layouts();
  Result<void> create_pass();
  Result<VkPipeline> pipeline(std::uint32_t sample);
  Result<VkPipeline> create_read_pipeline();
  Result<VkPipeline> create_write_pipeline(std::uint32_t sample);
  Result<VkShaderModule> create_module(std::span<const std::uint32_t> code);
  Result<void> create_view(const ImageSource& image, VkImageAspectFlags aspects);
  Result<void> create_framebuffer(const ImageSource& image);
  Result<void> fetch(VkQueue queue, const ImageSource& from, const Push& push);
  Result<void> draw(VkQueue queue, const ImageSource& to, const Push& push);
  void describe_objects();
  void drop_pipelines();
  void drop_view();
  std::uint32_t* words() const { return reinterpret_cast<std::uint32_t*>(staging_.mapped()); }

  Access access_;
  Staging staging_;
  OneShot commands_;
  VkDescriptorSetLayout set_layout_ = VK_NULL_HANDLE;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  VkDescriptorPool pool_ = VK_NULL_HANDLE;
  VkDescriptorSet set_ = VK_NULL_HANDLE;
  // Of the kind that was last used.
  Kind kind_;
  VkRenderPass pass_ = VK_NULL_HANDLE;
  std::map<std::uint32_t, VkPipeline> pipelines_;  // by sample; reading has one
  // Of the part that is read or written.
  VkImageView view_ = VK_NULL_HANDLE;
  VkFramebuffer framebuffer_ = VK_NULL_HANDLE;
};

}  // namespace rondo::gpu
