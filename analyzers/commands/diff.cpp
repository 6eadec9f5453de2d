// SPDX-License-Identifier: Apache-2.0
// rondo diff: what is different in two captures, or in spans of them.
#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>

#include "analyzers/commands/commands.h"
#include "analyzers/options/budgets.h"
#include "analyzers/options/cli.h"
#include "analyzers/read/walk.h"
#include "analyzers/text/dump_rows.h"
#include "analyzers/text/json.h"
#include "analyzers/text/output.h"
#include "analyzers/text/text.h"
#include "format/closing_advice.h"
#include "format/digest.h"
#include "format/spans.h"
#include "generated/args.h"
#include "player/junit.h"

namespace rondo::analyzers {

namespace {

struct Ignored {
  bool handles = false, names = false, times = false;
};

Result<Ignored> parse_ignored(const std::string& words) {
  const std::vector<std::string> known{"handles", "names", "times"};
  const auto parts = parse_list("--ignore", words, known);
  if (!parts) return tl::unexpected(parts.error());
  const auto has = [&](const char* part) { return std::find(parts->begin(), parts->end(), part) != parts->end(); };
  return Ignored{has("handles"), has("names"), has("times")};
}

// --- One side ---

// A file's name, or "FILE@frames=A:B", "…@submits=A:B", "…@scope=NAME[#K]".
struct Side {
  std::string path;
  SpanRequest span;  // whole, where nothing is asked for
};

Result<SpanRequest> parse_span_of(const std::string& words, const std::string& where) {
  for (const auto& [name, kind] :
       {std::pair("frames=", SpanRequest::Kind::frames), {"submits=", SpanRequest::Kind::submits}})
    if (words.starts_with(name)) return parse_range(words.substr(std::string_view(name).size()), kind, where);
  if (words.starts_with("scope=")) return parse_scope(words.substr(6));
  return fail(Status::usage, text("{}: behind @ stands frames=A:B, submits=A:B or scope=NAME", printable(where)));
}

Result<Side> parse_side(const std::string& words, const SpanRequest& both) {
  Side side{words, both};
  const std::size_t at = words.rfind('@');
  if (at == std::string::npos || ::access(words.c_str(), F_OK) == 0) return side;
  auto own = parse_span_of(words.substr(at + 1), words);
  if (!own) return tl::unexpected(own.error());
  return Side{words.substr(0, at), *own};
}

// The calls of a span, one after the other.
class Calls {
 public:
  static Result<Calls> open(const Side& side, const Ignored& ignored) {
    if (side.path.empty()) return fail(Status::unreadable, "FILE is empty: name a capture");
    auto walk = Walk::open(side.path);
    if (!walk) return tl::unexpected(walk.error());
    if (walk->damage()) return tl::unexpected(*walk->damage());
    if (!walk->reader().complete())
      return fail(Status::unreadable,
                  rondo::analyzers::text("{}: is cut ({}): what it lacks would look like a difference{}", side.path,
                                         walk->reader().cut_reason(), closing_advice(walk->reader())));
    Calls calls(std::move(*walk), ignored);
    if (side.span.kind != SpanRequest::Kind::whole) RONDO_TRY(calls.find(side));
    return calls;
  }

  // False at the end of the span.
  Result<bool> next() {
    for (;;) {
      const auto more = walk_.next(step_);
      if (!more) return tl::unexpected(more.error());
      if (!*more || step_.record.sequence > records_.last) return false;
      if (step_.record.sequence < records_.first || !counts()) continue;
      text_.clear();
      RONDO_TRY(append_call(text_, walk_, step_));
      if (ignored_.handles) forget_handles();
      if (ignored_.times) forget("timeout=");
      // Where memory lies in the process: another place each time. Device addresses are the recorder's choice.
      forget("ppData=");
      forget("pHostPointer=");
      ++count_;
      return true;
    }
  }

  // Of the current one.
  const std::string& text() const { return text_; }
  const std::string& command() const { return walk_.name(step_); }
  std::uint64_t sequence() const { return step_.record.sequence; }
  std::uint64_t count() const { return count_; }  // so far
  const std::string& path() { return walk_.reader().path(); }
  Reader& reader() { return walk_.reader(); }

 private:
  Calls(Walk walk, const Ignored& ignored) : walk_(std::move(walk)), ignored_(ignored) {}

