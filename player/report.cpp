// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "format/file.h"
#include "format/outputs.h"
#include "format/printable.h"
#include "player/interrupt.h"
#include "player/play.h"

namespace rondo::player {

namespace {

nlohmann::ordered_json comparison(const Comparison& c) {
  return {{"checkpoints", c.compared + c.unverified},     {"compared", c.compared},     {"equal", c.equal},
          {"equal_apart_from_times", c.apart_from_times}, {"equal_by_psnr", c.by_psnr}, {"unverified", c.unverified}};
}

nlohmann::ordered_json text_or_null(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(text);
}

nlohmann::ordered_json again(const std::optional<Again>& found) {
  if (!found) return nullptr;
  return {{"compared", found->compared},
          {"unstable", found->unstable},
          {"stable_different", found->stable_different},
          {"first_unstable", text_or_null(found->first_unstable)},
          {"first_stable_difference", text_or_null(found->first_stable_difference)},
          {"error", text_or_null(found->error)}};
}

nlohmann::ordered_json iteration(const Outcome& outcome, std::size_t i) {
  const IterationTimes& times = outcome.iterations[i];
  nlohmann::ordered_json one = {{"seconds", times.work}, {"span_seconds", times.span}, {"cpu_seconds", times.cpu}};
  if (i < outcome.rows.size()) one["row"] = outcome.rows[i];
  if (times.gpu) one["gpu_seconds"] = *times.gpu;
  if (times.label) one["label_seconds"] = *times.label;
  if (outcome.intervals.names.empty()) return one;
  one["intervals"] = nlohmann::ordered_json::array();
  const std::span<const double> seconds = outcome.intervals.of(i);
  for (std::size_t k = 0; k < seconds.size(); ++k)
    one["intervals"].push_back({{"name", outcome.intervals.names[k]}, {"seconds", seconds[k]}});
  return one;
}

// Null: --clamp-shaders was not given. Where a replay ended before its shaders were reached, none is counted.
nlohmann::ordered_json clamped_shaders(const Options& options, const Outcome& outcome) {
  if (!options.clamp_shaders) return nullptr;
  const ClampReport report = outcome.shaders.clamped.value_or(ClampReport());
  nlohmann::ordered_json unchanged = nlohmann::ordered_json::array();
  for (const auto& [why, count] : report.unchanged) unchanged.push_back({{"why", why}, {"shaders", count}});
  return {{"clamped", report.clamped}, {"unchanged", unchanged}};
}

// JSON has no infinity: what is alike in every value has no PSNR either.
nlohmann::ordered_json number_or_null(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

}  // namespace

Result<void> write_report(const std::string& path, const Options& options, const Outcome& outcome) {
  nlohmann::ordered_json report;
  report["player"] = RONDO_VERSION;
  report["status"] = static_cast<int>(outcome.status);
  report["interrupted"] = Interrupt::signal() != 0;
  const std::string sentence = outcome.error_lines.empty() ? outcome.error : printable(outcome.as_error());
  report["error"] = text_or_null(sentence);
  report["capture"] = {{"file", options.file},          {"id", outcome.capture_id},
                       {"bytes", outcome.file_bytes},   {"digest", outcome.capture_digest},
                       {"salvaged", outcome.salvaged},  {"trusted", outcome.trust == Trust::trusted},
                       {"sandboxed", outcome.sandboxed}};
  report["devices"] = outcome.devices;
  report["shaders"] = {{"checked", outcome.shaders.checked},
                       {"newer", outcome.shaders.newer},
                       {"wrong", outcome.shaders.wrong},
                       {"not_enabled", outcome.shaders.not_enabled}};
  report["clamped_shaders"] = clamped_shaders(options, outcome);
  report["planned"] = {
      {"records", outcome.planned.records},       {"frames", outcome.planned.frames},
      {"submits", outcome.planned.submits},       {"draws", outcome.planned.draws},
      {"dispatches", outcome.planned.dispatches}, {"dropped_after_cut", outcome.planned.dropped_after_cut}};
  report["played"] = {
      {"calls", outcome.played.calls}, {"frames", outcome.played.frames}, {"submits", outcome.played.submits}};
  if (const auto& last = outcome.last_submit; last && outcome.status != Status::ok)
    report["last_submit"] = {
        {"submit", last->submit},
        {"frame", last->frame},
        {"record", last->record},
        {"scope", last->scope.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(last->scope)}};
  else
    report["last_submit"] = nullptr;
  report["replaced"] = nlohmann::ordered_json::array();
  for (const Replaced& one : outcome.replaced)
    report["replaced"].push_back({{"selector", one.selector},
                                  {"file", one.file},
                                  {"digest", to_string(one.digest)},
                                  {"new_digest", to_string(one.new_digest)},
                                  {"objects", one.objects}});
  report["span"] = {{"request", outcome.span},
                    {"first_record", outcome.first_record},
                    {"last_record", outcome.last_record},
                    {"calls", outcome.in_span.calls},
                    {"frames", outcome.in_span.frames},
                    {"submits", outcome.in_span.submits},
                    {"bytes_put_back", outcome.bytes_kept}};
  if (!outcome.paced_seconds.empty()) {
    report["captured_seconds"] = outcome.captured_seconds;
    report["paced_seconds"] = outcome.paced_seconds;
  }
  report["iterations"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < outcome.iterations.size(); ++i) report["iterations"].push_back(iteration(outcome, i));
  if (outcome.verified) {
    const Verification& v = outcome.verification;
    report["verification"] = {{"images", comparison(v.images)},
                              {"memory_ranges", comparison(v.memory_ranges)},
                              {"contents", comparison(v.contents)}};
    report["verification"]["psnr_asked"] = number_or_null(options.psnr);
    report["verification"]["psnr"] = number_or_null(v.least_psnr);
    report["verification"]["first_difference"] = text_or_null(v.first_difference);
    report["verification"]["first_unverified"] = text_or_null(v.first_unverified);
    report["verification"]["pictures"] = outcome.differences;
    report["verification"]["again"] = again(outcome.again);
  } else {
    report["verification"] = nullptr;
  }
  report["screenshots"] = outcome.screenshots;
  report["shown"] = outcome.shown;
  report["validation_messages"] = outcome.validation_messages;
  // A message may quote bytes of a hostile file: not every one is UTF-8.
  constexpr auto kReplace = nlohmann::ordered_json::error_handler_t::replace;
  const std::string text = printable_json(report.dump(2, ' ', false, kReplace)) + '\n';
  const int fd = open_output(path, Opening::overwrite);
  std::FILE* const out = fd >= 0 ? ::fdopen(fd, "w") : nullptr;
  const bool written = out != nullptr && std::fwrite(text.data(), 1, text.size(), out) == text.size();
  const int error = errno;
  if (out == nullptr || std::fclose(out) != 0 || !written)
    return fail(Status::failed, path + ": the report cannot be written: " + errno_text(written ? errno : error));
  return {};
}

}  // namespace rondo::player
