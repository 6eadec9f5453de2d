// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "player/options.h"

namespace rondo::player {
namespace {

Result<ParsedOptions> parse(std::initializer_list<const char*> words) {
  std::vector<const char*> argv = {"player"};
  argv.insert(argv.end(), words);
  return parse_options(static_cast<int>(argv.size()), argv.data());
}

void is_usage_error(std::initializer_list<const char*> words, const std::string& mentions) {
  const auto parsed = parse(words);
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().status, Status::usage);
  EXPECT_NE(parsed.error().message.find(mentions), std::string::npos) << parsed.error().message;
  EXPECT_EQ(parsed.error().message.find('\n'), std::string::npos);
}

TEST(Options, TakeAFileAndWhatToDoWithIt) {
  const auto parsed = parse({"--verify", "--loop", "3", "--device", "llvm", "--until", "12", "x.rondo"});
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->options.file, "x.rondo");
  EXPECT_TRUE(parsed->options.verify);
  EXPECT_EQ(parsed->options.loop, 3u);
  EXPECT_EQ(parsed->options.until, 12u);
  ASSERT_EQ(parsed->options.devices.size(), 1u);
  EXPECT_EQ(parsed->options.devices[0].captured, kNone);
  EXPECT_EQ(parsed->options.devices[0].wanted, "llvm");
}

TEST(Options, TellACapturedDevicesTargetFromAName) {
  const auto parsed = parse({"--device", "1=GeForce", "--device", "a=b", "x"});
  ASSERT_TRUE(parsed);
  ASSERT_EQ(parsed->options.devices.size(), 2u);
  EXPECT_EQ(parsed->options.devices[0].captured, 1u);
  EXPECT_EQ(parsed->options.devices[0].wanted, "GeForce");
  EXPECT_EQ(parsed->options.devices[1].captured, kNone);
  EXPECT_EQ(parsed->options.devices[1].wanted, "a=b");
}

TEST(Options, RefuseWhatThisPlayerDoesNotDo) { is_usage_error({"--bogus", "x"}, "--bogus"); }

TEST(Options, SayWhichFilesMayBeRead) {
  const auto parsed = parse({"--allow-files", "/", "--file-remap=/a=b=c", "--allow-files=/tmp", "x"});
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->options.files.allowed, (std::vector<std::string>{"/", "/tmp"}));
  ASSERT_EQ(parsed->options.files.remaps.size(), 1u);
  EXPECT_EQ(parsed->options.files.remaps[0].from, "/a");
  EXPECT_EQ(parsed->options.files.remaps[0].to, "b=c");
  is_usage_error({"--allow-files=/not/there/at/all", "x"}, "--allow-files");
  is_usage_error({"--file-remap=a=b", "x"}, "--file-remap");
  is_usage_error({"--file-remap=/a", "x"}, "--file-remap");
}

TEST(Options, VerifyIsExactUnlessAPsnrIsGiven) {
  const auto exact = parse({"--verify", "x.rondo"});
  ASSERT_TRUE(exact);
  EXPECT_TRUE(exact->options.verify);
  EXPECT_FALSE(exact->options.psnr);
  EXPECT_EQ(exact->options.file, "x.rondo") << "a file is not taken for its value";
  EXPECT_TRUE(parse({"x.rondo", "--verify"})->options.verify);
  EXPECT_FALSE(parse({"x.rondo"})->options.verify);
  const auto alike = parse({"--verify=psnr:37.5", "x.rondo"});
  ASSERT_TRUE(alike);
  EXPECT_TRUE(alike->options.verify);
  EXPECT_EQ(alike->options.psnr, 37.5);
  EXPECT_EQ(parse({"--verify", "--verify=psnr:0", "x.rondo"})->options.psnr, 0);
  for (const char* wrong :
       {"--verify=psnr", "--verify=psnr:", "--verify=psnr:-1", "--verify=psnr:many", "--verify=psnr:40dB",
        "--verify=psnr:inf", "--verify=psnr:nan", "--verify=ssim:1", "--verify=40", "--verify=", "--verify=no"})
    is_usage_error({wrong, "x"}, "--verify");
}

