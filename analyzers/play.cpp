// SPDX-License-Identifier: Apache-2.0
// rondo play, replay and verify: becomes the program beside this one; rondo capture --replay starts it.
#include <cerrno>
#include <cstring>
#include <unistd.h>
#include <vector>

#include "analyzers/commands.h"
#include "analyzers/file_arguments.h"
#include "analyzers/launch.h"
#include "analyzers/play.h"
#include "analyzers/text.h"
#include "analyzers/tree.h"

namespace rondo::analyzers {

namespace {

Result<int> become_player(std::vector<std::string> options, Arguments args) {
  const auto player = find_player();
  if (!player) return tl::unexpected(player.error());
  std::vector<std::string> words{"player"};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), args.begin(), args.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execv(player->c_str(), argv.data());
  return fail(Status::failed, text("{}: {}", *player, std::strerror(errno)));
}

}  // namespace

Result<int> run_play(Arguments args) { return become_player({}, args); }
Result<int> run_verify(Arguments args) { return become_player({"--verify"}, args); }

Result<int> play_capture(const std::string& path, Replay how) {
  const auto player = find_player();
  if (!player) return tl::unexpected(player.error());
  std::vector<std::string> words{*player};
  if (how == Replay::verified) words.push_back("--verify");
  const std::vector<std::string> allowing = allowing_files_of(path);
  words.insert(words.end(), allowing.begin(), allowing.end());
  words.push_back(path);
  // A replay is not what is captured.
  const EnvironmentChanges quiet{{"RONDO_CAPTURE", std::nullopt}, {"RONDO_SHIM", std::nullopt}};
  const auto ended = launch(words, quiet, STDERR_FILENO);
  if (!ended) return tl::unexpected(ended.error());
  if (ended->exec_error != 0) return fail(Status::failed, text("{}: {}", *player, std::strerror(ended->exec_error)));
  return ended->signal != 0 ? 128 + ended->signal : ended->status;
}

}  // namespace rondo::analyzers
