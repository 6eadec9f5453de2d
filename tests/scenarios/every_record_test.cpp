// SPDX-License-Identifier: Apache-2.0
// Every record of captures on the fake driver, dropped, exchanged with the next,
// each of its scalars changed, each of its handles another one: a verification
// finds it, or it belongs to a class that docs/mutations.md lists.
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "fixture.h"
#include "not_found.h"
#include "skip.h"

using namespace scenario;

namespace {

std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> out(1);
  for (const char c : line)
    if (c == '\t')
      out.emplace_back();
    else
      out.back() += c;
  return out;
}

struct Findings {
  std::map<std::string, int> unseen;  // by class
  std::set<std::string> compared;     // "drop vkCmdDraw": found by a comparison
  std::string wrong;                  // what belongs to no class, or ended badly
};

const NotFound* class_of(const Unseen& unseen) {
  for (const NotFound& c : not_found())
    for (const Pattern& pattern : c.patterns)
      if (pattern.matches(unseen)) return &c;
  return nullptr;
}

void damage_every_record(const std::string& name, Findings& findings) {
  const Recording& capture =
      captured(without_checks({program(name)}),
               {.checkpoints = name == "headless" ? "present" : "readback", .driver = fake});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  Command command;
  command.arguments = {build_root() + "/tests/scenarios/every-record", capture.path};
  command.timeout_s = 600;
  const Outcome outcome = run(command);
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  bool counted = false;
  for (const std::string& line : lines(outcome.out)) {
    const std::vector<std::string> f = fields(line);
    if (f[0] == "counts") counted = true;
    if (f[0] == "differs") findings.compared.insert(f[1] + ' ' + f[2]);
    if (f[0] == "counts" || f[0] == "differs") continue;
    const NotFound* known =
        f[0] == "unseen" ? class_of({name, f[1], f[3], f.size() > 4 ? f[4] : ""}) : nullptr;
    if (known != nullptr)
      ++findings.unseen[known->name];
    else
      findings.wrong += name + ": " + line + "\n";
  }
  CHECK(counted);
}

// The rows of the table under "Not found".
std::vector<std::string> documented() {
  std::vector<std::string> rows;
  bool here = false;
  for (const std::string& line : lines(read_file(RONDO_DOCS "/mutations.md"))) {
    here = here || line.rfind("Not found", 0) == 0;
    if (!here || line.rfind("| ", 0) != 0 || line.rfind("| class", 0) == 0 || line.rfind("| ---", 0) == 0)
      continue;
    rows.push_back(line.substr(2, line.find(" |", 2) - 2));
  }
  return rows;
}

