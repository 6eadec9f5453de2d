// SPDX-License-Identifier: Apache-2.0
// rondo accesses: what each command touches, as text or JSON lines.
#include <functional>

#include "analyzers/commands/commands.h"
#include "analyzers/options/budgets.h"
#include "analyzers/options/cli.h"
#include "analyzers/read/access_walk.h"
#include "analyzers/text/json.h"
#include "analyzers/text/output.h"
#include "analyzers/text/text.h"
#include "model/access/model.h"

namespace rondo::analyzers {

namespace {

using access::Coverage;
using access::Executed;
using access::Touch;

// The names of flags without what is the same in all of them: "TRANSFER_WRITE".
std::vector<std::string> flag_names(EnumId id, std::string_view prefix, std::uint64_t flags) {
  std::vector<std::string> names;
  for (int bit = 0; bit < 64; ++bit) {
    const std::uint64_t flag = std::uint64_t{1} << bit;
    if ((flags & flag) == 0) continue;
    std::string_view name = codec::enumerant_name(id, static_cast<std::int64_t>(flag));
    if (name.empty()) {
      names.push_back(text("{:#x}", flag));
      continue;
    }
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
    std::string shown(name);
    if (const auto at = shown.find("_BIT"); at != std::string::npos) shown.erase(at, 4);
    names.push_back(std::move(shown));
  }
  return names;
}

std::vector<std::string> accesses_of(VkAccessFlags2 access) {
  return flag_names(EnumId::VkAccessFlagBits2, "VK_ACCESS_2_", access);
}
std::vector<std::string> stages_of(VkPipelineStageFlags2 stages) {
  return flag_names(EnumId::VkPipelineStageFlagBits2, "VK_PIPELINE_STAGE_2_", stages);
}
std::vector<std::string> aspects_of(VkImageAspectFlags aspects) {
  return flag_names(EnumId::VkImageAspectFlagBits, "VK_IMAGE_ASPECT_", aspects);
}

std::vector<std::string> reasons_of(std::uint8_t unknown) {
  std::vector<std::string> reasons;
  for (const std::uint8_t why : access::kUnknowns)
    if ((unknown & why) != 0) reasons.push_back(access::text_of(static_cast<access::Unknown>(why)));
  return reasons;
}

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string out;
  for (const std::string& word : words) append(out, "{}{}", out.empty() ? "" : between, word);
  return out;
}

bool is_image(const ObjectTable& objects, const Touch& touch) {
  return objects.objects()[touch.object].type == HandleType::VkImage;
}

class Rows {
 public:
  virtual ~Rows() = default;
  virtual void command(std::string& out, const ObjectTable& objects, const Executed& executed) = 0;
  virtual void summary(std::string& out, const Coverage& coverage, const AccessTotals& totals) = 0;
};

class AccessTextRows : public Rows {
 public:
  void command(std::string& out, const ObjectTable& objects, const Executed& executed) override {
    append(out, "{} {}", executed.record, codec::info(executed.command).name);
    if (executed.submit != Executed::kNoSubmit) append(out, ", submit {} by {}", executed.submit, executed.at);
    if (executed.draw != Executed::kNoDraw) append(out, ", draw {}:{}", executed.submit, executed.draw);
    out += '\n';
    for (const Touch& touch : executed.touches) {
      append(out, "    {}", objects.name(touch.object));
      if (is_image(objects, touch))
        append(out, " {} mips {}:{} layers {}:{}", joined(aspects_of(touch.part.aspectMask), "|"),
               touch.part.baseMipLevel, std::uint64_t{touch.part.baseMipLevel} + touch.part.levelCount,
               touch.part.baseArrayLayer, std::uint64_t{touch.part.baseArrayLayer} + touch.part.layerCount);
      else if (touch.size != 0)
        append(out, " {}:{}", touch.offset, touch.offset + touch.size);
      append(out, " {} at {}{}\n", joined(accesses_of(touch.access), " | "), joined(stages_of(touch.stages), " | "),
             touch.overwrites ? ", all of it" : "");
    }
    if (executed.reach.unknown != 0)
      append(out, "    anything reachable{}{}: {}\n", executed.reach.reads ? ", read" : "",
             executed.reach.writes ? ", written" : "", joined(reasons_of(executed.reach.unknown), ", "));
  }

  void summary(std::string& out, const Coverage& coverage, const AccessTotals& totals) override {
    append(out, "{} touch memory; of {} ({}) all that they touch is known\n", plural(coverage.commands, "command"),
           count_text(coverage.known), percent(coverage));
    for (const auto& [why, count] : coverage.because)
      append(out, "    {}: {}\n", access::text_of(why), count_text(count));
    if (!totals.cut.empty())
      append(out, "the capture is cut ({}): what it lacks is not in this\n", printable(totals.cut));
    if (totals.too_many) out += "the capture has more to follow than any program needs: the rest is not in this\n";
  }

