// SPDX-License-Identifier: Apache-2.0
// Other shaders in the place of captured ones: --replace.
#pragma once

#include <string>
#include <vector>

#include "format/digest.h"
#include "format/result.h"
#include "player/plan/plan.h"
#include "player/plan/selectors.h"

namespace rondo::player {

// One shader of the capture that is played otherwise.
struct Replaced {
  std::string selector, file;
  Digest digest, new_digest;
  std::vector<std::string> objects;  // "VkShaderModule#3", and what is made of it: "VkPipeline#7.compute"
  std::string text() const;          // a line
};

// Changes the plan where every file can stand in the place of what its selector means; else the plan is
// left as it was, and the error (Status::usage) has a line for each thing that differs, or for each shader
// that there is.
Result<std::vector<Replaced>> replace_shaders(Plan& plan, const std::vector<Replacement>& replacements);

}  // namespace rondo::player
