// SPDX-License-Identifier: Apache-2.0
// Requests for some frames: the recording ends behind them, the program goes on, the file is whole,
// and says what was asked for. Programs present on the fake driver, without a window.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <sstream>

#include "fixture.h"
#include "json.h"
#include "replays.h"

using namespace scenario;

namespace {

// On its own by the environment; `frames`: RONDO_FRAMES.
Command recorded(const Words& words, const std::string& output, const std::string& frames = "",
                 const CaptureOptions& options = {.checkpoints = "present", .driver = fake, .with_launcher = false}) {
  Command command = capture_command(words, output, options);
  if (!frames.empty()) command.environment["RONDO_FRAMES"] = frames;
  return command;
}

Outcome alone(const Words& words, const std::string& driver = fake) {
  Command command;
  command.arguments = words;
  use_driver(command.environment, driver);
  return run(command);
}

std::string fact(const std::string& path, const std::string& pointer) {
  return Json::parse(rondo({"info", "--json", path}).out).at(pointer);
}

// So many frames, the last present answered, no number missing; and all images are those that were presented.
void is_whole(const std::string& path, int frames, int images, const std::string& request,
              const std::string& driver = fake) {
  const Outcome text = rondo({"info", path});
  INFO(text.both());
  CHECK(text.out.find("ending      complete\n") != std::string::npos);
  CHECK((request.empty() || text.out.find("cut request frames " + request + "\n") != std::string::npos));
  const Json info = Json::parse(rondo({"info", "--json", path}).out);
  CHECK(info.at("/complete") == "true");
  CHECK(info.at("/frames") == std::to_string(frames));
  CHECK(info.at("/unfinished") == "0");
  CHECK(info.at("/session/cut_request/frames") == (request.empty() ? "" : "\"" + request + "\""));
  const Outcome verified = player({"--verify", path}, driver);
  INFO(verified.both());
  CHECK(verified.status == 0);
  CHECK(compared(verified, "images").equal == images);
  CHECK(compared(verified, "images").all == images);
}

Words presenters(const Words& more) {
  Words words{program("presenters")};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// Once it is recorded; then until it answers.
Outcome triggered(pid_t pid, const std::string& frames) {
  Outcome outcome;
  for (int i = 0; i < 600; ++i) {
    outcome = rondo({"trigger", std::to_string(pid), "--frames", frames});
    if (outcome.status == 0) break;
    ::usleep(50000);
  }
  return outcome;
}

bool closed_soon(const std::string& path) {
  for (int i = 0; i < 600; ++i) {
    if (fact(path, "/complete") == "true") return true;
    ::usleep(50000);
  }
  return false;
}

// "A:B" of "PATH: frames A:B asked for".
std::string asked(const Outcome& outcome, const std::string& path) {
  const std::string before = path + ": frames ", behind = " asked for\n";
  const std::string& said = outcome.out;
  if (said.rfind(before, 0) != 0 || said.find(behind) == std::string::npos) return {};
  return said.substr(before.size(), said.find(behind) - before.size());
}

std::vector<pid_t> children_of(pid_t pid) {
  const std::string number = std::to_string(pid);
  std::istringstream in(read_file("/proc/" + number + "/task/" + number + "/children"));
  std::vector<pid_t> all;
  for (pid_t child = 0; in >> child;) all.push_back(child);
  return all;
}

// Another developer's tool: until it is there, a capture that is to be cut stays whole.
bool can_trim() { return rondo({"trim", "--help"}).status == 0; }

}  // namespace

SCENARIO("threads that present on several queues replay bit for bit", "[cut]") {
  replays_bit_for_bit({program("presenters")}, {.submits = 13,
                                                .driver = fake,
                                                .checkpoints = "present",
                                                .allocates_nothing_because = "it has its swapchains' images",
                                                .no_contents_because = "it draws to swapchain images only"});
}

SCENARIO("a capture ends behind the last frame that was asked for, and the program does not notice", "[cut]") {
  for (const std::string memory : {"auto", "shadow"}) {
    INFO(memory);
    const TemporaryDirectory directory;
    const std::string path = directory.file("x.rondo");
    const Words words{program("headless"), "--read", "1"};
    const Outcome native = alone(words);
    const Outcome outcome = run(recorded(
        words, path, "1:3", {.checkpoints = "present", .memory = memory, .driver = fake, .with_launcher = false}));
    INFO(native.both() << outcome.both());
    CHECK(native.status == 0);
    CHECK(outcome.status == native.status);
    CHECK(outcome.out == native.out);
    CHECK(outcome.err == native.err);
    is_whole(path, 3, 6, "1:3");
    // Nothing follows the present but its result.
    const std::vector<std::string> all = lines(rondo({"dump", path}).out);
    const auto last =
        std::find_if(all.rbegin(), all.rend(), [](const std::string& l) { return l.find(" vk") != std::string::npos; });
    REQUIRE(last != all.rend());
    CHECK(last->find("vkQueuePresentKHR") != std::string::npos);
  }
}

SCENARIO("a capture of several threads that present ends behind exactly the frames that were asked for", "[cut]") {
  const Words words = presenters({"--frames", "60"});
  const Outcome native = alone(words);
  for (const int frames : {1, 7, 40}) {
    INFO(frames << " frames");
    const TemporaryDirectory directory;
    const std::string path = directory.file("x.rondo"), request = "0:" + std::to_string(frames);
    const Outcome outcome = run(recorded(words, path, request));
    INFO(native.both() << outcome.both());
    CHECK(outcome.status == 0);
    CHECK(outcome.out == native.out);
    // On a busy machine no moment may be found at which nobody submits: the layer says so.
    std::string said = outcome.err;
    const std::string busy = "rondo: a new swapchain's image could not be zeroed: other threads kept submitting\n";
    for (std::size_t at; (at = said.find(busy)) != std::string::npos;) said.erase(at, busy.size());
    CHECK(said == native.err);
    is_whole(path, frames, frames, request);
  }
}

SCENARIO("a program that ends right behind the last frame that was asked for leaves a whole capture", "[cut]") {
  const TemporaryDirectory directory;
  for (int i = 0; i < 10; ++i) {
    const std::string path = directory.file(std::to_string(i) + ".rondo");
    const Outcome outcome = run(recorded(presenters({"--threads", "1", "--frames", "4"}), path, "0:5"));
    INFO(outcome.both());
    CHECK(outcome.status == 0);
    is_whole(path, 5, 5, "0:5");
  }
}

SCENARIO("vkcube is recorded up to the end of the frames that were asked for", "[cut]") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("x.rondo");
  const Outcome outcome = run(recorded(vkcube(12), path, "1:3", {.checkpoints = "present", .with_launcher = false}));
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  is_whole(path, 3, 3, "1:3", lavapipe);
}

