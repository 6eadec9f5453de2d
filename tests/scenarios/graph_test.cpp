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

namespace {

// A plant of tests/programs/hazards.
const Recording& plant(const std::string& name) {
  const Recording& capture = captured({program("hazards/hazards"), name});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  return capture;
}

// The item with this label.
const Json& labelled(const std::vector<Json>& rows, const std::string& kind, const std::string& label) {
  for (const Json& row : rows)
    if (row.at("/row") == "\"" + kind + "\"" && row.size("/labels") == 1 && row.at("/labels/0") == "\"" + label + "\"")
      return row;
  FAIL("no " << kind << " has the label " << label);
  return rows.front();
}

}  // namespace

SCENARIO("a need says what orders it, or that nothing does", "[graph]") {
  struct Case {
    const char* plant;
    const char* order;
    std::vector<const char*> by;  // a word of each
  };
  for (const Case& one :
       std::vector<Case>{{"two-submits", "race", {}},
                         {"two-submits-clean", "ordered", {"vkCmdPipelineBarrier "}},
                         {"chain-clean", "ordered", {"-> ALL_TRANSFER", ": ALL_TRANSFER -> COMPUTE_SHADER"}},
                         {"no-visibility", "not-visible", {"vkCmdPipelineBarrier"}},
                         {"semaphore-early-clean", "ordered", {"a semaphore that vkQueueSubmit2 "}}}) {
    INFO(one.plant);
    const std::vector<Json> rows = graph_of(plant(one.plant).path, {"--both"});
    const Json& item = labelled(rows, "item", "B");
    REQUIRE(item.size("/needs") == 1);
    CHECK(unquoted(item.at("/needs/0/name")) == unquoted(labelled(rows, "item", "A").at("/name")));
    CHECK(unquoted(item.at("/needs/0/order")) == one.order);
    INFO(item.at("/needs/0/by"));
    REQUIRE(item.size("/needs/0/by") == one.by.size());
    for (std::size_t i = 0; i < one.by.size(); ++i)
      CHECK(item.at("/needs/0/by/" + std::to_string(i) + "/text").find(one.by[i]) != std::string::npos);
    const bool races = std::string(one.order) != "ordered";
    CHECK(rows.back().at("/races") == (races ? "1" : "0"));
    const std::string dot = rondo({"graph", "--both", "--format=dot", plant(one.plant).path}).out;
    CHECK(count(dot, "color=red") == (races ? 1 : 0));
  }
}

SCENARIO("what the host ends needs the end of the work that uses it", "[graph]") {
  for (const bool clean : {false, true}) {
    INFO(clean);
    const std::string path = plant(clean ? "lifetime-buffer-destroyed-clean" : "lifetime-buffer-destroyed").path;
    const std::vector<Json> rows = graph_of(path, {"--both"});
    const std::string work = unquoted(labelled(rows, "item", "A").at("/name"));
    // The first buffer that A uses and the program destroys.
    const Json* end = nullptr;
    for (const Json& row : rows)
      if (end == nullptr && row.at("/row") == "\"item\"" && row.at("/command") == "\"vkDestroyBuffer\"" &&
          row.size("/needs") != 0 && unquoted(row.at("/needs/0/name")) == work)
        end = &row;
    REQUIRE(end != nullptr);
    CHECK(unquoted(end->at("/kind")) == "lifetime");
    CHECK(unquoted(end->at("/needs/0/kinds/0")) == "LIFETIME");
    CHECK(unquoted(end->at("/needs/0/object")).rfind("VkBuffer#", 0) == 0);
    CHECK(unquoted(end->at("/needs/0/order")) == (clean ? "ordered" : "race"));
    // Both are in rondo why, and what is destroyed comes after the wait of the host.
    const std::string record = unquoted(end->at("/name"));
    const Outcome why = rondo({"why", path, work, record});
    INFO(why.both());
    CHECK(why.out.find("LIFETIME VkBuffer#") != std::string::npos);
    const std::string has = rondo({"graph", "--has", "--around", record, "--hops", "0", path}).out;
    INFO(has);
    CHECK((has.find("vkWaitForFences") != std::string::npos) == clean);
    // It touches no memory.
    CHECK(rondo({"graph", "--format=thunks", path}).out.find("vkDestroyBuffer") == std::string::npos);
  }
}

