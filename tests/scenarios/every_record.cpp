// SPDX-License-Identifier: Apache-2.0
// Damages each record of a capture in each way (player/damage.h), plays each
// damaged plan on the fake driver and says what found it.
//   every-record CAPTURE...
// A line for each damage that nothing found (how, sequence number, command, what
// was changed), one for each command and damage that a comparison found, and one
// with the counts. Each replay runs in a process of its own: one that hangs or
// crashes is told from the others.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "format/codec/schema.h"
#include "player/preflight.h"
#include "player/run.h"
#include "tests/icd/fake.h"

namespace {

using namespace rondo;
namespace player = rondo::player;

constexpr double kSeconds = 2;    // for a replay that takes milliseconds
constexpr unsigned kKilled = 20;  // … and for one that does not even time out

enum Found : std::uint8_t { none, differs, refused, failed, invalid, timeout, unseen, nameless, crashed };
const char* const kNames[] = {"none",    "differs", "refused",  "failed", "invalid",
                              "timeout", "unseen",  "nameless", "crashed"};

struct Answer {
  Found found;
  char text[512];  // the error
};

// One damaged plan that is being played.
struct Job {
  pid_t pid = -1;
  Answer* answer = nullptr;  // shared with the process
  std::string how, where;
};

Found by_error(const Error& error) {
  // "record 17", or the call that could not be made; what a device lacks is listed.
  if (error.status != Status::device && error.message.find("record ") == std::string::npos &&
      error.message.find("vk") == std::string::npos)
    return nameless;
  switch (error.status) {
    case Status::timeout:
      return timeout;
    case Status::different:
      return differs;
    case Status::failed:
      return failed;
    default:
      return refused;
  }
}

Result<void> play(player::Plan& plan, player::Observer& observer, player::Deadline& deadline) {
  auto loader = player::Loader::from(fake::get_instance_proc_addr);
  if (!loader) return tl::unexpected<Error>(loader.error());
  auto live = player::LiveDevices::open(*loader);
  if (!live) return tl::unexpected<Error>(live.error());
  player::Targets targets;
  targets.list = &(*live)->list();
  for (const player::CapturedDevice& device : plan.devices) {
    std::string reason;
    const auto chosen = (*live)->choose(plan.physical_devices[device.physical], reason);
    if (!chosen) return tl::unexpected<Error>(chosen.error());
    targets.of.push_back(*chosen);
  }
  RONDO_TRY(player::preflight(plan, *loader, **live, targets));
  player::PlacementCache placements;
  player::RunOptions options;
  options.verify = true;
  player::Run run(plan, *loader, targets, options, deadline, observer, placements);
  const Result<void> played = run.play();
  const Result<void> ended = run.finish();
  if (!played) return played;
  if (!ended) return ended;
  const std::string& difference = observer.verification.first_difference;
  if (!difference.empty()) return fail(Status::different, difference);
  return {};
}

[[noreturn]] void child(player::Plan& plan, Answer& answer) {
  ::alarm(kKilled);
  fake::reset();
  player::Observer observer;
  player::Deadline deadline(kSeconds);
  answer.found = timeout;  // if the deadline's watch ends the process
  const Result<void> done = play(plan, observer, deadline);
  const auto violations = fake::violations();
  std::string text = done ? "" : done.error().message;
  if (text.empty() && !violations.empty()) text = violations[0].command + ": " + violations[0].what;
  std::strncpy(answer.text, text.c_str(), sizeof answer.text - 1);
  answer.found = !done ? by_error(done.error()) : violations.empty() ? unseen : invalid;
  ::_exit(0);
}

class Damager {
 public:
  explicit Damager(std::string path) : path_(std::move(path)) {
    void* shared =
        ::mmap(nullptr, sizeof(Answer) * kJobs, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (std::size_t i = 0; i < kJobs; ++i) jobs_[i].answer = static_cast<Answer*>(shared) + i;
  }

  // False: the capture does not even play undamaged.
  bool run() {
    auto whole = plan("");
    if (!whole) return complain(whole.error().message);
    struct Place {
      std::uint64_t sequence;
      CommandId command;
    };
    std::vector<Place> places;
    for (const player::Op& op : (*whole)->ops) places.push_back({op.sequence, op.command});
    start(**whole, "nothing", "");
    while (waiting_ > 0) reap();
    if (!played_) return complain("does not play undamaged");
    for (std::size_t i = 0; i < places.size(); ++i) {
      const std::string at = std::to_string(places[i].sequence);
      const std::string where = at + '\t' + codec::info(places[i].command).name;
      one("drop", "drop:" + at, where);
      if (i + 1 < places.size())
        one("swap", "swap:" + at + ':' + std::to_string(places[i + 1].sequence),
            where + '\t' + codec::info(places[i + 1].command).name);
      for (int n = 0; one("corrupt", "corrupt:" + at + ':' + std::to_string(n), where); ++n) {
      }
      for (int n = 0; one("handle", "handle:" + at + ':' + std::to_string(n), where); ++n) {
      }
    }
    while (waiting_ > 0) reap();
    for (const std::string& line : compared_) std::printf("differs\t%s\n", line.c_str());
    std::printf("counts");
    for (int found = differs; found <= crashed; ++found)
      std::printf("\t%s %d", kNames[found], counts_[static_cast<Found>(found)]);
    std::printf("\t%s\n", path_.c_str());
    return true;
  }

 private:
  static constexpr std::size_t kJobs = 4;

  bool complain(const std::string& why) const {
    std::fprintf(stderr, "every-record: %s: %s\n", path_.c_str(), why.c_str());
    return false;
  }

  Result<std::unique_ptr<player::Plan>> plan(const std::string& damage) {
    auto reader = Reader::open(path_, {});
    if (!reader) return tl::unexpected<Error>(reader.error());
    player::PlanOptions options;
    if (!damage.empty()) {
      auto parsed = player::parse_damage(damage);
      if (!parsed) return tl::unexpected<Error>(parsed.error());
      options.damage = *parsed;
    }
    return player::build_plan(**reader, options);
  }

  // False: there is no further leaf or handle in this record.
  bool one(const char* how, const std::string& damage, const std::string& where) {
    auto damaged = plan(damage);
    if (damaged) {
      start(**damaged, how, where + '\t' + (*damaged)->damaged);
      return true;
    }
    const Error& error = damaged.error();
    if (error.status != Status::usage) {
      tell(by_error(error), how, where, error.message);
      return true;
    }
    return error.message.find("no other") != std::string::npos;  // another one may do
  }

  void start(player::Plan& plan, const char* how, const std::string& where) {
    if (waiting_ == kJobs) reap();
    for (Job& job : jobs_) {
      if (job.pid != -1) continue;
      *job.answer = {crashed, {}};
      job.how = how;
      job.where = where;
      std::fflush(stdout);
      job.pid = ::fork();
      if (job.pid == 0) child(plan, *job.answer);
      ++waiting_;
      return;
    }
  }

  void reap() {
    int status = 0;
    const pid_t pid = ::waitpid(-1, &status, 0);
    for (Job& job : jobs_) {
      if (job.pid != pid) continue;
      job.pid = -1;
      --waiting_;
      tell(WIFSIGNALED(status) ? crashed : job.answer->found, job.how, job.where, job.answer->text);
    }
  }

  static std::string command_of(const std::string& where) {
    const std::size_t from = where.find('\t') + 1;
    return where.substr(from, where.find('\t', from) - from);
  }

  void tell(Found found, const std::string& how, const std::string& where, const std::string& why) {
    if (how == "nothing") {
      played_ = found == unseen;
      return;
    }
    ++counts_[found];
    if (found == differs) compared_.insert(how + '\t' + command_of(where));
    if (found == unseen || found == nameless || found == crashed)
      std::printf("%s\t%s\t%s\t%s\n", kNames[found], how.c_str(), where.c_str(), why.c_str());
  }

  std::string path_;
  Job jobs_[kJobs];
  std::size_t waiting_ = 0;
  bool played_ = false;
  std::map<Found, int> counts_;
  std::set<std::string> compared_;
};

}  // namespace

int main(int argc, char** argv) {
  bool good = argc > 1;
  for (int i = 1; i < argc; ++i) good = Damager(argv[i]).run() && good;
  return good ? 0 : 1;
}
