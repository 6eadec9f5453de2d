// SPDX-License-Identifier: Apache-2.0
#include "player/legal/shader_checks.h"

#include <algorithm>

#include "format/codec/schema.h"
#include "format/counts.h"
#include "format/printable.h"
#include "model/shaders/capabilities.h"
#include "model/shaders/names.h"
#include "model/shaders/needs.h"
#include "model/shaders/validate.h"
#include "player/console.h"
#include "player/devices/preflight.h"
#include "player/plan/enabled.h"
#include "player/plan/shader_stages.h"
#include "player/plan/workers.h"

namespace rondo::player {

namespace {

using Verdict = shaders::Validation::Verdict;

std::string type_name(VkDescriptorType type) {
  constexpr std::string_view kPrefix = "VK_DESCRIPTOR_TYPE_";
  std::string_view name = codec::enumerant_name(EnumId::VkDescriptorType, type);
  if (name.starts_with(kPrefix)) name.remove_prefix(kPrefix.size());
  return name.empty() ? "type " + std::to_string(type) : std::string(name);
}

// Each of these: what is wrong, as the end of a sentence that begins with the stage; empty: nothing.

std::string check_descriptor(const shaders::DescriptorNeed& need, const StageLayout& layout,
                             VkShaderStageFlagBits stage) {
  const std::string place = "set " + std::to_string(need.set) + " binding " + std::to_string(need.binding);
  if (need.set >= layout.sets.size() || layout.sets[need.set] == nullptr)
    return "uses " + place + ", and its pipeline layout has no set " + std::to_string(need.set);
  const std::vector<StageBinding>& bindings = *layout.sets[need.set];
  const auto binding =
      std::find_if(bindings.begin(), bindings.end(), [&](const StageBinding& b) { return b.binding == need.binding; });
  if (binding == bindings.end() || binding->count == 0) return "uses " + place + ", which its pipeline layout lacks";
  if ((binding->stages & stage) == 0)
    return "uses " + place + ", which its pipeline layout has not for the " + shaders::stage_name(stage) + " stage";
  const bool fits = need.types.empty() || binding->type == VK_DESCRIPTOR_TYPE_MUTABLE_VALVE ||
                    std::find(need.types.begin(), need.types.end(), binding->type) != need.types.end();
  if (!fits)
    return "uses " + place + " as " + type_name(need.types[0]) + ", and its pipeline layout has " +
           type_name(binding->type) + " there";
  if (need.count > binding->count && binding->type != VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK)
    return "uses " + plural(need.count, "descriptor") + " of " + place + ", and its pipeline layout has " +
           std::to_string(binding->count);
  return {};
}

std::string check_push_constants(const shaders::Needs& needs, const StageLayout& layout, VkShaderStageFlagBits stage) {
  if (needs.push_begin == needs.push_end) return {};
  std::uint64_t begin = UINT64_MAX, end = 0;
  for (const VkPushConstantRange& range : layout.ranges) {
    if ((range.stageFlags & stage) == 0) continue;
    begin = std::min<std::uint64_t>(begin, range.offset);
    end = std::max(end, std::uint64_t{range.offset} + range.size);
  }
  if (needs.push_begin >= begin && needs.push_end <= end) return {};
  const auto span = [](std::uint64_t first, std::uint64_t last) {
    return "bytes " + std::to_string(first) + " to " + std::to_string(last);
  };
  return "uses " + span(needs.push_begin, needs.push_end) + " of push constants, and its pipeline layout has " +
         (end == 0 ? "none" : span(begin, end)) + " for the " + shaders::stage_name(stage) + " stage";
}

std::string check_layout(const shaders::Needs& needs, const ShaderStage& stage) {
  static const StageLayout kEmpty;
  const StageLayout& layout = stage.layout != nullptr ? *stage.layout : kEmpty;
  for (const shaders::DescriptorNeed& need : needs.descriptors)
    if (std::string w = check_descriptor(need, layout, stage.stage); !w.empty()) return w;
  return check_push_constants(needs, layout, stage.stage);
}

// More than any device has, and fewer than what makes one look for room elsewhere: programs with a few more
// than the limit of the captured device got away with it.
std::uint64_t most_locations(std::uint32_t limit) { return std::clamp<std::uint64_t>(limit, 32, 64); }

std::string check_locations(const shaders::Needs& needs, VkShaderStageFlagBits stage,
                            const VkPhysicalDeviceLimits& limits) {
  constexpr std::uint32_t kComponents = 4;  // of a location
  std::uint32_t inputs = UINT32_MAX, outputs = UINT32_MAX;
  switch (stage) {
    case VK_SHADER_STAGE_VERTEX_BIT:
      inputs = limits.maxVertexInputAttributes;
      outputs = limits.maxVertexOutputComponents / kComponents;
      break;
    case VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT:
      inputs = limits.maxTessellationControlPerVertexInputComponents / kComponents;
      outputs = std::max(limits.maxTessellationControlPerVertexOutputComponents,
                         limits.maxTessellationControlPerPatchOutputComponents) /
                kComponents;
      break;
    case VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT:
      inputs = limits.maxTessellationEvaluationInputComponents / kComponents;
      outputs = limits.maxTessellationEvaluationOutputComponents / kComponents;
      break;
    case VK_SHADER_STAGE_GEOMETRY_BIT:
      inputs = limits.maxGeometryInputComponents / kComponents;
      outputs = limits.maxGeometryOutputComponents / kComponents;
      break;
    case VK_SHADER_STAGE_FRAGMENT_BIT:
      inputs = limits.maxFragmentInputComponents / kComponents;
      outputs = limits.maxFragmentOutputAttachments;
      break;
    default:  // meshes, whose limits a capture does not have; others have no locations
      break;
  }
  if (needs.input_locations > most_locations(inputs))
    return "has inputs up to location " + std::to_string(needs.input_locations - 1) + ", and devices have " +
           plural(most_locations(inputs), "location");
  if (needs.output_locations > most_locations(outputs))
    return "has outputs up to location " + std::to_string(needs.output_locations - 1) + ", and devices have " +
           plural(most_locations(outputs), "location");
  return {};
}

// One module and its stages; made by any thread.
struct Checked {
  Verdict verdict = Verdict::valid;
  std::string newer;
  std::vector<WrongShader> wrong;
  std::vector<std::string> not_enabled;
  WorkgroupNeeds workgroups;
};

std::string declares(const std::string& name, const std::string& what,
                     std::span<const shaders::Requirement> enabled_by) {
  return name + " declares " + what + ", and the program did not enable " + shaders::text_of(enabled_by);
}

class Checker {
 public:
  Checker(const Plan& plan, const ShaderStages& stages, const std::vector<Replaced>& replaced)
      : plan_(plan), stages_(stages), replaced_(replaced) {
    for (std::uint32_t d = 0; d < plan.devices.size(); ++d) rules_.push_back(device_rules(plan, d));
    results_.resize(stages.codes.size());
  }

