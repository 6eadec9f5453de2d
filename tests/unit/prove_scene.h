// SPDX-License-Identifier: Apache-2.0
// A capture written by hand, and what edited ones of it are.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzers/prove/prove.h"
#include "analyzers/prove/tries.h"
#include "tests/unit/sync_scene.h"

namespace rondo::test {

struct ProveScene : SyncScene {
  TemporaryFile edited;

  // "race", "superfluous vkCmdPipelineBarrier2", ...: of a file.
  static std::vector<std::string> found_in(const std::string& path) {
    const auto analysis = analyzers::SyncAnalysis::of(path);
    if (!analysis) return {analysis.error().message};
    std::vector<std::string> all;
    for (const analyzers::SyncFinding& one : analysis->findings().all) {
      if (one.rule == analyzers::SyncRule::race)
        all.push_back("race " + analyzers::kinds_text(one.race.hazards));
      else if (one.rule == analyzers::SyncRule::superfluous || one.rule == analyzers::SyncRule::too_wide)
        all.push_back(std::string(word_of(one.rule)) + " " + codec::info(analysis->sync(one.sync).command).name);
    }
    return all;
  }
  // The barriers of a race that was reordered are too wide, as they have to be.
  static std::vector<std::string> races_in(const std::string& path) {
    std::vector<std::string> all = found_in(path);
    std::erase_if(all, [](const std::string& one) { return one.rfind("race", 0) != 0; });
    return all;
  }
  static ObjectId object_in(const std::string& path, const std::string& name) {
    auto walk = analyzers::Walk::open(path);
    analyzers::Step step;
    while (walk && walk->next(step).value_or(false)) {
    }
    if (!walk) return ObjectId::null;
    for (const ObjectId id : all_ids(walk->objects().objects().size()))
      if (walk->objects().name(id) == name) return id;
    return ObjectId::null;
  }
  // The commands of command buffers, and submits and waits, in the order of their records: "vkCmdFillBuffer".
  static std::vector<std::string> commands_of(const std::string& path) {
    std::vector<std::string> all;
    auto walk = analyzers::Walk::open(path);
    if (!walk) return {walk.error().message};
    analyzers::Step step;
    for (;;) {
      const auto more = walk->next(step);
      if (!more) return {more.error().message};
      if (!*more) return all;
      const std::string name = walk->name(step);
      if (name.rfind("vkCmd", 0) == 0 || name.find("Submit") != std::string::npos ||
          name.find("Wait") != std::string::npos || name == "rondoHostWrite")
        all.push_back(name);
    }
  }
  // Empty: it was written.
  std::string write(const prove::Edits& edits) {
    const auto done = prove::write_edited({file.path(), edited.path(), {}}, edits);
    return done ? "" : done.error().message;
  }
  std::vector<std::string> found() const { return found_in(edited.path()); }
  std::vector<std::string> commands_there() const { return commands_of(edited.path()); }
};

}  // namespace rondo::test
