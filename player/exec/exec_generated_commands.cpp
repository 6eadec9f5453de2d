// SPDX-License-Identifier: Apache-2.0
// Commands that a device makes of what it finds in memory (VK_EXT_device_generated_commands).
// What lies in the program's buffers is the same here. What a driver makes of it goes to memory
// that the program sized by what the captured driver asked for.
#include "generated/args.h"
#include "player/plan/places.h"
#include "player/run/run.h"

namespace rondo::player {

#ifdef VK_EXT_device_generated_commands

namespace {

template <class Args>
Result<void> preprocessed(Run& run, const Op& op, std::byte* args) {
  const VkGeneratedCommandsInfoEXT& info = *as<Args>(args).pGeneratedCommandsInfo;
  const DeviceState& device = run.device(op);
  const auto ask = device.dispatch.vkGetGeneratedCommandsMemoryRequirementsEXT;
  if (ask == nullptr || run.function(op) == nullptr)
    return tl::unexpected<Error>(run.refuse(op, Status::device, "the device does not have this command"));
  // Both structures are followed by the same ones.
  const VkGeneratedCommandsMemoryRequirementsInfoEXT question{
      VK_STRUCTURE_TYPE_GENERATED_COMMANDS_MEMORY_REQUIREMENTS_INFO_EXT,
      info.pNext,
      info.indirectExecutionSet,
      info.indirectCommandsLayout,
      info.maxSequenceCount,
      info.maxDrawCount};
  VkMemoryRequirements2 answer{};
  answer.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2;
  ask(device.handle, &question, &answer);
  const VkMemoryRequirements& needs = answer.memoryRequirements;
  if (needs.size > info.preprocessSize)
    return tl::unexpected<Error>(run.refuse(op, Status::device,
                                            "the driver preprocesses its commands into " + std::to_string(needs.size) +
                                                " bytes here, and the program has " +
                                                std::to_string(info.preprocessSize) + " for that"));
  if (needs.size != 0 && needs.alignment > 1 && info.preprocessAddress % needs.alignment != 0)
    return tl::unexpected<Error>(run.refuse(op, Status::device,
                                            "the driver preprocesses its commands at multiples of " +
                                                std::to_string(needs.alignment) + " here, and the program has " +
                                                address_text(info.preprocessAddress) + " for that"));
  return run.call_checked(op, args);
}

}  // namespace

#endif

void add_generated_command_executors([[maybe_unused]] std::vector<Executor>& table) {
#ifdef VK_EXT_device_generated_commands
  table[static_cast<std::size_t>(CommandId::vkCmdPreprocessGeneratedCommandsEXT)] =
      preprocessed<args_vkCmdPreprocessGeneratedCommandsEXT>;
  table[static_cast<std::size_t>(CommandId::vkCmdExecuteGeneratedCommandsEXT)] =
      preprocessed<args_vkCmdExecuteGeneratedCommandsEXT>;
#endif
}

}  // namespace rondo::player
