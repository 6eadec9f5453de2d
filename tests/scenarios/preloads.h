// SPDX-License-Identifier: Apache-2.0
// Programs under the preload shim.
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "fixture.h"
#include "json.h"
#include "replays.h"

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

// As the program prints it without Rondo, and its capture verifies.
inline void is_captured(const Words& words, const std::string& driver = lavapipe, int submits = 2) {
  const TemporaryDirectory directory;
  Command alone;
  alone.arguments = words;
  use_driver(alone.environment, driver);
  const Outcome native = run(alone);
  INFO(native.both());
  REQUIRE(native.status == 0);
  const std::string path = directory.file("c.rondo");
  const Outcome outcome = run(shimmed(words, path, driver));
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  CHECK(outcome.out == native.out);
  CHECK(outcome.err == native.err);
  CHECK(files_in(directory.path()).size() == 1);
  const Outcome info = rondo({"info", "--json", path});
  REQUIRE(info.status == 0);
  CHECK(Json::parse(info.out).at("/submits") == std::to_string(submits));
  CHECK(Json::parse(info.out).at("/complete") == "true");
  // What stood between the program and the device.
  const std::string said = rondo({"info", path}).out;
  CHECK(said.find("\nbuild       (program), build-id ") != std::string::npos);
  // Objects of another namespace are not seen from the layer's.
  if (std::find(words.begin(), words.end(), "namespace") == words.end())
    CHECK(said.find("\ndriver      ") != std::string::npos);
  const Outcome verified = player({"--verify", path}, driver);
  INFO(verified.both());
  CHECK(verified.status == 0);
  CHECK(compared(verified, "memory ranges").equal > 0);
  if (driver == fake) return;
  const Outcome validated = player({"--validate", path}, driver);
  INFO(validated.both());
  CHECK(validated.status == 0);
}

}  // namespace scenario
