// SPDX-License-Identifier: Apache-2.0
// A whole file by its digest: which capture a measurement is of.
#pragma once

#include <string>

#include "format/digest.h"
#include "format/result.h"

namespace rondo {

// Reads all of it, a piece at a time.
Result<Digest> digest_of_file(const std::string& path);

}  // namespace rondo
