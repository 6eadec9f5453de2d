// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/graph/swapchain_images.h"

#include "format/codec/schema.h"
#include "generated/args.h"

namespace rondo::graph {

void SwapchainImages::call(const model::Call& call) {
  if (call.command.canonical != CommandId::vkGetSwapchainImagesKHR || !call.succeeded) return;
  const auto& a = call.as<args_vkGetSwapchainImagesKHR>();
  if (a.pSwapchainImages == nullptr || a.pSwapchainImageCount == nullptr) return;
  std::vector<ObjectId>& images = images_[call.id(&a.swapchain)];
  images.clear();
  for (std::uint32_t i = 0; i < *a.pSwapchainImageCount; ++i) images.push_back(call.id(&a.pSwapchainImages[i]));
}

}  // namespace rondo::graph