TEST(Options, HandGoogleBenchmarkItsOwn) {
  const auto parsed = parse({"--benchmark", "--benchmark_filter=a b", "x", "--benchmark_min_time=1"});
  ASSERT_TRUE(parsed);
  EXPECT_TRUE(parsed->options.benchmark);
  EXPECT_TRUE(parsed->options.quiet);
  EXPECT_EQ(parsed->options.benchmark_flags,
            (std::vector<std::string>{"--benchmark_filter=a b", "--benchmark_min_time=1"}));
  EXPECT_EQ(parse({"--benchmark", "--v=2", "x"})->options.benchmark_flags, (std::vector<std::string>{"--v=2"}));
  is_usage_error({"--benchmark_filter=a", "x"}, "--benchmark_filter=a");
  is_usage_error({"--v=2", "x"}, "--v=2 is for --benchmark");
  is_usage_error({"--benchmark", "--fresh", "x"}, "--fresh");
}

TEST(Options, ShadersAreReplacedBySelectors) {
  const auto parsed = parse({"--replace", "VkShaderModule#3=a.spv", "--replace=all=b", "x.rondo"});
  EXPECT_FALSE(parsed);
  const auto good = parse({"--replace", "VkShaderModule#3=a.spv", "--replace", "12ab=b.spv", "x.rondo"});
  ASSERT_TRUE(good);
  ASSERT_EQ(good->options.replace.size(), 2u);
  EXPECT_EQ(good->options.replace[0].selector.text, "VkShaderModule#3");
  EXPECT_EQ(good->options.replace[1].file, "b.spv");
  EXPECT_EQ(good->options.file, "x.rondo");
  is_usage_error({"--replace", "VkBuffer#3=a", "x"}, "VkBuffer#3");
}

TEST(Options, SpansAreOneOfThree) {
  const auto parsed = parse({"--scope", "decode#2", "--warmup", "3", "--memory-budget", "64", "x.rondo"});
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->options.span.kind, SpanRequest::Kind::scope);
  EXPECT_EQ(parsed->options.span.name, "decode");
  EXPECT_EQ(parsed->options.span.occurrence, 2u);
  EXPECT_EQ(parsed->options.warmup, 3u);
  EXPECT_EQ(parsed->options.memory_budget, std::size_t{64} << 20);
  is_usage_error({"--frames", "1:2", "--submits", "1:2", "x"}, "either");
  is_usage_error({"--frames", "2:1", "x"}, "ends before it begins");
  is_usage_error({"--memory-budget", "0", "x"}, "--memory-budget");
}

TEST(Options, AMisspeltOneIsNamedWithTheClosest) {
  is_usage_error({"--verfy", "x"}, "--verfy is no option of player; the closest is --verify");
  is_usage_error({"--screensoht=d", "x"}, "the closest is --screenshot");
  is_usage_error({"--verfy"}, "--verfy is no option of player; the closest is --verify");  // and no FILE
  is_usage_error({"--format", "jnuit", "x"}, "--format: 'jnuit' is none of text, junit; the closest is junit");
  is_usage_error({"--sandbox=requir", "x"},
                 "--sandbox: 'requir' is none of auto, require, off; the closest is require");
  is_usage_error({"--leave-ou=1", "x"}, "--leave-ou is no option of player;");  // a hidden one is not shown
  is_usage_error({"x", "y", "z"}, "'y' is one word too many for player; it took 'x' as FILE");
  // The option takes its word after "=".
  is_usage_error({"--verify", "psnr:40", "x"}, "'x' is one word too many for player; it took 'psnr:40' as FILE");
}

TEST(Options, AFileWhoseNameLooksLikeAnOptionIsNamed) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::string directory = testing::TempDir() + "rondo-options-XXXXXX";
  ASSERT_NE(::mkdtemp(directory.data()), nullptr);
  std::filesystem::current_path(directory);
  std::ofstream("-x.rondo") << "x";
  is_usage_error({"-x.rondo"}, "-x.rondo is no option of player; the file of that name is ./-x.rondo");
  std::filesystem::current_path(before);
  std::filesystem::remove_all(directory);
}

