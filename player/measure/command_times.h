// SPDX-License-Identifier: Apache-2.0
// When a device works at commands of a span: timestamps that are recorded into the program's command buffers,
// before and after the commands that are asked for. Or how much it does there: pipeline statistics or performance
// counters of each of these commands. Made before the run begins; what it makes of a device goes with the device.
// Specification: "Timestamp Queries", "Pipeline Statistics Queries", "Performance Queries", "Query Operation"
// (which queries may be active together).
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "model/gpu/staging.h"
#include "player/measure/counters.h"
#include "player/measure/pipeline_statistics.h"
#include "player/run/run.h"

namespace rondo::player {

enum class Measured : std::uint8_t { times, statistics, counters };

// A place in a command buffer where a timestamp is written. Of statistics and counters: a command that has a query
// around it.
struct TimePoint {
  std::uint64_t record = 0;  // the command at which it stands
  bool after = false;        // after that command; else before it
  bool barrier = false;      // all work before it ends first, and none after it begins earlier
  // with `barrier`: twice, one after the other: what lies between is the cost of such a point
  bool probe = false;
  bool settled = false;       // also before the command: when all work before it has ended. Else when it has begun
  std::uint32_t queries = 1;  // that it takes there: one for each view in a multiview pass
};

// A command buffer of a submit of the span, as it is executed.
struct TimedCommands {
  std::uint64_t at = 0;                // the submit, as a record
  std::uint32_t batch = 0;             // index of its VkSubmitInfo in the call
  std::uint32_t primary = 0;           // index of the command buffer in the batch
  std::uint32_t first = 0, count = 0;  // the points that it writes, in that order: in TimesWanted::order
  // a render pass is suspended at its end: nothing may follow it but what resumes that
  bool leaves_pass_open = false;
};

struct TimesWanted {
  Measured what = Measured::times;
  std::vector<Counter> counters;  // of Measured::counters: what one pass counts
  bool clocks = false;            // devices that have calibrated timestamps are made with them (device_clocks.h)
  std::vector<TimePoint> points;  // each record and side once
  // indexes into `points`: the execution of each. No point twice in one command buffer
  std::vector<std::uint32_t> order;
  std::vector<TimedCommands> commands;  // in the order of execution
};

class CommandTimes {
 public:
  // Nanoseconds from the earliest timestamp of their device; kNoTime: it was not written.
  static constexpr double kNoTime = -1;

  CommandTimes(Run& run, const TimesWanted& wanted);
  CommandTimes(const CommandTimes&) = delete;
  CommandTimes& operator=(const CommandTimes&) = delete;

  bool has(std::uint32_t op) const { return op < actions_.size() && actions_[op] != kNone; }
  // Around that op, if it has it.
  Result<void> before(std::uint32_t op);
  Result<void> after(std::uint32_t op);
  // Before each time that the span is played; nothing works.
  Result<void> reset();
  // Called with the parameters of a submit that is about to be made.
  void insert(std::uint32_t op, VkSubmitInfo* submits, std::uint32_t count);
  void insert(std::uint32_t op, VkSubmitInfo2* submits, std::uint32_t count);
  // The times of the last iteration. Call this when all its work has ended. Parallel to TimesWanted::order.
  Result<std::span<const double>> times();
  // Likewise: the device that each is of, as an index into Plan::devices; kNone: it is not timed.
  std::uint32_t device_of(std::uint32_t execution) const {
    const std::uint32_t pool = places_[wanted_.order[execution]].pool;
    return pool != kNone ? pools_[pool].device : kNone;
  }
  // The nanoseconds from the ticks `at` of a device's clock to the time 0 of times(). None: nothing of it was timed.
  std::optional<double> until_first(std::uint32_t device, std::uint64_t at) const;
  // A submit of the last iteration with its earliest and latest time.
  struct WorkedSubmit {
    std::uint32_t op = kNone, device = kNone;
    double begin = 0, end = 0;
  };
  // In the order of TimesWanted::commands; a submit comes once for each of these.
  std::vector<WorkedSubmit> worked_submits() const;
  bool wants_clocks() const { return wanted_.clocks; }
  // The longest tick of the clocks of these devices, in nanoseconds.
  double timestamp_ns() const;
  // Of the same: what a point with `probe` costs, in nanoseconds; kNoTime: of others. Empty: no point has
  // one.
  std::span<const double> probes() const { return probes_; }
  // Executions of points that cannot be timed on these devices: their queues have no timestamps, …
  std::uint64_t left_out() const { return left_out_; }
  // Instead of times(), for Measured::statistics. `execution`: index into TimesWanted::order; of those
  // that were counted, in that order. A point in a multiview pass has the sum of its views.
  using TakeStatistics = std::function<void(std::uint32_t execution, const Statistics& counts)>;
  Result<void> statistics(const TakeStatistics& take);
  // Likewise for Measured::counters. `values`: parallel to TimesWanted::counters; NaN: the queue lacks that one. What
  // does not add up has the highest value of the views.
  using TakeCounters = std::function<void(std::uint32_t execution, std::span<const double> values)>;
  Result<void> counters(const TakeCounters& take);
  // Of left_out(): where a statistics query of the program's own may be active.
  std::uint64_t in_own_queries() const { return in_own_queries_; }

