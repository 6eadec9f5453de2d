// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/sync_rows.h"

#include "analyzers/analysis/graph_rows.h"
#include "analyzers/text/access_rows.h"
#include "analyzers/text/text.h"
#include "format/codec/schema.h"

namespace rondo::analyzers {

namespace {

using graph::SyncOp;
using model::Barrier;

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& one : words) append(out, "{}{}", out.empty() ? "" : "|", one);
  return out;
}

// "VK_PIPELINE_STAGE_2_COPY_BIT | VK_PIPELINE_STAGE_2_CLEAR_BIT".
std::string flag_code(EnumId id, VkFlags64 flags) {
  std::string out;
  for (; flags != 0; flags &= flags - 1) {
    const VkFlags64 one = flags & ~(flags - 1);
    const std::string_view name = codec::enumerant_name(id, static_cast<std::int64_t>(one));
    append(out, "{}{}", out.empty() ? "" : " | ", name.empty() ? text("{:#x}", one) : std::string(name));
  }
  return out.empty() ? "0" : out;
}
std::string memory_barrier_code(const Barrier& one) {
  return text("const VkMemoryBarrier2 barrier = {{VK_STRUCTURE_TYPE_MEMORY_BARRIER_2, NULL, {}, {}, {}, {}}};",
              flag_code(EnumId::VkPipelineStageFlagBits2, one.src_stages),
              flag_code(EnumId::VkAccessFlagBits2, one.src_access),
              flag_code(EnumId::VkPipelineStageFlagBits2, one.dst_stages),
              flag_code(EnumId::VkAccessFlagBits2, one.dst_access));
}

// What orders both sides of a race.
Barrier barrier_of(const SyncRace& race) {
  Barrier one;
  one.src_stages = race.from.stages;
  one.dst_stages = race.to.stages;
  // To write over what was read needs an order alone.
  if ((race.hazards & (graph::kRaw | graph::kWaw)) != 0) {
    one.src_access = race.from.access & model::kWrites;
    one.dst_access = race.to.access;
  }
  return one;
}

std::string side_text(const SyncAnalysis& analysis, const SyncSide& side) {
  std::string out =
      text("{} {}", codec::info(side.executed.command).name, text_of({side.executed.record, side.executed.submit}));
  if (side.is_transition) out += " (its layout transition)";
  if (side.stages != 0) append(out, " in {}", scope_text(side.stages, side.access));
  const std::string labels = analysis.walk().label_text(side.executed.label_path);
  if (!labels.empty()) append(out, " [{}]", printable(labels));
  return out;
}

std::string places_text(const SyncRace& race) {
  std::string out;
  for (const std::string& one : race.words) append(out, "{}{}", out.empty() ? "" : "; ", printable(one));
  if (race.more_places != 0) append(out, "; and {}", plural(race.more_places, "other range"));
  return out;
}

std::string why_text(const SyncRace& race) {
  if (race.hazards == graph::kLifetime)
    return "the host does not wait until the batch of the first has ended, which may still use it";
  if (race.hazards == graph::kOwner)
    return text("queue family {} reads what family {} owns: no release and acquire moved it", race.families[1],
                race.families[0]);
  if (is_of_acquire(race))
    return "the presentation engine may still read the image when the acquire returns it, and the second does not wait";
  if (race.executes) return "the program orders them, but does not make visible what is written";
  return "the program does not order them";
}

// Why a race is possible only. Empty: it is certain.
std::string_view doubt_text(const SyncFinding& finding) {
  if (finding.rule == SyncRule::ambiguous)
    return "the record of the host write is ambiguous: the first may have written the bytes that it has";
  if (!finding.race.possible) return {};
  if (has_shader(finding.race))
    return "perhaps they touch different bytes: the capture says what a shader may touch, not what it does touch";
  return "perhaps they share no byte: they touch other texels, or only the driver knows which bytes an image has";
}