SCENARIO("a program with fewer frames than were asked for is recorded whole, and the request stays", "[cut]") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("x.rondo");
  const Words words{program("headless"), "--frames", "4"};
  WHEN("the variable says so") {
    CHECK(run(recorded(words, path, "2:1000")).status == 0);
    is_whole(path, 4, 8, "2:1000");

    THEN("rondo trim says whose request it is that is not there") {
      const Outcome outcome = rondo({"trim", path, "-o", directory.file("y.rondo")});
      INFO(outcome.both());
      CHECK(outcome.status == 2);
      CHECK(outcome.err.find("the capture itself asks for these frames") != std::string::npos);
    }
  }
  WHEN("the launcher is to cut it") {
    Command command = recorded(words, path, "", {.checkpoints = "present", .driver = fake});
    command.arguments.insert(command.arguments.begin() + 2, {"--frames", "2:1000"});
    const Outcome outcome = run(command);
    INFO(outcome.both());
    CHECK(outcome.status == 0);
    CHECK(outcome.err.find("left whole, not cut to frames 2:1000: it has 4 frames") != std::string::npos);
    is_whole(path, 4, 8, "2:1000");
  }
}

SCENARIO("frames that are none are said in one line, and all are recorded", "[cut]") {
  for (const std::string frames : {"5", "9:3", "x:y"}) {
    INFO(frames);
    const TemporaryDirectory directory;
    const std::string path = directory.file("x.rondo");
    const Outcome outcome = run(recorded({program("headless"), "--frames", "4"}, path, frames));
    INFO(outcome.both());
    CHECK(outcome.status == 0);
    CHECK(is_one_line(outcome, "rondo"));
    CHECK(outcome.err.find("RONDO_FRAMES=" + frames + " is not A:B") != std::string::npos);
    is_whole(path, 4, 8, "");
  }
  const Outcome refused = rondo({"capture", "--frames", "9:3", "--", "true"});
  CHECK(refused.status == 125);
  CHECK(is_one_line(refused, "rondo"));
}