SCENARIO("a render pass shows its draws", "[graph]") {
  const Recording& capture = captured({program("draws")});
  REQUIRE(capture.run.status == 0);
  const std::vector<Json> plain = graph_of(capture.path, {}), rows = graph_of(capture.path, {"--draws"});
  std::uint64_t passes = 0, draws = 0, left = 0;
  std::string pass;
  for (const Json& row : rows) {
    if (row.at("/row") == "\"item\"") {
      CHECK(left == 0);
      if (row.at("/kind") != "\"pass\"") continue;
      passes += 1;
      left = number(row, "/draws");
      draws += left;
      pass = row.at("/item");
    } else if (row.at("/row") == "\"draw\"") {
      REQUIRE(left > 0);
      left -= 1;
      CHECK(row.at("/item") == pass);
      CHECK(row.at("/draw") != "null");
      CHECK(row.size("/counts") > 0);
    }
  }
  CHECK(passes > 0);
  CHECK(draws > 0);
  CHECK(rows.size() == plain.size() + draws);
  CHECK(static_cast<std::uint64_t>(count(rondo({"graph", "--draws", capture.path}).out, "\n    ")) >= draws);
  const Outcome refused = rondo({"graph", "--draws", "--format=dot", capture.path});
  CHECK(refused.status == 2);
  CHECK(refused.err.find("--draws") != std::string::npos);
}

SCENARIO("a part that a resource does not have is refused, and what it has is named", "[graph]") {
  struct Case {
    const char* plant;
    const char* part;
    const char* has;  // null: the part is there
  };
  for (const Case& one :
       {Case{"lifetime-buffer-destroyed-clean", "VkBuffer#0[0:2048]", nullptr},
        Case{"lifetime-buffer-destroyed-clean", "VkBuffer#0[2047:2049]", "VkBuffer#0 has bytes 0:2048"},
        Case{"lifetime-buffer-destroyed-clean", "VkBuffer#0[mips 0:1]", "VkBuffer#0 has bytes 0:2048"},
        Case{"lifetime-image-destroyed-clean", "VkImage#0[mips 0:1]", nullptr},
        Case{"lifetime-image-destroyed-clean", "VkImage#0[mips 0:2]", "VkImage#0 has [mips 0:1 layers 0:1]"},
        Case{"lifetime-image-destroyed-clean", "VkImage#0[mips 0:1 layers 1:2]", "has [mips 0:1 layers 0:1]"},
        Case{"lifetime-image-destroyed-clean", "VkImage#0[0:64]", "VkImage#0 has [mips 0:1 layers 0:1]"},
        Case{"lifetime-queries-destroyed-clean", "VkQueryPool#0[0:1]", nullptr},
        Case{"lifetime-queries-destroyed-clean", "VkQueryPool#0[0:2]", "VkQueryPool#0 has queries 0:1"}}) {
    const Outcome outcome = rondo({"who", plant(one.plant).path, one.part});
    INFO(one.part << "\n" << outcome.both());
    CHECK(outcome.status == (one.has == nullptr ? 0 : kUsage));
    if (one.has == nullptr) continue;
    CHECK(is_one_line(outcome, "rondo"));
    CHECK(outcome.err.find(one.has) != std::string::npos);
  }
}

SCENARIO("operations stand between what they order", "[graph]") {
  const std::vector<Json> rows = graph_of(plant("chain-clean").path, {"--has"});
  const Json &first = labelled(rows, "operation", "barrier1"), &second = labelled(rows, "operation", "barrier2");
  const Json &a = labelled(rows, "item", "A"), &b = labelled(rows, "item", "B");
  CHECK(first.at("/kind") == "\"barrier\"");
  REQUIRE(first.size("/items") == 1);
  CHECK(first.at("/items/0") == a.at("/item"));
  CHECK(first.at("/submit") == a.at("/submit"));
  // Nothing is between both barriers, and the second waits for what the first holds back.
  CHECK(second.size("/items") == 0);
  bool chains = false;
  for (std::size_t i = 0; i < second.size("/operations"); ++i) {
    const std::string link = "/operations/" + std::to_string(i);
    chains = chains ||
             (second.at(link + "/operation") == first.at("/operation") && second.at(link + "/link") == "\"chain\"");
  }
  CHECK(chains);
  REQUIRE(b.size("/after") == 1);
  CHECK(b.at("/after/0/operation") == second.at("/operation"));
  // The host waits for the submit, so for both.
  std::string last;
  for (const Json& row : rows)
    if (row.at("/row") == "\"operation\"") last = row.at("/kind");
  CHECK(last == "\"host wait\"");
  // A semaphore waits for its signal.
  std::set<std::string> kinds;
  for (const Json& row : graph_of(plant("semaphore-early-clean").path, {"--has"}))
    if (row.at("/row") == "\"operation\"") kinds.insert(unquoted(row.at("/kind")));
  CHECK(kinds == std::set<std::string>{"submit", "signal", "semaphore", "host wait"});
}