  Result<void> find(const Side& side) {
    SpanFinder finder;
    for (;;) {
      const auto more = walk_.next(step_);
      if (!more) return tl::unexpected(more.error());
      if (!*more) break;
      if (step_.command == nullptr || step_.by_layer()) continue;
      finder.take(call_of(walk_, step_));
    }
    finder.finish();
    const auto span = finder.find(side.span, side.path);
    if (!span) return tl::unexpected(span.error());
    records_ = span->records;
    return walk_.rewind();
  }

  // What the recorder asked and said for itself is not the program's.
  bool counts() const {
    if (step_.by_layer() || command() == "rondoNote") return false;
    if (step_.command != nullptr && says_who_calls(step_.command->id)) return false;
    if (!ignored_.names) return true;
    const std::string_view name = command();
    for (const std::string_view part :
         {"DebugUtilsLabel", "vkCmdDebugMarker", "rondoScope", "SetDebugUtilsObject", "vkDebugMarkerSetObject"})
      if (name.find(part) != std::string_view::npos) return false;
    return true;
  }

  // "VkBuffer#12" becomes "VkBuffer".
  void forget_handles() {
    std::string out;
    for (std::size_t i = 0; i < text_.size(); ++i) {
      const bool of_object =
          (text_[i] == '#' || text_[i] == '@') && i > 0 && std::isalnum(static_cast<unsigned char>(text_[i - 1])) != 0;
      if (!of_object) {
        out += text_[i];
        continue;
      }
      while (i + 1 < text_.size() && std::isalnum(static_cast<unsigned char>(text_[i + 1])) != 0) ++i;
    }
    text_ = std::move(out);
  }

  // The values of all members `name` ("timeout=").
  void forget(std::string_view name) {
    for (std::size_t at = text_.find(name); at != std::string::npos; at = text_.find(name, at + 1)) {
      const std::size_t from = at + name.size();
      text_.erase(from, std::min(text_.find_first_of(",)}", from), text_.size()) - from);
    }
  }

  Walk walk_;
  Ignored ignored_;
  RecordRange records_{0, ~std::uint64_t{0}};
  Step step_;
  std::string text_;
  std::uint64_t count_ = 0;
};

// --- Both ---

struct CommandRow {
  std::uint64_t a = 0, b = 0;            // calls
  std::uint64_t only_a = 0, only_b = 0;  // that have none like them on the other side
};

struct First {
  std::uint64_t index = 0;            // in both spans
  std::optional<std::uint64_t> a, b;  // sequence numbers; none: that side ends
  std::string text_a, text_b;
};

struct Difference {
  std::uint64_t calls_a = 0, calls_b = 0;
  std::optional<First> first;
  std::map<std::string, CommandRow> commands;
};

// Calls by what they say, as long as the other side has fewer of them.
class Unmatched {
 public:
  void take(const std::string& command, const std::string& text, int side) {
    const Digest digest = digest_of(std::as_bytes(std::span(text)));
    const auto [at, fresh] = all_.try_emplace(digest, One{command, 0});
    at->second.balance += side;
    if (at->second.balance == 0) all_.erase(at);
  }
  void count(std::map<std::string, CommandRow>& rows) const {
    for (const auto& [digest, one] : all_)
      (one.balance > 0 ? rows[one.command].only_a : rows[one.command].only_b) +=
          static_cast<std::uint64_t>(std::abs(one.balance));
  }

