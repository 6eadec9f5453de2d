// SPDX-License-Identifier: Apache-2.0
#include "player/verify/nothing_to_compare.h"

#include <nlohmann/json.hpp>

#include "format/printable.h"

namespace rondo::player {

CapturedWith captured_with(const std::vector<std::string>& sessions) {
  CapturedWith with;
  for (const std::string& text : sessions) {
    const auto session = nlohmann::json::parse(text, nullptr, false);
    if (!session.is_object()) continue;
    with.cut = with.cut || session.contains("cut");
    const auto capture = session.find("capture");
    if (capture == session.end() || !capture->is_object()) continue;
    if (const auto level = capture->find("checkpoints"); level != capture->end() && level->is_string())
      with.checkpoints = level->get<std::string>();
  }
  return with;
}

std::string nothing_to_compare(const CapturedWith& with, std::uint64_t submits) {
  const std::string asked = " (--checkpoints " + printable(with.checkpoints) + ")";
  if (with.cut)
    return "no checkpoint of its source lies in what was cut out" + asked +
           ": presented images are compared where they are presented, so cut out whole frames (rondo trim --frames), "
           "or draws, which "
           "bring contents of their own (--draws)";
  if (submits == 0) return "it submitted nothing";
  if (with.checkpoints == "submit") return "no submit of it wrote anything" + asked;
  // Whether it reads anything back is not known: read-backs may be as empty as presents.
  return (with.checkpoints == "present" ? "it presented no image"
                                        : "it presented no image and waited for nothing that it could read") +
         asked + ": --checkpoints submit compares what each submit wrote";
}

}  // namespace rondo::player
