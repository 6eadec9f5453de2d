// SPDX-License-Identifier: Apache-2.0
#include "analyzers/options/cli.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <set>

#include "analyzers/text/output.h"
#include "analyzers/text/text.h"
#include "format/spans.h"
#include "player/help_table.h"
#include "player/unexpected_words.h"

namespace rondo::analyzers {

Result<Span> parse_span(std::string_view in) {
  const auto bounds = parse_bounds(in);
  if (!bounds || bounds->first >= bounds->last)
    return fail(Status::usage,
                text("'{}' is not a span A:B (from A up to, not with, B, counted from 0, A < B; A alone is A:A+1)",
                     printable(in)));
  return Span{bounds->first, bounds->last};
}

Result<std::vector<std::string>> parse_list(const char* option, const std::string& given,
                                            std::span<const std::string> known) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; !given.empty() && from <= given.size();) {
    const std::size_t to = std::min(given.find(',', from), given.size());
    parts.push_back(given.substr(from, to - from));
    if (const std::string wrong = player::none_of(parts.back(), known); !wrong.empty())
      return fail(Status::usage, text("{}: {}", option, wrong));
    from = to + 1;
  }
  return parts;
}

struct Cli::Impl {
  class UsageLine : public CLI::Formatter {
   public:
    std::string line;
    std::string make_usage(const CLI::App*, std::string) const override { return "Usage: " + line + "\n"; }
  };

  std::shared_ptr<UsageLine> usage = std::make_shared<UsageLine>();
  CLI::App app;
  std::string name;
  std::set<std::string, std::less<>> takes_value;
  std::map<std::string, std::optional<std::string>*, std::less<>> may_take_range;
  std::vector<std::string>* program = nullptr;
  struct Sides {
    std::string first_name, second_name;
    std::vector<std::string> words;  // of both
    std::vector<std::string>*firsts, *seconds;
    std::optional<std::size_t> before_dashes;  // how many of the words stand before `--`
  };
  std::optional<Sides> sides;

  // `option` may have two names: "-o,--output".
  void note_value(std::string_view option) {
    for (std::size_t comma; (comma = option.find(',')) != std::string_view::npos; option.remove_prefix(comma + 1))
      takes_value.emplace(option.substr(0, comma));
    takes_value.emplace(option);
  }

  // Splits off the program to run: everything behind `--`, or from the first
  // word that is neither an option nor an option's value.
  std::vector<std::string> split(std::span<const std::string> args) const {
    std::size_t i = 0;
    for (; i < args.size(); ++i) {
      const std::string& word = args[i];
      if (word == "--" || word.empty() || word[0] != '-') break;
      if (takes_value.contains(word)) i += 1;
    }
    i = std::min(i, args.size());
    const std::size_t begin = i < args.size() && args[i] == "--" ? i + 1 : i;
    program->assign(args.begin() + static_cast<std::ptrdiff_t>(begin), args.end());
    return {args.begin(), args.begin() + static_cast<std::ptrdiff_t>(i)};
  }

  // Takes the `--` between the sides out of `own`, and counts the positionals before it.
  Result<void> take_dashes(std::vector<std::string>& own) {
    std::size_t words = 0;
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (own[i] == "--") {
        sides->before_dashes = words;
        own.erase(own.begin() + static_cast<std::ptrdiff_t>(i));
        if (std::find(own.begin(), own.end(), "--") != own.end())
          return fail(Status::usage, text("there are two --: one stands between the sides (see {} --help)", name));
        return {};
      }
      if (takes_value.contains(own[i]))
        ++i;
      else if (own[i].empty() || own[i][0] != '-')
        ++words;
    }
    return {};
  }

  Result<void> part_sides() {
    const std::size_t all = sides->words.size(), firsts = sides->before_dashes.value_or(1);
    const std::string names =
        text("name {} and {}, or several of each with -- between", sides->first_name, sides->second_name);
    if (firsts == 0 || firsts >= all || (!sides->before_dashes && all > 2))
      return fail(Status::usage, text("{}: {} (see {} --help)", plural(all, "file"), names, name));
    const auto middle = sides->words.begin() + static_cast<std::ptrdiff_t>(firsts);
    sides->firsts->assign(sides->words.begin(), middle);
    sides->seconds->assign(middle, sides->words.end());
    return {};
  }
};

Cli::Cli(std::string name, std::string summary) : impl_(std::make_unique<Impl>()) {
  impl_->name = std::move(name);
  impl_->app.name(impl_->name);
  impl_->app.description(std::move(summary));
  impl_->app.set_help_flag("-h,--help", "Print this and exit");
  impl_->usage->line = impl_->name + " [OPTIONS]";
  impl_->app.formatter(impl_->usage);
}