// What to do about a race.
std::string cure_text(const SyncRace& race) {
  if (race.hazards == graph::kLifetime) return "let the host wait for a fence of the submit before it does so";
  if ((race.hazards & graph::kOwner) != 0)
    return text(
        "after the write release it on family {0}, and before the read acquire it on family {1}: two barriers with "
        "srcQueueFamilyIndex {0} and dstQueueFamilyIndex {1}, and a semaphore between them",
        race.families[0], race.families[1]);
  if (race.to.presents) return "let the present wait for a semaphore that the work before it signals";
  if (is_of_acquire(race) && race.to.is_transition)
    return "let the barrier of the transition begin in a stage in which the submit waits for the semaphore of the "
           "acquire";
  if (race.from.presents) return "wait for the semaphore of the acquire, in the stages that use the image";
  if (race.to.on_host) return "let the host wait for a fence of the submit before it writes";
  if (race.from.on_host) return "write before the submit, or let the device wait for an event that the host sets";
  if (!race.is_one_queue) return "let the batch of the second wait for a semaphore that the batch of the first signals";
  // A render pass has no barrier for its own transitions.
  const auto is_pass = [](const SyncSide& side) {
    return std::string_view(codec::info(side.executed.command).name).find("RenderPass") != std::string_view::npos ||
           std::string_view(codec::info(side.executed.command).name).find("NextSubpass") != std::string_view::npos;
  };
  if (race.to.is_transition && is_pass(race.to))
    return text(
        "add {} to what a dependency of subpasses from VK_SUBPASS_EXTERNAL, or from the subpass before, waits for",
        scope_text(race.from.stages, race.from.access & model::kWrites));
  if (race.from.is_transition && is_pass(race.from))
    return text(
        "add {} to what waits for a dependency of subpasses from the last one that uses the attachment to "
        "VK_SUBPASS_EXTERNAL, or to the next one. The implicit dependency lets nothing wait",
        scope_text(race.to.stages, race.to.access));
  if (race.to.is_transition)
    return text("add {} to what the barrier of the transition waits for",
                scope_text(race.from.stages, race.from.access & model::kWrites));
  if (race.from.is_transition)
    return text("add {} to what waits for the barrier of the transition", scope_text(race.to.stages, race.to.access));
  return "this between them is enough" +
         std::string(race.is_one_pass ? ", as a dependency of subpasses with the same scopes: " : ": ") +
         barrier_code(race);
}

// It names something that the program could leave out, and not a race alone.
bool is_of_sync(const SyncFinding& finding) {
  return finding.rule != SyncRule::race && finding.rule != SyncRule::ambiguous;
}
bool says_race(const SyncFinding& finding) { return !is_of_sync(finding) || finding.rule == SyncRule::ineffective; }

std::string grade_of(const SyncFinding& finding) {
  if (finding.proof && finding.proof->is_proven) return "proven";
  return (says_race(finding) && finding.race.possible) || finding.needed_like != 0 ? "possible" : "certain";
}

std::string sync_name(const SyncAnalysis& analysis, const SyncOp& sync) {
  if (sync.kind == SyncOp::Kind::host_wait) return text("{} {}", codec::info(sync.command).name, sync.record);
  if (sync.kind == SyncOp::Kind::semaphore)
    return text("{} {} waits for {}, which {} signals", codec::info(sync.command).name, sync.record,
                printable(analysis.walk().name(sync.semaphore)), sync.signalled_by);
  const std::string where = text("{} {}", codec::info(sync.command).name, text_of({sync.record, sync.submit}));
  std::string out =
      sync.kind == SyncOp::Kind::dependency
          ? text("dependency of subpasses {} -> {} of {} ({})",
                 sync.barriers[0].src_subpass == VK_SUBPASS_EXTERNAL ? "EXTERNAL"
                                                                     : text("{}", sync.barriers[0].src_subpass),
                 sync.barriers[0].dst_subpass == VK_SUBPASS_EXTERNAL ? "EXTERNAL"
                                                                     : text("{}", sync.barriers[0].dst_subpass),
                 printable(analysis.walk().name(sync.pass)), where)
          : where;
  if (sync.times > 1) append(out, ", executed {} times", count_text(sync.times));
  const std::string labels = analysis.walk().label_text(sync.label_path);
  if (!labels.empty()) append(out, " [{}]", printable(labels));
  return out;
}