  void run(std::uint32_t threads) {
    run_on_threads(results_.size(), threads, [this](std::size_t i) {
      results_[i] = check(stages_.codes[i]);
      if (!results_[i].wrong.empty()) name_file(stages_.codes[i], results_[i]);
    });
  }
  const std::vector<Checked>& results() const { return results_; }

 private:
  // Where the user gave the code, it is that file which is wrong.
  void name_file(const ShaderCode& code, Checked& checked) const {
    if (replaced_.empty()) return;
    const Digest digest = digest_of(code.code);
    const auto found =
        std::find_if(replaced_.begin(), replaced_.end(), [&](const Replaced& one) { return one.new_digest == digest; });
    if (found == replaced_.end()) return;
    for (WrongShader& one : checked.wrong) one.text = found->file + ", in the place of " + one.text;
  }

  Checked check(const ShaderCode& code) const {
    Checked checked;
    const auto wrong = [&](std::uint64_t sequence, const std::string& text) {
      checked.wrong.push_back({sequence, text});
    };
    const shaders::Validation validation =
        shaders::validate(code.code, code.device < rules_.size() ? rules_[code.device] : shaders::DeviceRules{});
    checked.verdict = validation.verdict;
    if (validation.verdict == Verdict::newer) checked.newer = code.name + ": " + validation.words;
    if (validation.verdict == Verdict::invalid) {
      wrong(code.sequence, code.name + " is not valid SPIR-V: " + validation.words);
      return checked;
    }
    const auto module = shaders::parse_module(code.code);
    if (!module) {
      wrong(code.sequence, code.name + " " + module.error().message);
      return checked;
    }
    check_declared(*module, code, checked);
    for (const ShaderStage& stage : code.stages)
      if (std::string w = check_stage(*module, stage, code.device, checked); !w.empty())
        wrong(stage.sequence, stage.name + " " + w);
    return checked;
  }

