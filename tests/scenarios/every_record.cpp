// SPDX-License-Identifier: Apache-2.0
// Damages each record of a capture in each way (player/plan/damage.h), plays each
// damaged plan on the fake driver and says what found it.
//   every-record CAPTURE...
// A line for each damage: what found it, how, sequence number, command, what was
// changed (swap: the other record's command), and the error; and "end" behind each
// capture. Each replay runs in a process of its own: one that hangs or crashes is
// told from the others.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "format/codec/schema.h"
#include "player/devices/preflight.h"
#include "player/run/run.h"
#include "tests/icd/fake.h"

namespace {

using namespace rondo;
namespace player = rondo::player;

constexpr double kSeconds = 2;    // for a replay that takes milliseconds
constexpr unsigned kKilled = 20;  // … and for one that does not even time out

enum Found : std::uint8_t { differs, refused, failed, timeout, unseen, harmless, invalid, nameless, crashed };
const char* const kNames[] = {"differs",  "refused", "failed",   "timeout", "unseen",
                              "harmless", "invalid", "nameless", "crashed"};

struct Answer {
  Found found;
  char text[512];  // the error
};

// A record that is damaged.
struct Place {
  std::uint64_t sequence = 0;
  std::string command;
  std::vector<std::string> objects = {};  // that it names, as messages do
  std::uint64_t first = 0;                // of the checkpoints in front of it: what is presented has some
};

// One damaged plan that is being played.
struct Job {
  pid_t pid = -1;
  Answer* answer = nullptr;  // shared with the process
  Place place;
  std::string how, what;
};

bool names(const std::string& text, const std::string& object) {
  const std::size_t at = text.find(object);
  return at != std::string::npos && std::isdigit(static_cast<unsigned char>(text[at + object.size()])) == 0;
}

// Found where the damage is: the error names the damaged record, or one behind it,
// which misses it; or one of its objects; or what the device lacks.
Found by_error(const Error& error, const Place& damaged) {
  const std::size_t at = error.message.find("record ");
  const bool record = at != std::string::npos && std::strtoull(&error.message[at + 7], nullptr, 10) >= damaged.first;
  const bool object = std::any_of(damaged.objects.begin(), damaged.objects.end(),
                                  [&](const std::string& one) { return names(error.message, one); });
  if (error.status != Status::device && !record && !object) return nameless;
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
  RONDO_TRY(player::preflight(plan, *loader, **live, targets, player::Trust::foreign));
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

[[noreturn]] void child(player::Plan& plan, Answer& answer, const Place& damaged) {
  ::alarm(kKilled);
  fake::Settings settings;
  settings.leaks = true;
  fake::reset(settings);
  player::Observer observer;
  player::Deadline deadline(kSeconds);
  answer.found = timeout;  // if the deadline's watch ends the process
  const Result<void> done = play(plan, observer, deadline);
  const auto violations = fake::violations();
  std::string text = done ? "" : done.error().message;
  if (done || (!violations.empty() && !violations[0].harmless))
    text = violations.empty() ? "" : violations[0].command + ": " + violations[0].what;
  std::strncpy(answer.text, text.c_str(), sizeof answer.text - 1);
  // The fake driver does not make a call that it complains of: what it says of
  // later ones may be only for that.
  if (!violations.empty() && !violations[0].harmless)
    answer.found = invalid;
  else if (!done)
    answer.found = by_error(done.error(), damaged);
  else
    answer.found = violations.empty() ? unseen : harmless;
  ::_exit(0);
}

class Damager {
 public:
  explicit Damager(std::string path) : path_(std::move(path)) {
    void* shared = ::mmap(nullptr, sizeof(Answer) * kJobs, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (std::size_t i = 0; i < kJobs; ++i) jobs_[i].answer = static_cast<Answer*>(shared) + i;
  }

  // False: the capture does not even play undamaged.
  bool run() {
    auto whole = plan("", nullptr);
    if (!whole) return complain(whole.error().message);
    std::vector<Place> places;
    std::uint64_t first = 0;  // of the checkpoints just in front
    for (const player::Op& op : (*whole)->ops) {
      const std::string_view command = codec::info(op.command).name;
      if (first == 0) first = op.sequence;
      places.push_back({op.sequence, std::string(command), {}, first});
      if (!command.starts_with("rondoCheckpoint")) first = 0;
    }
    start(**whole, "nothing", Place{}, "");
    while (waiting_ > 0) reap();
    if (!played_) return complain("does not play undamaged");
    for (std::size_t i = 0; i < places.size(); ++i) {
      const std::string at = std::to_string(places[i].sequence);
      one("drop", "drop:" + at, places[i], "");
      if (i + 1 < places.size())
        one("swap", "swap:" + at + ':' + std::to_string(places[i + 1].sequence), places[i], places[i + 1].command);
      for (int n = 0; one("corrupt", "corrupt:" + at + ':' + std::to_string(n), places[i], ""); ++n) {
      }
      for (int n = 0; one("handle", "handle:" + at + ':' + std::to_string(n), places[i], ""); ++n) {
      }
    }
    while (waiting_ > 0) reap();
    std::printf("end\t%s\n", path_.c_str());
    return true;
  }

 private:
  static constexpr std::size_t kJobs = 4;

  bool complain(const std::string& why) const {
    std::fprintf(stderr, "every-record: %s: %s\n", path_.c_str(), why.c_str());
    return false;
  }

  Result<std::unique_ptr<player::Plan>> plan(const std::string& damage, player::Damaged* damaged) {
    auto reader = Reader::open(path_, {});
    if (!reader) return tl::unexpected<Error>(reader.error());
    player::PlanOptions options;
    options.damaged = damaged;
    options.verify = true;
    if (!damage.empty()) {
      auto parsed = player::parse_damage(damage);
      if (!parsed) return tl::unexpected<Error>(parsed.error());
      options.damage = *parsed;
    }
    return player::build_plan(**reader, options);
  }

  // False: there is no further leaf or handle in this record.
  bool one(const char* how, const std::string& damage, const Place& place, const std::string& other) {
    player::Damaged changed;
    auto damaged = plan(damage, &changed);
    Place here = place;
    if (!changed.object.empty()) here.objects.push_back(changed.object);
    if (damaged) {
      start(**damaged, how, here, other + changed.what);
      return true;
    }
    const Error& error = damaged.error();
    if (error.status != Status::usage) {
      tell(by_error(error, here), how, here, other + changed.what, error.message);
      return true;
    }
    return error.message.find("no other") != std::string::npos;  // another one may do
  }

  void start(player::Plan& plan, const char* how, const Place& place, const std::string& what) {
    if (waiting_ == kJobs) reap();
    for (Job& job : jobs_) {
      if (job.pid != -1) continue;
      *job.answer = {crashed, {}};
      job.how = how;
      job.place = place;
      job.what = what;
      std::fflush(stdout);
      job.pid = ::fork();
      if (job.pid == 0) child(plan, *job.answer, place);
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
      tell(WIFSIGNALED(status) ? crashed : job.answer->found, job.how, job.place, job.what, job.answer->text);
    }
  }

  void tell(Found found, const std::string& how, const Place& place, const std::string& what, std::string why) {
    if (how == "nothing") {
      played_ = found == unseen;
      return;
    }
    std::replace(why.begin(), why.end(), '\n', ' ');
    std::printf("%s\t%s\t%llu\t%s\t%s\t%s\n", kNames[found], how.c_str(),
                static_cast<unsigned long long>(place.sequence), place.command.c_str(), what.c_str(), why.c_str());
  }

  std::string path_;
  Job jobs_[kJobs];
  std::size_t waiting_ = 0;
  bool played_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  bool good = argc > 1;
  for (int i = 1; i < argc; ++i) good = Damager(argv[i]).run() && good;
  return good ? 0 : 1;
}
