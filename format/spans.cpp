// SPDX-License-Identifier: Apache-2.0
#include "format/spans.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <string_view>

#include "format/counts.h"
#include "generated/args.h"

namespace rondo {

namespace {

using Kind = SpanRequest::Kind;

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

// Levenshtein's.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

template <class Args>
const Args& as(const SpanFinder::Call& call) {
  return *static_cast<const Args*>(call.args);
}

std::uint64_t value(const void* handle) { return reinterpret_cast<std::uint64_t>(handle); }

std::string text_of(const char* name) { return name == nullptr ? "" : name; }

bool is_checkpoint(CommandId id) {
  return id == CommandId::rondoCheckpointMemory || id == CommandId::rondoCheckpointBuffers ||
         id == CommandId::rondoCheckpointSubresources;
}

}  // namespace

bool SpanFinder::waited(const Call& call) {
  switch (call.command.canonical) {
    case CommandId::vkWaitForFences:
    case CommandId::vkWaitSemaphores:
    case CommandId::vkGetFenceStatus:
    case CommandId::vkQueueWaitIdle:
    case CommandId::vkDeviceWaitIdle:
    case CommandId::vkWaitForPresentKHR:
      return call.succeeded && call.result == VK_SUCCESS;
    case CommandId::vkGetEventStatus:
      return call.succeeded && call.result == VK_EVENT_SET;
    default:
      return false;
  }
}

bool SpanFinder::saw_timeline_move(const Call& call) {
  if (call.command.canonical != CommandId::vkGetSemaphoreCounterValue || !call.succeeded) return false;
  const auto& args = as<args_vkGetSemaphoreCounterValue>(call);
  if (args.pValue == nullptr) return false;
  std::uint64_t& seen = seen_[value(args.semaphore)];
  const bool moved = *args.pValue > seen;
  seen = std::max(seen, *args.pValue);
  return moved;
}

std::string SpanRequest::text() const {
  switch (kind) {
    case Kind::whole:
      return "the whole capture";
    case Kind::frames:
    case Kind::submits:
      return (kind == Kind::frames ? "frames " : "submits ") + std::to_string(first) + ":" + std::to_string(last);
    case Kind::records:
      return "records " + std::to_string(first) + " to " + std::to_string(last);
    case Kind::scope:
      break;
  }
  return "scope \"" + name + "\"" + (occurrence ? "#" + std::to_string(*occurrence) : "");
}

std::optional<Bounds> parse_bounds(std::string_view text) {
  const std::size_t colon = text.find(':');
  const auto first = number(text.substr(0, colon));
  if (!first) return std::nullopt;
  if (colon == std::string_view::npos)
    return *first != UINT64_MAX ? std::optional(Bounds{*first, *first + 1}) : std::nullopt;
  const auto last = number(text.substr(colon + 1));
  if (!last) return std::nullopt;
  return Bounds{*first, *last};
}

Result<SpanRequest> parse_range(const std::string& text, Kind kind, const std::string& option) {
  const auto bounds = parse_bounds(text);
  if (!bounds)
    return fail(Status::usage,
                option + ": '" + text + "' is not A:B, from A up to, not with, B, counted from 0 (A alone is A:A+1)");
  if (bounds->first >= bounds->last)
    return fail(Status::usage,
                option + ": " + text + " is empty: it ends before it begins (A:B is from A up to, not with, B)");
  SpanRequest request;
  request.kind = kind;
  request.first = bounds->first;
  request.last = bounds->last;
  return request;
}

Result<SpanRequest> parse_scope(const std::string& text) {
  SpanRequest request;
  request.kind = Kind::scope;
  request.name = text;
  if (const std::size_t mark = text.rfind('#'); mark != std::string::npos && mark != 0)
    if (const auto occurrence = number(std::string_view(text).substr(mark + 1))) {
      request.name = text.substr(0, mark);
      request.occurrence = *occurrence;
    }
  return request;
}

SpanFinder::Open SpanFinder::begin(const std::string& name, ScopeOccurrence::Kind kind, const Call& call) {
  if (++occurrences_ > kMostOccurrences) too_many_ = true;
  const auto [found, fresh] = scope_at_.try_emplace(name, scopes_.size());
  if (fresh) scopes_.push_back({name, {}});
  Scope& scope = scopes_[found->second];
  ScopeOccurrence& occurrence = scope.occurrences.emplace_back();
  occurrence.kind = kind;
  occurrence.records = {call.sequence, call.sequence};
  occurrence.start_ns = call.start_ns;
  last_begun_ = name;
  return {found->second, scope.occurrences.size() - 1};
}

void SpanFinder::end(std::vector<Open>& open, const Call& call) {
  if (open.empty()) {
    if (strays_.size() < kMostLabels) strays_.push_back({last_begun_, call.sequence});
    return;
  }
  ScopeOccurrence& occurrence = scopes_[open.back().scope].occurrences[open.back().occurrence];
  occurrence.records.last = call.sequence;
  occurrence.end_ns = call.end_ns;
  occurrence.ended = true;
  open.pop_back();
}

void SpanFinder::execute(const void* command_buffer, std::vector<Open>& open, const Call& call) {
  const auto found = labels_.find(value(command_buffer));
  if (found == labels_.end() || too_many_) return;
  for (const Label& label : found->second)
    if (label.begins)
      open.push_back(begin(label.name, ScopeOccurrence::Kind::command_label, call));
    else
      end(open, call);
}

namespace {

std::uint32_t count_of(const VkSubmitInfo& batch) { return batch.commandBufferCount; }
std::uint32_t count_of(const VkSubmitInfo2& batch) { return batch.commandBufferInfoCount; }
VkCommandBuffer one_of(const VkSubmitInfo& batch, std::uint32_t i) {
  return batch.pCommandBuffers == nullptr ? VK_NULL_HANDLE : batch.pCommandBuffers[i];
}
VkCommandBuffer one_of(const VkSubmitInfo2& batch, std::uint32_t i) {
  return batch.pCommandBufferInfos == nullptr ? VK_NULL_HANDLE : batch.pCommandBufferInfos[i].commandBuffer;
}

}  // namespace

// Labels in command buffers count with the submit that executes them.
template <class Args>
void SpanFinder::submit(const Call& call) {
  const auto& args = as<Args>(call);
  if (args.submitCount != 0 && first_submit_ == 0) {
    first_submit_ = call.sequence;
    first_submit_ns_ = call.start_ns;
  }
  std::vector<Open>& open = in_commands_[value(args.queue)];
  for (std::uint32_t i = 0; i < args.submitCount; ++i) {
    submits_.push_back(call.sequence);
    settled_.push_back(call.sequence);
    for (std::uint32_t k = 0; args.pSubmits != nullptr && k < count_of(args.pSubmits[i]); ++k)
      execute(one_of(args.pSubmits[i], k), open, call);
  }
}

// What was before only puts back what there was (rondoCut): of it only scopes that are open there count.
void SpanFinder::cut(const Call& call) {
  const std::vector<Scope> before = std::move(scopes_);
  scopes_.clear();
  scope_at_.clear();
  const auto again = [&](std::vector<Open>& open) {
    for (Open& one : open) {
      const Scope& was = before[one.scope];
      const auto [found, fresh] = scope_at_.try_emplace(was.name, scopes_.size());
      if (fresh) scopes_.push_back({was.name, {}});
      ScopeOccurrence& occurrence = scopes_[found->second].occurrences.emplace_back(was.occurrences[one.occurrence]);
      occurrence.records = {call.sequence, call.sequence};
      one = {found->second, scopes_[found->second].occurrences.size() - 1};
    }
  };
  for (auto& [thread, open] : host_) again(open);
  for (auto& [queue, open] : queues_) again(open);
  in_commands_.clear();
  if (prelude_) first_of_program_ = first_submit_;
  cut_to_come_ = false;
  presents_.clear();
  submits_.clear();
  settled_.clear();
  strays_.clear();
  first_ = last_ = first_ns_ = last_ns_ = 0;
  first_submit_ = first_submit_ns_ = 0;
  last_wait_ = last_wait_ns_ = 0;
  last_checkpoint_ = 0;
}

void SpanFinder::take(const Call& call) {
  if (call.command.canonical == CommandId::rondoCut) return cut(call);
  if (call.command.canonical == CommandId::rondoPrelude) {
    prelude_ = true;
    first_submit_ = 0;
    return;
  }
  if (first_ == 0) first_ = call.sequence;
  last_ = call.sequence;
  if (call.start_ns != 0 && first_ns_ == 0) first_ns_ = call.start_ns;
  if (call.end_ns != 0) last_ns_ = std::max(last_ns_, call.end_ns);
  const bool waits = waited(call) || saw_timeline_move(call), checks = is_checkpoint(call.command.canonical);
  if ((waits || checks) && !settled_.empty() && (presents_.empty() || presents_.back() < submits_.back()))
    settled_.back() = call.sequence;
  if (checks) last_checkpoint_ = call.sequence;
  if (waits) {
    last_wait_ = call.sequence;
    last_wait_ns_ = call.end_ns;
  }
  const auto label = [&](const void* commands, const char* name, bool begins) {
    labels_[value(commands)].push_back({begins ? text_of(name) : std::string(), begins});
  };
  switch (call.command.canonical) {
    case CommandId::vkQueuePresentKHR:
      presents_.push_back(call.sequence);
      break;
    case CommandId::vkQueueSubmit:
      submit<args_vkQueueSubmit>(call);
      break;
    case CommandId::vkQueueSubmit2:
      submit<args_vkQueueSubmit2>(call);
      break;
    case CommandId::vkBeginCommandBuffer:
      if (const auto found = labels_.find(value(as<args_vkBeginCommandBuffer>(call).commandBuffer));
          found != labels_.end())
        found->second.clear();
      break;
    case CommandId::vkDestroySemaphore:
      seen_.erase(value(as<args_vkDestroySemaphore>(call).semaphore));
      break;
    case CommandId::vkCmdBeginDebugUtilsLabelEXT: {
      const auto& args = as<args_vkCmdBeginDebugUtilsLabelEXT>(call);
      label(args.commandBuffer, args.pLabelInfo == nullptr ? nullptr : args.pLabelInfo->pLabelName, true);
      break;
    }
    case CommandId::vkCmdEndDebugUtilsLabelEXT:
      label(as<args_vkCmdEndDebugUtilsLabelEXT>(call).commandBuffer, nullptr, false);
      break;
    case CommandId::vkCmdDebugMarkerBeginEXT: {
      const auto& args = as<args_vkCmdDebugMarkerBeginEXT>(call);
      label(args.commandBuffer, args.pMarkerInfo == nullptr ? nullptr : args.pMarkerInfo->pMarkerName, true);
      break;
    }
    case CommandId::vkCmdDebugMarkerEndEXT:
      label(as<args_vkCmdDebugMarkerEndEXT>(call).commandBuffer, nullptr, false);
      break;
    case CommandId::vkCmdExecuteCommands: {
      const auto& args = as<args_vkCmdExecuteCommands>(call);
      std::vector<Label> inner;
      for (std::uint32_t i = 0; args.pCommandBuffers != nullptr && i < args.commandBufferCount; ++i)
        if (const auto found = labels_.find(value(args.pCommandBuffers[i]));
            found != labels_.end() && inner.size() <= kMostLabels)
          inner.insert(inner.end(), found->second.begin(), found->second.end());
      if (inner.empty()) break;
      std::vector<Label>& outer = labels_[value(args.commandBuffer)];
      if (outer.size() + inner.size() > kMostLabels) {
        too_many_ = true;
        break;
      }
      outer.insert(outer.end(), inner.begin(), inner.end());
      break;
    }
    case CommandId::vkQueueBeginDebugUtilsLabelEXT: {
      const auto& args = as<args_vkQueueBeginDebugUtilsLabelEXT>(call);
      const std::string name = text_of(args.pLabelInfo == nullptr ? nullptr : args.pLabelInfo->pLabelName);
      const Open opened = begin(name, ScopeOccurrence::Kind::queue_label, call);
      queues_[value(args.queue)].push_back(opened);
      break;
    }
    case CommandId::vkQueueEndDebugUtilsLabelEXT:
      end(queues_[value(as<args_vkQueueEndDebugUtilsLabelEXT>(call).queue)], call);
      break;
    case CommandId::rondoScopeBegin: {
      const Open opened = begin(text_of(as<args_rondoScopeBegin>(call).name), ScopeOccurrence::Kind::host, call);
      host_[call.thread].push_back(opened);
      break;
    }
    case CommandId::rondoScopeEnd:
      end(host_[call.thread], call);
      break;
    default:
      break;
  }
}

const Scope* find_innermost_scope(const std::vector<Scope>& scopes, std::uint64_t record, std::size_t& occurrence) {
  const Scope* found = nullptr;
  std::uint64_t shortest = UINT64_MAX;
  for (const Scope& scope : scopes)
    for (std::size_t i = 0; i < scope.occurrences.size(); ++i) {
      const ScopeOccurrence& one = scope.occurrences[i];
      const std::uint64_t last = one.ended ? one.records.last : UINT64_MAX - 1;
      if (one.kind == ScopeOccurrence::Kind::phase || record < one.records.first || record > last) continue;
      if (last - one.records.first >= shortest) continue;
      shortest = last - one.records.first;
      found = &scope;
      occurrence = i;
    }
  return found;
}

std::string innermost_scope(const std::vector<Scope>& scopes, std::uint64_t record) {
  std::size_t occurrence = 0;
  const Scope* const scope = find_innermost_scope(scopes, record, occurrence);
  return scope == nullptr ? std::string() : scope->name + "#" + std::to_string(occurrence);
}

void SpanFinder::add_phase(const char* name, const ScopeOccurrence& phase, bool in_front) {
  // A program's own scope of that name is what it means by it.
  if (scope_at_.count(name) != 0) return;
  scopes_.insert(in_front ? scopes_.begin() : scopes_.end(), Scope{name, {phase}});
}

void SpanFinder::finish() {
  ScopeOccurrence init, deinit;
  init.kind = deinit.kind = ScopeOccurrence::Kind::phase;
  init.ended = deinit.ended = true;
  const bool submitted = first_submit_ != 0;
  init.records = {first_, submitted ? first_submit_ - 1 : last_};
  init.start_ns = first_ns_;
  init.end_ns = submitted ? first_submit_ns_ : last_ns_;
  if (first_ != 0) add_phase("init", init, true);
  deinit.records = {last_wait_ + 1, last_};
  deinit.start_ns = last_wait_ns_;
  deinit.end_ns = last_ns_;
  if (last_wait_ != 0) add_phase("deinit", deinit, false);
}

bool SpanFinder::is_whole(const SpanRequest& request) const {
  if (cut_to_come_) return false;
  switch (request.kind) {
    case Kind::frames:
      return presents_.size() >= request.last;
    case Kind::submits: {  // up to the next submit or present there may be waits
      if (submits_.size() < request.last || request.last == 0) return false;
      const std::uint64_t last = submits_[request.last - 1];  // a call may submit others behind it
      return submits_.back() > last || (!presents_.empty() && presents_.back() > last);
    }
    case Kind::scope: {
      const auto found = request.occurrence ? scope_at_.find(request.name) : scope_at_.end();
      if (found == scope_at_.end() || scopes_[found->second].occurrences.size() <= *request.occurrence) return false;
      const ScopeOccurrence& one = scopes_[found->second].occurrences[*request.occurrence];
      return one.ended && one.kind != ScopeOccurrence::Kind::command_label;
    }
    case Kind::records:
      return last_ >= request.last;
    case Kind::whole:
      return false;
  }
  return false;
}

std::uint64_t SpanFinder::submits_in(const RecordRange& records) const {
  return static_cast<std::uint64_t>(std::upper_bound(submits_.begin(), submits_.end(), records.last) -
                                    std::lower_bound(submits_.begin(), submits_.end(), records.first));
}

// Where the submit of this record is waited for.
std::uint64_t SpanFinder::settled_at(std::uint64_t submit) const {
  const auto behind = std::upper_bound(submits_.begin(), submits_.end(), submit);
  return behind == submits_.begin() ? 0 : settled_[static_cast<std::size_t>(behind - submits_.begin()) - 1];
}

std::string SpanFinder::nearest(const std::string& name) const {
  std::vector<std::pair<std::size_t, const Scope*>> near;
  for (const Scope& scope : scopes_) near.emplace_back(edits(name, scope.name), &scope);
  std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(near.size(), 3); ++i)
    text += (i == 0 ? "" : ", ") + ("\"" + near[i].second->name + "\"");
  return text;
}