SCENARIO("the launcher cuts what it recorded, and its status stays the program's", "[cut]") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("x.rondo");
  Command command =
      recorded({"sh", "-c", program("headless") + "; exit 42"}, path, "", {.checkpoints = "present", .driver = fake});
  command.arguments.insert(command.arguments.begin() + 2, {"--frames", "1:3"});
  const Outcome outcome = run(command);
  INFO(outcome.both());
  CHECK(outcome.status == 42);
  CHECK(files_in(directory.path()).size() == 1);
  if (can_trim()) {
    CHECK(outcome.err.find("2 frames") != std::string::npos);
    CHECK(outcome.err.find("(cut to frames 1:3)") != std::string::npos);
    CHECK(fact(path, "/frames") == "2");
    CHECK(player({"--verify", path}, fake).status == 0);
  } else {
    CHECK(outcome.err.find("left whole, not cut to frames 1:3: ") != std::string::npos);
    is_whole(path, 3, 6, "1:3");
  }
}

SCENARIO("a program whose name for requests another has taken is found all the same", "[cut]") {
  const bool listens = GENERATE(false, true);
  INFO((listens ? "who took it listens" : "who took it does not listen"));
  const TemporaryDirectory directory;
  const std::string path = directory.file("x.rondo"), go = directory.file("go");
  Command command = recorded(presenters({"--frames", "0", "--pause", "2000"}), path);
  // The shell becomes the program, once its number's name is taken.
  command.arguments.insert(command.arguments.begin(),
                           {"sh", "-c", "while [ ! -e \"$0\" ]; do sleep 0.05; done; exec \"$@\"", go});
  Process process(command);
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  const std::string text = "rondo-trigger-" + std::to_string(::getuid()) + "-" + std::to_string(process.pid());
  text.copy(name.sun_path + 1, text.size());
  const int taken = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  REQUIRE(::bind(taken, reinterpret_cast<const sockaddr*>(&name),
                 static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size())) == 0);
  if (listens) REQUIRE(::listen(taken, 100) == 0);
  write_file(go, "");
  const Outcome answer = triggered(process.pid(), "2");
  INFO(answer.both());
  CHECK(answer.status == 0);
  CHECK(asked(answer, path).find(':') != std::string::npos);
  CHECK(closed_soon(path));
  ::close(taken);
  process.kill(SIGTERM);
  CHECK(process.wait().status == 0);
}

SCENARIO("a program that runs is asked for its next frames, records them, and runs on", "[cut]") {
  const Words more = GENERATE(Words{}, Words{"--close", "1"}, Words{"--fork", "1"});
  INFO((more.empty() ? "plain" : more[0]));
  Words words = presenters({"--frames", "0", "--pause", "2000"});
  words.insert(words.end(), more.begin(), more.end());
  const TemporaryDirectory directory;
  const std::string path = directory.file("x.rondo");
  Process process(recorded(words, path));
  const Outcome first = triggered(process.pid(), "2");
  INFO(first.both());
  REQUIRE(first.status == 0);
  CHECK(lines(first.out).size() == 1);
  CHECK(first.err.empty());
  const std::string range = asked(first, path);
  INFO(range);
  REQUIRE(range.find(':') != std::string::npos);
  const int from = std::stoi(range), to = std::stoi(range.substr(range.find(':') + 1));
  CHECK(to == from + 2);
  REQUIRE(closed_soon(path));
  CHECK(process.running());

  const Outcome second = rondo({"trigger", std::to_string(process.pid())});
  INFO(second.both());
  CHECK(second.status == 1);
  CHECK(is_one_line(second, "rondo"));
  CHECK(second.err.find("has ended already: " + path) != std::string::npos);
  for (const pid_t child : children_of(process.pid())) {
    const Outcome none = rondo({"trigger", std::to_string(child)});
    INFO(none.both());
    CHECK(none.status == 1);
    CHECK(none.err.find("forked") != std::string::npos);
  }
  CHECK(process.running());
  process.kill(SIGTERM);
  const Outcome outcome = process.wait();
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  CHECK(outcome.err.empty());
  CHECK(outcome.out.find("presenters: 3 threads, 0 frames each\n") != std::string::npos);
  is_whole(path, to, to, range);
}

