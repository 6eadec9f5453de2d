// SPDX-License-Identifier: Apache-2.0
// The files that were loaded into the captured process when it made its first device, as its session names them.
#pragma once

#include <string>
#include <vector>

#include "analyzers/text/json.h"

namespace rondo::analyzers {

struct SessionModule {
  std::string path;      // "(program)" of the executable; redacted captures have none
  std::string file;      // to which a link leads; empty: not told
  std::string role;      // program, loader, layer or driver; empty: another library
  std::string build_id;  // hexadecimal; empty: it has none, or the capture is redacted
};

std::vector<SessionModule> session_modules(const JsonText& session);

// The build-id of the captured executable. Empty: it has none, the capture does not tell, or what it tells is longer
// than any build-id.
std::string program_build(const JsonText& session);

}  // namespace rondo::analyzers
