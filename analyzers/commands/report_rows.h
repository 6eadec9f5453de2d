// SPDX-License-Identifier: Apache-2.0
// The rows that are the content of the page of `rondo report`: sentences, tables, and what is drawn.
#pragma once

#include <string>
#include <utility>

#include "analyzers/analysis/profile.h"
#include "analyzers/analysis/report_data.h"
#include "analyzers/analysis/report_order.h"
#include "analyzers/analysis/report_section.h"
#include "analyzers/analysis/report_sync.h"
#include "analyzers/analysis/work_walk.h"
#include "analyzers/commands/report_pictures.h"
#include "analyzers/read/capture_info.h"
#include "analyzers/text/json.h"

namespace rondo::analyzers {

// The rows of the page, a JSON object each.
class ReportRows {
 public:
  template <class Fill>
  void add(const char* row, Fill&& fill) {
    JsonWriter json(out_);
    json.begin_object();
    json.field("row", row);
    fill(json);
    json.end_object();
    out_ += '\n';
  }
  void sentence(const std::string& words, const std::string& command) {
    add("sentence", [&](JsonWriter& json) {
      json.field("text", words);
      if (!command.empty()) json.field("command", command);
    });
  }
  void fact(const char* name, const std::string& words) {
    add("fact", [&](JsonWriter& json) {
      json.field("name", name);
      json.field("text", words);
    });
  }
  std::string& lines() { return out_; }

  // One JSON array, that ends no element of the page.
  std::string array() const {
    std::string out = "[";
    for (std::size_t i = 0; i < out_.size(); ++i) {
      if (out_[i] == '<')
        out += "\\u003c";
      else if (out_[i] == '\n')
        out += i + 1 < out_.size() ? ",\n" : "";
      else
        out += out_[i];
    }
    return out + "]";
  }

 private:
  std::string out_;
};

struct ReportParts {
  const std::string& file;
  const CaptureInfo& info;
  const ReportData& data;
  const WorkWalk& work;
  const std::string& span;        // that was played
  const std::string span_words;   // what was played, and how: "--frames 7:8 --device 1 ", as options; empty: all of it
  const Profile* profile;         // null: nothing was played, …
  const std::string& no_profile;  // … for this reason
  const FramePictures& pictures;
  // Rows that were made before: of the work graph of a frame, of the synchronization, and of other subcommands.
  const ReportOrder& order;
  const ReportSync& sync;
  const ReportSection& gaps;
  const ReportSection& waves;
  const ReportSection& memory;
};

// A file as a word of a command line that is no option.
std::string file_word(const std::string& file);

void add_report_rows(ReportRows& rows, const ReportParts& parts);

}  // namespace rondo::analyzers