// Damages that a comparison has to find at least once: status 5.
const std::map<std::string, std::vector<std::string>>& compared_damages() {
  static const std::map<std::string, std::vector<std::string>> all{
      {"drop",
       {"rondoHostWrite",
        "vkCmdBeginConditionalRenderingEXT",
        "vkCmdBeginTransformFeedbackEXT",
        "vkCmdBindDescriptorSets",
        "vkCmdBindIndexBuffer",
        "vkCmdBindPipeline",
        "vkCmdBindTransformFeedbackBuffersEXT",
        "vkCmdBindVertexBuffers",
        "vkCmdClearColorImage",
        "vkCmdCopyBuffer",
        "vkCmdCopyBufferToImage",
        "vkCmdCopyImageToBuffer",
        "vkCmdCopyQueryPoolResults",
        "vkCmdDispatch",
        "vkCmdDraw",
        "vkCmdDrawIndexed",
        "vkCmdDrawIndexedIndirect",
        "vkCmdDrawIndexedIndirectCountKHR",
        "vkCmdDrawIndirect",
        "vkCmdDrawIndirectByteCountEXT",
        "vkCmdDrawIndirectCountKHR",
        "vkCmdDrawMultiEXT",
        "vkCmdDrawMultiIndexedEXT",
        "vkCmdEndTransformFeedbackEXT",
        "vkCmdExecuteCommands",
        "vkCmdFillBuffer",
        "vkCmdPushConstants",
        "vkCmdPushDescriptorSetKHR",
        "vkCmdPushDescriptorSetWithTemplateKHR",
        "vkCmdSetRasterizationSamplesEXT",
        "vkCmdSetScissor",
        "vkCmdSetViewport",
        "vkUpdateDescriptorSetWithTemplate",
        "vkUpdateDescriptorSetWithTemplateKHR",
        "vkUpdateDescriptorSets"}},
      {"corrupt",
       {"rondoCheckpointImage",
        "rondoCheckpointMemory",
        "rondoHostWrite",
        "vkCmdBeginRenderPass",
        "vkCmdBeginRendering",
        "vkCmdBindDescriptorSets",
        "vkCmdBindIndexBuffer",
        "vkCmdBindVertexBuffers",
        "vkCmdClearColorImage",
        "vkCmdCopyBuffer",
        "vkCmdCopyBufferToImage",
        "vkCmdCopyImageToBuffer",
        "vkCmdDispatch",
        "vkCmdDraw",
        "vkCmdDrawIndexed",
        "vkCmdDrawIndexedIndirect",
        "vkCmdDrawIndexedIndirectCountKHR",
        "vkCmdDrawIndirect",
        "vkCmdDrawIndirectByteCountEXT",
        "vkCmdDrawIndirectCountKHR",
        "vkCmdDrawMultiEXT",
        "vkCmdDrawMultiIndexedEXT",
        "vkCmdFillBuffer",
        "vkCmdPushConstants",
        "vkCmdPushDescriptorSetKHR",
        "vkCmdPushDescriptorSetWithTemplateKHR",
        "vkCmdSetScissor",
        "vkCmdSetViewport",
        "vkCreateBufferView",
        "vkCreateComputePipelines",
        "vkCreateGraphicsPipelines",
        "vkCreateImageView",
        "vkCreateRenderPass",
        "vkCreateSampler",
        "vkCreateShaderModule",
        "vkQueuePresentKHR",
        "vkUpdateDescriptorSets"}},
      {"handle",
       {"rondoCheckpointMemory", "rondoHostWrite", "vkCmdBindDescriptorSets", "vkCmdBindIndexBuffer",
        "vkCmdBindPipeline", "vkCmdBindVertexBuffers", "vkCmdCopyBuffer", "vkCmdCopyImageToBuffer",
        "vkCmdDrawIndirect", "vkCmdFillBuffer", "vkCmdPushDescriptorSetKHR", "vkCreateComputePipelines",
        "vkCreateGraphicsPipelines", "vkCreateImageView", "vkQueueSubmit", "vkUpdateDescriptorSets"}},
  };
  return all;
}

}  // namespace

SCENARIO("whatever is damaged in any record is found or listed", "[mutation]") {
#ifdef __SANITIZE_THREAD__
  SKIP_SCENARIO(
      "a process for each of thousands of damages takes hours under TSan; "
      "the threads of a replay are those of the other scenarios");
#endif
  if (!no_readback(fake).empty()) SKIP_SCENARIO(no_readback(fake));
  Findings findings;
  for (const char* name :
       {"triangle", "templates", "secondary", "rendering", "feedback", "geometry", "indirect",
        "inline_uniforms", "libraries", "queries", "samplers", "conditional", "constants", "multisample",
        "labels", "rewrite", "command_buffers", "indexing", "headless"})
    damage_every_record(name, findings);
  CHECK(findings.wrong == "");
  std::vector<std::string> classes;
  for (const NotFound& c : not_found()) {
    classes.push_back(c.name);
    INFO(c.name << ": nothing of this class is unseen any more: take it from the list");
    CHECK(findings.unseen[c.name] > 0);
  }
  CHECK(classes == documented());
  for (const auto& [how, commands] : compared_damages())
    for (const std::string& command : commands) {
      INFO(how << ' ' << command);
      CHECK(findings.compared.count(how + ' ' + command) == 1);
    }
}

SCENARIO("whatever is damaged in any record of longer captures is found or listed", "[long]") {
  if (!no_readback(fake).empty()) SKIP_SCENARIO(no_readback(fake));
  // Not `passes`: the fake driver does not model depth-stencil resolves.
  Findings findings;
  for (const char* name :
       {"arithmetic", "dynamic", "dynamic3", "events", "flag", "groups", "images", "mappings", "memory",
        "memory_types", "planes", "queues", "shared_memory", "submits", "three_queues", "timeline"})
    damage_every_record(name, findings);
  CHECK(findings.wrong == "");
}
