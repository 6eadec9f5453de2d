// SPDX-License-Identifier: Apache-2.0
// rondo report: the page opens in a browser without a word on its console, shows what the rows of rondo profile say,
// and takes no text of a capture for markup.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include "fixture.h"
#include "json.h"
#include "profiles.h"
#include "skip.h"

using namespace scenario;

namespace {

struct Page {
  std::string dom;      // after its scripts have run
  std::string console;  // what it said
};

// Opens the page in headless Chromium; `script` runs in it at the end.
Page open(const std::string& path, const std::string& script = "") {
  std::string page = read_file(path);
  const std::size_t end = page.rfind("</body>");
  REQUIRE(end != std::string::npos);
  page.insert(end, "<script>" + script + "</script>");
  write_file(path + ".test.html", page);
  const TemporaryDirectory profile;
  Command command;
  command.arguments = {"chromium",
                       "--headless",
                       "--no-sandbox",
                       "--disable-gpu",
                       "--enable-logging=stderr",
                       "--v=0",
                       "--window-size=1200,900",
                       "--user-data-dir=" + profile.path(),
                       "--virtual-time-budget=5000",
                       "--dump-dom",
                       "file://" + path + ".test.html"};
  command.environment["HOME"] = profile.path();
  command.timeout_s = 120;
  const Outcome outcome = run(command);
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  Page seen{outcome.out, ""};
  for (const std::string& line : lines(outcome.err))
    if (line.find("CONSOLE") != std::string::npos) seen.console += line + "\n";
  return seen;
}

bool has_chromium() {
  Command command;
  command.arguments = {"sh", "-c", "command -v chromium"};
  return run(command).status == 0;
}

// On the fake driver, whose timestamps tell the work that it did.
Outcome report(const Words& more, const std::string& driver = fake) {
  Command command;
  command.arguments = {build_root() + "/analyzers/rondo", "report"};
  command.arguments.insert(command.arguments.end(), more.begin(), more.end());
  use_driver(command.environment, driver, driver == fake ? "timed-work=1" : "");
  return run_on(driver, command);
}

// What a script of the test has left.
std::string left_by(const Page& page) {
  const std::string begin = "<pre id=\"test\">";
  const std::size_t at = page.dom.find(begin);
  REQUIRE(at != std::string::npos);
  return page.dom.substr(at + begin.size(), page.dom.find("</pre>", at) - at - begin.size());
}

// The rows of one kind that are in a page.
std::vector<Json> rows_in(const std::string& page, const std::string& kind) {
  std::vector<Json> rows;
  const std::string text = read_file(page), begin = "{\"row\":\"" + kind + "\",";
  for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at + 1)) {
    const std::string line = text.substr(at, text.find('\n', at) - at);
    rows.push_back(Json::parse(line.substr(0, line.rfind('}') + 1)));
    CHECK(rows.back().valid());
  }
  return rows;
}

const std::string kLeave =
    "const leave = text => { const pre = document.createElement('pre'); pre.id = 'test'; pre.textContent = text; "
    "document.body.append(pre); };"
    "const column = (id, n) => [...document.querySelectorAll('#' + id + ' tbody tr')].map(row => "
    "row.children[n].textContent).join(' ');";

}  // namespace

SCENARIO("the groups of a page are those of rondo profile", "[report]") {
  const TemporaryDirectory directory;
  const std::string page = directory.file("page.html");
  REQUIRE(report({kernels().path, "-o", page}).status == 0);
  std::map<std::string, double> of_page, of_profile;
  for (std::string line : lines(read_file(page))) {
    if (line.rfind("{\"row\":\"group\",\"by\":\"label\"", 0) != 0) continue;
    const Json row = Json::parse(line.substr(0, line.rfind('}') + 1));
    of_page[unquoted(row.at("/item"))] = std::stod(row.at("/share"));
  }
  for (const Json& row : profile_of(kernels().path, {"--by", "label"}))
    if (row.at("/row") == "\"time\"") of_profile[unquoted(row.at("/item"))] = std::stod(row.at("/share"));
  CHECK(of_page.size() == 6);  // also a label that others are in
  REQUIRE(of_page.size() == of_profile.size());
  for (const auto& [label, share] : of_profile) CHECK(of_page[label] == Approx(share));
}

