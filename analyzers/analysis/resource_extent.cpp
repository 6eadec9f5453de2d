// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/resource_extent.h"

#include <map>
#include <optional>

#include "analyzers/read/walk.h"
#include "analyzers/text/text.h"
#include "format/given_names.h"
#include "generated/args.h"
#include "model/call.h"
#include "model/parameters.h"

namespace rondo::analyzers {

namespace {

struct Extent {
  enum class Kind { bytes, queries, subresources, linear_image } kind{};
  std::uint64_t size = 0;              // bytes, or queries
  std::uint64_t mips = 0, layers = 0;  // of an image
};

class Extents {
 public:
  void take(const model::Call& call) {
    if (!call.succeeded || call.created() == ObjectId::null) return;
    switch (call.command.canonical) {
      case CommandId::vkCreateBuffer:
        if (const auto* const info = call.as<args_vkCreateBuffer>().pCreateInfo)
          add(call, {Extent::Kind::bytes, info->size});
        return;
      case CommandId::vkAllocateMemory:
        if (const auto* const info = call.as<args_vkAllocateMemory>().pAllocateInfo)
          add(call, {Extent::Kind::bytes, info->allocationSize});
        return;
      case CommandId::vkCreateAccelerationStructureKHR:
        if (const auto* const info = call.as<args_vkCreateAccelerationStructureKHR>().pCreateInfo)
          add(call, {Extent::Kind::bytes, info->size});
        return;
      case CommandId::vkCreateQueryPool:
        if (const auto* const info = call.as<args_vkCreateQueryPool>().pCreateInfo)
          add(call, {Extent::Kind::queries, info->queryCount});
        return;
      case CommandId::vkCreateImage:
        if (const auto* const info = call.as<args_vkCreateImage>().pCreateInfo)
          add(call, {info->tiling == VK_IMAGE_TILING_LINEAR ? Extent::Kind::linear_image : Extent::Kind::subresources,
                     0, info->mipLevels, info->arrayLayers});
        return;
      case CommandId::vkCreateSwapchainKHR:
        if (const auto* const info = call.as<args_vkCreateSwapchainKHR>().pCreateInfo)
          layers_of_[call.created()] = info->imageArrayLayers;
        return;
      case CommandId::vkGetSwapchainImagesKHR:
        if (const auto found = layers_of_.find(call.id(&call.as<args_vkGetSwapchainImagesKHR>().swapchain));
            found != layers_of_.end())
          add(call, {Extent::Kind::subresources, 0, 1, found->second});
        return;
      default:
        return;
    }
  }
  const std::map<ObjectId, Extent>& all() const { return extents_; }

 private:
  void add(const model::Call& call, const Extent& extent) {
    for (const ObjectId made : call.resolution.created) extents_.emplace(made, extent);
  }

  std::map<ObjectId, Extent> extents_;
  std::map<ObjectId, std::uint64_t> layers_of_;  // by swapchain
};

bool fits(const Extent& extent, const ResourceWanted& wanted) {
  const bool names_subresources = wanted.mips || wanted.layers;
  switch (extent.kind) {
    case Extent::Kind::bytes:
    case Extent::Kind::queries:
      return !names_subresources && (!wanted.range || wanted.range->end <= extent.size);
    case Extent::Kind::subresources:
      return !wanted.range && (!wanted.mips || wanted.mips->end <= extent.mips) &&
             (!wanted.layers || wanted.layers->end <= extent.layers);
    case Extent::Kind::linear_image:
      return !names_subresources;
  }
  return true;
}

std::string extent_text(const Extent& extent) {
  switch (extent.kind) {
    case Extent::Kind::bytes:
      return text("has bytes 0:{}", extent.size);
    case Extent::Kind::queries:
      return text("has queries 0:{}", extent.size);
    case Extent::Kind::subresources:
      return text("has [mips 0:{} layers 0:{}]", extent.mips, extent.layers);
    case Extent::Kind::linear_image:
      return "has linear tiling: name its bytes, as in [0:64]";
  }
  return {};
}

}  // namespace

Result<void> check_part(const std::string& file, const ResourceWanted& wanted) {
  if (!wanted.range && !wanted.mips && !wanted.layers) return {};
  auto walk = Walk::open(file);
  if (!walk) return tl::unexpected(walk.error());
  Extents extents;
  GivenNames names;
  model::Parameters parameters;
  Step step;
  for (;;) {
    const auto more = walk->next(step);
    if (!more || !*more) break;  // whoever reads the capture for its work says what is wrong
    if (step.command == nullptr || step.by_layer()) continue;
    RONDO_TRY(model::load(walk->stream(), step, parameters));
    const model::Call call = model::call_of(walk->stream(), step, parameters);
    take_name(names, call.command, call.view);
    extents.take(call);
  }
  std::optional<std::string> misfit;
  for (const auto& [id, extent] : extents.all()) {
    const auto given = names.find(id);
    if (walk->objects().name(id) != wanted.name && (given == names.end() || given->second != wanted.name)) continue;
    if (fits(extent, wanted)) return {};
    if (!misfit) misfit = text("{} {}", printable(full_name(names, walk->objects(), id)), extent_text(extent));
  }
  if (!misfit) return {};
  return fail(Status::usage, text("{}: there is no such part: {}", file, *misfit));
}

}  // namespace rondo::analyzers
