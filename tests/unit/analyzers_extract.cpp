// SPDX-License-Identifier: Apache-2.0
// rondo extract, and rondo info --shaders.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "analyzers/commands/commands.h"
#include "analyzers/text/json.h"
#include "format/digest.h"
#include "format/reader.h"
#include "tests/unit/analyzers_scene.h"
#include "tests/unit/handles.h"
#include "tests/unit/shaders_support.h"
#include "tests/unit/synthetic_capture.h"

namespace rondo::analyzers {
namespace {

using test::handle;
using test::printed;
using test::Printed;
using test::TemporaryFile;

const auto kDevice = handle<VkDevice>(0x3000);

VkPipelineShaderStageCreateInfo stage_of(VkShaderStageFlagBits stage, VkShaderModule module,
                                         const void* next = nullptr) {
  VkPipelineShaderStageCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.pNext = next;
  info.stage = stage;
  info.module = module;
  info.pName = "main";
  return info;
}

VkShaderModuleCreateInfo module_of(const test::Code& code) {
  VkShaderModuleCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  info.codeSize = code.size();
  info.pCode = reinterpret_cast<const std::uint32_t*>(code.data());
  return info;
}

// Two modules of one code, a module of another, short enough to lie in the record; a compute pipeline of the
// first, one with code of its own, and stages of one kind in a pipeline of rays.
void write_shaders_capture(const std::string& path) {
  test::SyntheticCapture capture(path);
  const test::Code work = test::shader_code("work"), other = test::shader_code("fourfold");
  const test::Code nonsense(32, std::byte{7});
  std::uintptr_t next = 0x100;
  for (const test::Code* code : {&work, &work, &nonsense}) {
    const VkShaderModuleCreateInfo info = module_of(*code);
    auto made = handle<VkShaderModule>(next += 0x10);
    capture.call(CommandId::vkCreateShaderModule, args_vkCreateShaderModule{kDevice, &info, nullptr, &made},
                 {.result = 0});
  }
  const VkShaderModuleCreateInfo own = module_of(other);
  VkComputePipelineCreateInfo pipelines[2]{};
  for (VkComputePipelineCreateInfo& info : pipelines) {
    info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
    info.layout = handle<VkPipelineLayout>(0x900);
  }
  pipelines[0].stage = stage_of(VK_SHADER_STAGE_COMPUTE_BIT, handle<VkShaderModule>(0x110));
  pipelines[1].stage = stage_of(VK_SHADER_STAGE_COMPUTE_BIT, VK_NULL_HANDLE, &own);
  VkPipeline made[2] = {handle<VkPipeline>(0x510), handle<VkPipeline>(0x520)};
  capture.call(CommandId::vkCreateComputePipelines,
               args_vkCreateComputePipelines{kDevice, VK_NULL_HANDLE, 2, pipelines, nullptr, made}, {.result = 0});
  const VkPipelineShaderStageCreateInfo stages[] = {
      stage_of(VK_SHADER_STAGE_MISS_BIT_KHR, handle<VkShaderModule>(0x120)),
      stage_of(VK_SHADER_STAGE_MISS_BIT_KHR, handle<VkShaderModule>(0x130))};
  VkRayTracingPipelineCreateInfoKHR rays{};
  rays.sType = VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_CREATE_INFO_KHR;
  rays.layout = handle<VkPipelineLayout>(0x900);
  rays.stageCount = 2;
  rays.pStages = stages;
  VkPipeline ray_pipeline = handle<VkPipeline>(0x530);
  capture.call(
      CommandId::vkCreateRayTracingPipelinesKHR,
      args_vkCreateRayTracingPipelinesKHR{kDevice, VK_NULL_HANDLE, VK_NULL_HANDLE, 1, &rays, nullptr, &ray_pipeline},
      {.result = 0});
  capture.finish();
}

// Without a sandbox, which would hold this process and so the tests that follow.
Printed extracted(std::vector<std::string> words) {
  words.push_back("--sandbox=off");
  return printed(run_extract, words);
}

std::string digest_text(const std::string& shader) { return to_string(digest_of(test::shader_code(shader))); }

TEST(AnalyzersExtract, WritesEachShaderOnceAndSaysWhatItIs) {
  const TemporaryFile file;
  write_shaders_capture(file.path());
  const std::string directory = file.directory() + "/a/b";
  const Printed p = extracted({"--shaders", file.path(), "-o", directory});
  EXPECT_EQ(p.status, 0) << p.error;
  EXPECT_EQ(std::count(p.out.begin(), p.out.end(), '\n'), 3);
  EXPECT_TRUE(p.out.starts_with(digest_text("work") + ".spv ")) << p.out;
  for (const char* part :
       {"main (compute), local size 64 x 1 x 1; set 0 binding 0 storage buffer, read only",
        "; VkShaderModule#0 VkShaderModule#1 VkPipeline#0.compute VkPipeline#2.miss\n", "; VkPipeline#1.compute\n",
        "is not SPIR-V: it begins with 0x07070707", "; VkShaderModule#2 VkPipeline#2.miss[1]\n"})
    EXPECT_NE(p.out.find(part), std::string::npos) << part << "\nin\n" << p.out;
  for (const char* name : {"work", "fourfold"}) {
    std::ifstream in(directory + "/" + digest_text(name) + ".spv", std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    EXPECT_EQ(to_string(digest_of(std::as_bytes(std::span(text)))), digest_text(name));
  }
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) files += entry.is_regular_file() ? 1 : 0;
  EXPECT_EQ(files, 3u) << "nothing temporary is left";
}

TEST(AnalyzersExtract, LeavesWhatIsThereAndMendsWhatIsNotIt) {
  const TemporaryFile file;
  write_shaders_capture(file.path());
  const std::string directory = file.directory() + "/out";
  ASSERT_EQ(extracted({"--shaders", file.path(), "-o", directory}).status, 0);
  const std::string kept = directory + "/" + digest_text("work") + ".spv",
                    cut = directory + "/" + digest_text("fourfold") + ".spv";
  struct stat before {
  }, after{};
  ASSERT_EQ(::stat(kept.c_str(), &before), 0);
  ASSERT_EQ(::truncate(cut.c_str(), 100), 0);
  ASSERT_EQ(extracted({"--shaders", file.path(), "-o", directory}).status, 0);
  ASSERT_EQ(::stat(kept.c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino);
  EXPECT_EQ(std::filesystem::file_size(cut), test::shader_code("fourfold").size());
}

// Everything that can be had of it is written; the status says that it may not be all.
TEST(AnalyzersExtract, SaysWhereShadersMayBeMissing) {
  const TemporaryFile file, damaged("damaged.rondo");
  write_shaders_capture(file.path());
  std::ifstream in(file.path(), std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(in), {}};
  const auto status_of = [&](const std::string& bytes) {
    std::ofstream(damaged.path(), std::ios::binary | std::ios::trunc) << bytes;
    const Printed p = extracted({"--shaders", damaged.path(), "-o", file.directory() + "/out"});
    EXPECT_TRUE(p.status == 0 || p.error.find(damaged.path()) != std::string::npos) << p.error;
    return p.status;
  };
  EXPECT_EQ(status_of(whole), 0);
  EXPECT_EQ(status_of(whole + whole), 3) << "appended to itself";
  // A file that ends just before its index, or within that, has all of its records and is closed by `rondo finish`.
  const auto reader = Reader::open(file.path());
  ASSERT_TRUE(reader);
  const ChunkInfo last = (*reader)->chunks().back();
  const std::size_t data_end = static_cast<std::size_t>(last.offset + sizeof(ChunkHeader) + last.header.stored_bytes);
  for (std::size_t length = 64; length < data_end; length += 37)
    EXPECT_EQ(status_of(whole.substr(0, length)), 3) << length;
  const std::size_t footer = whole.size() - sizeof(Footer), magic = footer + offsetof(Footer, magic);
  for (std::size_t at = 64; at < whole.size(); at += 3) {
    if (at >= magic && at < magic + sizeof(Footer::magic)) continue;  // it has no footer then
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
    EXPECT_EQ(status_of(bytes), 3) << at;
  }
}

TEST(AnalyzersExtract, WhatAKilledProgramLeftIsNotDamaged) {
  const TemporaryFile file;
  test::write_cut_scene(file.path());
  const Printed p = extracted({"--shaders", file.path(), "-o", file.directory() + "/out"});
  EXPECT_EQ(p.status, 0) << p.error;
}

TEST(AnalyzersExtract, ReplacesNothingButRegularFiles) {
  const TemporaryFile file;
  write_shaders_capture(file.path());
  const std::string directory = file.directory() + "/out", mine = file.directory() + "/mine";
  const std::string path = directory + "/" + digest_text("work") + ".spv";
  std::filesystem::create_directory(directory);
  std::ofstream(mine) << "mine";
  const auto refuses = [&](const std::string& says) {
    const Printed p = extracted({"--shaders", file.path(), "-o", directory});
    EXPECT_EQ(p.status, 1) << p.error;
    EXPECT_NE(p.error.find(path + says), std::string::npos) << p.error;
    EXPECT_FALSE(std::filesystem::is_regular_file(std::filesystem::symlink_status(path)));
    std::filesystem::remove(path);
  };
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  refuses(": is no regular file, and is not replaced by one");
  std::filesystem::create_symlink("nowhere", path);
  refuses(": is a link, and is not replaced by a file");
  std::filesystem::create_symlink(mine, path);
  refuses(": is a link, and is not replaced by a file");
  EXPECT_EQ(std::filesystem::file_size(mine), 4u);
}

TEST(AnalyzersExtract, RefusesWhatItCannotDo) {
  const TemporaryFile file;
  write_shaders_capture(file.path());
  const auto refuses = [](const std::vector<std::string>& words, int status, const std::string& says) {
    const Printed p = extracted(words);
    EXPECT_EQ(p.status, status) << p.error;
    EXPECT_NE(p.error.find(says), std::string::npos) << p.error;
  };
  refuses({file.path(), "-o", file.directory() + "/x"}, 2, "--shaders");
  refuses({"--shaders", file.path()}, 2, "-o DIR");
  refuses({"--shaders", file.path(), "-o", file.path()}, 2, "is no directory");
  refuses({"--shaders", file.path(), "-o", file.path() + "/below"}, 1,
          "no directory can be made there: Not a directory: choose another place with -o");
  refuses({"--shaders", file.directory() + "/none.rondo", "-o", file.directory() + "/x"}, 3, "none.rondo");
  refuses({"--shaders", "--images", file.path(), "-o", file.directory() + "/x"}, 2, "stands without --images");
  refuses({"--shaders", "--at", "frame:0", file.path(), "-o", file.directory() + "/x"}, 2,
          "go with --images and --buffers");
  refuses({"--shaders", file.path(), "VkImage#0", "-o", file.directory() + "/x"}, 2, "go with --images and --buffers");
  refuses({"--images", file.path()}, 2, "-o DIR");
  refuses({"--images", "--at", "frame:", file.path(), "-o", file.directory() + "/x"}, 2,
          "neither frame:K nor submit:K");
  refuses({"--images", "--device", "0=", file.path(), "-o", file.directory() + "/x"}, 2, "--device needs a name");
  refuses({"--images", file.directory() + "/none.rondo", "-o", file.directory() + "/x"}, 3, "none.rondo");
  EXPECT_FALSE(std::filesystem::exists(file.directory() + "/x"));
}

TEST(AnalyzersInfo, ListsShadersWithWhatIsMadeOfThem) {
  const TemporaryFile file;
  write_shaders_capture(file.path());
  const Printed p = printed(run_info, {"--shaders", file.path()});
  EXPECT_EQ(p.status, 0) << p.error;
  EXPECT_NE(p.out.find(digest_text("work")), std::string::npos);
  EXPECT_NE(p.out.find(" main (compute); VkShaderModule#0 VkShaderModule#1 VkPipeline#0.compute VkPipeline#2.miss\n"),
            std::string::npos)
      << p.out;
  const auto json = JsonText::parse(printed(run_info, {"--shaders", "--json", file.path()}).out);
  ASSERT_TRUE(json);
  EXPECT_EQ(json->string("/shader_rows/0/digest"), digest_text("work"));
  EXPECT_EQ(json->number("/shader_rows/0/bytes"), test::shader_code("work").size());
  EXPECT_EQ(json->string("/shader_rows/0/entry_points/0/name"), "main");
  EXPECT_EQ(json->string("/shader_rows/0/entry_points/0/model"), "compute");
  EXPECT_EQ(json->string("/shader_rows/0/uses/3/object"), "VkPipeline#2.miss");
  EXPECT_EQ(json->string("/shader_rows/0/uses/3/entry_point"), "main");
  EXPECT_TRUE(json->string("/shader_rows/1/damage"));
  EXPECT_EQ(printed(run_info, {"--shaders", "--times", file.path()}).status, 2);
}

}  // namespace
}  // namespace rondo::analyzers
