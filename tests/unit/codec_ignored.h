// SPDX-License-Identifier: Apache-2.0
// Encodes parameters whose ignored members hold garbage, and decodes them again.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>

#include "generated/args.h"
#include "tests/unit/codec_builder.h"

namespace rondo::test {

// What a program may leave in a member that nobody reads. Not mapped.
template <class T>
T garbage() {
  return reinterpret_cast<T>(std::uintptr_t{0xdead0000dead});
}

template <class T>
T handle(std::uint64_t value) {
  return reinterpret_cast<T>(value);
}

class IgnoredMembers : public testing::Test {
 protected:
  // Encodes, decodes and relocates; the result lives until the next call.
  template <class Args>
  const Args& replayed(CommandId command, const Args& args) {
    codec::Buffer buffer;
    const auto result = codec::encode(buffer, context_, command, &args);
    EXPECT_EQ(result.error, "");
    const auto decoded = codec::decode(lowered_, own_ids(), command, buffer.bytes());
    EXPECT_TRUE(decoded.has_value()) << decoded.error().message;
    return *static_cast<const Args*>(relocate(lowered_, context_.blobs));
  }

  FakeContext context_;
  codec::Lowered lowered_;
};

}  // namespace rondo::test