 private:
  struct One {
    std::string command;
    std::int64_t balance;
  };
  std::unordered_map<Digest, One> all_;
};

Result<Difference> compare(Calls& a, Calls& b) {
  Difference found;
  Unmatched unmatched;
  for (std::uint64_t index = 0;; ++index) {
    const auto more_a = a.next(), more_b = b.next();
    if (!more_a) return tl::unexpected(more_a.error());
    if (!more_b) return tl::unexpected(more_b.error());
    if (!*more_a && !*more_b) break;
    if (*more_a) found.commands[a.command()].a += 1, unmatched.take(a.command(), a.text(), 1);
    if (*more_b) found.commands[b.command()].b += 1, unmatched.take(b.command(), b.text(), -1);
    if (found.first || (*more_a && *more_b && a.text() == b.text())) continue;
    First first{index, {}, {}, {}, {}};
    if (*more_a) first.a = a.sequence(), first.text_a = a.text();
    if (*more_b) first.b = b.sequence(), first.text_b = b.text();
    found.first = std::move(first);
  }
  found.calls_a = a.count();
  found.calls_b = b.count();
  unmatched.count(found.commands);
  return found;
}

std::size_t first_difference(const std::string& words, const std::string& other) {
  return static_cast<std::size_t>(std::mismatch(words.begin(), words.end(), other.begin(), other.end()).first -
                                  words.begin());
}

// The member whose value is another: the last name in front of the first byte that differs. Empty: the calls are of
// different commands, or one is missing.
std::string parameter_of(const First& first) {
  if (!first.a || !first.b) return {};
  const std::size_t at = first_difference(first.text_a, first.text_b);
  if (at <= first.text_a.find('(')) return {};
  if (const std::size_t end = first.text_a.rfind(") = "); end != std::string::npos && at > end) return "result";
  const std::size_t equals = first.text_a.rfind('=', at == 0 ? 0 : at - 1);
  if (equals == std::string::npos) return {};
  std::size_t from = equals;
  while (from > 0 &&
         (std::isalnum(static_cast<unsigned char>(first.text_a[from - 1])) != 0 || first.text_a[from - 1] == '_'))
    --from;
  return first.text_a.substr(from, equals - from);
}

// Around the first byte that differs: parameters may be long.
std::string around(const std::string& words, const std::string& other) {
  constexpr std::size_t kBefore = 160, kAfter = 160;
  const std::size_t at = first_difference(words, other);
  const std::size_t from = at > kBefore ? at - kBefore : 0, to = std::min(words.size(), at + kAfter);
  // Its command stands in front of it all the same.
  const std::string head = from == 0 ? "" : words.substr(0, words.find('(') + 1) + "… ";
  return head + words.substr(from, to - from) + (to < words.size() ? " …" : "");
}

void append_text(std::string& out, const Difference& found, Calls& a, Calls& b) {
  if (!found.first) {
    append(out, "the same: {}\n", plural(found.calls_a, "call"));
    return;
  }
  const First& first = *found.first;
  const std::string parameter = parameter_of(first);
  append(out, "the first difference is call {} of {} and {}{}\n", count_text(first.index), count_text(found.calls_a),
         count_text(found.calls_b), parameter.empty() ? "" : ", in " + parameter);
  const auto side = [&](Calls& calls, const std::optional<std::uint64_t>& sequence, const std::string& own,
                        const std::string& other) {
    append(out, "{}: ", printable(calls.path()));
    if (sequence)
      append(out, "{} {}\n", *sequence, around(own, other));
    else
      out += "ends there\n";
  };
  side(a, first.a, first.text_a, first.text_b);
  side(b, first.b, first.text_b, first.text_a);
  append(out, "\n{:>10} {:>10} {:>10} {:>10} command\n", "in A", "in B", "only in A", "only in B");
  for (const auto& [command, row] : found.commands)
    if (row.only_a != 0 || row.only_b != 0)
      append(out, "{:>10} {:>10} {:>10} {:>10} {}\n", row.a, row.b, row.only_a, row.only_b, printable(command));
  if (std::all_of(found.commands.begin(), found.commands.end(),
                  [](const auto& one) { return one.second.only_a == 0 && one.second.only_b == 0; }))
    out += "the same calls, in another order\n";
}

constexpr const char* kDiffSuite = "rondo diff";
constexpr const char* kDiffTest = "the same calls";

std::string as_junit(const Difference& found, Calls& a, Calls& b) {
  std::string words;
  append_text(words, found, a, b);
  player::Verdict verdict{kDiffTest, player::Verdict::Kind::passed, {}, 0};
  if (found.first) {
    verdict.kind = player::Verdict::Kind::failed;
    verdict.message = words.substr(0, words.find("\n\n"));  // without the table
    std::replace(verdict.message.begin(), verdict.message.end(), '\n', ' ');
  }
  return player::as_junit(kDiffSuite, text("{} and {}", a.path(), b.path()), {verdict});
}

void append_json(std::string& out, const Difference& found) {
  JsonWriter json(out, /*indented=*/true);
  json.begin_object();
  json.field("same", !found.first);
  json.field("calls_a", found.calls_a);
  json.field("calls_b", found.calls_b);
  json.key("first");
  if (!found.first) {
    json.null();
  } else {
    json.begin_object();
    json.field("index", found.first->index);
    if (const std::string parameter = parameter_of(*found.first); !parameter.empty())
      json.field("parameter", parameter);
    for (const auto& [name, sequence, call] :
         {std::tuple("a", found.first->a, found.first->text_a), {"b", found.first->b, found.first->text_b}}) {
      json.key(name);
      if (!sequence) {
        json.null();
        continue;
      }
      json.begin_object();
      json.field("sequence", *sequence);
      json.field("call", call);
      json.end_object();
    }
    json.end_object();
  }
  json.key("commands");
  json.begin_object();
  for (const auto& [command, row] : found.commands) {
    json.key(command);
    json.begin_object();
    json.field("a", row.a);
    json.field("b", row.b);
    json.field("only_a", row.only_a);
    json.field("only_b", row.only_b);
    json.end_object();
  }
  json.end_object();
  json.end_object();
  out += '\n';
}

// What `format` says of the comparison, and whether there is a difference.
struct Told {
  std::string words;
  bool different = false;
};

Result<Told> tell(const std::string& file_a, const std::string& file_b, const SpanRequest& both, const Ignored& ignored,
                  std::string_view format) {
  std::vector<Calls> sides;
  for (const std::string& words : {file_a, file_b}) {
    const auto side = parse_side(words, both);
    if (!side) return tl::unexpected(side.error());
    auto calls = Calls::open(*side, ignored);
    if (!calls) return tl::unexpected(calls.error());
    sides.push_back(std::move(*calls));
  }
  const auto found = compare(sides[0], sides[1]);
  if (!found) return tl::unexpected(found.error());
  // Contents are compared by their digests: whether they are there is another question.
  for (Calls& side : sides)
    if (const auto damaged = side.reader().damaged_chunks(); !damaged.empty())
      return fail(Status::unreadable,
                  text("{}: damaged in {}: the first is {}", side.path(), plural(damaged.size(), "place"), damaged[0]));
  Told told;
  told.different = found->first.has_value();
  if (format == "json")
    append_json(told.words, *found);
  else if (format == "junit")
    told.words = as_junit(*found, sides[0], sides[1]);
  else
    append_text(told.words, *found, sides[0], sides[1]);
  return told;
}

}  // namespace

Result<int> run_diff(Arguments args) {
  std::string file_a, file_b, ignore, format = "text";
  std::optional<std::string> frames, submits, scope;
  Cli cli(
      "rondo diff",
      "Compares two captures, or spans of them, call by call: the first difference in calls, parameters, results or\n"
      "contents, and a summary by command. Status 0 the same, 5 different. Needs no device.");
  cli.positional("A", "a capture; A@frames=10:20, A@submits=… or A@scope=… for a span of its own", file_a);
  cli.positional("B", "the other one, likewise", file_b);
  cli.value("--frames", "A:B", "frames A to B - 1 of both", frames);
  cli.value("--submits", "A:B", "submits A to B - 1 of both", submits);
  cli.value("--scope", "NAME[#K]", "a scope of both", scope);
  cli.value("--ignore", "WORDS", "handles (numbers of objects), names (debug names, labels, scopes), times (timeouts)",
            ignore);
  cli.choice("--format", {"text", "json", "junit"}, "of what is said (default text); junit: XML for CI", format);
  Budgets budgets;
  budgets.add_to(cli);
  const auto parsed = cli.parse(args);
  if (!parsed) return tl::unexpected(parsed.error());
  if (!*parsed) return 0;

  SpanRequest both;
  if (frames.has_value() + submits.has_value() + scope.has_value() > 1)
    return fail(Status::usage, "--frames, --submits and --scope exclude each other (see rondo diff --help)");
  for (const auto& [words, prefix, option] :
       {std::tuple(frames, "frames=", "--frames"), {submits, "submits=", "--submits"}, {scope, "scope=", "--scope"}}) {
    if (!words) continue;
    auto asked = parse_span_of(prefix + *words, option);
    if (!asked) return tl::unexpected(asked.error());
    both = *asked;
  }
  const auto ignored = parse_ignored(ignore);
  if (!ignored) return tl::unexpected(ignored.error());
  RONDO_TRY(budgets.start(file_a));
  const auto told = tell(file_a, file_b, both, *ignored, format);
  Output out;
  if (told)
    out.write(told->words);
  else if (format == "junit")
    out.write(player::as_junit(kDiffSuite, text("{} and {}", file_a, file_b), kDiffTest, told.error()));
  const Result<void> written = out.finish();
  if (!told) return tl::unexpected(told.error());
  if (!written) return tl::unexpected(written.error());
  return told->different ? static_cast<int>(Status::different) : 0;
}

}  // namespace rondo::analyzers
