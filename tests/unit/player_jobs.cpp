// SPDX-License-Identifier: Apache-2.0
// Pipelines made on several threads, by a driver that tells who is made beside whom.
#include <chrono>

#include "player/run/deadline.h"
#include "player/run/jobs.h"
#include "player/run/run.h"
#include "tests/icd/fake.h"
#include "tests/icd/stage.h"
#include "tests/unit/player_descriptors.h"

namespace rondo::test {
namespace {

const std::vector<std::uint32_t> kCode = {0x07230203, 0, 0, 8, 0, 5 << 16 | 54, 1, 6, 0, 3};

// In front of the fake driver. What a pipeline's entry point is called says what becomes of it.
struct Compiler {
  std::mutex mutex;
  std::condition_variable begins;
  int begun = 0;  // of "meets"
  PFN_vkCreateComputePipelines create = nullptr;

  // Not before two of them have begun.
  bool meet() {
    std::unique_lock lock(mutex);
    ++begun;
    begins.notify_all();
    return begins.wait_for(lock, std::chrono::seconds(10), [this] { return begun >= 2; });
  }
};
Compiler* compiler = nullptr;

VkResult VKAPI_CALL compile(VkDevice device, VkPipelineCache cache, std::uint32_t count,
                            const VkComputePipelineCreateInfo* infos, const VkAllocationCallbacks* allocator,
                            VkPipeline* made) {
  const std::string entry = infos->stage.pName;
  if (entry == "meets" && !compiler->meet()) return VK_TIMEOUT;
  if (entry == "fails") return VK_ERROR_OUT_OF_HOST_MEMORY;
  if (entry == "fails late") {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  }
  return compiler->create(device, cache, count, infos, allocator, made);
}

class PlayerJobs : public Descriptors {
 protected:
  VkPipeline pipeline(const char* entry, VkShaderModule code, VkPipeline base = VK_NULL_HANDLE) {
    auto info = of_type<VkComputePipelineCreateInfo>(VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO);
    info.flags = VK_PIPELINE_CREATE_ALLOW_DERIVATIVES_BIT;
    info.stage = stage(VK_SHADER_STAGE_COMPUTE_BIT, code);
    info.stage.pName = entry;
    info.layout = layout_;
    info.basePipelineIndex = -1;
    info.basePipelineHandle = base;
    if (base != VK_NULL_HANDLE) info.flags |= VK_PIPELINE_CREATE_DERIVATIVE_BIT;
    auto made = fresh<VkPipeline>();
    capture.call(CommandId::vkCreateComputePipelines,
                 args_vkCreateComputePipelines{kDevice, VK_NULL_HANDLE, 1, &info, nullptr, &made}, ok());
    return made;
  }
  void destroy_module(VkShaderModule code) {
    capture.call(CommandId::vkDestroyShaderModule, args_vkDestroyShaderModule{kDevice, code, nullptr});
  }
  // Up to a submit, so that all of it is in front of the span.
  Result<void> play() {
    submit();
    fake::reset();
    const auto built = plan();
    const auto stage = fake::set_stage(*built);
    if (!stage) return tl::unexpected<Error>(stage.error());
    player::Deadline deadline(30);
    player::Observer observer;
    player::PlacementCache placements;
    player::RunOptions options;
    options.jobs = 4;
    Compiler one;
    compiler = &one;
    player::Run run(*built, (*stage)->loader, (*stage)->targets, options, deadline, observer, placements);
    const auto device = std::find_if(built->ops.begin(), built->ops.end(),
                                     [](const player::Op& op) { return op.command == CommandId::vkCreateDevice; });
    RONDO_TRY(run.play_to(static_cast<std::uint32_t>(device - built->ops.begin()) + 1));
    Dispatch& dispatch = run.device_at(0)->dispatch;
    one.create = dispatch.vkCreateComputePipelines;
    dispatch.vkCreateComputePipelines = compile;
    const Result<void> played = run.play();
    const Result<void> ended = run.finish();
    for (const fake::Violation& v : fake::violations()) ADD_FAILURE() << v.command << ": " << v.what;
    return played ? ended : played;
  }
  void plays() {
    const Result<void> played = play();
    EXPECT_TRUE(played) << played.error().message;
  }
  void fails_with(const char* result) {
    const Result<void> played = play();
    ASSERT_FALSE(played);
    EXPECT_NE(played.error().message.find(result), std::string::npos) << played.error().message;
  }

 private:
  const VkPipelineLayout layout_ = layout();
};

TEST_F(PlayerJobs, AreMadeAtOnceThoughEachHasAModuleOfItsOwn) {
  for (int i = 0; i < 2; ++i) {
    const VkShaderModule code = module(kCode);
    pipeline("meets", code);
    destroy_module(code);
  }
  plays();
}

TEST_F(PlayerJobs, WaitForWhatTheyNameAlone) {
  const VkShaderModule code = module(kCode);
  pipeline("meets", code);
  const VkPipeline base = pipeline("main", code);
  pipeline("meets", code, base);
  plays();
}

TEST_F(PlayerJobs, KeepTheModuleOfAnEarlierOneThatIsStillMade) {
  const VkShaderModule code = module(kCode), other = module(kCode);
  pipeline("meets", code);
  const VkPipeline base = pipeline("main", code);
  destroy_module(code);
  pipeline("main", other, base);  // waits for the one that used it last
  pipeline("meets", other);
  plays();
}

TEST_F(PlayerJobs, TellOfTheFirstThatFailed) {
  const VkShaderModule code = module(kCode);
  pipeline("fails late", code);
  const VkPipeline base = pipeline("fails", code);
  pipeline("main", code, base);
  fails_with("VK_ERROR_OUT_OF_DEVICE_MEMORY");
}

}  // namespace
}  // namespace rondo::test
