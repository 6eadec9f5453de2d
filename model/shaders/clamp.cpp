// SPDX-License-Identifier: Apache-2.0
#include "model/shaders/clamp.h"

#include <cstring>
#include <spirv-tools/optimizer.hpp>
#include <string_view>
#include <utility>

#include "model/shaders/environment.h"

namespace rondo::shaders {

namespace {

// The pass says "graphics-robust-access: Can't process modules with VariablePointers capability".
std::string obstacle_of(const FirstError& error) {
  constexpr std::string_view kPass = "graphics-robust-access: ";
  std::string_view text = error.text();
  if (text.starts_with(kPass)) text.remove_prefix(kPass.size());
  return "SPIRV-Tools: " + std::string(text.empty() ? "no reason is given" : text);
}

}  // namespace

Clamped clamp(std::span<const std::byte> code, const DeviceRules& rules) {
  using Verdict = Validation::Verdict;
  if (const Validation before = validate(code, rules); before.verdict != Verdict::valid)
    return {{},
            before.verdict == Verdict::newer ? validator_version() + " does not know it" : "it is not valid SPIR-V"};
  const std::vector<std::uint32_t> words = words_of(code);
  const auto environment = find_environment(rules.api_version, words[1]);
  if (!environment) return {{}, validator_version() + " does not know it"};
  FirstError error;
  spvtools::Optimizer optimizer(*environment);
  optimizer.SetMessageConsumer([&](auto... said) { error(said...); });
  optimizer.RegisterPass(spvtools::CreateGraphicsRobustAccessPass());
  spvtools::OptimizerOptions options;
  options.set_run_validator(false);  // validate() did, with the rules of the device
  std::vector<std::uint32_t> out;
  if (!optimizer.Run(words.data(), words.size(), &out, options)) return {{}, obstacle_of(error)};
  Clamped clamped;
  clamped.code.resize(out.size() * sizeof(std::uint32_t));
  if (!out.empty()) std::memcpy(clamped.code.data(), out.data(), clamped.code.size());
  if (const Validation after = validate(clamped.code, rules); after.verdict != Verdict::valid)
    return {{}, "SPIRV-Tools: the pass made of it what is not valid"};
  return clamped;
}

}  // namespace rondo::shaders
