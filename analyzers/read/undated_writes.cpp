// SPDX-License-Identifier: Apache-2.0
#include "analyzers/read/undated_writes.h"

#include <algorithm>
#include <span>

#include "generated/args.h"

namespace rondo::analyzers {

namespace {

bool says_when_work_ended(const Reader& reader) {
  const auto& names = reader.dictionary();
  return std::any_of(names.begin(), names.end(), [](const DictionaryRow& row) { return row.name == "rondoWorkEnded"; });
}

}  // namespace

UndatedWrites::UndatedWrites(Walk& walk)
    : walk_(walk),
      any_(says_when_work_ended(walk.reader())),
      writes_({.place =
                   [this](ObjectId object) {
                     const auto found = places_.find(object);
                     return found != places_.end() ? found->second : access::LateWrites::Place{};
                   },
               .is_over = [](std::uint64_t) { return false; }}) {}

void UndatedWrites::place(const Step& step) {
  const NativeView& view = parameters_.view;
  const auto bind = [&](ObjectId resource, ObjectId memory, std::uint64_t offset) {
    const auto bytes = bytes_.find(resource), all = bytes_.find(memory);
    const std::uint64_t end = all != bytes_.end() ? all->second : 0;
    places_[resource] = {memory, offset, bytes != bytes_.end() ? bytes->second : end - std::min(offset, end)};
  };
  const auto bind_all = [&](const auto& infos, auto resource) {
    for (const auto& info : infos) bind(view.id(&(info.*resource)), view.id(&info.memory), info.memoryOffset);
  };
  const auto& created = walk_.resolution().created;
  switch (step.command->canonical) {
    case CommandId::vkAllocateMemory:
      if (!created.empty()) bytes_[created[0]] = view.as<args_vkAllocateMemory>().pAllocateInfo->allocationSize;
      break;
    case CommandId::vkCreateBuffer:
      if (created.empty()) break;
      bytes_[created[0]] = view.as<args_vkCreateBuffer>().pCreateInfo->size;
      places_[created[0]] = {ObjectId::null, 0, 1};
      break;
    case CommandId::vkGetImageMemoryRequirements: {
      const auto& args = view.as<args_vkGetImageMemoryRequirements>();
      bytes_[view.id(&args.image)] = args.pMemoryRequirements->size;
      break;
    }
    case CommandId::vkGetImageMemoryRequirements2: {
      const auto& args = view.as<args_vkGetImageMemoryRequirements2>();
      bytes_[view.id(&args.pInfo->image)] = args.pMemoryRequirements->memoryRequirements.size;
      break;
    }
    case CommandId::vkBindBufferMemory: {
      const auto& args = view.as<args_vkBindBufferMemory>();
      bind(view.id(&args.buffer), view.id(&args.memory), args.memoryOffset);
      break;
    }
    case CommandId::vkBindImageMemory: {
      const auto& args = view.as<args_vkBindImageMemory>();
      bind(view.id(&args.image), view.id(&args.memory), args.memoryOffset);
      break;
    }
    case CommandId::vkBindBufferMemory2: {
      const auto& args = view.as<args_vkBindBufferMemory2>();
      bind_all(std::span(args.pBindInfos, args.bindInfoCount), &VkBindBufferMemoryInfo::buffer);
      break;
    }
    case CommandId::vkBindImageMemory2: {
      const auto& args = view.as<args_vkBindImageMemory2>();
      bind_all(std::span(args.pBindInfos, args.bindInfoCount), &VkBindImageMemoryInfo::image);
      break;
    }
    default:
      break;
  }
}

Result<bool> UndatedWrites::take(const Step& step) {
  if (!any_ || step.command == nullptr || step.by_layer()) return false;
  RONDO_TRY(model::load(walk_.stream(), step, parameters_));
  writes_.take(model::call_of(walk_.stream(), step, parameters_));
  if (step.succeeded()) place(step);
  return writes_.is_unsure();
}

Result<std::uint64_t> count_undated_writes(const std::string& path) {
  auto walk = Walk::open(path);
  if (!walk) return tl::unexpected(walk.error());
  UndatedWrites writes(*walk);
  std::uint64_t count = 0;
  for (Step step;;) {
    const auto more = walk->next(step);
    if (!more) return tl::unexpected(more.error());
    if (!*more) return count;
    const auto undated = writes.take(step);
    if (!undated) return tl::unexpected(undated.error());
    count += *undated ? 1 : 0;
  }
}

}  // namespace rondo::analyzers