Result<Span> SpanFinder::find_scope(const SpanRequest& request, const std::string& file) const {
  const auto wrong = [&](const std::string& sentence) { return fail(Status::usage, file + ": " + sentence); };
  const auto found =
      std::find_if(scopes_.begin(), scopes_.end(), [&](const Scope& s) { return s.name == request.name; });
  if (too_many_) return wrong("its labels are more than can be followed: choose --frames or --submits");
  if (found == scopes_.end()) {
    // Its end may be all that there is of it: nothing says whose an end is but what was begun before it.
    return wrong("there is no scope \"" + request.name + "\"; the nearest names are " + nearest(request.name) +
                 (strays_.empty()
                      ? std::string()
                      : "; " + plural(strays_.size(), "scope") + " ended before one began, the first in record " +
                            std::to_string(strays_.front().sequence)));
  }
  const auto& all = found->occurrences;
  if (request.occurrence && *request.occurrence >= all.size())
    return wrong("scope \"" + request.name + "\" was entered " + plural(all.size(), "time") + ": there is no #" +
                 std::to_string(*request.occurrence) + ", they are counted from 0");
  const std::size_t first = request.occurrence ? *request.occurrence : 0;
  const std::size_t behind = request.occurrence ? first + 1 : all.size();
  Span span;
  span.records.first = all[first].records.first;
  for (std::size_t i = first; i < behind; ++i) {
    const ScopeOccurrence& one = all[i];
    if (!one.ended)
      return wrong("scope \"" + request.name + "\"#" + std::to_string(i) + " began in record " +
                   std::to_string(one.records.first) + " and never ended" +
                   (all.size() > 1 ? "; choose another occurrence with #K" : ""));
    RecordRange records = one.records;
    if (one.kind == ScopeOccurrence::Kind::command_label)
      records.last = std::max(records.last, settled_at(records.last));
    span.records.last = std::max(span.records.last, records.last);
    span.intervals.push_back(records);
  }
  return span;
}