std::string removal_text(const SyncOp& sync) {
  switch (sync.kind) {
    case SyncOp::Kind::host_wait:
      return "nothing that the host does afterwards needs it: it reads back nothing, and ends or changes nothing that "
             "work may use\n";
    case SyncOp::Kind::semaphore:
      return "the work after it needs nothing from before the signal that is not ordered without it\n";
    default:
      return "all that it orders is ordered without it, or needs no order: it can be removed\n";
  }
}

std::string barrier_name(const SyncAnalysis& analysis, const Barrier& one) {
  if (one.kind == Barrier::Kind::memory) return "memory";
  std::string out = printable(analysis.walk().name(one.resource));
  if (one.kind == Barrier::Kind::image && one.old_layout != one.new_layout)
    append(out, " {} -> {}", layout_word(one.old_layout), layout_word(one.new_layout));
  return out;
}

void append_race(std::string& out, const SyncAnalysis& analysis, const SyncFinding& finding, std::string_view before) {
  const SyncRace& race = finding.race;
  append(out, "{}first:  {}\n", before, side_text(analysis, race.from));
  append(out, "{}second: {}\n", before, side_text(analysis, race.to));
  append(out, "{}{}\n", before, why_text(race));
  if (const std::string_view doubt = doubt_text(finding); !doubt.empty()) append(out, "{}{}\n", before, doubt);
  append(out, "{}{}\n", before, cure_text(race));
}

void append_needs(std::string& out, const SyncAnalysis& analysis, const SyncFinding& finding) {
  std::string last;
  for (const std::uint32_t number : analysis.result(finding.sync).needs) {
    const graph::SyncQuestion& need = analysis.questions().all()[number];
    const auto& from = analysis.questions().from_command(need);
    const auto& to = analysis.questions().to_command(need);
    std::string line =
        text("    only it orders {} {} before {} {}\n", codec::info(from.command).name,
             text_of({from.record, from.submit}), codec::info(to.command).name, text_of({to.record, to.submit}));
    if (line != last) out += line;
    last = std::move(line);
  }
}

std::string occurrences_text(const SyncFinding& finding) {
  if (finding.occurrences <= 1) return "";
  std::string out = text("    {} of this cause; others at", plural(finding.occurrences, "finding"));
  for (const ItemName& one : finding.others) append(out, " {}", text_of(one));
  return out + (finding.others.size() + 1 < finding.occurrences ? " ...\n" : "\n");
}

std::string proof_text(const SyncFinding& finding) {
  if (!finding.proof) return "";
  return text("    {}: {}\n", finding.proof->is_proven ? "proven" : "not proven", finding.proof->text);
}

void write_proof(JsonWriter& json, const SyncProof& proof) {
  json.key("proof");
  json.begin_object();
  json.field("proven", proof.is_proven);
  json.field("text", proof.text);
  json.field("loops", proof.loops);
  json.field("together", proof.together);
  if (!proof.object.empty()) json.field("object", proof.object);
  if (proof.byte) json.field("byte", *proof.byte);
  if (proof.submit) json.field("submit", *proof.submit);
  json.end_object();
}

void write_scopes(JsonWriter& json, const Barrier& one) {
  const auto list = [&](const char* name, const std::vector<std::string>& words) {
    json.key(name);
    json.begin_array();
    for (const std::string& word : words) json.string(word);
    json.end_array();
  };
  list("src_stages", stage_names(one.src_stages));
  list("src_access", access_names(one.src_access));
  list("dst_stages", stage_names(one.dst_stages));
  list("dst_access", access_names(one.dst_access));
}

void write_labels(JsonWriter& json, const SyncAnalysis& analysis, std::uint32_t path) {
  json.key("labels");
  json.begin_array();
  for (const std::string_view label : analysis.walk().labels(path)) json.string(label);
  json.end_array();
}

