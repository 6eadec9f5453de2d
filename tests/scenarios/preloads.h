// SPDX-License-Identifier: Apache-2.0
// Programs under the preload shim.
#pragma once

#include <string>

#include "fixture.h"

namespace scenario {

inline const std::string kNotSanitized =
    "a sanitizer's runtime has to be the first library of a process, and is in no namespace, bound deeply or taken "
    "away";

inline std::string loaderless(const std::string& name) { return build_root() + "/tests/programs/loaderless/" + name; }

// LD_PRELOAD with the shim, behind the runtime that a sanitized layer needs.
inline std::string with_shim() {
  const std::string shim = build_root() + "/layer/librondo_preload.so";
#ifdef RONDO_SANITIZER_RUNTIME
  return RONDO_SANITIZER_RUNTIME ":" + shim;
#else
  return shim;
#endif
}

// The shim alone: RONDO_SHIM in place of RONDO_CAPTURE, which enables the layer.
inline Command shimmed(const Words& words, const std::string& output, const std::string& driver = lavapipe) {
  Command command;
  command.arguments = words;
  use_driver(command.environment, driver);
  command.environment["LD_PRELOAD"] = with_shim();
  command.environment["RONDO_SHIM"] = "1";
  command.environment["RONDO_OUTPUT"] = output;
  command.environment["RONDO_CHECKPOINTS"] = "readback";
  return command;
}

}  // namespace scenario
