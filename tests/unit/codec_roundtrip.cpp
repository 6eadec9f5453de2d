// SPDX-License-Identifier: Apache-2.0
// Every command, with random parameters, through encode, decode and print.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/unit/codec_builder.h"

namespace rondo::test {
namespace {

using codec::CommandInfo;

std::vector<CommandId> encodable() {
  std::vector<CommandId> ids;
  for (const CommandInfo& c : codec::commands())
    if (c.args != StructId::none) ids.push_back(c.id);
  return ids;
}

class EveryCommand : public testing::TestWithParam<CommandId> {
 protected:
  // The payload of random parameters.
  std::vector<std::byte> encoded(std::uint64_t seed) {
    NativeBuilder builder(seed * kCommandIds + static_cast<std::uint64_t>(GetParam()));
    buffer_.clear();
    const auto result = codec::encode(buffer_, context_, GetParam(), builder.build(GetParam()));
    EXPECT_EQ(result.error, "");
    return {buffer_.bytes().begin(), buffer_.bytes().end()};
  }

  FakeContext context_;
  codec::Buffer buffer_;
  codec::Lowered lowered_;
};

TEST_P(EveryCommand, DecodesToParametersThatEncodeToTheSameBytes) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto payload = encoded(seed);
    const auto decoded = codec::decode(lowered_, own_ids(), GetParam(), payload);
    ASSERT_TRUE(decoded.has_value()) << decoded.error().message;
    const void* args = relocate(lowered_, context_.blobs);
    codec::Buffer again;
    ASSERT_EQ(codec::encode(again, context_, GetParam(), args).error, "");
    ASSERT_TRUE(std::equal(payload.begin(), payload.end(), again.bytes().begin(), again.bytes().end()))
        << codec::info(GetParam()).name << " seed " << seed;
  }
}

TEST_P(EveryCommand, PrintsHandlesInTheOrderOfDecoding) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto payload = encoded(seed);
    ASSERT_TRUE(codec::decode(lowered_, own_ids(), GetParam(), payload).has_value());
    TextSink sink;
    const auto printed = codec::print(sink, own_ids(), GetParam(), payload);
    ASSERT_TRUE(printed.has_value()) << printed.error().message;
    ASSERT_EQ(sink.handles.size(), lowered_.handles.size()) << sink.text;
    for (std::size_t i = 0; i < sink.handles.size(); ++i) {
      EXPECT_EQ(sink.handles[i].index, i);
      EXPECT_EQ(sink.handles[i].type, lowered_.handles[i].type);
      EXPECT_EQ(sink.handles[i].captured, lowered_.handles[i].captured);
    }
  }
}

// What changes payloads by their members relies on it.
class PlaceSink : public TextSink {
 public:
  void stands_at(const codec::Field& field, Part part, std::size_t offset, std::size_t bytes) override {
    EXPECT_EQ(offset, end) << field.name << " (part " << static_cast<int>(part) << ")";
    end = offset + bytes;
  }
  std::size_t end = 0;
};

TEST_P(EveryCommand, PrintsWhereEachByteStands) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto payload = encoded(seed);
    PlaceSink sink;
    ASSERT_TRUE(codec::print(sink, own_ids(), GetParam(), payload).has_value());
    ASSERT_EQ(sink.end, payload.size()) << codec::info(GetParam()).name << " seed " << seed;
  }
}

TEST_P(EveryCommand, RefusesPayloadsThatAreCut) {
  const auto payload = encoded(3);
  const std::size_t step = payload.size() / 64 + 1;
  for (std::size_t length = 0; length < payload.size(); length += step) {
    // A copy of the exact size: the sanitizer sees reads past its end.
    const std::vector<std::byte> cut(payload.begin(), payload.begin() + static_cast<std::ptrdiff_t>(length));
    const auto decoded = codec::decode(lowered_, own_ids(), GetParam(), cut);
    ASSERT_FALSE(decoded.has_value()) << length;
    EXPECT_EQ(decoded.error().status, Status::unreadable);
    EXPECT_NE(decoded.error().message.find(codec::info(GetParam()).name), std::string::npos);
  }
}

TEST_P(EveryCommand, SurvivesPayloadsWithFlippedBytes) {
  std::mt19937_64 random(static_cast<std::uint64_t>(GetParam()));
  const codec::DecodeLimits limits{.max_bytes = 1 << 20};
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const auto payload = encoded(seed);
    for (int round = 0; round < 40 && !payload.empty(); ++round) {
      auto broken = payload;
      for (int i = 0; i < 3; ++i) broken[random() % broken.size()] = static_cast<std::byte>(random());
      if (codec::decode(lowered_, own_ids(), GetParam(), broken, limits).has_value()) {
        // What is accepted stays inside its block.
        for (const std::uint32_t at : lowered_.pointers) {
          std::uint64_t target = 0;
          ASSERT_LE(at + sizeof target, lowered_.bytes.size());
          std::memcpy(&target, lowered_.bytes.data() + at, sizeof target);
          ASSERT_LT(target, lowered_.bytes.size());
        }
        TextSink sink;
        ASSERT_TRUE(codec::print(sink, own_ids(), GetParam(), broken).has_value());
        ASSERT_EQ(sink.handles.size(), lowered_.handles.size());
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryCommand, testing::ValuesIn(encodable()),
                         [](const auto& test) { return std::string(codec::info(test.param).name); });

}  // namespace
}  // namespace rondo::test