 private:
  // Which of TimesWanted::counters a queue family has.
  struct CounterSet {
    std::uint32_t device = kNone, family = 0;
    std::vector<std::uint32_t> indexes;  // as the driver counts them
    std::vector<std::uint32_t> wanted;   // parallel: into TimesWanted::counters
  };
  // What is queried on a queue. At most one of these is set; if none is, the query is a timestamp.
  struct Kind {
    VkQueryPipelineStatisticFlags statistics = 0;
    std::uint32_t counters = kNone;  // index into counter_sets_
    // The query has a begin and an end, before and after a command.
    bool is_around() const { return statistics != 0 || counters != kNone; }
    auto operator<=>(const Kind&) const = default;
  };
  struct Pool {
    std::uint32_t device = kNone;
    std::uint32_t queries = 0;
    Kind kind;
    std::uint32_t values = 1;  // of 64 bits, in the result of a query
    VkQueryPool handle = VK_NULL_HANDLE;
  };
  struct Place {  // of a point
    ObjectId commands = ObjectId::null;
    std::uint32_t pool = kNone;  // index into pools_; kNone: it is not timed
    std::uint32_t first = 0;     // query
    std::uint32_t uses = 0;      // executions
    bool is_lost = false;        // an execution of it would overwrite another one's time
  };
  struct Range {
    std::uint32_t pool = 0, first = 0, count = 0;
  };
  // Copies the queries of a command buffer that is executed more than once, and resets them, each time after it.
  struct Copy {
    std::uint32_t commands = 0;  // index into TimesWanted::commands
    std::uint32_t family = 0;
    std::uint64_t offset = 0;  // of its results, in the device's buffer, in values of 64 bits
    std::vector<Range> ranges;
    VkCommandBuffer own = VK_NULL_HANDLE;
  };
  // Of a batch before the span: at its end the queries of these command buffers are reset, sorted.
  struct Reset {
    std::uint32_t batch = 0;
    std::vector<ObjectId> commands;
  };
  struct Device {
    std::uint32_t create_op = kNone;
    std::uint64_t mask = UINT64_MAX;     // of the bits that are valid in all of its families
    double period = 1;                   // nanoseconds a tick
    std::optional<std::uint64_t> first;  // the earliest timestamp of the last iteration, in ticks
    std::uint64_t copied = 0;            // values of 64 bits, in `results`
    bool is_ready = false;
    std::unique_ptr<gpu::Staging> results;
    std::unordered_map<std::uint32_t, VkCommandPool> pools;  // of own command buffers, by queue family
  };
  struct Submit {
    std::vector<std::uint32_t> copies;  // indexes into copies_, in the order of batches and command buffers
    std::vector<std::vector<VkCommandBuffer>> lists;
    std::vector<std::vector<VkCommandBufferSubmitInfo>> lists2;
    std::vector<Reset> resets;  // of a submit before the span, in the order of its batches
  };
  std::span<const std::uint32_t> points_of(const TimedCommands& commands) const {
    return std::span(wanted_.order).subspan(commands.first, commands.count);
  }
  // The queries of one pool, read from the driver a part at a time.
  class Results;
  void find_ops();
  void find_growing();
  void find_resets();
  VkCommandBuffer reset_commands(std::uint32_t op, const Reset& reset);
  void add_range(std::vector<Range>& ranges, std::uint32_t point) const;
  Result<VkCommandPool> own_pool(std::uint32_t device, std::uint32_t family);
  template <class Fill>
  Result<void> record_own(std::uint32_t device, VkCommandPool pool, VkCommandBufferUsageFlags usage,
                          VkCommandBuffer& made, Fill&& fill);
  void find_places();
  // By op: no query may be begun there. Of statistics: also where the program may have one of this type, and ours
  // would be the second.
  std::vector<bool> closed_to_queries() const;
  // What a queue family counts; 0: nothing.
  VkQueryPipelineStatisticFlags statistics_of(std::uint32_t device, const VkQueueFamilyProperties& family) const;
  // Likewise which of the wanted counters, as an index into counter_sets_; kNone: none.
  std::uint32_t counters_of(std::uint32_t device, std::uint32_t family);
  // What is to be queried on that family; nullopt: it cannot be.
  std::optional<Kind> kind_of(std::uint32_t device, std::uint32_t family);
  std::uint32_t values_of(const Kind& kind) const;
  Result<void> make_pool(const DeviceState& device, Pool& pool);
  // Visits what was executed and has a result, in the order of execution. `values`: of the first query of the
  // point, and then of the others.
  template <class Visit>
  Result<void> each_result(Visit&& visit);
  void choose_copies();
  Result<void> make_ready(std::uint32_t device);
  Result<void> reset_queries(std::uint32_t device);
  Result<void> record(Copy& copy, VkCommandPool pool);
  Result<void> write(const TimePoint& point, const Place& place, bool ends);
  std::uint32_t queries_of(const TimePoint& point) const { return point.probe ? 2 : point.queries; }
  template <class Commands, class Batch>
  void insert(std::uint32_t op, std::vector<std::vector<Commands>>& lists, const Submit& submit, Batch* submits,
              std::uint32_t count);
  std::uint32_t device_of(const Copy& copy) const { return pools_[copy.ranges[0].pool].device; }
  Error failure(const char* command, VkResult result) const;