void write_side(JsonWriter& json, const SyncAnalysis& analysis, const char* name, const SyncSide& side) {
  json.key(name);
  json.begin_object();
  json.field("record", side.executed.record);
  json.field("at", side.executed.at);
  json.key("submit");
  side.executed.submit != graph::SyncQuestions::kNoSubmit ? json.unsigned_value(side.executed.submit) : json.null();
  json.field("command", codec::info(side.executed.command).name);
  write_labels(json, analysis, side.executed.label_path);
  json.field("transition", side.is_transition);
  json.key("stages");
  json.begin_array();
  for (const std::string& word : stage_names(side.stages)) json.string(word);
  json.end_array();
  json.key("access");
  json.begin_array();
  for (const std::string& word : access_names(side.access)) json.string(word);
  json.end_array();
  json.end_object();
}

void write_race(JsonWriter& json, const SyncAnalysis& analysis, const SyncRace& race) {
  json.field("hazards", kinds_text(race.hazards));
  write_side(json, analysis, "from", race.from);
  write_side(json, analysis, "to", race.to);
  json.key("places");
  json.begin_array();
  for (const GraphPlace& place : race.places) {
    json.begin_object();
    write_place(json, analysis.walk(), place);
    json.end_object();
  }
  // Of objects that end there are no ranges.
  for (std::size_t i = race.places.size(); i < race.words.size(); ++i) {
    json.begin_object();
    json.field("object", race.words[i]);
    json.end_object();
  }
  json.end_array();
  json.field("more_places", race.more_places);
  json.field("ordered", race.executes);
  json.field("cure", cure_text(race));
}

}  // namespace

std::string_view word_of(SyncOp::Kind kind) {
  switch (kind) {
    case SyncOp::Kind::barrier:
      return "barrier";
    case SyncOp::Kind::event:
      return "event";
    case SyncOp::Kind::dependency:
      return "dependency";
    case SyncOp::Kind::semaphore:
      return "semaphore";
    case SyncOp::Kind::host_wait:
      return "host wait";
  }
  return "";
}

std::string scope_text(VkPipelineStageFlags2 stages, VkAccessFlags2 access) {
  std::string out = stages != 0 ? joined(stage_names(stages)) : "NONE";
  if (access != 0) append(out, " ({})", joined(access_names(access)));
  return out;
}
std::string scopes_text(const Barrier& one) {
  return scope_text(one.src_stages, one.src_access) + " -> " + scope_text(one.dst_stages, one.dst_access);
}

std::string barrier_code(const SyncRace& race) { return memory_barrier_code(barrier_of(race)); }

void append_sync_text(std::string& out, const SyncAnalysis& analysis, const SyncFinding& finding) {
  if (!is_of_sync(finding)) {
    append(out, "{}, {}: {} of {} [{}]\n", word_of(finding.rule), grade_of(finding), kinds_text(finding.race.hazards),
           places_text(finding.race), finding.id);
    append_race(out, analysis, finding, "    ");
    out += occurrences_text(finding);
    out += proof_text(finding);
    return;
  }
  const SyncOp& sync = analysis.sync(finding.sync);
  append(out, "{}: {} [{}]\n", word_of(finding.rule), sync_name(analysis, sync), finding.id);
  const bool has_details = finding.rule == SyncRule::too_wide;
  for (std::size_t i = 0; i < sync.barriers.size() && !has_details && i < 8; ++i)
    append(out, "    {}: {}\n", barrier_name(analysis, sync.barriers[i]), scopes_text(sync.barriers[i]));
  switch (finding.rule) {
    case SyncRule::superfluous:
      out += "    " + removal_text(sync);
      if (finding.needed_like != 0)
        append(out, "    but {} with the same scopes and resources: perhaps it is the same place of the program\n",
               finding.needed_like == 1 ? std::string("another one is needed")
                                        : text("{} others are needed", count_text(finding.needed_like)));
      break;
    case SyncRule::ineffective:
      append(out, "    it orders nothing that needs it, but was perhaps meant for this race: {} of {}\n",
             kinds_text(finding.race.hazards), places_text(finding.race));
      append_race(out, analysis, finding, "        ");
      break;
    case SyncRule::too_wide:
      for (const SyncNarrow& one : finding.narrow) {
        append(out, "    {}: {}\n", barrier_name(analysis, one.now), scopes_text(one.now));
        if (one.is_unused)
          out += "        nothing needs this barrier of the command: its stages order all that needs an order\n";
        else
          append(out, "        enough: {}\n", scopes_text(one.enough));
      }
      break;
    case SyncRule::needed:
      append_needs(out, analysis, finding);
      break;
    case SyncRule::replaceable:
      out += "    both batches are of one queue: a barrier at the begin of the second batch would do the same\n";
      append_needs(out, analysis, finding);
      break;
    case SyncRule::unknown:
      out += "    nobody knows what it is for: nothing that follows needs it, or the host reads or waits\n";
      break;
    case SyncRule::race:
    case SyncRule::ambiguous:
      break;
  }
  out += occurrences_text(finding);
  out += proof_text(finding);
}