SCENARIO("the last of several requests counts", "[cut]") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("x.rondo");
  Process process(recorded(presenters({"--frames", "0", "--pause", "2000"}), path, "5000000:6000000"));
  const Outcome far = triggered(process.pid(), "1000000"), near = triggered(process.pid(), "3");
  INFO(far.both() << near.both());
  REQUIRE(near.status == 0);
  REQUIRE(closed_soon(path));
  process.kill(SIGTERM);
  CHECK(process.wait().status == 0);
  const std::string range = asked(near, path);
  const int to = std::stoi(range.substr(range.find(':') + 1));
  is_whole(path, to, to, range);
}

namespace {

// A signal stops all threads, but not at once where the machine is busy.
bool is_stopped(pid_t pid) {
  for (int i = 0; i < 400; ++i, ::usleep(25000)) {
    bool all = true;
    for (const auto& task : std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task")) {
      std::ifstream file(task.path() / "stat");
      const std::string stat{std::istreambuf_iterator<char>(file), {}};
      const std::size_t name_end = stat.rfind(')');
      all = all && name_end != std::string::npos && stat.size() > name_end + 2 && stat[name_end + 2] == 'T';
    }
    if (all) return true;
  }
  return false;
}

}  // namespace

SCENARIO("a request that nobody answered in time is none", "[cut]") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("x.rondo");
  Process process(recorded(presenters({"--frames", "0", "--pause", "2000"}), path));
  REQUIRE(triggered(process.pid(), "1000000").status == 0);
  // Moments later the background thread has written it.
  std::string request = fact(path, "/session/cut_request/frames");
  for (int i = 0; i < 200 && request.empty(); ++i) {
    ::usleep(50000);
    request = fact(path, "/session/cut_request/frames");
  }
  REQUIRE(!request.empty());
  process.kill(SIGSTOP);
  REQUIRE(is_stopped(process.pid()));
  const Outcome late = rondo({"trigger", std::to_string(process.pid())});
  INFO(late.both());
  CHECK(late.status == 1);
  CHECK(is_one_line(late, "rondo"));
  CHECK(late.err.find("is it stopped?") != std::string::npos);
  process.kill(SIGCONT);
  ::usleep(300000);
  CHECK(fact(path, "/complete") == "false");
  CHECK(fact(path, "/session/cut_request/frames") == request);
  process.kill(SIGTERM);
  CHECK(process.wait().status == 0);
}

SCENARIO("a program that is killed behind a request leaves it in the capture", "[cut]") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("x.rondo");
  Process process(recorded(presenters({"--frames", "0", "--pause", "2000"}), path));
  const Outcome answer = triggered(process.pid(), "1000000");
  ::usleep(200000);
  process.kill(SIGKILL);
  CHECK(process.wait().signal == SIGKILL);
  CHECK(rondo({"finish", path}).status == 0);
  CHECK(fact(path, "/session/cut_request/frames") == "\"" + asked(answer, path) + "\"");
}

SCENARIO("the launcher hears what a program was asked for", "[cut]") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("x.rondo");
  Process process(
      recorded(presenters({"--frames", "0", "--pause", "2000"}), path, "", {.checkpoints = "present", .driver = fake}));
  for (int i = 0; i < 600 && children_of(process.pid()).empty(); ++i) ::usleep(50000);
  REQUIRE(children_of(process.pid()).size() == 1);
  const Outcome answer = triggered(children_of(process.pid())[0], "2");
  INFO(answer.both());
  REQUIRE(answer.status == 0);
  REQUIRE(closed_soon(path));
  process.kill(SIGTERM);
  const Outcome outcome = process.wait();
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  CHECK(outcome.err.find((can_trim() ? "cut to frames " : "left whole, not cut to frames ") + asked(answer, path)) !=
        std::string::npos);
}

SCENARIO("nobody is asked who is not captured", "[cut][wrong-input]") {
  const auto refused = [](const Words& words, int status, const std::string& part) {
    Words all{"trigger"};
    all.insert(all.end(), words.begin(), words.end());
    const Outcome outcome = rondo(all);
    INFO(outcome.both());
    CHECK(outcome.status == status);
    CHECK(is_one_line(outcome, "rondo"));
    CHECK(outcome.err.find(part) != std::string::npos);
  };
  refused({std::to_string(::getpid())}, 1, "is not captured: start it by `rondo capture");
  refused({"99999999"}, 1, "there is no process 99999999");
  refused({}, 2, "PID is required");
  refused({"-1"}, 2, "");
  refused({"12x"}, 2, "is no process number");
  refused({"1", "--frames", "0"}, 2, "is no number of frames");
  refused({"1", "--frames", "x"}, 2, "is no number of frames");
}