 private:
  static std::string percent(const Coverage& coverage) {
    if (coverage.commands == 0) return "100 %";
    return text("{:.1f} %", 100.0 * static_cast<double>(coverage.known) / static_cast<double>(coverage.commands));
  }
};

class JsonRows : public Rows {
 public:
  void command(std::string& out, const ObjectTable& objects, const Executed& executed) override {
    JsonWriter json(out);
    json.begin_object();
    json.field("row", "command");
    json.field("command", codec::info(executed.command).name);
    json.field("record", executed.record);
    json.field("at", executed.at);
    if (executed.submit != Executed::kNoSubmit) json.field("submit", executed.submit);
    if (executed.draw != Executed::kNoDraw) json.field("draw", executed.draw);
    json.key("touches");
    json.begin_array();
    for (const Touch& touch : executed.touches) write(json, objects, touch);
    json.end_array();
    if (executed.reach.unknown != 0) {
      json.key("anything_reachable");
      json.begin_object();
      json.field("reads", executed.reach.reads);
      json.field("writes", executed.reach.writes);
      strings(json, "stages", stages_of(executed.reach.stages));
      strings(json, "because", reasons_of(executed.reach.unknown));
      json.end_object();
    }
    json.end_object();
    out += '\n';
  }

  void summary(std::string& out, const Coverage& coverage, const AccessTotals& totals) override {
    JsonWriter json(out);
    json.begin_object();
    json.field("row", "summary");
    json.field("commands", coverage.commands);
    json.field("known", coverage.known);
    json.key("because");
    json.begin_object();
    for (const auto& [why, count] : coverage.because) json.field(access::text_of(why), count);
    json.end_object();
    json.field("too_many", totals.too_many);
    if (!totals.cut.empty()) json.field("cut", totals.cut);
    json.end_object();
    out += '\n';
  }

 private:
  static void strings(JsonWriter& json, const char* name, const std::vector<std::string>& values) {
    json.key(name);
    json.begin_array();
    for (const std::string& value : values) json.string(value);
    json.end_array();
  }
  static void write(JsonWriter& json, const ObjectTable& objects, const Touch& touch) {
    json.begin_object();
    json.field("object", objects.name(touch.object));
    if (is_image(objects, touch)) {
      strings(json, "aspects", aspects_of(touch.part.aspectMask));
      json.field("first_mip", touch.part.baseMipLevel);
      json.field("mips", touch.part.levelCount);
      json.field("first_layer", touch.part.baseArrayLayer);
      json.field("layers", touch.part.layerCount);
    } else if (touch.size != 0) {
      json.field("offset", touch.offset);
      json.field("size", touch.size);
    }
    strings(json, "access", accesses_of(touch.access));
    strings(json, "stages", stages_of(touch.stages));
    json.field("overwrites", touch.overwrites);
    json.end_object();
  }
};

}  // namespace

Result<int> run_accesses(Arguments args) {
  std::string file;
  std::string format = "text";
  bool summary_only = false;
  AccessWanted wanted;
  Cli cli(
      "rondo accesses",
      "Prints what each command touches when it is executed: buffers by byte range, images by subresource, how and\n"
      "in which stages; then of how many commands all of that is known. Needs no device.");
  cli.positional("FILE", "the capture", file);
  cli.choice("--format", {"text", "jsonl"}, "of the rows (default text)", format);
  cli.span("--frames", "only what frames A to B - 1 execute", wanted.frames);
  cli.span("--submits", "only what submits A to B - 1 execute", wanted.submits);
  cli.flag("--summary", "only of how many commands all is known", summary_only);
  Budgets budgets;
  budgets.add_to(cli);
  const auto parsed = cli.parse(args);
  if (!parsed) return tl::unexpected(parsed.error());
  if (!*parsed) return 0;

  if (file.empty()) return fail(Status::unreadable, "FILE is empty: name a capture");
  RONDO_TRY(budgets.start(file));
  auto walk = Walk::open(file);
  if (!walk) return tl::unexpected(walk.error());
  std::unique_ptr<Rows> rows;
  if (format == "jsonl")
    rows = std::make_unique<JsonRows>();
  else
    rows = std::make_unique<AccessTextRows>();
  Output out;
  std::string row;
  const auto print = [&](const Executed& executed) {
    if (summary_only || (executed.touches.empty() && executed.reach.unknown == 0)) return !out.closed();
    row.clear();
    rows->command(row, walk->objects(), executed);
    out.write(row);
    return !out.closed();
  };
  const auto walked = walk_accesses(*walk, wanted, print);
  if (walked) {
    row.clear();
    rows->summary(row, walked->coverage, *walked);
    out.write(row);
  }
  RONDO_TRY(out.finish());
  if (!walked && !walk->damage()) return tl::unexpected(walked.error());
  RONDO_TRY(walk->intact());
  if (!walked->any && !out.closed() && (wanted.frames || wanted.submits))
    return fail(Status::usage, text("{}: no record is in these frames or submits: it has {} and {}, from 0", file,
                                    plural(walked->frames, "frame"), plural(walked->submits, "submit")));
  return 0;
}

}  // namespace rondo::analyzers
