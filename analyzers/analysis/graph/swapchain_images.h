// SPDX-License-Identifier: Apache-2.0
// Which images the swapchains of a capture have. Specification: "Window System Integration",
// vkGetSwapchainImagesKHR. One thread.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "format/objects.h"
#include "model/call.h"

namespace rondo::graph {

class SwapchainImages {
 public:
  // Each call, in the order of the capture.
  void call(const model::Call& call);
  void ended(ObjectId id) { images_.erase(id); }

  // Null: the program did not ask for it.
  ObjectId of(ObjectId swapchain, std::uint32_t image) const {
    const auto found = images_.find(swapchain);
    return found != images_.end() && image < found->second.size() ? found->second[image] : ObjectId::null;
  }

 private:
  std::unordered_map<ObjectId, std::vector<ObjectId>> images_;  // by swapchain
};

}  // namespace rondo::graph
