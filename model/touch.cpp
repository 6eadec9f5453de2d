// SPDX-License-Identifier: Apache-2.0
#include "model/touch.h"

namespace rondo::model {

const char* text_of(Unknown why) {
  switch (why) {
    case kAddresses:
      return "shaders follow addresses";
    case kDescriptors:
      return "descriptors lie in buffers";
    case kStructures:
      return "acceleration structures refer to others";
    case kGenerated:
      return "the device makes commands";
    case kShaders:
      return "shaders are not in the capture";
    case kBindless:
      return "descriptors are chosen from very many";
    case kMemory:
      return "an address is in no known buffer";
  }
  return "";
}

}  // namespace rondo::model
