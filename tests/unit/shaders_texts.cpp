// SPDX-License-Identifier: Apache-2.0
// Texts of shaders that only people read.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "model/shaders/spirv.h"
#include "model/shaders/texts.h"

namespace rondo::shaders {
namespace {

using Words = std::vector<std::uint32_t>;

const Words kHeader{SpvMagicNumber, 0x10300, 0, 100, 0};

void add(Words& to, std::uint32_t operation, Words operands, const std::string& text, const Words& rest = {}) {
  Words literal(text.size() / 4 + 1);
  std::memcpy(literal.data(), text.data(), text.size());
  operands.insert(operands.end(), literal.begin(), literal.end());
  operands.insert(operands.end(), rest.begin(), rest.end());
  to.push_back(static_cast<std::uint32_t>((operands.size() + 1) << 16) | operation);
  to.insert(to.end(), operands.begin(), operands.end());
}

Words module() {
  Words words = kHeader;
  add(words, SpvOpEntryPoint, {5, 4}, "main", {7, 8});
  add(words, SpvOpString, {1}, "/home/somebody/a.comp");
  add(words, SpvOpSource, {2, 450, 1}, "void main() {}");
  add(words, SpvOpSourceContinued, {}, "// more");
  add(words, SpvOpModuleProcessed, {}, "client vulkan100");
  add(words, SpvOpName, {4}, "secret");
  add(words, SpvOpMemberName, {4, 0}, "member");
  add(words, SpvOpDecorateString, {4, SpvDecorationUserSemantic}, "TEXCOORD");
  add(words, SpvOpMemberDecorateString, {4, 0, SpvDecorationUserSemantic}, "COLOR");
  return words;
}

std::vector<std::string> texts_of(const Words& words) {
  std::vector<std::string> texts;
  each_text(std::as_bytes(std::span(words)), [&](TextOf of, std::string_view text) {
    texts.push_back((of == TextOf::name ? "name " : "string ") + std::string(text));
  });
  return texts;
}

TEST(ShaderTexts, AreAllFound) {
  EXPECT_EQ(texts_of(module()), (std::vector<std::string>{"string /home/somebody/a.comp", "string void main() {}",
                                                          "string // more", "string client vulkan100", "name secret",
                                                          "name member", "name TEXCOORD", "name COLOR"}));
}

TEST(ShaderTexts, AreBlankedInTheirPlaces) {
  const Words before = module();
  Words after = before;
  EXPECT_EQ(blank_texts(std::as_writable_bytes(std::span(after))), 8u);
  ASSERT_EQ(after.size(), before.size());
  for (const std::string& text : texts_of(after)) EXPECT_TRUE(is_blank(text.substr(text.find(' ') + 1))) << text;
  // Entry points and all other words are as they were.
  Words same = kHeader;
  add(same, SpvOpEntryPoint, {5, 4}, "main", {7, 8});
  add(same, SpvOpString, {1}, std::string(21, 'x'));
  EXPECT_TRUE(std::equal(same.begin(), same.end(), after.begin()));
  EXPECT_EQ(blank_texts(std::as_writable_bytes(std::span(after))), 0u);
}

TEST(ShaderTexts, OfDamagedModulesAreThoseBeforeTheDamage) {
  Words words = module();
  add(words, SpvOpName, {9}, "last");
  const std::size_t all = texts_of(words).size();
  words.pop_back();  // the last instruction is cut off
  EXPECT_EQ(texts_of(words).size(), all - 1);
  Words zero = kHeader;
  zero.push_back(0);  // an instruction of no words
  add(zero, SpvOpName, {9}, "after it");
  EXPECT_TRUE(texts_of(zero).empty());
  Words other = module();
  other[0] = 1;
  EXPECT_TRUE(texts_of(other).empty());
  EXPECT_TRUE(texts_of({SpvMagicNumber}).empty());
  // A text without its terminator ends with its instruction.
  Words endless = kHeader;
  endless.insert(endless.end(), {(3u << 16) | SpvOpName, 4, 0x61616161, (3u << 16) | SpvOpName, 5, 0x62});
  EXPECT_EQ(texts_of(endless), (std::vector<std::string>{"name aaaa", "name b"}));
}

}  // namespace
}  // namespace rondo::shaders