  // Against what the program enabled on the device.
  void check_declared(const shaders::Module& module, const ShaderCode& code, Checked& checked) const {
    if (code.device >= plan_.devices.size()) return;
    const CapturedDevice& device = plan_.devices[code.device];
    for (const std::uint32_t value : module.capabilities) {
      const shaders::Capability* capability = shaders::find_capability(value);
      if (capability == nullptr || allows(plan_, device, capability->enabled_by) != Allowed::no) continue;
      std::string text = declares(code.name, std::string("the capability ") + capability->name, capability->enabled_by);
      if (shaders::is_relied_on(value))
        checked.wrong.push_back({code.sequence, std::move(text)});
      else
        checked.not_enabled.push_back(std::move(text));
    }
    for (const std::string& name : module.extensions) {
      const shaders::SpirvExtension* extension = shaders::find_spirv_extension(name);
      if (extension != nullptr && allows(plan_, device, extension->enabled_by) == Allowed::no)
        checked.not_enabled.push_back(declares(code.name, name, extension->enabled_by));
    }
  }

  std::string check_stage(const shaders::Module& module, const ShaderStage& stage, std::uint32_t device,
                          Checked& checked) const {
    const auto entry = std::find_if(module.entries.begin(), module.entries.end(), [&](const shaders::Entry& e) {
      return e.name == stage.entry && e.model == shaders::model_of(stage.stage);
    });
    if (entry == module.entries.end())
      return "names the entry point " + stage.entry + " of the " + shaders::stage_name(stage.stage) +
             " stage, which its module lacks";
    const shaders::Needs needs = shaders::needs_of(module, *entry, stage.constants);
    if (std::string w = check_layout(needs, stage); !w.empty()) return w;
    if (needs.has_empty_array) return "has an array of no elements with its specialization constants";
    if (needs.local_size && product(*needs.local_size) == 0) return "has a local size of 0";
    // Software drivers keep them on the stack, or compile for ever. Devices give an invocation half of that
    // at most.
    constexpr std::uint64_t kMostPrivate = std::uint64_t{1} << 20;
    if (needs.private_bytes > kMostPrivate)
      return "has variables of " + std::to_string(needs.private_bytes) +
             " bytes for each invocation: more than any device";
    const VkPhysicalDeviceLimits* limits = captured_limits(device);
    static const VkPhysicalDeviceLimits kLeast{};
    if (std::string w = check_locations(needs, stage.stage, limits != nullptr ? *limits : kLeast); !w.empty()) return w;
    checked.workgroups.add(needs, stage.stage, stage.sequence);
    return check_workgroup(needs, stage.stage, {limits, captured_mesh_limits(device)});
  }

  const CapturedPhysicalDevice* physical_of(std::uint32_t device) const {  // null: not known
    if (device >= plan_.devices.size()) return nullptr;
    const std::uint32_t physical = plan_.devices[device].physical;
    return physical < plan_.physical_devices.size() ? &plan_.physical_devices[physical] : nullptr;
  }
  const VkPhysicalDeviceLimits* captured_limits(std::uint32_t device) const {  // likewise
    const CapturedPhysicalDevice* physical = physical_of(device);
    return physical != nullptr && physical->has_properties ? &physical->properties.limits : nullptr;
  }
  const VkPhysicalDeviceMeshShaderPropertiesEXT* captured_mesh_limits(std::uint32_t device) const {  // likewise
    const CapturedPhysicalDevice* physical = physical_of(device);
    return physical != nullptr && physical->meshes ? &*physical->meshes : nullptr;
  }