Result<Span> SpanFinder::find(const SpanRequest& request, const std::string& file) const {
  Span span;
  switch (request.kind) {
    case Kind::scope:
      return find_scope(request, file);
    case Kind::whole:
      span.records = {first_, last_};
      if (first_submit_ != 0)
        span.records = {first_submit_, std::max({last_wait_, last_checkpoint_, submits_.back(),
                                                 presents_.empty() ? 0 : presents_.back()})};
      span.intervals = {span.records};
      return span;
    case Kind::records:
      span.records = {request.first, request.last};
      span.intervals = {span.records};
      return span;
    case Kind::frames:
    case Kind::submits:
      break;
  }
  const bool frames = request.kind == Kind::frames;
  const std::string one = frames ? "frame" : "submit";
  const std::vector<std::uint64_t>& ends = frames ? presents_ : submits_;
  if (request.last > ends.size())
    return fail(Status::usage,
                file + ": there " +
                    (request.last - request.first == 1 ? "is no " + one + " " + std::to_string(request.first)
                                                       : "are no " + request.text()) +
                    ": it has " + plural(ends.size(), one) +
                    (!ends.empty() ? ", 0:" + std::to_string(ends.size())
                     : frames      ? ", as a frame ends with a present, and it has none: choose submits or a scope"
                                   : ""));
  for (std::uint64_t i = request.first; i < request.last; ++i) {
    if (frames) {
      span.intervals.push_back({i == 0 ? first_ : ends[i - 1] + 1, ends[i]});
      continue;
    }
    // Batches of one call belong together.
    span.intervals.push_back({ends[i], settled_at(ends[i])});
  }
  span.records = {span.intervals.front().first, span.intervals.back().last};
  return span;
}

}  // namespace rondo
