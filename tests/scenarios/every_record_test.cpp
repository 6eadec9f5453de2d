// SPDX-License-Identifier: Apache-2.0
// Every record of captures on the fake driver, dropped, exchanged with the next,
// each of its scalars changed, each of its handles another one: a verification
// finds it, or it belongs to a class that docs/mutations.md lists. And what was
// found before is found: found.txt and found_long.txt have a line for it.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <map>
#include <set>

#include "fixture.h"
#include "not_found.h"
#include "skip.h"

using namespace scenario;

namespace {

std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> out(1);
  for (const char c : line)
    if (c == '\t')
      out.emplace_back();
    else
      out.back() += c;
  return out;
}

struct Findings {
  std::map<std::string, int> unseen;  // by class
  // By kind: "drop vkCmdDraw", "corrupt vkCmdDraw args_vkCmdDraw.vertexCount". True: by a comparison.
  std::map<std::string, bool> found;
  std::set<std::string> timed_out;  // a busy machine has those, too
  std::string wrong;                // what belongs to no class, or ended badly
};

const NotFound* class_of(const Unseen& unseen, bool harmless) {
  for (const NotFound& c : not_found())
    for (const Pattern& pattern : c.patterns)
      if (c.harmless == harmless && pattern.matches(unseen)) return &c;
  return nullptr;
}

void damage_every_record(const std::string& name, Findings& findings) {
  const Recording& capture = captured(without_checks({program(name)}),
                                      {.checkpoints = name == "headless" ? "present" : "readback", .driver = fake});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  Command command;
  command.arguments = {build_root() + "/tests/scenarios/every-record", capture.path};
  command.timeout_s = 600;
  const Outcome outcome = run(command);
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  bool ended = false;
  for (const std::string& line : lines(outcome.out)) {
    const std::vector<std::string> f = fields(line);
    ended = ended || f[0] == "end";
    if (f[0] == "end") continue;
    REQUIRE(f.size() == 6);
    const std::string kind = f[1] + ' ' + f[3] + (f[4].empty() ? "" : ' ' + f[4]);
    if (f[0] == "differs" || f[0] == "refused" || f[0] == "failed") {
      if (const NotFound* c = class_of({name, f[1], f[3], f[4]}, false); c != nullptr && c->races) continue;
      findings.found[kind] |= f[0] == "differs";
      continue;
    }
    if (f[0] == "timeout") {
      findings.timed_out.insert(kind);
      continue;
    }
    const bool harmless = f[0] == "harmless";
    const NotFound* known = harmless || f[0] == "unseen" ? class_of({name, f[1], f[3], f[4]}, harmless) : nullptr;
    if (known != nullptr)
      ++findings.unseen[known->name];
    else
      findings.wrong += name + ": " + line + "\n";
  }
  CHECK(ended);
}

// What was found once is to be found always. RONDO_WRITE_FOUND=1 writes the list anew.
void was_found_before(const std::string& list, const Findings& findings) {
  const std::string path = RONDO_SCENARIOS "/" + list;
  if (std::getenv("RONDO_WRITE_FOUND") != nullptr) {
    std::string text;
    for (const auto& [kind, compared] : findings.found) text += kind + (compared ? ": differs\n" : ": refused\n");
    write_file(path, text);
  }
  std::string lost;
  const std::vector<std::string> before = lines(read_file(path));
  CHECK(before.size() > 500);
  for (const std::string& line : before) {
    const std::size_t colon = line.find(": ");
    REQUIRE(colon != std::string::npos);
    const std::string kind = line.substr(0, colon);
    const auto now = findings.found.find(kind);
    const bool found = now != findings.found.end() && (now->second || line.substr(colon) == ": refused");
    if (!found && findings.timed_out.count(kind) == 0) lost += line + "\n";
  }
  CHECK(lost == "");
}

// The rows of the table under "Not found".
std::vector<std::string> documented() {
  std::vector<std::string> rows;
  bool here = false;
  for (const std::string& line : lines(read_file(RONDO_DOCS "/mutations.md"))) {
    here = here || line.rfind("Not found", 0) == 0;
    if (!here || line.rfind("| ", 0) != 0 || line.rfind("| class", 0) == 0 || line.rfind("| ---", 0) == 0) continue;
    rows.push_back(line.substr(2, line.find(" |", 2) - 2));
  }
  return rows;
}

}  // namespace

SCENARIO("whatever is damaged in any record is found or listed", "[mutation]") {
#ifdef __SANITIZE_THREAD__
  SKIP_SCENARIO(
      "a process for each of thousands of damages takes hours under TSan; "
      "the threads of a replay are those of the other scenarios");
#endif
  if (!no_readback(fake).empty()) SKIP_SCENARIO(no_readback(fake));
  Findings findings;
  for (const char* name : {"triangle", "templates", "secondary", "rendering", "feedback", "geometry", "indirect",
                           "inline_uniforms", "libraries", "queries", "samplers", "conditional", "constants",
                           "multisample", "labels", "rewrite", "command_buffers", "indexing", "headless"})
    damage_every_record(name, findings);
  CHECK(findings.wrong == "");
  std::vector<std::string> classes;
  for (const NotFound& c : not_found()) {
    classes.push_back(c.name);
    INFO(c.name << ": nothing of this class is unseen any more: take it from the list");
    CHECK(findings.unseen[c.name] > 0);
  }
  CHECK(classes == documented());
  was_found_before("found.txt", findings);
}

SCENARIO("whatever is damaged in any record of longer captures is found or listed", "[long]") {
  if (!no_readback(fake).empty()) SKIP_SCENARIO(no_readback(fake));
  // Not `passes`: the fake driver does not model depth-stencil resolves.
  Findings findings;
  for (const char* name :
       {"arithmetic", "dynamic", "dynamic3", "events", "flag", "groups", "images", "mappings", "memory", "memory_types",
        "meshes", "planes", "queues", "shared_memory", "submits", "three_queues", "timeline"})
    damage_every_record(name, findings);
  CHECK(findings.wrong == "");
  was_found_before("found_long.txt", findings);
}
