// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/groups.h"

#include <algorithm>
#include <array>

#include "analyzers/analysis/rows.h"
#include "analyzers/text/text.h"
#include "player/unexpected_words.h"

namespace rondo::analyzers {

namespace {

const std::array<std::string, 8> kNames{"command", "kind", "pipeline", "label", "pass", "shader", "submit", "frame"};

}  // namespace

Result<GroupBy> parse_group(const std::string& given) {
  if (const auto found = std::find(kNames.begin(), kNames.end(), given); found != kNames.end())
    return static_cast<GroupBy>(found - kNames.begin());
  return fail(Status::usage, "--by: " + player::none_of(given, kNames));
}

std::string_view name_of(GroupBy by) { return kNames[static_cast<std::size_t>(by)]; }

std::string pipeline_key(const WorkNames& work, ObjectId pipeline) {
  return pipeline != ObjectId::null ? printable(work.name(pipeline)) : "no pipeline";
}

std::string key_of(const WorkNames& work, const WorkItem& item, GroupBy by) {
  switch (by) {
    case GroupBy::none:
      return draw_text(item);
    case GroupBy::kind:
      return codec::info(item.command).name;
    case GroupBy::pipeline:
      return pipeline_key(work, item.pipeline);
    case GroupBy::label: {
      std::string label = work.label_text(item.label_path);
      return label.empty() ? std::string(kNoLabel) : label;
    }
    case GroupBy::pass:
      if (item.pass == WorkItem::kNoPass) return "no render pass";
      return text("pass {}:{}", item.submit, item.pass);
    case GroupBy::shader: {
      std::string shaders = shaders_text(work, item.pipeline);
      return shaders.empty() ? "no shader" : shaders;
    }
    case GroupBy::submit:
      return text("submit {}", item.submit);
    case GroupBy::frame:
      return text("frame {}", item.frame);
  }
  return {};
}

}  // namespace rondo::analyzers