TEST(Options, RefuseWrongValues) {
  is_usage_error({"--loop", "0", "x"}, "--loop");
  is_usage_error({"--loop", "many", "x"}, "--loop");
  is_usage_error({"--timeout", "-1", "x"}, "--timeout");
  is_usage_error({"--device", "3=", "x"}, "--device");
  is_usage_error({"--report", "", "x"}, "--report");
  is_usage_error({"--report", "/", "x"}, "directory");
  is_usage_error({"--report=", "x"}, "--report=");
  is_usage_error({"--damage", "melt", "x"}, "melt");
  is_usage_error({"--damage", "swap-submits:1", "x"}, "swap-submits");
  is_usage_error({"--damage", "drop", "x"}, "drop");
  is_usage_error({"--damage", "drop:0", "x"}, "'0'");
  is_usage_error({"--damage", "drop:vkCmdDraw#", "x"}, "NAME#K");
  is_usage_error({"--damage", "corrupt:vkCmdDraw#*", "x"}, "NAME#K");
  is_usage_error({"--damage", "handle:3:x", "x"}, "'x'");
  is_usage_error({"--damage", "corrupt:3:size=x", "x"}, "'x'");
  is_usage_error({"--damage", "corrupt:3:99999999999999999999", "x"}, "index");
  is_usage_error({}, "capture");
  is_usage_error({"a", "b"}, "b");
}

TEST(Options, AReportThatCannotBeWrittenIsSaidBeforeAnythingIsPlayed) {
  const auto parsed = parse({"--report", "/no/such/directory/report.json", "x"});
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().status, Status::failed);
  EXPECT_NE(parsed.error().message.find("No such file or directory"), std::string::npos) << parsed.error().message;
}

TEST(Options, NothingWaitsForTheReaderOfAPipe) {
  const std::string pipe = testing::TempDir() + "player-options-pipe-" + std::to_string(::getpid());
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const std::string out = std::string(kBenchmarkOut) + pipe;
  for (const auto& parsed : {parse({"--report", pipe.c_str(), "x"}), parse({"--benchmark", out.c_str(), "x"}),
                             parse({"--pipeline-cache", pipe.c_str(), "x"})}) {
    ASSERT_FALSE(parsed);
    EXPECT_EQ(parsed.error().status, Status::failed);
    EXPECT_EQ(parsed.error().message, pipe + ": is no regular file, and is not written to");
  }
  const int end = ::open(pipe.c_str(), O_RDWR | O_CLOEXEC);
  EXPECT_TRUE(parse({"--report", pipe.c_str(), "x"})) << "it is open already, as /dev/stdout may be";
  ::close(end);
  ::unlink(pipe.c_str());
  EXPECT_TRUE(parse({"--report", "/dev/null", "x"}));
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  EXPECT_TRUE(parse({"--report", ("/dev/fd/" + std::to_string(ends[1])).c_str(), "x"}));
  for (const int one : ends) ::close(one);
}

TEST(Options, HideTheDamage) {
  const auto help = parse({"--help"});
  ASSERT_TRUE(help);
  EXPECT_TRUE(help->exit);
  EXPECT_EQ(help->exit_text.find("--damage"), std::string::npos);
  const auto parsed = parse({"--damage", "swap-submits:3:7", "x"});
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->options.damage.kind, Damage::Kind::swap_submits);
  EXPECT_EQ(parsed->options.damage.a, 3u);
  EXPECT_EQ(parsed->options.damage.b, 7u);
}

TEST(Options, NameTheDamagedRecordByNumberOrByCommand) {
  const auto number = parse_damage("corrupt:17:size=64");
  ASSERT_TRUE(number);
  EXPECT_EQ(number->kind, Damage::Kind::corrupt);
  EXPECT_EQ(number->record.sequence, 17u);
  EXPECT_EQ(number->leaf, "size");
  EXPECT_EQ(number->value, 64u);
  const auto name = parse_damage("swap:vkCmdDraw#2:vkCmdDraw#3");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->record.command, "vkCmdDraw");
  EXPECT_EQ(name->record.index, 2u);
  EXPECT_EQ(name->other.index, 3u);
  EXPECT_TRUE(parse_damage("drop:vkCmdDispatch#*")->record.all);
}

}  // namespace
}  // namespace rondo::player
