// SPDX-License-Identifier: Apache-2.0
// Extensions by name.
#pragma once

#include <string_view>

#include "format/codec/schema.h"

namespace rondo::codec {

const ExtensionInfo* extension_by_name(std::string_view name);  // null if the registry does not know it

}  // namespace rondo::codec
