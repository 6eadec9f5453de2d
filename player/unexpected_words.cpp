// SPDX-License-Identifier: Apache-2.0
#include "player/unexpected_words.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "format/printable.h"
#include "player/console.h"

namespace rondo::player {

namespace {

// How many letters have to be added, removed, replaced or exchanged with their neighbour to make one of the
// other.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        cost[i][j] = i + j;
        continue;
      }
      const std::size_t replaced = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  return cost[a.size()][b.size()];
}

// "; it took 'a.rondo' as FILE": which words it has understood, so that the one too many is found.
std::string taken_words(const CLI::App& app) {
  std::string taken;
  for (const CLI::Option* one : app.get_options())
    if (one->get_positional())
      for (const std::string& word : one->results())
        taken += (taken.empty() ? "; it took '" : ", '") + word + "' as " + one->get_name(true);
  return taken;
}

}  // namespace

std::string closest_text(std::string_view typed, std::span<const std::string> words) {
  constexpr std::size_t kLongest = 64;  // the cost is the product of the lengths
  if (typed.size() > kLongest) return {};
  std::string best;
  std::size_t least = std::max<std::size_t>(typed.size() / 3, 1) + 1;
  for (const std::string& word : words)
    if (const std::size_t letters = distance(typed, word); letters < least) {
      least = letters;
      best = word;
    }
  return best.empty() ? best : "; the closest is " + best;
}

std::string none_of(std::string_view given, std::span<const std::string> words) {
  if (std::find(words.begin(), words.end(), given) != words.end()) return {};
  std::string text = "'" + printable(given) + "' is none of ";
  for (const std::string& word : words) text += (&word == &words.front() ? "" : ", ") + word;
  return text + closest_text(given, words);
}

std::string parse_error_text(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<std::string> left = app.remaining();
  const auto option =
      std::find_if(left.begin(), left.end(), [](const std::string& word) { return word.starts_with("-"); });
  const std::string what = error.what();  // "--mode: At Most 1 required but received 2"
  if (const std::size_t end = what.find(": At Most 1 required");
      dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr && end != std::string::npos)
    return what.substr(0, end) + " is given more than once";
  const bool is_extra = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
  const bool may_follow = is_extra || dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  if (!may_follow || (!is_extra && option == left.end())) return on_one_line(error.what());
  if (option == left.end())
    return "'" + (left.empty() ? std::string() : left.front()) + "' is one word too many for " + app.get_name() +
           taken_words(app);
  std::error_code unknown;
  if (std::filesystem::exists(*option, unknown))
    return *option + " is no option of " + app.get_name() + "; the file of that name is ./" + *option;
  std::vector<std::string> names;
  for (const CLI::Option* known : app.get_options()) {
    if (known->get_group().empty()) continue;  // a hidden one
    for (const std::string& name : known->get_lnames()) names.push_back("--" + name);
  }
  const std::string typed = option->substr(0, option->find('='));
  return typed + " is no option of " + app.get_name() + closest_text(typed, names);
}

CLI::Option* add_choice(CLI::App& app, const std::string& option, std::vector<std::string> choices,
                        const std::string& help, std::string& out) {
  std::string listed;
  for (const std::string& one : choices) listed += (listed.empty() ? "" : "|") + one;
  const auto check = [choices = std::move(choices)](const std::string& given) { return none_of(given, choices); };
  return app.add_option(option, out, help)->type_name(listed)->check(CLI::Validator(check, ""));
}

}  // namespace rondo::player
