// SPDX-License-Identifier: Apache-2.0
// Contents of images of several samples: they are drawn.
#include "player/run/sampled_contents.h"

#include "generated/args.h"
#include "model/gpu/samples.h"
#include "player/legal/validity.h"

namespace rondo::player::validity {

// For a read the image is made where the device is known (make_samples_readable()).
Wrong check_samples(Validity& v, ObjectId id, const RondoSubresource& part, bool writes) {
  const Image& image = *v.image(id);
  const std::string what = (writes ? "writes the samples of " : "reads the samples of ") + v.name(id) + ", but ";
  std::vector<std::byte> storage;
  const VkImageCreateInfo* info = info_of_image(v.plan(), id, storage);
  if (info == nullptr) return what + "nothing says how it was made";
  if (const std::string why = gpu::why_no_samples(*info); !why.empty()) return what + why;
  const VkImageAspectFlags both = VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;
  if (image.format >= VK_FORMAT_D16_UNORM_S8_UINT && image.format <= VK_FORMAT_D32_SFLOAT_S8_UINT &&
      part.together != both)
    return what + "depth and stencil have layouts of their own";
  if (!writes) return {};
  if (part.aspect == VK_IMAGE_ASPECT_COLOR_BIT) v.needs_mutable_format(id);
  return v.needs_image_usage("pImages", id, gpu::samples_usage(image.format));
}

}  // namespace rondo::player::validity
