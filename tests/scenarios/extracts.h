// SPDX-License-Identifier: Apache-2.0
// Reads the files that `rondo extract` wrote, so that tests can compare them with the checkpoints of the capture.
#pragma once

#include <map>
#include <string>

#include "fixture.h"

namespace scenario {

Outcome extract(const Words& words, const std::string& driver = lavapipe);

// Digests by object and part: "VkImage#0 MIP LAYER ASPECT", "VkBuffer#0 BYTES". What could not be read has none.
using ContentDigests = std::map<std::string, std::string>;
ContentDigests extracted(const std::string& directory);  // from its images.json and buffers.json

// As images.json has the aspect of this VkImageAspectFlagBits.
const char* aspect_of(const std::string& bit);

std::string json_text(const std::string& value);  // a JSON string without its quotes
std::string hex64(const std::string& number);     // a decimal number in 16 hexadecimal digits

}  // namespace scenario
