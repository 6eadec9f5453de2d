// SPDX-License-Identifier: Apache-2.0
// Which arrays of a call are read from the file: those that readers of the model look at, and no others.
#include <gtest/gtest.h>

#include "model/parameters.h"
#include "tests/unit/handles.h"
#include "tests/unit/synthetic_capture.h"

namespace rondo::model {
namespace {

using test::handle;

// A capture whose file lacks all that lies outside of records: whoever reads a blob fails.
class WithoutBlobs : public test::SyntheticCapture {
 public:
  using SyntheticCapture::SyntheticCapture;
  void add_blob(const Digest&, std::span<const std::byte>) override {}
};

class ParametersTest : public ::testing::Test {
 protected:
  // What loading the parameters of the only call ends with.
  Result<void> load_only(Parameters& parameters) {
    capture_.finish();
    auto reader = Reader::open(file_.path());
    EXPECT_TRUE(reader);
    Stream stream(**reader);
    Step step;
    EXPECT_TRUE(*stream.next(step));
    blobs_ = stream.lowered().blobs.size();
    return load(stream, step, parameters);
  }
  test::TemporaryFile file_;
  WithoutBlobs capture_{file_.path()};
  std::size_t blobs_ = 0;
  const VkDevice device_ = handle<VkDevice>(1);
  const VkCommandBuffer commands_ = handle<VkCommandBuffer>(2);
  const std::vector<std::uint32_t> many_ = std::vector<std::uint32_t>(4096);
  const std::uint32_t bytes_ = 4096 * 4;
};

TEST_F(ParametersTest, BytesOfHostWritesAreNotRead) {
  const RondoRange range{0, bytes_};
  capture_.call(CommandId::rondoHostWrite,
                args_rondoHostWrite{device_, handle<VkDeviceMemory>(3), 1, &range, bytes_, many_.data()});
  Parameters parameters;
  EXPECT_TRUE(load_only(parameters));
  ASSERT_EQ(blobs_, 1u);
  EXPECT_EQ(parameters.view.as<args_rondoHostWrite>().pData, nullptr);
  EXPECT_EQ(parameters.view.as<args_rondoHostWrite>().pRanges->size, bytes_);
  EXPECT_TRUE(parameters.kept.empty());
}

TEST_F(ParametersTest, BytesOfUpdatesAreNotRead) {
  capture_.call(CommandId::vkCmdUpdateBuffer,
                args_vkCmdUpdateBuffer{commands_, handle<VkBuffer>(3), 0, bytes_, many_.data()});
  Parameters parameters;
  EXPECT_TRUE(load_only(parameters));
  EXPECT_EQ(blobs_, 1u);
}

TEST_F(ParametersTest, ResultsOfQueriesAreNotRead) {
  std::vector<std::uint32_t> results = many_;
  capture_.call(CommandId::vkGetQueryPoolResults,
                args_vkGetQueryPoolResults{device_, handle<VkQueryPool>(3), 0, 4096, bytes_, results.data(), 4, 0},
                {.result = VK_SUCCESS});
  Parameters parameters;
  EXPECT_TRUE(load_only(parameters));
}

TEST_F(ParametersTest, CachesOfDriversAreNotRead) {
  VkPipelineCacheCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO;
  info.initialDataSize = bytes_;
  info.pInitialData = many_.data();
  VkPipelineCache made = handle<VkPipelineCache>(3);
  capture_.call(CommandId::vkCreatePipelineCache, args_vkCreatePipelineCache{device_, &info, nullptr, &made},
                {.result = VK_SUCCESS});
  Parameters parameters;
  EXPECT_TRUE(load_only(parameters));
  EXPECT_EQ(blobs_, 1u);
}

TEST_F(ParametersTest, ArraysThatEffectsNeedAreRead) {
  const VkDescriptorSet set = handle<VkDescriptorSet>(4);
  capture_.call(CommandId::vkCmdBindDescriptorSets,
                args_vkCmdBindDescriptorSets{commands_, VK_PIPELINE_BIND_POINT_COMPUTE, handle<VkPipelineLayout>(3), 0,
                                             1, &set, 4096, many_.data()});
  Parameters parameters;
  const auto loaded = load_only(parameters);
  EXPECT_EQ(blobs_, 1u);
  ASSERT_FALSE(loaded);  // the file lacks it
  EXPECT_EQ(loaded.error().status, Status::unreadable);
}

}  // namespace
}  // namespace rondo::model