  Run& run_;
  const TimesWanted& wanted_;
  std::vector<Place> places_;               // parallel to TimesWanted::points
  std::vector<std::uint32_t> op_of_point_;  // likewise; kNone: it is not in the plan
  std::vector<Pool> pools_;
  std::vector<CounterSet> counter_sets_;
  std::vector<Device> devices_;  // parallel to Plan::devices
  std::vector<Copy> copies_;
  // parallel to TimesWanted::commands: its list in the submit can be made longer
  std::vector<bool> grows_;
  std::vector<std::uint32_t> submit_of_;  // likewise: its op
  // parallel to TimesWanted::commands: index into copies_; kNone: read at the end
  std::vector<std::uint32_t> copy_of_;
  std::unordered_map<std::uint32_t, Submit> submits_;  // by op
  std::vector<std::uint32_t> actions_;                 // by op: index into points_at_; kNone
  struct At {
    std::uint32_t before = kNone, after = kNone;  // indexes of points
    std::uint32_t makes = kNone;                  // the device that the op makes
  };
  std::vector<At> points_at_;
  std::map<std::pair<std::uint32_t, std::vector<ObjectId>>, VkCommandBuffer>
      own_resets_;       // by family and Reset::commands
  Result<void> failed_;  // to make one of these
  std::uint64_t left_out_ = 0, in_own_queries_ = 0;
  std::vector<double> times_,
      probes_;  // parallel to TimesWanted::order; probes_ is empty where no point has one
};

template <class Fill>
Result<void> CommandTimes::record_own(std::uint32_t device, VkCommandPool pool, VkCommandBufferUsageFlags usage,
                                      VkCommandBuffer& made, Fill&& fill) {
  const DeviceState& state = *run_.device_at(device);
  const VkCommandBufferAllocateInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, pool,
                                         VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
  VkResult r = state.dispatch.vkAllocateCommandBuffers(state.handle, &info, &made);
  if (r < 0) return tl::unexpected<Error>(failure("vkAllocateCommandBuffers", r));
  const VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr, usage, nullptr};
  r = state.dispatch.vkBeginCommandBuffer(made, &begin);
  if (r < 0) return tl::unexpected<Error>(failure("vkBeginCommandBuffer", r));
  fill(made);
  r = state.dispatch.vkEndCommandBuffer(made);
  if (r < 0) return tl::unexpected<Error>(failure("vkEndCommandBuffer", r));
  return {};
}

}  // namespace rondo::player
