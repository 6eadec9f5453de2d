// SPDX-License-Identifier: Apache-2.0
// rondo play, replay and verify: becomes the program beside this one; rondo capture --replay starts it.
#include "analyzers/commands/play.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "analyzers/commands/commands.h"
#include "analyzers/launch/launch.h"
#include "analyzers/launch/tree.h"
#include "analyzers/options/file_arguments.h"
#include "analyzers/text/text.h"

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

Result<Ended> run_player(const std::vector<std::string>& words, EnvironmentChanges environment, int output) {
  const auto player = find_player();
  if (!player) return tl::unexpected(player.error());
  std::vector<std::string> all{*player};
  all.insert(all.end(), words.begin(), words.end());
  // A replay is not what is captured.
  for (const char* capturing : {"RONDO_CAPTURE", "RONDO_SHIM"}) environment[capturing] = std::nullopt;
  auto ended = launch(all, environment, output, output);
  if (ended && ended->exec_error != 0)
    return fail(Status::failed, text("{}: {}", *player, std::strerror(ended->exec_error)));
  return ended;
}

Result<int> play_capture(const std::string& path, Replay how) {
  std::vector<std::string> words;
  if (how == Replay::verified) words.push_back("--verify");
  const std::vector<std::string> allowing = allowing_files_of(path);
  words.insert(words.end(), allowing.begin(), allowing.end());
  words.push_back(path);
  const auto ended = run_player(words);
  if (!ended) return tl::unexpected(ended.error());
  return ended->signal != 0 ? 128 + ended->signal : ended->status;
}

}  // namespace rondo::analyzers
