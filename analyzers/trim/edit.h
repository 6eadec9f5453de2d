// SPDX-License-Identifier: Apache-2.0
// Calls that make, bind or end several objects, with only some of them.
#pragma once

#include <functional>

#include "format/codec/decoder.h"
#include "format/native_view.h"

namespace rondo::trim {

// Whether edit() can leave out some of what the call is about.
bool can_edit(CommandId canonical);
// Leaves out what `keeps` does not want, and what the call can do without. `view`: with all of its data, changed where
// it lies.
void edit(CommandId canonical, const NativeView& view, const std::function<bool(ObjectId)>& keeps);

}  // namespace rondo::trim
