// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/spirv_mutations.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "model/shaders/spirv.h"

namespace rondo::fuzz {
namespace {

constexpr std::size_t kHeaderWords = 5;
constexpr std::uint32_t kTelling[] = {
    0,   1,   2,   3,    4,      7,      8,          31,         32,         33,         64,         127,
    128, 255, 256, 1023, 0x7fff, 0xffff, 0x00100000, 0x3fffffff, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff};
// Those that say what a module asks of its surroundings: names of entry points and their limits, types and
// constants, variables, and decorations with their sets, bindings, locations and offsets.
constexpr std::uint32_t kTellingOpcodes[] = {
    SpvOpEntryPoint,        SpvOpExecutionMode,    SpvOpExecutionModeId, SpvOpCapability,  SpvOpTypeInt,
    SpvOpTypeFloat,         SpvOpTypeVector,       SpvOpTypeMatrix,      SpvOpTypeImage,   SpvOpTypeSampledImage,
    SpvOpTypeArray,         SpvOpTypeRuntimeArray, SpvOpTypeStruct,      SpvOpTypePointer, SpvOpConstant,
    SpvOpConstantComposite, SpvOpSpecConstant,     SpvOpVariable,        SpvOpAccessChain, SpvOpDecorate,
    SpvOpMemberDecorate};

class Module {
 public:
  Module(std::vector<std::uint32_t>& words, std::mt19937_64& random) : words_(words), random_(random) {
    for (std::size_t at = kHeaderWords; at < words.size();) {
      const std::size_t count = words[at] >> 16;
      if (count == 0 || count > words.size() - at) return;
      begins_.push_back(at);
      at += count;
    }
  }
  bool empty() const { return begins_.empty(); }

  std::string change() {
    const std::size_t chosen = pick(20);
    if (chosen < 2) return header();
    if (chosen < 9) return operand(telling());
    if (chosen < 14) return operand(any());
    if (chosen < 15) return opcode();
    if (chosen < 17) return move();
    if (chosen < 18) return length();
    return raw();
  }

 private:
  std::size_t pick(std::size_t count) { return static_cast<std::size_t>(random_() % count); }
  std::size_t any() { return begins_[pick(begins_.size())]; }
  std::size_t count(std::size_t at) const { return words_[at] >> 16; }
  std::uint32_t op(std::size_t at) const { return words_[at] & 0xffff; }
  // An instruction of a kind that surroundings depend on, where there is one.
  std::size_t telling() {
    std::vector<std::size_t> those;
    for (const std::size_t at : begins_)
      if (std::find(std::begin(kTellingOpcodes), std::end(kTellingOpcodes), op(at)) != std::end(kTellingOpcodes))
        those.push_back(at);
    return those.empty() ? any() : those[pick(those.size())];
  }
  std::string say(const std::string& what, std::size_t at) const {
    return what + " of instruction " + std::to_string(op(at)) + " at word " + std::to_string(at);
  }

  std::uint32_t other_word(std::uint32_t word) {
    switch (pick(6)) {
      case 0:
        return kTelling[pick(std::size(kTelling))];
      case 1:
        return word + static_cast<std::uint32_t>(pick(9)) - 4;
      case 2:
        return word ^ (1u << pick(32));
      case 3:
        return static_cast<std::uint32_t>(pick(std::max<std::uint32_t>(words_[3], 1)));  // another id
      case 4:
        return words_[kHeaderWords + pick(words_.size() - kHeaderWords)];
      default:
        return static_cast<std::uint32_t>(pick(16));
    }
  }

  std::string header() {
    const std::size_t at = 1 + pick(4);
    words_[at] =
        at == 3 && pick(2) == 0 ? static_cast<std::uint32_t>(pick(std::size_t{words_[3]} + 1)) : other_word(words_[at]);
    return "header word " + std::to_string(at);
  }
  std::string operand(std::size_t at) {
    if (count(at) < 2) return opcode();
    const std::size_t which = 1 + pick(count(at) - 1);
    const std::string what = say("operand " + std::to_string(which), at);
    words_[at + which] = other_word(words_[at + which]);
    return what;
  }
  std::string opcode() {
    const std::size_t at = any();
    const std::string what = say("opcode", at);
    std::uint32_t other = static_cast<std::uint32_t>(pick(pick(8) == 0 ? 6000 : 450));
    // Often one of the same length, which still reads.
    for (int tries = 0; tries < 16 && pick(8) != 0; ++tries)
      if (const std::size_t same = any(); count(same) == count(at) && op(same) != op(at)) other = op(same);
    words_[at] = (words_[at] & 0xffff0000u) | other;
    return what;
  }
  std::string move() {
    const std::size_t at = any(), to = any();
    const std::vector<std::uint32_t> copy(words_.begin() + difference(at), words_.begin() + difference(at + count(at)));
    const std::size_t how = pick(3);
    const std::string what = say(how == 0 ? "removal" : how == 1 ? "copy" : "move", at);
    if (how != 1) words_.erase(words_.begin() + difference(at), words_.begin() + difference(at + copy.size()));
    const std::size_t place = how == 2 && to > at ? std::max(at, to - std::min(to, copy.size())) : to;
    if (how != 0) words_.insert(words_.begin() + difference(std::min(place, words_.size())), copy.begin(), copy.end());
    return what;
  }
  // Operands more or fewer, with the word count made right or not.
  std::string length() {
    const std::size_t at = any();
    const std::string what = say("length", at);
    const bool grows = count(at) < 2 || pick(2) == 0;
    const bool right = pick(2) == 0;
    if (!right || !grows || count(at) < 0xffff) words_[at] = grows ? words_[at] + 0x10000u : words_[at] - 0x10000u;
    if (right && grows) words_.insert(words_.begin() + difference(at + 1), other_word(0));
    if (right && !grows) words_.erase(words_.begin() + difference(at + 1));
    return what;
  }
  std::string raw() {
    const std::size_t at = kHeaderWords + pick(words_.size() - kHeaderWords);
    words_[at] = other_word(words_[at]);
    return "word " + std::to_string(at);
  }
  static std::ptrdiff_t difference(std::size_t at) { return static_cast<std::ptrdiff_t>(at); }

  std::vector<std::uint32_t>& words_;
  std::mt19937_64& random_;
  std::vector<std::size_t> begins_;
};

}  // namespace

std::string mutate_spirv(std::vector<std::uint32_t>& words, std::mt19937_64& random) {
  std::string all;
  for (std::size_t left = random() % 4 == 0 ? 2 + random() % 3 : 1; left > 0; --left) {
    Module module(words, random);
    if (module.empty() || words[0] != kSpirvMagic) return all;
    all += (all.empty() ? "" : ", ") + module.change();
  }
  return all;
}

}  // namespace rondo::fuzz
