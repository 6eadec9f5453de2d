// SPDX-License-Identifier: Apache-2.0
// The work graph of real programs.
#include <catch2/catch.hpp>
#include <set>

#include "fixture.h"
#include "json.h"
#include "profiles.h"
#include "skip.h"

using namespace scenario;

namespace {

const Recording& graphed(const std::string& name) { return captured(without_checks({program(name)})); }

std::uint64_t number(const Json& row, const std::string& pointer) { return std::stoull(row.at(pointer)); }

// The lines after the first one that has `item`, up to the next item.
std::string needs_of(const std::string& text, const std::string& item) {
  const std::size_t at = text.find(item);
  if (at == std::string::npos) return "no " + item + " in\n" + text;
  std::string all;
  for (std::size_t line = text.find('\n', at) + 1; text.compare(line, 4, "    ") == 0;) {
    const std::size_t end = text.find('\n', line) + 1;
    all += text.substr(line, end - line);
    line = end;
  }
  return all;
}

}  // namespace

SCENARIO("every item needs earlier items only, and has its place among the executed commands", "[graph]") {
  for (const char* name : {"compute", "triangle", "passes", "indirect", "secondary", "timeline", "events", "planes",
                           "queries", "rendering", "images", "conditional", "descriptor_buffers"}) {
    if (const std::string why = cannot_run({program(name)}, lavapipe); !why.empty()) continue;
    const Recording& capture = graphed(name);
    REQUIRE(capture.run.status == 0);
    const std::vector<Json> rows = graph_of(capture.path);
    REQUIRE(rows.size() > 3);
    std::uint64_t items = 0, needs = 0;
    for (std::size_t i = 1; i + 1 < rows.size(); ++i) {
      INFO(name << ": " << rows[i].at("/name"));
      CHECK(number(rows[i], "/item") == items);
      for (std::size_t k = 0; k < rows[i].size("/needs"); ++k) {
        const std::string need = "/needs/" + std::to_string(k);
        needs += 1;
        CHECK(number(rows[i], need + "/item") < items);
        CHECK(rows[i].size(need + "/kinds") > 0);
      }
      items += 1;
    }
    CHECK(number(rows.back(), "/items") == items);
    CHECK(number(rows.back(), "/needs") == needs);
    CHECK(needs > 0);
  }
}

SCENARIO("a dispatch needs the host write before it, and the write the dispatch before it", "[graph]") {
  const Recording& capture = graphed("compute");
  const std::string text = rondo({"graph", capture.path}).out;
  const std::string second = needs_of(text, "@1 vkCmdDispatch");
  INFO(text);
  CHECK(second.find("@0: RAW WAW VkBuffer#1 0:16384\n") != std::string::npos);
  CHECK(second.find(": RAW VkBuffer#0 ") != std::string::npos);
  // What the first dispatch read is written again after it.
  CHECK(text.find("@0: WAR VkBuffer#0 ") != std::string::npos);
}

SCENARIO("who touches a resource is told with its versions", "[graph]") {
  const Recording& capture = graphed("compute");
  const std::string text = rondo({"who", capture.path, "VkBuffer#1"}).out;
  INFO(text);
  CHECK(text.find("    writes version 1: 0:16384\n") != std::string::npos);
  CHECK(text.find("VkBuffer#1: ") != std::string::npos);
  for (const Words& wrong : {Words{"VkBuffer#99"}, Words{"VkBuffer#1[x]"}, Words{"VkDevice#0"}}) {
    Words words{"who", capture.path};
    words.insert(words.end(), wrong.begin(), wrong.end());
    const Outcome outcome = rondo(words);
    INFO(outcome.both());
    CHECK(outcome.status == 2);
    CHECK(is_one_line(outcome, "rondo"));
  }
}

SCENARIO("drawings are whole, and a part of a graph is what is near", "[graph]") {
  const Recording& capture = graphed("compute");
  const std::vector<Json> rows = graph_of(capture.path);
  const std::string dot = rondo({"graph", "--format=dot", capture.path}).out;
  CHECK(dot.rfind("digraph rondo {\n", 0) == 0);
  CHECK(count(dot, " [label=\"") == count(dot, " -> ") + static_cast<int>(rows.size()) - 2);
  CHECK(dot.substr(dot.size() - 2) == "}\n");
  const std::string graphml = rondo({"graph", "--format=graphml", "--submits", "1:2", capture.path}).out;
  CHECK(count(graphml, "<node id=") == count(graphml, "</node>"));
  // No edge to what is not drawn.
  CHECK(count(graphml, "<edge ") < count(graphml, "<node ") * count(graphml, "<node "));
  for (std::size_t at = graphml.find("source=\""); at != std::string::npos; at = graphml.find("source=\"", at + 1)) {
    const std::string id = graphml.substr(at + 8, graphml.find('"', at + 8) - at - 8);
    INFO(id);
    CHECK(graphml.find("<node id=\"" + id + "\"") != std::string::npos);
  }
  const std::string name = unquoted(rows[2].at("/name"));
  const std::vector<Json> alone = graph_of(capture.path, {"--around", name, "--hops", "0"});
  CHECK(alone.size() == 3);
  CHECK(graph_of(capture.path, {"--around", name}).size() > 3);
  for (const Words& wrong : {Words{"--around", "x"}, Words{"--around", "999999"}, Words{"--hops", "2"}}) {
    Words words{"graph", capture.path};
    words.insert(words.end(), wrong.begin(), wrong.end());
    const Outcome outcome = rondo(words);
    INFO(outcome.both());
    CHECK(outcome.status == 2);
    CHECK(is_one_line(outcome, "rondo"));
  }
}
