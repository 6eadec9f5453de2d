// SPDX-License-Identifier: Apache-2.0
#include "format/call_chains.h"

namespace rondo {

void CallChains::take(CommandId command, std::uint32_t thread, const void* args) {
  switch (command) {
    case CommandId::rondoModule: {
      const auto& a = *static_cast<const args_rondoModule*>(args);
      CallModule& module = modules_[a.module] = {};
      if (a.path != nullptr) module.path = a.path;
      const auto* id = reinterpret_cast<const std::byte*>(a.pBuildId);
      if (id != nullptr) module.build_id.assign(id, id + a.buildIdSize);
      return;
    }
    case CommandId::rondoCallChain: {
      const auto& a = *static_cast<const args_rondoCallChain*>(args);
      CallChain& chain = chains_[a.chain] = {};
      if (a.pFrames != nullptr) chain.frames.assign(a.pFrames, a.pFrames + a.frameCount);
      chain.truncated = a.truncated != VK_FALSE;
      current_[thread] = a.chain;
      return;
    }
    case CommandId::rondoCaller:
      current_[thread] = static_cast<const args_rondoCaller*>(args)->chain;
      return;
    default:
      return;
  }
}

std::uint32_t CallChains::number_of(std::uint32_t thread) const {
  const auto found = current_.find(thread);
  return found != current_.end() ? found->second : 0;
}

const CallChain* CallChains::chain(std::uint32_t number) const {
  const auto found = chains_.find(number);
  return found != chains_.end() ? &found->second : nullptr;
}

const CallModule* CallChains::module(std::uint32_t number) const {
  const auto found = modules_.find(number);
  return found != modules_.end() ? &found->second : nullptr;
}

}  // namespace rondo
