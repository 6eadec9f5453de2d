// SPDX-License-Identifier: Apache-2.0
// How descriptors are put into sets, and into what is pushed. Used by the handlers of effects.
#pragma once

#include "model/effects/all.h"

namespace rondo::model {

// Where descriptors are put: a set, or what is pushed. Without a layout, of pushes whose layout nobody made, they go
// where the write says.
struct DescriptorTarget {
  Descriptors& written;
  const SetLayout* layout;
  const DescriptorSet* set = nullptr;
};

void write_descriptors(Effects& e, const Call& c, const DescriptorTarget& to, const VkWriteDescriptorSet& write);
// `data`: in the call's parameters, as long as these go on.
void write_with_template(Effects& e, const Call& c, const DescriptorTarget& to, const DescriptorTemplate& by,
                         const void* data);
// May be reached from now on, wherever the descriptor lies.
void reach_descriptor(Effects& e, ObjectId object);

}  // namespace rondo::model