  const Plan& plan_;
  const ShaderStages& stages_;
  const std::vector<Replaced>& replaced_;
  std::vector<shaders::DeviceRules> rules_;  // by device
  std::vector<Checked> results_;             // by code; each written by one thread
};

void add_lines(std::vector<std::string>& lines, const std::vector<std::string>& all, const std::string& tail) {
  constexpr std::size_t kMost = 4;
  for (std::size_t i = 0; i < all.size() && i < kMost; ++i) lines.push_back(printable(all[i]) + tail);
  if (all.size() > kMost) lines.push_back("… and " + std::to_string(all.size() - kMost) + " more like this");
}

}  // namespace

shaders::DeviceRules device_rules(const Plan& plan, std::uint32_t device) {
  shaders::DeviceRules rules;
  rules.api_version = VK_API_VERSION_1_0;
  if (device >= plan.devices.size()) return rules;
  const CapturedDevice& captured = plan.devices[device];
  rules.api_version = usable_version(plan, captured);
  rules.relaxed_block_layout =
      rules.api_version >= VK_API_VERSION_1_1 || has_extension(captured, VK_KHR_RELAXED_BLOCK_LAYOUT_EXTENSION_NAME);
  rules.uniform_buffer_standard_layout = enables(captured, "uniformBufferStandardLayout");
  rules.scalar_block_layout = enables(captured, "scalarBlockLayout");
  rules.workgroup_scalar_layout = enables(captured, "workgroupMemoryExplicitLayoutScalarBlockLayout");
  rules.local_size_id = enables(captured, "maintenance4");
  return rules;
}

std::vector<std::string> ShaderReport::lines() const {
  std::vector<std::string> lines;
  add_lines(lines, wrong, " (played: the capture is trusted)");
  add_lines(lines, not_enabled, " (drivers bear that)");
  add_lines(lines, newer, " is newer than " + shaders::validator_version() + ", which did not check it");
  if (clamped) lines.push_back(clamped->text());
  return lines;
}

Result<ShaderReport> check_shaders(const Plan& plan, const ShaderRequest& request) {
  const ShaderStages stages = find_shader_stages(plan);
  Checker checker(plan, stages, request.replaced);
  checker.run(request.threads);
  ShaderReport report;
  report.workgroups.resize(plan.devices.size());
  std::vector<WrongShader> wrong = stages.wrong;
  for (std::size_t i = 0; i < stages.codes.size(); ++i) {
    const Checked& one = checker.results()[i];
    ++report.checked;
    if (one.verdict == Verdict::newer) report.newer.push_back(one.newer);
    wrong.insert(wrong.end(), one.wrong.begin(), one.wrong.end());
    report.not_enabled.insert(report.not_enabled.end(), one.not_enabled.begin(), one.not_enabled.end());
    if (const std::uint32_t device = stages.codes[i].device; device < report.workgroups.size())
      report.workgroups[device].add(one.workgroups);
  }
  std::stable_sort(wrong.begin(), wrong.end(),
                   [](const WrongShader& a, const WrongShader& b) { return a.sequence < b.sequence; });
  if (request.trust == Trust::foreign && !wrong.empty())
    return fail(Status::unreadable,
                plan.path + ": record " + std::to_string(wrong[0].sequence) + ": " + printable(wrong[0].text) +
                    "; a driver may crash on it: --trust plays a capture that you know to be harmless");
  for (const WrongShader& one : wrong)
    report.wrong.push_back("record " + std::to_string(one.sequence) + ": " + one.text);
  return report;
}

Result<ShaderReport> prepare_shaders(Plan& plan, const ShaderRequest& request) {
  auto report = check_shaders(plan, request);
  if (report && request.clamp) report->clamped = clamp_shaders(plan, request.threads);
  return report;
}

Result<void> check_workgroups(const Plan& plan, const ShaderReport& report, Trust trust, const Targets& targets) {
  std::vector<std::string> lines;
  for (std::uint32_t d = 0; d < report.workgroups.size(); ++d) {
    const LiveDevice& target = targets[d];
    if (trust == Trust::trusted && is_the_captured_device(plan.physical_devices[plan.devices[d].physical], target))
      continue;
    const WorkgroupLimits limits{&target.properties.limits, target.meshes.sType != 0 ? &target.meshes : nullptr};
    report.workgroups[d].each_beyond(
        limits, [&](const char* limit, std::uint64_t asked, std::uint64_t has, std::uint64_t sequence) {
          lines.push_back(std::string(fixed_text(target.properties.deviceName)) + " lacks: " + limit + " of " +
                          std::to_string(asked) + " (it has " + std::to_string(has) + "; record " +
                          std::to_string(sequence) + ")");
        });
  }
  return check_missing(plan.path, lines);
}

}  // namespace rondo::player
