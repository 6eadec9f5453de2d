// SPDX-License-Identifier: Apache-2.0
#include "analyzers/measure/run_results.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "analyzers/text/json.h"
#include "analyzers/text/text.h"

namespace rondo::analyzers {

namespace {

constexpr std::uintmax_t kMostBytes = std::uintmax_t{1} << 29;  // as text; the parsed one takes several times that

Result<std::string> content_of(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (error) return fail(Status::unreadable, text("{}: {}", path, error.message()));
  if (!std::filesystem::is_regular_file(status)) return fail(Status::unreadable, text("{}: is no regular file", path));
  if (const auto bytes = std::filesystem::file_size(path, error); !error && bytes > kMostBytes)
    return fail(Status::unreadable, text("{}: {} are more than results of a replay have", path, size_text(bytes)));
  std::ifstream in(path, std::ios::binary);
  std::string content{std::istreambuf_iterator<char>(in), {}};
  if (!in) return fail(Status::unreadable, text("{}: {}", path, std::strerror(errno)));
  return content;
}

class ResultsReader {
 public:
  ResultsReader(const std::string& path, const JsonText& json) : json_(json) { results_.path = path; }

  Result<RunResults> read() {
    const bool report = json_.is_array("/iterations"), benchmark = json_.is_array("/benchmarks");
    if (report == benchmark)
      return fail(Status::unreadable,
                  text("{}: at offset 0: is neither a report of player (--report), which has an array `iterations`, "
                       "nor google-benchmark's JSON, which has an array `benchmarks`",
                       results_.path));
    if (report)
      RONDO_TRY(read_report());
    else
      RONDO_TRY(read_benchmark());
    return std::move(results_);
  }

 private:
  Result<void> read_report() {
    results_.kind = RunResults::Kind::report;
    std::string devices;
    for (const auto& [index, device] : json_.members("/devices")) devices += (devices.empty() ? "" : ", ") + device;
    results_.circumstances.emplace_back("device", devices);
    circumstance("driver", "/driver");
    circumstance("capture", json_.shown("/capture/digest") ? "/capture/digest" : "/capture/id");
    circumstance("span", "/span/request");
    // What is compared or replaced takes other times.
    results_.circumstances.emplace_back("verification", json_.size("/verification") != 0 ? "--verify" : "none");
    std::string replaced;
    for (std::size_t i = 0; i < json_.size("/replaced"); ++i)
      append(replaced, "{}{}", replaced.empty() ? "" : ", ",
             json_.shown(text("/replaced/{}/selector", i).c_str()).value_or(""));
    results_.circumstances.emplace_back("choice of replaced shaders", replaced.empty() ? "none" : replaced);
    if (json_.shown("/interrupted") == "true")
      results_.warnings.push_back(
          text("{}: was interrupted after {}", results_.path, plural(json_.size("/iterations"), "iteration")));
    results_.clamped_shaders = json_.size("/clamped_shaders") != 0;  // older players have no such member
    if (const auto status = json_.shown("/status"); status && *status != "0")
      results_.failures.push_back(text("{}: the replay ended with status {}: {}", results_.path, printable(*status),
                                       printable(json_.shown("/error").value_or("no error is told"))));
    const std::size_t iterations = json_.size("/iterations");
    for (std::size_t i = 0; i < iterations; ++i) {
      const std::string at = text("/iterations/{}", i);
      for (const std::string& metric : metrics())
        RONDO_TRY(take("replay", metric, kWhole, text("{}/{}", at, metric), 1));
      // Its K-th interval of a name, from 0; the writer may have counted them itself.
      std::map<std::string, std::size_t> entered;
      for (std::size_t k = 0; k < json_.size((at + "/intervals").c_str()); ++k) {
        const std::string interval = text("{}/intervals/{}", at, k);
        const auto name = json_.string((interval + "/name").c_str());
        if (!name) return wrong(interval + "/name", "is not the name of an interval");
        const std::size_t before = entered[*name]++;
        const std::string row = before == 0 ? text("replay/{}", *name) : text("replay/{}, again {}", *name, before);
        for (const std::string& metric : metrics())
          RONDO_TRY(take(row, metric, kPart, text("{}/{}", interval, metric), 1));
      }
    }
    return {};
  }

