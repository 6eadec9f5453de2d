// SPDX-License-Identifier: Apache-2.0
// rondo dump on the scene: expected rows, word for word.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "analyzers/commands/commands.h"
#include "analyzers/text/json.h"
#include "tests/unit/analyzers_scene.h"
#include "tests/unit/synthetic_capture.h"

namespace rondo::analyzers {
namespace {

using test::printed;
using test::Printed;
using test::TemporaryFile;

// The first two rows vary with the path and the compression; the rest is fixed.
std::string rows_behind_head(const std::string& out) {
  const std::size_t second = out.find('\n', out.find('\n') + 1);
  return second == std::string::npos ? std::string() : out.substr(second + 1);
}

class AnalyzersDump : public ::testing::Test {
 protected:
  void SetUp() override { test::write_scene(file_.path()); }
  Printed dump(std::vector<std::string> options) {
    options.push_back(file_.path());
    return printed(run_dump, options);
  }
  TemporaryFile file_;
};

TEST_F(AnalyzersDump, TextRowsOfOneSubmit) {
  const Printed p = dump({"--submits", "2:3"});
  EXPECT_EQ(p.status, 0) << p.error;
  EXPECT_EQ(
      rows_behind_head(p.out),
      R"(      18 t0        0.500000ms+0.001000   vkQueuePresentKHR(queue=VkQueue#0, pPresentInfo={waitSemaphoreCount=0, pWaitSemaphores=null, swapchainCount=1, pSwapchains=[VkSwapchainKHR@0x90], pImageIndices=[0], pResults=null}) = VK_SUBOPTIMAL_KHR
      19 t0                 -            rondoHostWrite(device=VkDevice#0, memory=VkDeviceMemory#0, rangeCount=1, pRanges=[{offset=16, size=300}], dataSize=300, pData=blob be8945035b2f421f56d0762b20085f91 (300 bytes)) [ambiguous]
      20 t0        1.000000ms+0.000250   vkQueueSubmit(queue=VkQueue#0, submitCount=1, pSubmits=[{waitSemaphoreCount=0, pWaitSemaphores=null, pWaitDstStageMask=null, commandBufferCount=1, pCommandBuffers=[VkCommandBuffer#0], signalSemaphoreCount=0, pSignalSemaphores=null}], fence=null) = VK_SUCCESS
             submit 2 executes VkCommandBuffer#0: 2 commands from record 12 on, before this span:
               2:-             13 t0   vkCmdFillBuffer(commandBuffer=VkCommandBuffer#0, dstBuffer=VkBuffer#0, dstOffset=0, size=18446744073709551615, data=7)
               2:0             14 t0   vkCmdDispatch(commandBuffer=VkCommandBuffer#0, groupCountX=4, groupCountY=2, groupCountZ=1)
)");
}

TEST_F(AnalyzersDump, JsonRowsOfBufferCreation) {
  const Printed p = dump({"--format=jsonl", "--grep", "vkCreateBuffer"});
  EXPECT_EQ(p.status, 0) << p.error;
  EXPECT_EQ(
      rows_behind_head(p.out),
      R"({"row":"record","sequence":6,"thread":0,"frame":0,"submit":0,"command":"vkCreateBuffer","result":"VK_ERROR_OUT_OF_HOST_MEMORY","parameters":{"device":"VkDevice#0","pCreateInfo":{"pNext":[],"flags":[],"size":1024,"usage":["VK_BUFFER_USAGE_TRANSFER_DST_BIT","VK_BUFFER_USAGE_STORAGE_BUFFER_BIT"],"sharingMode":"VK_SHARING_MODE_EXCLUSIVE","queueFamilyIndexCount":0,"pQueueFamilyIndices":null},"pBuffer":null}}
{"row":"record","sequence":7,"thread":0,"frame":0,"submit":0,"command":"vkCreateBuffer","result":"VK_SUCCESS","parameters":{"device":"VkDevice#0","pCreateInfo":{"pNext":[],"flags":[],"size":1024,"usage":["VK_BUFFER_USAGE_TRANSFER_DST_BIT","VK_BUFFER_USAGE_STORAGE_BUFFER_BIT"],"sharingMode":"VK_SHARING_MODE_EXCLUSIVE","queueFamilyIndexCount":0,"pQueueFamilyIndices":null},"pBuffer":"VkBuffer#0"}}
)");
}

TEST_F(AnalyzersDump, SummaryCountsAndStructuresOfChainsAreNamed) {
  const Printed text = dump({"--grep", "vkCreateDevice"});
  EXPECT_NE(text.out.find("summary: 21 records, 17 calls, 2 frames, 3 submits; 17 hermetic, 17 replayable, 0 "
                          "unsupported\n"),
            std::string::npos)
      << text.out;
  EXPECT_NE(text.out.find("pNext=[VkPhysicalDeviceFeatures2{features={robustBufferAccess=true, "), std::string::npos);
  const Printed json = dump({"--format=jsonl", "--grep", "vkCreateDevice"});
  EXPECT_NE(json.out.find(R"("pNext":[{"structure":"VkPhysicalDeviceFeatures2","features":{)"), std::string::npos);
  EXPECT_NE(json.out.find(R"({"row":"summary","records":21,"calls":17,"hermetic":17,"replayable":17,"unsupported":0,)"
                          R"("frames":2,"submits":3,"last_sequence":22})"),
            std::string::npos)
      << json.out;
}

TEST_F(AnalyzersDump, EveryJsonRowIsJsonAndEveryRecordHasARow) {
  const Printed p = dump({"--format=jsonl"});
  std::size_t records = 0;
  for (std::size_t at = 0; at < p.out.size();) {
    const std::size_t end = p.out.find('\n', at);
    ASSERT_NE(end, std::string::npos) << "the last row has no end";
    const auto row = JsonText::parse(p.out.substr(at, end - at));
    ASSERT_TRUE(row) << p.out.substr(at, end - at);
    if (row->string("/row") == "record") records += 1;
    at = end + 1;
  }
  EXPECT_EQ(records, 21u);
}

TEST_F(AnalyzersDump, FramesBeginAfterThePresentBefore) {
  const Printed p = dump({"--format=jsonl", "--frames", "1:2"});
  const std::string rows = rows_behind_head(p.out);
  // and the command buffer of the submit, with its two commands
  EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), 6);
  EXPECT_NE(
      rows.find(
          R"({"row":"executes","submit":2,"batch":0,"command_buffer":"VkCommandBuffer#0","first_record":12,"commands":2,"recorded_before":true})"),
      std::string::npos)
      << rows;
  EXPECT_NE(rows.find(R"({"row":"executed","submit":2,"draw":0,"sequence":14,"thread":0,"command":"vkCmdDispatch",)"),
            std::string::npos)
      << rows;
  EXPECT_EQ(rows.find(R"({"row":"record","sequence":19,)"), 0u) << rows;
  EXPECT_NE(rows.find(R"({"row":"record","sequence":21,)"), std::string::npos);
}

TEST_F(AnalyzersDump, ABatchOfASubmitBringsItsWholeRecordAndWhatItExecutesItself) {
  const std::string second_batch = rows_behind_head(dump({"--submits", "1:2"}).out);
  EXPECT_EQ(std::count(second_batch.begin(), second_batch.end(), '\n'), 4) << second_batch;
  EXPECT_NE(second_batch.find("submit 1 executes"), std::string::npos) << second_batch;
  EXPECT_EQ(second_batch.find("submit 0 executes"), std::string::npos) << second_batch;
  EXPECT_NE(second_batch.find(" vkQueueSubmit(queue=VkQueue#0, submitCount=2"), std::string::npos) << second_batch;
}

TEST_F(AnalyzersDump, ASpanThatHoldsNothingIsRefused) {
  for (const char* option : {"--frames", "--submits"}) {
    const Printed p = dump({option, "100:200"});
    EXPECT_EQ(p.status, 2) << option;
    EXPECT_NE(p.error.find("it has 2 frames and 3 submits"), std::string::npos) << p.error;
  }
}

TEST(AnalyzersDumpCut, ACallThatNeverReturnedSaysSo) {
  const TemporaryFile file;
  test::write_cut_scene(file.path());
  const Printed text = printed(run_dump, {"--grep", "process died", file.path()});
  EXPECT_EQ(text.status, 0) << text.error;
  EXPECT_NE(text.out.find(", cut: "), std::string::npos) << text.out;
  EXPECT_EQ(rows_behind_head(text.out),
            "      23 t0                 -            vkQueueSubmit(queue=VkQueue#0, submitCount=0, pSubmits=null, "
            "fence=null) = (the process died in the call)\n");
  const Printed json = printed(run_dump, {"--format=jsonl", "--grep", "process died", file.path()});
  EXPECT_NE(json.out.find(R"("unfinished":true,"result":null,)"), std::string::npos) << json.out;
}

}  // namespace
}  // namespace rondo::analyzers