SCENARIO("the commands of a page measure what the page measured", "[report]") {
  const TemporaryDirectory directory;
  const std::string shaders = directory.file("shaders"), page = directory.file("page.html");
  REQUIRE(rondo({"extract", "--shaders", kernels().path, "-o", shaders}).status == 0);
  std::string shader;
  for (const auto& entry : std::filesystem::directory_iterator(shaders))
    if (entry.path().extension() == ".spv") shader = entry.path().string();
  const std::string replacement = "VkPipeline#0.compute=" + shader;
  REQUIRE(report({"--replace", replacement, "--submits", "0:2", kernels().path, "-o", page}).status == 0);
  CHECK(read_file(page).find("rondo profile --top 20 --submits 0:2 --replace '" + replacement + "' ") !=
        std::string::npos);
}

SCENARIO("a page is as private as its capture", "[report]") {
  const TemporaryDirectory directory;
  const std::string capture = directory.file("c.rondo");
  namespace fs = std::filesystem;
  fs::copy_file(kernels().path, capture);
  for (const auto& [mode, name] : {std::pair{fs::perms{0600}, "private.html"}, {fs::perms{0644}, "shared.html"}}) {
    fs::permissions(capture, mode);
    for (const std::string trust : {"--trust", "--no-replay"}) {
      const std::string page = directory.file(trust + name);
      REQUIRE(report({trust, capture, "-o", page}).status == 0);
      CHECK((fs::status(page).permissions() & fs::perms{0777}) == mode);
    }
  }
}

SCENARIO("a page replaces a page, but no capture, and does not go to standard output", "[report]") {
  const TemporaryDirectory directory;
  const std::string page = directory.file("page.html"), other = directory.file("other.rondo");
  for (int i = 0; i < 2; ++i) REQUIRE(rondo({"report", "--no-replay", kernels().path, "-o", page}).status == 0);
  const std::string bytes = read_file(kernels().path);
  write_file(other, bytes);
  const Outcome over = rondo({"report", "--no-replay", kernels().path, "-o", other});
  INFO(over.both());
  CHECK(over.status == kUsage);
  CHECK(is_one_line(over, "rondo"));
  CHECK(over.err.find(other + ": -o names another capture") != std::string::npos);
  CHECK(read_file(other) == bytes);
  for (const Words& words : {Words{"report", "--no-replay", other, "-o", "-"}, Words{"redact", other, "-o", "-"},
                             Words{"trim", "--submits", "0", other, "-o", "-"}, Words{"recompress", other, "-o", "-"},
                             Words{"pack", other, "-o", "-"}}) {
    const Outcome outcome = rondo(words);
    INFO(words.front() << " " << outcome.both());
    CHECK(outcome.status == kUsage);
    CHECK(is_one_line(outcome, "rondo"));
    CHECK(outcome.err.find("-o -: nothing is written to standard output") != std::string::npos);
  }
}

