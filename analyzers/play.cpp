// SPDX-License-Identifier: Apache-2.0
// rondo play = player: becomes the program beside this one.
#include <cerrno>
#include <cstring>
#include <unistd.h>
#include <vector>

#include "analyzers/commands.h"
#include "analyzers/text.h"
#include "analyzers/tree.h"

namespace rondo::analyzers {

Result<int> run_play(Arguments args) {
  const auto player = find_player();
  if (!player) return tl::unexpected(player.error());
  std::vector<std::string> words{"player"};
  words.insert(words.end(), args.begin(), args.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execv(player->c_str(), argv.data());
  return fail(Status::failed, text("{}: {}", *player, std::strerror(errno)));
}

}  // namespace rondo::analyzers
