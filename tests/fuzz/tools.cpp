// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/tools.h"

namespace rondo::fuzz {
namespace {

using Words = std::vector<std::string>;

Words player(const ToolPlace& p, const Words& options) {
  Words words{p.build + "/player/player", "--timeout", p.seconds};
  words.insert(words.end(), options.begin(), options.end());
  words.push_back(p.mutant);
  return words;
}

Words rondo(const ToolPlace& p, const Words& words) {
  Words all{p.build + "/analyzers/rondo"};
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

}  // namespace

const std::vector<Tool>& tools() {
  using P = ToolPlace;
  static const std::vector<Tool> all = {
      {"player", true, [](const P& p) { return player(p, {}); }},
      {"loop", true,
       [](const P& p) {
         return player(p, {"--loop", "3"});
       }},
      {"verify", true, [](const P& p) { return player(p, {"--verify"}); }},
      {"trim", true,
       [](const P& p) {
         return rondo(p,
                      {"trim", "--timeout", p.seconds, "--submits", "0:1", p.mutant, "-o", p.directory + "/trimmed"});
       }},
      {"extract", true,
       [](const P& p) {
         return rondo(p, {"extract", "--timeout", p.seconds, "--images", "--buffers", p.mutant, "-o",
                          p.directory + "/extracted"});
       }},
      {"extract-shaders", false,
       [](const P& p) {
         return rondo(p, {"extract", "--shaders", p.mutant, "-o", p.directory + "/extracted"});
       }},
      {"pack", false,
       [](const P& p) {
         return rondo(p, {"pack", p.mutant, "-o", p.directory + "/packed"});
       }},
      {"recompress", false,
       [](const P& p) {
         return rondo(p, {"recompress", "--codec", "lz4", p.mutant, "-o", p.directory + "/recompressed"});
       }},
      {"diff", false,
       [](const P& p) {
         return rondo(p, {"diff", p.original, p.mutant});
       }},
      {"info", false,
       [](const P& p) {
         return rondo(p, {"info", "--submits", "--frames", "--scopes", "--shaders", "--times", p.mutant});
       }},
      {"info-json", false,
       [](const P& p) {
         return rondo(p, {"info", "--json", p.mutant});
       }},
      {"dump", false,
       [](const P& p) {
         return rondo(p, {"dump", p.mutant});
       }},
      {"dump-jsonl", false,
       [](const P& p) {
         return rondo(p, {"dump", "--format=jsonl", p.mutant});
       }},
      {"accesses", false,
       [](const P& p) {
         return rondo(p, {"accesses", p.mutant});
       }},
      {"finish", false,
       [](const P& p) {
         return rondo(p, {"finish", p.mutant});
       }},
  };
  return all;
}

}  // namespace rondo::fuzz