  Result<void> read_benchmark() {
    results_.kind = RunResults::Kind::benchmark;
    // google-benchmark's own facts that change from run to run or say nothing of the machine.
    static constexpr const char* kPassing[] = {
        "date", "executable", "load_avg", "caches", "library_version", "json_schema_version", "mhz_per_cpu"};
    for (const auto& [key, value] : json_.members("/context"))
      if (std::find(std::begin(kPassing), std::end(kPassing), key) == std::end(kPassing))
        results_.circumstances.emplace_back(key, value);
    const bool by_player = json_.shown("/context/player").has_value();
    results_.clamped_shaders = json_.shown("/context/clamped_shaders").has_value();
    std::size_t aggregates = 0;
    const std::size_t rows = json_.size("/benchmarks");
    for (std::size_t i = 0; i < rows; ++i) {
      const std::string at = text("/benchmarks/{}", i);
      const auto member = [&](const char* name) { return json_.string(text("{}/{}", at, name).c_str()); };
      auto row = member("run_name");
      if (!row) row = member("name");
      if (!row) return wrong(at + "/name", "is not the name of a benchmark");
      if (member("run_type").value_or("iteration") != "iteration") {
        ++aggregates;
        continue;
      }
      if (json_.shown((at + "/error_occurred").c_str()) == "true" || json_.shown((at + "/skipped").c_str()) == "true") {
        results_.failures.push_back(text("{}: {} failed: {}", results_.path, printable(*row),
                                         printable(member("error_message").value_or("it does not say why"))));
        continue;
      }
      const std::string unit = member("time_unit").value_or("ns");
      const double scale = unit == "ns" ? 1e-9 : unit == "us" ? 1e-6 : unit == "ms" ? 1e-3 : unit == "s" ? 1.0 : 0.0;
      if (scale == 0) return wrong(at + "/time_unit", "is none of ns, us, ms and s");
      // The player counts the submits of the row of the whole span alone.
      const bool whole = !by_player || json_.shown((at + "/submits").c_str());
      RONDO_TRY(take(*row, "seconds", whole, at + "/real_time", scale));
      for (const char* counter : {"span_seconds", "gpu_seconds", "label_seconds"})
        RONDO_TRY(take(*row, counter, whole, text("{}/{}", at, counter), 1));
      // google-benchmark's own is of the whole body of its loop: the player puts back there what an iteration changed.
      if (by_player)
        RONDO_TRY(take(*row, "cpu_seconds", whole, at + "/cpu_seconds", 1));
      else
        RONDO_TRY(take(*row, "cpu_seconds", whole, at + "/cpu_time", scale));
    }
    if (aggregates != 0 && results_.samples.empty())
      results_.warnings.push_back(results_.path +
                                  ": holds aggregates alone: run without "
                                  "--benchmark_report_aggregates_only");
    return {};
  }

  void circumstance(const char* name, const char* pointer) {
    if (const auto value = json_.shown(pointer)) results_.circumstances.emplace_back(name, *value);
  }

  static constexpr bool kWhole = true, kPart = false;

  // A time at `pointer`, if something is there.
  Result<void> take(const std::string& row, const std::string& metric, bool whole, const std::string& pointer,
                    double scale) {
    if (!json_.shown(pointer.c_str())) return {};
    const auto time = json_.real(pointer.c_str());
    if (!time || !std::isfinite(*time) || *time < 0) return wrong(pointer, "is not a time");
    const auto [at, added] = places_.try_emplace({row, metric}, results_.samples.size());
    if (added) results_.samples.push_back({row, metric, whole, {}});
    results_.samples[at->second].seconds.push_back(*time * scale);
    return {};
  }

  tl::unexpected<Error> wrong(const std::string& pointer, const char* what) const {
    return fail(Status::unreadable, text("{}: {} {}", results_.path, pointer, what));
  }

  const JsonText& json_;
  RunResults results_;
  std::map<std::pair<std::string, std::string>, std::size_t> places_;
};

}  // namespace

const std::vector<std::string>& metrics() {
  static const std::vector<std::string> names{"seconds", "span_seconds", "cpu_seconds", "gpu_seconds", "label_seconds"};
  return names;
}

Result<RunResults> read_run_results(const std::string& path, const std::string& name) {
  if (path.empty()) return fail(Status::usage, "the name of a file is empty: name a report");
  const auto content = content_of(path);
  if (!content) return tl::unexpected(content.error());
  const std::string& shown = name.empty() ? path : name;
  const auto json = JsonText::parse(*content);
  if (!json) return fail(Status::unreadable, text("{}: {}", shown, json.error().message));
  return ResultsReader(shown, *json).read();
}

}  // namespace rondo::analyzers