void append_sync_json(std::string& out, const SyncAnalysis& analysis, const SyncFinding& finding) {
  JsonWriter json(out);
  json.begin_object();
  json.field("row", "sync");
  json.field("rule", word_of(finding.rule));
  json.field("id", finding.id);
  if (finding.rule < SyncRule::needed || says_race(finding)) json.field("grade", grade_of(finding));
  if (finding.rule == SyncRule::superfluous) json.field("needed_like", finding.needed_like);
  json.field("occurrences", finding.occurrences);
  json.key("other_records");
  json.begin_array();
  for (const ItemName& one : finding.others) json.unsigned_value(one.record);
  json.end_array();
  if (is_of_sync(finding)) {
    const SyncOp& sync = analysis.sync(finding.sync);
    json.field("record", sync.record);
    json.field("at", sync.at);
    json.key("submit");
    sync.submit != graph::SyncQuestions::kNoSubmit ? json.unsigned_value(sync.submit) : json.null();
    json.field("command", codec::info(sync.command).name);
    json.field("kind", word_of(sync.kind));
    if (sync.kind == SyncOp::Kind::semaphore) {
      json.field("semaphore", analysis.walk().name(sync.semaphore));
      json.field("signalled_by", sync.signalled_by);
    }
    if (sync.pass != ObjectId::null) json.field("render_pass", analysis.walk().name(sync.pass));
    json.field("executed", sync.times);
    write_labels(json, analysis, sync.label_path);
    json.key("barriers");
    json.begin_array();
    for (std::uint32_t i = 0; i < sync.barriers.size(); ++i) {
      const Barrier& one = sync.barriers[i];
      json.begin_object();
      if (one.kind != Barrier::Kind::memory) json.field("object", analysis.walk().name(one.resource));
      write_scopes(json, one);
      for (const SyncNarrow& narrow : finding.narrow)
        if (narrow.barrier == i) {
          json.field("unused", narrow.is_unused);
          if (!narrow.is_unused) {
            json.key("enough");
            json.begin_object();
            write_scopes(json, narrow.enough);
            json.end_object();
          }
        }
      json.end_object();
    }
    json.end_array();
    json.key("needed_for");
    json.begin_array();
    for (const std::uint32_t number : analysis.result(finding.sync).needs) {
      const graph::SyncQuestion& need = analysis.questions().all()[number];
      json.begin_object();
      const auto& from = analysis.questions().from_command(need);
      const auto& to = analysis.questions().to_command(need);
      json.field("from", text_of({from.record, from.submit}));
      json.field("to", text_of({to.record, to.submit}));
      json.end_object();
    }
    json.end_array();
  }
  if (says_race(finding)) write_race(json, analysis, finding.race);
  if (finding.proof) write_proof(json, *finding.proof);
  json.end_object();
  out += '\n';
}

}  // namespace rondo::analyzers