SCENARIO("drawings of operations lead to what is drawn, and a part is a part", "[graph]") {
  const std::string path = plant("two-submits-clean").path;
  for (const std::string format : {"graphml", "dot"}) {
    const std::string whole = rondo({"graph", "--has", "--format", format, path}).out;
    const std::string near = rondo({"graph", "--has", "--format", format, "--submits", "1", path}).out;
    INFO(whole);
    CHECK(near.size() < whole.size());
    const std::string begin = format == "dot" ? "  o0 [label=" : "<node id=\"o0\"";
    CHECK(count(whole, begin) == 1);
    CHECK(count(whole, format == "dot" ? "  i0 -> " : "source=\"i0\"") == 1);
    CHECK(count(near, format == "dot" ? "  i0 -> " : "source=\"i0\"") == 0);
  }
  // An item, the operation before it and the one after it.
  const std::vector<Json> rows = graph_of(path, {"--has"});
  const std::vector<Json> alone =
      graph_of(path, {"--has", "--hops", "0", "--around", unquoted(labelled(rows, "item", "B").at("/name"))});
  REQUIRE(alone.size() == 5);
  CHECK(labelled(alone, "operation", "barrier1").at("/row") == alone[1].at("/row"));
}

SCENARIO("what a graph is around must be in the span", "[graph]") {
  const std::string path = plant("two-submits-clean").path;
  const std::vector<Json> rows = graph_of(path);
  const Json &a = labelled(rows, "item", "A"), &b = labelled(rows, "item", "B");
  REQUIRE(a.at("/submit") == "0");
  REQUIRE(b.at("/submit") == "1");
  const Outcome outside = rondo({"graph", "--around", unquoted(a.at("/name")), "--submits", "1", path});
  INFO(outside.both());
  CHECK(outside.status == kUsage);
  CHECK(is_one_line(outside, "rondo"));
  CHECK(outside.err.find("--around " + unquoted(a.at("/name")) + " is not in submits 1:2") != std::string::npos);
  // Of what is near, only what is in the span is shown.
  const std::vector<Json> inside = graph_of(path, {"--around", unquoted(b.at("/name")), "--submits", "1"});
  CHECK(inside.size() == 3);
  labelled(inside, "item", "B");
}

SCENARIO("what does not go together is refused", "[graph]") {
  const std::string path = plant("two-submits").path;
  for (const Words& wrong : {Words{"--has", "--both"}, Words{"--has", "--format=thunks"},
                             Words{"--both", "--format=thunks"}, Words{"--needs", "--has"}}) {
    Words words{"graph", path};
    words.insert(words.end(), wrong.begin(), wrong.end());
    const Outcome outcome = rondo(words);
    INFO(outcome.both());
    CHECK(outcome.status == 2);
    CHECK(is_one_line(outcome, "rondo"));
  }
}

SCENARIO("what is looked for in a damaged capture may be in what cannot be read", "[graph]") {
  const std::string whole = read_file(plant("chain-clean").path);
  const TemporaryDirectory directory;
  const std::string path = directory.file("damaged.rondo");
  std::string damaged = whole;
  for (std::size_t i = 0; i < 4; ++i)
    damaged[damaged.size() / 2 + i] = static_cast<char>(~damaged[damaged.size() / 2 + i]);
  write_file(path, damaged);
  for (const Words& words : {Words{"who", path, "VkBuffer#0"}, Words{"why", path, "36", "55"},
                             Words{"graph", "--around", "36", path}, Words{"graph", "--has", path}}) {
    const Outcome outcome = rondo(words);
    INFO(outcome.both());
    CHECK(outcome.status == kUnreadable);
    CHECK(outcome.err.find("--salvage") != std::string::npos);
    // The file is named once.
    CHECK(count(outcome.err, path) == 1);
  }
}
