// SPDX-License-Identifier: Apache-2.0
// Checks of rondo's commands and of cuts.
#include <gtest/gtest.h>

#include "analyzers/read/executed_lists.h"
#include "analyzers/trim/command_stream.h"

namespace rondo {
namespace {

TEST(AnalyzersChecks, ARowIsKeptForACommandOfACommandBuffer) {
  const analyzers::DumpSpan span;
  analyzers::ExecutedLists lists(span);
  EXPECT_EXIT(lists.keep("a row"), ::testing::KilledBySignal(SIGABRT), "analyzers/read/executed_lists.cpp:[0-9]+: ");
}

TEST(TrimChecks, TheBytesOfACommandAreThoseOfItsList) {
  trim::CommandList list;
  list.payloads.resize(8);
  list.ids.resize(1);
  trim::LoggedCommand command;
  command.bytes = 8;
  command.ids = 1;
  EXPECT_EQ(list.payload(command).size(), 8u);
  EXPECT_EQ(list.ids_of(command).size(), 1u);
  command.first_byte = command.first_id = 1;
  EXPECT_EXIT(list.payload(command), ::testing::KilledBySignal(SIGABRT), "c.bytes <= payloads.size");
  EXPECT_EXIT(list.ids_of(command), ::testing::KilledBySignal(SIGABRT), "c.ids <= ids.size");
}

}  // namespace
}  // namespace rondo