Cli::~Cli() = default;

void Cli::flag(const char* option, const char* help, bool& out) { impl_->app.add_flag(option, out, help); }

void Cli::flag_or_range(const char* option, const char* help, bool& out, std::optional<std::string>& range) {
  impl_->app.add_flag(option, out, help)->type_name("[A:B]");
  impl_->may_take_range[option] = &range;
}

void Cli::value(const char* option, const char* placeholder, const char* help, std::string& out) {
  impl_->note_value(option);
  impl_->app.add_option(option, out, help)->type_name(placeholder);
}

void Cli::value(const char* option, const char* placeholder, const char* help, std::optional<std::string>& out) {
  impl_->note_value(option);
  impl_->app
      .add_option_function<std::string>(
          option, [&out](const std::string& given) { out = given; }, help)
      ->type_name(placeholder);
}

void Cli::hidden(const char* option, std::string& out) {
  impl_->note_value(option);
  impl_->app.add_option(option, out)->group("");
}

void Cli::values(const char* option, const char* placeholder, const char* help, std::vector<std::string>& out) {
  impl_->note_value(option);
  impl_->app.add_option(option, out, help)->type_name(placeholder)->allow_extra_args(false);
}

void Cli::choice(const char* option, std::vector<std::string> choices, const char* help, std::string& out) {
  impl_->note_value(option);
  player::add_choice(impl_->app, option, std::move(choices), help, out);
}

void Cli::span(const char* option, const char* help, std::optional<Span>& out) {
  impl_->note_value(option);
  const auto take = [&out](const std::string& given) {
    auto parsed = parse_span(given);
    if (!parsed) throw CLI::ValidationError(parsed.error().message);
    out = *parsed;
  };
  impl_->app.add_option_function<std::string>(option, take, help)->type_name("A:B");
}

void Cli::positional(const char* name, const char* help, std::string& out, bool required) {
  auto* option = impl_->app.add_option(name, out, help);
  option->type_name("");
  if (required) option->required();
  impl_->usage->line += required ? text(" {}", name) : text(" [{}]", name);
}

void Cli::positionals(const char* name, const char* help, std::vector<std::string>& out) {
  impl_->app.add_option(name, out, help)->type_name("");
  impl_->usage->line += text(" [{}...]", name);
}

void Cli::program(std::vector<std::string>& out, const char* usage) {
  impl_->program = &out;
  impl_->usage->line += text(" {}", usage);
}

void Cli::sides(const char* first, const char* second, const char* help, std::vector<std::string>& firsts,
                std::vector<std::string>& seconds) {
  impl_->sides = Impl::Sides{first, second, {}, &firsts, &seconds, {}};
  impl_->app.add_option("FILES", impl_->sides->words, help)->type_name("");
  impl_->usage->line += text(" {} {} | {}... -- {}...", first, second, first, second);
}

void Cli::footer(const char* words) { impl_->app.footer(words); }

Result<bool> Cli::parse(std::span<const std::string> args) {
  if (args.size() == 1 && args[0] == player::kHelpTable) {
    Output out;
    out.write(player::help_table(impl_->app, impl_->usage->line));
    RONDO_TRY(out.finish());
    return false;
  }
  std::vector<std::string> own =
      impl_->program != nullptr ? impl_->split(args) : std::vector<std::string>(args.begin(), args.end());
  // A range after an option that may have one is the option's: it is no file. CLI11 knows no such options.
  for (std::size_t i = 0; i + 1 < own.size(); ++i)
    if (const auto option = impl_->may_take_range.find(own[i]);
        option != impl_->may_take_range.end() && parse_bounds(own[i + 1])) {
      *option->second = own[i + 1];
      own.erase(own.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    }
  if (impl_->sides) RONDO_TRY(impl_->take_dashes(own));
  // CLI11 takes the words last first.
  std::vector<std::string> reversed(own.rbegin(), own.rend());
  try {
    impl_->app.parse(std::move(reversed));
  } catch (const CLI::CallForHelp&) {
    Output out;
    out.write(impl_->app.help());
    RONDO_TRY(out.finish());
    return false;
  } catch (const CLI::ParseError& error) {
    const std::string wrong = player::parse_error_text(impl_->app, error);
    return fail(Status::usage, text("{} (see {} --help)", printable(wrong), impl_->name));
  }
  if (impl_->sides) RONDO_TRY(impl_->part_sides());
  return true;
}

}  // namespace rondo::analyzers