SCENARIO("a report opens in a browser and shows what the profile says", "[report]") {
  if (!has_chromium()) SKIP_SCENARIO("chromium is not here: scripts/setup installs it");
  CaptureOptions options;
  options.driver = fake;
  const std::string path = captured(without_checks({program("kernels")}), options).path;
  const TemporaryDirectory directory;
  const std::string file = directory.file("page.html");
  const Outcome made = report({path, "-o", file});
  INFO(made.both());
  REQUIRE(made.status == 0);
  CHECK(read_file(file).size() < 100'000);
  WHEN("it is opened") {
    const Page page =
        open(file, kLeave + "leave(column('items', 0) + '|' + column('items', 2) + '|' + column('groups-label', 0));");
    CHECK(page.console == "");
    CHECK(page.dom.find("data-ready=\"yes\"") != std::string::npos);
    CHECK(left_by(page) ==
          "1:1 1:0 2:0 0:1 0:0|8.00 µs 4.00 µs 3.00 µs 2.00 µs 1.00 µs|step step/x8 step/x4 no label step/x2 step/x1");
  }
  WHEN("a head of a table is clicked, and clicked again") {
    const Page page = open(
        file,
        kLeave +
            "const median = document.querySelectorAll('#items th')[2];"
            "median.click(); const once = column('items', 0); median.click(); leave(once + '|' + column('items', 0));");
    CHECK(page.console == "");
    CHECK(left_by(page) == "1:1 1:0 2:0 0:1 0:0|0:0 0:1 2:0 1:0 1:1");
  }
  WHEN("the wheel turns over the timeline") {
    const Page page =
        open(file, kLeave +
                       "const line = document.getElementById('device-timeline'), before = Number(line.dataset.span);"
                       "line.dispatchEvent(new WheelEvent('wheel', {deltaY: -100, cancelable: true}));"
                       "leave((Number(line.dataset.span) / before).toFixed(2));");
    CHECK(page.console == "");
    CHECK(left_by(page) == "0.80");
  }
  WHEN("an axis is divided") {
    const Page page =
        open(file, kLeave +
                       "leave([roundStep(0.3e6), roundStep(2.1e9), roundStep(1), tickText(1.5e9, 5e8, 2e9),"
                       "tickText(40e3, 20e3, 1e6), tickText(0, 2e8, 9e8)].join(' '));");
    CHECK(page.console == "");
    CHECK(left_by(page) == "500000 5000000000 1 1.5 s 0.04 ms 0 ms");
  }
  WHEN("there is no network, and nothing but the page") {
    const std::string page = read_file(file);
    for (const char* outside : {"http:", "https:", "//cdn", "@import", "src=\""})
      CHECK(page.find(outside) == std::string::npos);
    CHECK(page.find("default-src 'none'") != std::string::npos);
  }
}

SCENARIO("a report shows presented images, and can be printed", "[report]") {
  if (!has_chromium()) SKIP_SCENARIO("chromium is not here: scripts/setup installs it");
  const std::string path = captured(vkcube(10), {.checkpoints = "present"}).path;
  const TemporaryDirectory directory;
  const std::string file = directory.file("page.html");
  const std::string script =
      "const all = [...document.querySelectorAll('#pictures figure')];"
      "leave(all.map(one => one.textContent + ' ' + one.firstChild.naturalWidth).join(', '));";
  WHEN("all of it is played") {
    const Outcome made = report({path, "-o", file}, lavapipe);
    INFO(made.both());
    REQUIRE(made.status == 0);
    const Page page = open(file, kLeave + "addEventListener('load', () => {" + script + "});");
    CHECK(page.console == "");
    std::string expected;
    for (int i = 0; i < 10; ++i) expected += (i == 0 ? "frame " : ", frame ") + std::to_string(i) + " 200";
    CHECK(left_by(page) == expected);
  }
  WHEN("some frames are played") {
    REQUIRE(report({path, "--frames", "3:5", "-o", file}, lavapipe).status == 0);
    CHECK(left_by(open(file, kLeave + "addEventListener('load', () => {" + script + "});")) ==
          "frame 3 200, frame 4 200");
  }
  WHEN("nothing is played") {
    REQUIRE(report({path, "--no-replay", "-o", file}, lavapipe).status == 0);
    CHECK(read_file(file).find("none: the capture was not played") != std::string::npos);
  }
  WHEN("it is printed") {
    REQUIRE(report({path, "-o", file}, lavapipe).status == 0);
    const TemporaryDirectory profile;
    const std::string pdf = directory.file("page.pdf");
    Command command;
    command.arguments = {"chromium",
                         "--headless",
                         "--no-sandbox",
                         "--disable-gpu",
                         "--user-data-dir=" + profile.path(),
                         "--virtual-time-budget=5000",
                         "--print-to-pdf=" + pdf,
                         "file://" + file};
    command.environment["HOME"] = profile.path();
    command.timeout_s = 120;
    REQUIRE(run(command).status == 0);
    CHECK(read_file(pdf).starts_with("%PDF"));
    CHECK(read_file(pdf).size() > 20'000);  // the pictures are in it
  }
}

SCENARIO("a render pass counts for the pipeline of its draws, where all have the same", "[report]") {
  if (!has_chromium()) SKIP_SCENARIO("chromium is not here: scripts/setup installs it");
  CaptureOptions options;
  options.driver = fake;
  const TemporaryDirectory directory;
  const std::string file = directory.file("page.html");
  const auto shown = [&](const std::string& name) {
    REQUIRE(report({captured(without_checks({program(name)}), options).path, "-o", file}).status == 0);
    return left_by(open(file, kLeave + "const all = [...document.querySelectorAll('#groups-pipeline tbody tr')];"
                                       "leave(all.map(row => row.firstChild.textContent).sort().join(', ') + '|' +"
                                       "column('groups-shader', 0));"));
  };
  const std::string one = shown("rendering");
  INFO(one);
  CHECK(one.starts_with("VkPipeline#0"));
  CHECK(one.find("vertex ") != std::string::npos);
  CHECK(one.find("several") == std::string::npos);
  CHECK(shown("passes").find("render passes of several pipelines") != std::string::npos);
}

SCENARIO("a name that is markup stays text in a report", "[report]") {
  if (!has_chromium()) SKIP_SCENARIO("chromium is not here: scripts/setup installs it");
  const std::string hostile =
      "</script><script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">&lt;b&gt;";
  CaptureOptions options;
  options.driver = fake;
  const std::string path = captured(without_checks({program("kernels"), "--label", hostile}), options).path;
  const TemporaryDirectory directory;
  const std::string file = directory.file("page.html");
  REQUIRE(report({path, "-o", file}).status == 0);
  const Page page = open(
      file, kLeave + "leave(document.title + '|' + document.images.length + '|' + column('groups-label', 0).includes(" +
                "'/</' + 'script><' + 'script>document.title'));");
  CHECK(page.console == "");
  CHECK(left_by(page) == "Rondo report: kernels|0|true");
}

SCENARIO("a report says what it could not find out", "[report]") {
  const std::string path = captured({program("kernels")}).path;
  const TemporaryDirectory directory;
  const std::string file = directory.file("page.html");
  WHEN("nothing is played") {
    const Outcome made = report({path, "--no-replay", "-o", file}, lavapipe);
    INFO(made.both());
    CHECK(made.status == 0);
    CHECK(made.out.find("without the device's times: --no-replay was given") != std::string::npos);
    CHECK(read_file(file).find("--no-replay was given") != std::string::npos);
    CHECK(report({path, "--no-replay", "--submits", "500:600", "-o", file}, lavapipe).status == kUsage);
  }
  WHEN("no device can play it") {
    Command command;
    command.arguments = {build_root() + "/analyzers/rondo", "report", path, "-o", file};
    command.environment["VK_ICD_FILENAMES"] = command.environment["VK_DRIVER_FILES"] = "/nonexistent.json";
    const Outcome made = run(command);
    INFO(made.both());
    CHECK(made.status == 0);
    CHECK(made.out.find("without the device's times: ") != std::string::npos);
  }
  WHEN("it is to go where nothing can be, or over the capture, or is of a span that is not there") {
    for (const auto& [words, status] : {std::pair{Words{path, "-o", "/nonexistent/page.html"}, kFailed},
                                        {Words{path, "-o", path}, kUsage},
                                        {Words{path, "-o", file, "--submits", "70"}, kUsage},
                                        {Words{path}, kUsage}}) {
      const Outcome made = report(words, lavapipe);
      INFO(made.both());
      CHECK(made.status == status);
      CHECK(is_one_line(made, "rondo"));
      CHECK(player({path}).status == 0);
    }
  }
}

SCENARIO("a report draws the work graph that rondo graph tells", "[report]") {
  const std::string path = captured(without_checks({program("compute")})).path;
  const TemporaryDirectory directory;
  const std::string file = directory.file("page.html");
  REQUIRE(report({path, "--no-replay", "-o", file}, lavapipe).status == 0);
  // An edge for all needs of two items, with all of their kinds.
  std::map<std::string, std::set<std::string>> expected, drawn;
  std::vector<std::string> names, items;
  for (const Json& row : graph_of(path)) {
    // What the host ends is no work, and is not drawn.
    if (row.at("/row") != "\"item\"" || row.at("/kind") == "\"lifetime\"") continue;
    names.push_back(unquoted(row.at("/name")));
    for (std::size_t i = 0; i < row.size("/needs"); ++i) {
      const std::string need = "/needs/" + std::to_string(i);
      std::set<std::string>& kinds = expected["i" + row.at(need + "/item") + " i" + row.at("/item")];
      for (std::size_t k = 0; k < row.size(need + "/kinds"); ++k)
        kinds.insert(unquoted(row.at(need + "/kinds/" + std::to_string(k))));
    }
  }
  for (const Json& row : rows_in(file, "order_item")) items.push_back(unquoted(row.at("/name")));
  for (const Json& row : rows_in(file, "order_need")) {
    std::istringstream words(unquoted(row.at("/kinds")));
    for (std::string kind; words >> kind;)
      drawn[unquoted(row.at("/from")) + " " + unquoted(row.at("/to"))].insert(kind);
  }
  REQUIRE(items.size() > 3);
  CHECK(items == names);
  CHECK(drawn == expected);
  if (!has_chromium()) SKIP_SCENARIO("chromium is not here: scripts/setup installs it");
  const Page page =
      open(file, kLeave +
                     "const all = name => document.querySelectorAll('#order-graph ' + name).length;"
                     "leave([all('.node'), all('.edge'), all('.edge.k-RAW') > 0, column('order-items', 0),"
                     "document.querySelectorAll('#order-needs tbody tr').length].join('|'));");
  CHECK(page.console == "");
  std::string said = std::to_string(items.size()) + "|" + std::to_string(expected.size()) + "|true|";
  for (const std::string& name : names) said += (name == names.front() ? "" : " ") + name;
  CHECK(left_by(page) == said + "|" + std::to_string(expected.size()));
}

SCENARIO("a report shows the work graph of a typical frame, or of the one that is asked for", "[report]") {
  const std::string path = captured(vkcube(10), {.checkpoints = "present"}).path;
  const TemporaryDirectory directory;
  const std::string file = directory.file("page.html");
  const auto frames_shown = [&](const Words& more) {
    Words words{path, "--no-replay", "-o", file};
    words.insert(words.end(), more.begin(), more.end());
    REQUIRE(report(words, lavapipe).status == 0);
    std::set<std::string> frames;
    for (const Json& row : rows_in(file, "order_item")) frames.insert(row.at("/frame"));
    return frames;
  };
  // Frames 1 to 9 do the same, so the middle one is taken.
  CHECK(frames_shown({}) == std::set<std::string>{"5"});
  CHECK(frames_shown({"--frames", "2:5"}) == std::set<std::string>{"3"});
  CHECK(frames_shown({"--order-frame", "7"}) == std::set<std::string>{"7"});
  const std::vector<Json> items = graph_of(path, {"--frames", "7"});
  const auto work = std::count_if(items.begin(), items.end(), [](const Json& row) {
    return row.at("/row") == "\"item\"" && row.at("/kind") != "\"lifetime\"";
  });
  CHECK(rows_in(file, "order_item").size() == static_cast<std::size_t>(work));
  for (const char* wrong : {"11", "-1", "x"}) {
    const Outcome made = report({path, "--no-replay", "--order-frame", wrong, "-o", file}, lavapipe);
    INFO(made.both());
    CHECK(made.status == kUsage);
    CHECK(is_one_line(made, "rondo"));
  }
}

SCENARIO("a report shows what rondo sync finds", "[report]") {
  const Recording& capture = captured({program("hazards/hazards"), "two-submits"});
  const TemporaryDirectory directory;
  const std::string file = directory.file("page.html");
  REQUIRE(report({capture.path, "--no-replay", "-o", file}, lavapipe).status == 0);
  std::vector<std::string> found, shown;
  for (const Json& row : rows_of(rondo({"sync", "--format=jsonl", capture.path})))
    if (row.at("/row") == "\"sync\"") found.push_back(unquoted(row.at("/id")));
  const std::vector<Json> rows = rows_in(file, "sync");
  for (const Json& row : rows) shown.push_back(unquoted(row.at("/id")));
  REQUIRE(!found.empty());
  CHECK(shown == found);
  // The command that is named with a race answers.
  const std::string command = unquoted(rows_in(file, "sync_more").at(0).at("/command"));
  INFO(command);
  std::istringstream words(command);
  Words parts;
  for (std::string word; words >> word;) parts.push_back(word);
  REQUIRE(parts.size() == 5);
  CHECK(rondo({parts[1], capture.path, parts[3], parts[4]}).out.find("synchronization: nothing.") != std::string::npos);
  if (!has_chromium()) SKIP_SCENARIO("chromium is not here: scripts/setup installs it");
  const Page page = open(file, kLeave + "leave(column('sync-races', 0) + '|' + column('sync-races', 3));");
  CHECK(page.console == "");
  CHECK(left_by(page).find("RAW|vkCmdDispatch ") != std::string::npos);
  CHECK(left_by(page).find("[A]") != std::string::npos);
}

SCENARIO("a report of a capture without work, or of a damaged one, says so", "[report]") {
  if (!has_chromium()) SKIP_SCENARIO("chromium is not here: scripts/setup installs it");
  const TemporaryDirectory directory;
  const std::string capture = directory.file("c.rondo"), file = directory.file("page.html");
  const std::string whole = read_file(kernels().path);
  const std::string script =
      kLeave +
      "const text = id => document.getElementById(id).textContent; leave(text('order-words') + '|' + "
      "text('sync-words') + '|' + column('facts', 0));";
  WHEN("its end is missing") {
    write_file(capture, whole.substr(0, whole.size() - 200));
    REQUIRE(report({capture, "--no-replay", "-o", file}).status == 0);
    const Page page = open(file, script);
    CHECK(page.console == "");
    CHECK(left_by(page).find("the capture is cut") != std::string::npos);
    CHECK(left_by(page).find("items of work") != std::string::npos);
  }
  WHEN("nothing is submitted in it") {
    const Recording& idle = captured(without_checks({program("extensions")}));
    REQUIRE(report({idle.path, "--no-replay", "-o", file}).status == 0);
    const Page page = open(file, script);
    CHECK(page.console == "");
    CHECK(left_by(page).find("Frame 0 has no work.|Nothing was found") == 0);
  }
}
