// SPDX-License-Identifier: Apache-2.0
#include "format/call_chains.h"

#include <algorithm>

namespace rondo {

void CallChains::take(CommandId command, std::uint32_t thread, const codec::Lowered& parameters) {
  if (!says_who_calls(command)) return;
  const std::vector<const std::byte*> no_blobs(parameters.blobs.size());
  const std::vector<ObjectId> no_objects(parameters.handles.size());
  view_.load(parameters, no_objects, no_blobs);
  switch (command) {
    case CommandId::rondoModule: {
      const auto& a = view_.as<args_rondoModule>();
      CallModule& module = modules_[a.module] = {};
      if (a.path != nullptr) module.path = a.path;
      const auto* id = reinterpret_cast<const std::byte*>(a.pBuildId);
      if (id != nullptr) module.build_id.assign(id, id + a.buildIdSize);
      return;
    }
    case CommandId::rondoCallChain: {
      const auto& a = view_.as<args_rondoCallChain>();
      CallChain& chain = chains_[a.chain] = {};
      const std::uint32_t count = std::min(a.frameCount, kMostCallFrames);
      if (a.pFrames != nullptr) chain.frames.assign(a.pFrames, a.pFrames + count);
      chain.truncated = a.truncated != VK_FALSE || a.frameCount > count;
      current_[thread] = a.chain;
      return;
    }
    case CommandId::rondoCaller:
      current_[thread] = view_.as<args_rondoCaller>().chain;
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
