// SPDX-License-Identifier: Apache-2.0
#include "model/call.h"

namespace rondo::model {

Call::Call(const codec::CommandInfo& command_made, const NativeView& parameters,
           const ObjectTable::Resolution& resolved, const ObjectTable& all_objects, std::uint64_t number,
           bool has_succeeded, std::uint64_t returned_value)
    : CallOf<ObjectId>{.command = command_made,
                       .args = &parameters.as<std::byte>(),
                       .names = this,
                       .sequence = number,
                       .succeeded = has_succeeded,
                       .dispatch = resolved.ids.empty() ? ObjectId::null : resolved.ids[0],
                       .ended = resolved.ended},
      view(parameters),
      resolution(resolved),
      objects(all_objects),
      returned(returned_value) {}

Call::Call(const Call& other)
    : CallOf<ObjectId>(other),
      view(other.view),
      resolution(other.resolution),
      objects(other.objects),
      returned(other.returned) {
  names = this;
}

ObjectId Call::created(std::size_t i) const {
  const std::vector<codec::HandleRef>& handles = view.lowered().handles;
  for (std::size_t at = 0; at < handles.size(); ++at)
    if ((handles[at].flags & codec::kCreated) != 0 && i-- == 0) return resolution.ids[at];
  return ObjectId::null;
}

}  // namespace rondo::model
