// SPDX-License-Identifier: Apache-2.0
// The programs of tests/programs/chapters, each of which shows what one chapter of
// the specification has: on every driver that can run it.
#pragma once

#include <string>
#include <vector>

namespace scenario {

struct Chapter {
  std::string name;
  // Drivers on which it is not run though it could, each with the reason:
  // "DRIVER: why".
  std::vector<std::string> without = {};
  std::string fake_settings = {};  // of the fake driver
  // Why the validation layer here cannot judge it; empty: it can.
  std::string not_validated_because = {};
  // Why it cannot judge the program, though it can its replay.
  std::string alone_not_validated_because = {};
  // Why some of what its submits write cannot be compared; empty: all of it is.
  std::string not_compared_because = {};
  // Why its submits write nothing that is compared; empty: they do.
  std::string no_contents_because = {};
  // As Expectations have it.
  std::string frees_nothing_because = {};
  // By the names of Vulkan 1.4's core, without the extensions that they come from; such a program
  // has another scenario without that.
  bool by_core_of_1_4 = false;
};

std::vector<std::string>& listed_chapters();  // the names of all that have a scenario

// A scenario's sections: on each driver that runs it, captured it prints what it prints alone, and
// its replay verifies. Where it runs first, its memory is the same under the oracle, and the
// validation layer has nothing to say of it or of its replay. It must run somewhere.
void replays_everywhere(const Chapter& chapter);

inline const std::string kNewer = "the validation layer here does not know its extensions";

}  // namespace scenario

// CHAPTER("[tag]", "what it shows", .name = "…", more of Chapter)
#define CHAPTER_JOINED(a, b) a##b
#define CHAPTER_NAMED(a, b) CHAPTER_JOINED(a, b)
#define CHAPTER(tag, shows, ...)                                                        \
  [[maybe_unused]] static const bool CHAPTER_NAMED(listed, __COUNTER__) = [] {          \
    const ::scenario::Chapter chapter{__VA_ARGS__};                                     \
    if (!chapter.by_core_of_1_4) ::scenario::listed_chapters().push_back(chapter.name); \
    return true;                                                                        \
  }();                                                                                  \
  SCENARIO(shows, "[chapters]" tag) { ::scenario::replays_everywhere(::scenario::Chapter{__VA_ARGS__}); }
