// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/measured_times.h"

#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "analyzers/analysis/profile.h"
#include "analyzers/analysis/rows.h"
#include "analyzers/text/json.h"
#include "analyzers/text/text.h"

namespace rondo::analyzers {

class MeasuredTimesReader {
 public:
  MeasuredTimesReader(const std::string& path, const std::string& capture_digest)
      : path_(path), capture_digest_(capture_digest) {}

  Result<MeasuredTimes> read() {
    std::error_code error;
    if (std::filesystem::is_directory(path_, error)) return fail(Status::unreadable, text("{}: is a folder", path_));
    std::ifstream in(path_, std::ios::binary);
    if (!in) return fail(Status::unreadable, text("{}: {}", path_, std::strerror(errno)));
    std::string line;
    for (; std::getline(in, line); ++line_) {
      const auto row = JsonText::parse(line);
      if (!row) return no_row(row.error().message);
      RONDO_TRY(line_ == 1 ? take_head(*row) : take_row(*row));
    }
    if (in.bad()) return fail(Status::unreadable, text("{}: {}", path_, std::strerror(errno)));
    if (line_ == 1) return no_row("the file is empty");
    if (!has_summary_)
      return fail(Status::unreadable,
                  text("{}: its last row (summary) is missing: the file was cut, so make it again", path_));
    if (of_host_)
      return wrong("has no time of the device: no item could be timed, and its rows are submits in the host's time");
    if (groups_ != 0) return wrong("has rows of groups: make it without --by and --mode waves");
    return std::move(times_);
  }

 private:
  tl::unexpected<Error> no_row(const std::string& why) const {
    return fail(Status::unreadable,
                text("{}: line {} is no row of rondo profile --format jsonl: {}", path_, line_, printable(why)));
  }
  tl::unexpected<Error> wrong(const std::string& what) const {
    return fail(Status::usage, text("{}: {}", path_, what));
  }

  Result<void> take_head(const JsonText& row) {
    if (row.string("/row") != "analysis") return no_row("the first row is not \"analysis\"");
    if (const auto command = row.string("/command"); command != "profile")
      return wrong(
          text("is of rondo {}: take rows of rondo profile --format jsonl", printable(command.value_or("(unknown)"))));
    if (const auto schema = row.number("/schema"); schema != kRowSchema)
      return wrong(text("has rows of schema {}, this is for {}: make it again", schema.value_or(0), kRowSchema));
    if (const auto digest = row.string("/capture_digest"); digest != capture_digest_)
      return wrong(text("is of another capture, {} (digest {}): make it again, of this one",
                        printable(row.string("/file").value_or("unknown")), printable(digest.value_or("unknown"))));
    for (std::size_t i = 0; i < row.size("/devices"); ++i)
      times_.devices_ += (i == 0 ? "" : ", ") + row.string(text("/devices/{}", i).c_str()).value_or("");
    times_.mode_ = row.string("/mode").value_or("");
    times_.span_ = row.string("/span").value_or("");
    return {};
  }

  Result<void> take_row(const JsonText& row) {
    const auto kind = row.string("/row");
    has_summary_ = has_summary_ || kind == "summary";
    if (kind != "time") return {};
    if (row.shown("/host") == "true") {
      of_host_ = true;
      return {};
    }
    const auto record = row.number("/record"), submit = row.number("/submit");
    if (!record || !submit) {
      // With --by the rest of what cannot be timed alone is a row of its own, too.
      groups_ += 1;
      return {};
    }
    MeasuredTime time;
    const auto take = [&](const char* field, double& value) -> Result<void> {
      const auto number = row.real(field);
      if (!number || !std::isfinite(*number) || *number < 0)
        return no_row(text("it has no number {} from 0 on", field + 1));
      value = *number;
      return {};
    };
    RONDO_TRY(take("/begin_ns", time.begin));
    RONDO_TRY(take("/median_ns", time.median));
    RONDO_TRY(take("/min_ns", time.min));
    time.below_timer = row.shown("/below_timer") == "true";
    const auto primary = static_cast<std::uint32_t>(row.number("/primary").value_or(0));
    times_.times_.emplace(MeasuredTimes::Key{*record, *submit, primary}, time);
    return {};
  }

  const std::string& path_;
  const std::string& capture_digest_;
  MeasuredTimes times_;
  std::uint64_t line_ = 1, groups_ = 0;
  bool has_summary_ = false, of_host_ = false;
};

Result<MeasuredTimes> MeasuredTimes::read(const std::string& path, const std::string& capture_digest) {
  return MeasuredTimesReader(path, capture_digest).read();
}

MeasuredTimes MeasuredTimes::of(const Profile& profile) {
  MeasuredTimes made;
  for (const ProfileRow& row : profile.rows)
    if (!profile.of_host && row.group.empty())
      made.times_.emplace(key_of(profile.items[row.item]),
                          MeasuredTime{row.begin, row.median, row.min, row.below_timer});
  return made;
}

const MeasuredTime* MeasuredTimes::of(const WorkItem& item) const {
  const auto found = times_.find(key_of(item));
  return found != times_.end() ? &found->second : nullptr;
}

}  // namespace rondo::analyzers
