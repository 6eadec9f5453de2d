// SPDX-License-Identifier: Apache-2.0
#include "model/shaders/validate.h"

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <spirv-tools/libspirv.hpp>
#include <utility>
#include <vector>

#include "model/shaders/environment.h"
#include "model/shaders/reflect.h"

namespace rondo::shaders {

namespace {

constexpr std::uint32_t kMagic = 0x07230203;
constexpr std::size_t kHeader = 5;  // words
constexpr std::uint32_t kOpExtension = 10, kOpMemoryModel = 14, kOpCapability = 17;

using Words = std::vector<std::uint32_t>;

void add(Words& module, std::uint32_t operation, std::initializer_list<std::uint32_t> operands) {
  module.push_back(operation | static_cast<std::uint32_t>(operands.size() + 1) << 16);
  std::copy(operands.begin(), operands.end(), std::back_inserter(module));
}

// A module that does nothing, with one more instruction among its first.
Words probe(std::uint32_t operation, std::span<const std::uint32_t> operands) {
  constexpr std::uint32_t kNewestKnown = 0x00010600, kShader = 1, kLinkage = 5, kLogical = 0, kGlsl450 = 1;
  Words module{kMagic, kNewestKnown, 0, 1, 0};
  add(module, kOpCapability, {kShader});
  add(module, kOpCapability, {kLinkage});
  module.push_back(operation | static_cast<std::uint32_t>(operands.size() + 1) << 16);
  std::copy(operands.begin(), operands.end(), std::back_inserter(module));
  add(module, kOpMemoryModel, {kLogical, kGlsl450});
  return module;
}

// The grammar of the validator has the number of the capability.
bool knows_capability(std::uint32_t capability) {
  const std::unique_ptr<spv_context_t, void (*)(spv_context)> context(spvContextCreate(SPV_ENV_UNIVERSAL_1_6),
                                                                      spvContextDestroy);
  const Words module = probe(kOpCapability, {&capability, 1});
  return spvBinaryParse(context.get(), nullptr, module.data(), module.size(), nullptr, nullptr, nullptr) == SPV_SUCCESS;
}

// The validator warns of the name of an extension that it does not know.
bool knows_extension(std::span<const std::uint32_t> name) {
  bool known = true;
  spvtools::SpirvTools tools(SPV_ENV_UNIVERSAL_1_6);
  tools.SetMessageConsumer(
      [&](spv_message_level_t, const char*, const spv_position_t&, const char*) { known = false; });
  const Words module = probe(kOpExtension, name);
  return tools.Validate(module.data(), module.size()) && known;
}

// Modules of a program name the same ones again and again.
class Known {
 public:
  bool capability(std::uint32_t number) {
    return find(capabilities_, number, [&] { return knows_capability(number); });
  }
  bool extension(std::span<const std::uint32_t> name) {
    return find(extensions_, Words(name.begin(), name.end()), [&] { return knows_extension(name); });
  }

 private:
  template <class Key, class Ask>
  bool find(std::map<Key, bool>& answers, const Key& key, const Ask& ask) {
    constexpr std::size_t kMost = 4096;  // of names that a file may make up
    const std::lock_guard lock(mutex_);
    if (const auto found = answers.find(key); found != answers.end()) return found->second;
    if (answers.size() >= kMost) answers.clear();
    return answers[key] = ask();
  }
  std::mutex mutex_;
  std::map<std::uint32_t, bool> capabilities_;
  std::map<Words, bool> extensions_;
};

std::string text_of(std::span<const std::uint32_t> name) {
  const char* first = reinterpret_cast<const char*>(name.data());
  return std::string(first, strnlen(first, name.size_bytes()));
}

// What the module declares that the validator does not know; empty: nothing. Every instruction and operand
// that is newer needs such a declaration.
std::string find_newer(std::span<const std::uint32_t> words) {
  static Known known;
  for (std::size_t at = kHeader; at < words.size();) {
    const std::size_t count = words[at] >> 16;
    if (count == 0 || count > words.size() - at) return "";
    const std::span<const std::uint32_t> operands = words.subspan(at + 1, count - 1);
    const std::uint32_t operation = words[at] & 0xffff;
    if (operation == kOpCapability) {
      if (operands.size() == 1 && !known.capability(operands[0])) return "capability " + std::to_string(operands[0]);
    } else if (operation == kOpExtension) {
      if (!operands.empty() && operands.back() >> 24 == 0 && !known.extension(operands))
        return "extension " + text_of(operands);
    } else {
      return "";  // both stand before everything else
    }
    at += count;
  }
  return "";
}

}  // namespace

Validation validate(std::span<const std::byte> code, const DeviceRules& rules) {
  using Verdict = Validation::Verdict;
  const Words words = words_of(code);
  if (words.size() < kHeader || code.size() % sizeof(std::uint32_t) != 0)
    return {Verdict::invalid, "it is no whole number of words, or shorter than a header"};
  if (words[0] != kMagic) return {Verdict::invalid, "it does not begin with SPIR-V's number"};
  const auto environment = find_environment(rules.api_version, words[1]);
  if (!environment) {
    const bool is_version = (words[1] & 0xff0000ff) == 0 && words[1] >> 16 == 1;
    return is_version ? Validation{Verdict::newer, version_text(words[1])}
                      : Validation{Verdict::invalid, "its header has no version of SPIR-V"};
  }
  if (std::string newer = find_newer(words); !newer.empty()) return {Verdict::newer, std::move(newer)};
  spvtools::ValidatorOptions options;
  options.SetRelaxBlockLayout(rules.relaxed_block_layout);
  options.SetUniformBufferStandardLayout(rules.uniform_buffer_standard_layout);
  options.SetScalarBlockLayout(rules.scalar_block_layout);
  options.SetWorkgroupScalarBlockLayout(rules.workgroup_scalar_layout);
  options.SetAllowLocalSizeId(rules.local_size_id);
  options.SetFriendlyNames(false);  // it would name every id before it looks
  FirstError error;
  spvtools::SpirvTools tools(*environment);
  tools.SetMessageConsumer([&](auto... said) { error(said...); });
  if (tools.Validate(words.data(), words.size(), options)) return {};
  if (error.text().empty()) return {Verdict::invalid, "it is refused without a reason"};
  return {Verdict::invalid, error.text() + " (word " + std::to_string(error.word()) + ")"};
}

std::string validator_version() {
  const std::string text = spvSoftwareVersionString();
  return "SPIRV-Tools " + text;
}

}  // namespace rondo::shaders
