// SPDX-License-Identifier: Apache-2.0
#include "analyzers/trim/survey.h"

#include <algorithm>
#include <memory>
#include <span>

#include "generated/args.h"
#include "model/parameters.h"
#include "model/stream.h"
#include "player/plan/swapchain_images.h"

namespace rondo::trim {

namespace {

using model::Call;

class Surveyor {
 public:
  Surveyor(Reader& reader, const player::Plan& plan, const States& states, const RecordRange& records,
           std::uint64_t counted_from)
      : stream_(reader),
        plan_(plan),
        records_(records),
        counted_from_(counted_from),
        out_(std::make_unique<Survey>(plan, states, records)),
        model_([this](const access::Executed& executed) { executed_in_span(executed); }) {}

  Result<std::unique_ptr<Survey>> run(const std::function<void(std::uint64_t)>& progress) {
    model::Step step;
    for (;;) {
      const auto more = stream_.fetch(step);
      if (!more) return tl::unexpected<Error>(more.error());
      if (!*more || step.record.sequence > records_.last) break;
      if (step.record.sequence % 4096 == 0) progress(step.record.sequence);
      if (step.command == nullptr) continue;
      if (const auto decoded = stream_.decode(step); !decoded)
        return tl::unexpected<Error>(stream_.at(step, decoded.error()));
      stream_.resolve(step);
      RONDO_TRY(take(step));
    }
    if (model_.too_many() || out_->sets.too_many())
      return fail(Status::failed, stream_.reader().path() + ": it has more to follow than any program needs");
    finish();
    return std::move(out_);
  }

 private:
  Result<void> take(const model::Step& step) {
    const Record& record = step.record;
    in_span_ = record.sequence >= records_.first;
    if (in_span_)
      for (const ObjectId one : stream_.resolution().ids)
        if (one != ObjectId::null) out_->used.insert(one);
    if (step.by_layer()) return {};
    RONDO_TRY(model::load(stream_, step, parameters_));
    const Call call = model::call_of(stream_, step, parameters_);
    model_.take(call);
    if (record.sequence < std::max(records_.first, counted_from_)) count(call);
    if (in_span_) {
      if (record.sequence >= counted_from_) take_checkpoint(call);
    } else {
      out_->sets.take(call);
      remember(call, record);
    }
    return {};
  }

  void executed_in_span(const access::Executed& executed) {
    if (!in_span_) return;
    if (executed.at >= counted_from_) out_->coverage.add(executed);
    out_->needs.take(executed);
    if (executed.reach.unknown == 0) return;
    if (executed.at != reached_at_) reachable_ = model_.reachable();
    reached_at_ = executed.at;
    out_->needs.reach(reachable_, executed.reach.reads);
  }

  void count(const Call& c) {
    if (!c.succeeded) return;
    if (c.command.canonical == CommandId::vkQueuePresentKHR) ++out_->frames;
    if (c.command.canonical == CommandId::vkQueueSubmit) out_->submits += c.as<args_vkQueueSubmit>().submitCount;
    if (c.command.canonical == CommandId::vkQueueSubmit2) out_->submits += c.as<args_vkQueueSubmit2>().submitCount;
    if (c.command.canonical == CommandId::rondoCut) out_->frames = out_->submits = 0;
  }

  // What is compared is read.
  void take_checkpoint(const Call& c) {
    Needs& needs = out_->needs;
    switch (c.command.canonical) {
      case CommandId::rondoCheckpointMemory: {
        const auto& a = c.as<args_rondoCheckpointMemory>();
        for (std::uint32_t i = 0; a.pRanges != nullptr && i < a.rangeCount; ++i)
          needs.read_memory(c.id(&a.memory), a.pRanges[i].offset, a.pRanges[i].size);
        break;
      }
      case CommandId::rondoCheckpointBuffers: {
        const auto& a = c.as<args_rondoCheckpointBuffers>();
        for (std::uint32_t i = 0; a.pBuffers != nullptr && a.pRanges != nullptr && i < a.count; ++i)
          needs.read_buffer(c.id(&a.pBuffers[i]), a.pRanges[i].offset, a.pRanges[i].size);
        break;
      }
      case CommandId::rondoCheckpointSubresources: {
        const auto& a = c.as<args_rondoCheckpointSubresources>();
        for (std::uint32_t i = 0; a.pImages != nullptr && a.pParts != nullptr && i < a.count; ++i)
          needs.read_image(c.id(&a.pImages[i]),
                           {a.pParts[i].aspect, a.pParts[i].mipLevel, 1, a.pParts[i].arrayLayer, 1});
        break;
      }
      case CommandId::rondoCheckpointImage: {
        const auto& a = c.as<args_rondoCheckpointImage>();
        const auto read = [&](ObjectId image) {
          needs.read_image(image, {VK_IMAGE_ASPECT_COLOR_BIT, 0, UINT32_MAX, 0, UINT32_MAX});
        };
        read(c.id(&a.image));
        for (const player::CapturedResource& one : plan_.resources)
          if (const player::MadeOfSwapchain made = player::made_of_swapchain(plan_, one.id);
              made.swapchain != ObjectId::null && made.swapchain == c.id(&a.swapchain) && made.index == a.imageIndex)
            read(one.id);
        break;
      }
      default:
        break;
    }
  }

  void said(const Call& c, ObjectId of, ObjectId with = ObjectId::null, std::uint64_t more = 0) {
    if (of != ObjectId::null) last_[{static_cast<std::uint32_t>(c.command.canonical), of, with, more}] = c.sequence;
  }

  void remember(const Call& c, const Record& record) {
    for (const ObjectId id : stream_.resolution().ended) {
      out_->maps.erase(id);
      out_->imported.erase(id);
      std::erase_if(out_->acquired, [&](const auto& one) { return one.first.first == id; });
    }
    if (!c.succeeded) return;
    switch (c.command.canonical) {
      case CommandId::vkGetDescriptorEXT:
        for (const ObjectId id : stream_.resolution().ids)
          if (id != ObjectId::null) out_->described.insert(id);
        break;
      case CommandId::vkSetDebugUtilsObjectNameEXT:
        said(c, c.id(&c.as<args_vkSetDebugUtilsObjectNameEXT>().pNameInfo->objectHandle));
        break;
      case CommandId::vkSetDebugUtilsObjectTagEXT: {
        const auto& info = *c.as<args_vkSetDebugUtilsObjectTagEXT>().pTagInfo;
        said(c, c.id(&info.objectHandle), ObjectId::null, info.tagName);
        break;
      }
      case CommandId::vkDebugMarkerSetObjectNameEXT:
        said(c, c.id(&c.as<args_vkDebugMarkerSetObjectNameEXT>().pNameInfo->object));
        break;
      case CommandId::vkDebugMarkerSetObjectTagEXT: {
        const auto& info = *c.as<args_vkDebugMarkerSetObjectTagEXT>().pTagInfo;
        said(c, c.id(&info.object), ObjectId::null, info.tagName);
        break;
      }
      case CommandId::vkSetPrivateData: {
        const auto& a = c.as<args_vkSetPrivateData>();
        said(c, c.id(&a.objectHandle), c.id(&a.privateDataSlot));
        break;
      }
      case CommandId::vkSetDeviceMemoryPriorityEXT:
        said(c, c.id(&c.as<args_vkSetDeviceMemoryPriorityEXT>().memory));
        break;
      case CommandId::vkMapMemory:
        out_->maps[c.id(&c.as<args_vkMapMemory>().memory)] = c.sequence;
        break;
      case CommandId::vkUnmapMemory:
        out_->maps.erase(c.id(&c.as<args_vkUnmapMemory>().memory));
        break;
#ifdef VK_KHR_map_memory2
      case CommandId::vkMapMemory2:
        out_->maps[c.id(&c.as<args_vkMapMemory2>().pMemoryMapInfo->memory)] = c.sequence;
        break;
      case CommandId::vkUnmapMemory2:
        out_->maps.erase(c.id(&c.as<args_vkUnmapMemory2>().pMemoryUnmapInfo->memory));
        break;
#endif
      case CommandId::vkAcquireNextImageKHR: {
        const auto& a = c.as<args_vkAcquireNextImageKHR>();
        acquire(c, record, c.id(&a.swapchain), a.pImageIndex);
        break;
      }
      case CommandId::vkAcquireNextImage2KHR: {
        const auto& a = c.as<args_vkAcquireNextImage2KHR>();
        acquire(c, record, c.id(&a.pAcquireInfo->swapchain), a.pImageIndex);
        break;
      }
      case CommandId::vkReleaseSwapchainImagesEXT: {
        const auto& info = *c.as<args_vkReleaseSwapchainImagesEXT>().pReleaseInfo;
        for (std::uint32_t i = 0; info.pImageIndices != nullptr && i < info.imageIndexCount; ++i)
          out_->acquired.erase({c.id(&info.swapchain), info.pImageIndices[i]});
        break;
      }
      case CommandId::vkQueuePresentKHR: {
        const VkPresentInfoKHR& info = *c.as<args_vkQueuePresentKHR>().pPresentInfo;
        waited_for(c, info.pWaitSemaphores, info.waitSemaphoreCount);
        for (std::uint32_t i = 0; i < info.swapchainCount; ++i)
          out_->acquired.erase({c.id(&info.pSwapchains[i]), info.pImageIndices[i]});
        break;
      }
      case CommandId::vkQueueSubmit: {
        const auto& a = c.as<args_vkQueueSubmit>();
        for (const VkSubmitInfo& info : std::span(a.pSubmits, a.submitCount))
          waited_for(c, info.pWaitSemaphores, info.waitSemaphoreCount);
        break;
      }
      case CommandId::vkQueueSubmit2: {
        const auto& a = c.as<args_vkQueueSubmit2>();
        for (const VkSubmitInfo2& info : std::span(a.pSubmits, a.submitCount))
          for (std::uint32_t i = 0; i < info.waitSemaphoreInfoCount; ++i)
            waited_for(c, &info.pWaitSemaphoreInfos[i].semaphore, 1);
        break;
      }
      case CommandId::vkQueueBindSparse: {
        const auto& a = c.as<args_vkQueueBindSparse>();
        for (const VkBindSparseInfo& info : std::span(a.pBindInfo, a.bindInfoCount))
          waited_for(c, info.pWaitSemaphores, info.waitSemaphoreCount);
        break;
      }
      case CommandId::vkImportSemaphoreFdKHR:
        out_->imported.insert(c.id(&c.as<args_vkImportSemaphoreFdKHR>().pImportSemaphoreFdInfo->semaphore));
        break;
      case CommandId::vkGetSemaphoreFdKHR:
        out_->imported.erase(c.id(&c.as<args_vkGetSemaphoreFdKHR>().pGetFdInfo->semaphore));
        break;
      case CommandId::vkQueueBeginDebugUtilsLabelEXT:
        queue_labels_[c.dispatch].push_back(c.sequence);
        break;
      case CommandId::vkQueueEndDebugUtilsLabelEXT:
        close(queue_labels_[c.dispatch]);
        break;
      case CommandId::rondoScopeBegin:
        host_scopes_[record.thread].push_back(c.sequence);
        break;
      case CommandId::rondoScopeEnd:
        close(host_scopes_[record.thread]);
        break;
      default:
        break;
    }
  }

  void acquire(const Call& c, const Record& record, ObjectId swapchain, const std::uint32_t* index) {
    if ((record.return_value == VK_SUCCESS || record.return_value == VK_SUBOPTIMAL_KHR) && index != nullptr)
      out_->acquired[{swapchain, *index}] = c.sequence;
  }
  void waited_for(const Call& c, const VkSemaphore* semaphores, std::uint32_t count) {
    for (std::uint32_t i = 0; semaphores != nullptr && i < count; ++i) out_->imported.erase(c.id(&semaphores[i]));
  }
  static void close(std::vector<std::uint64_t>& open) {
    if (!open.empty()) open.pop_back();
  }

  void finish() {
    for (const auto& [key, sequence] : last_) out_->last.insert(sequence);
    for (const auto& [queue, open] : queue_labels_) out_->open_labels.insert(open.begin(), open.end());
    for (const auto& [thread, open] : host_scopes_) out_->open_labels.insert(open.begin(), open.end());
  }

  model::Stream stream_;
  const player::Plan& plan_;
  const RecordRange records_;
  const std::uint64_t counted_from_;
  std::unique_ptr<Survey> out_;
  access::Model model_;
  model::Parameters parameters_;
  bool in_span_ = false;
  std::vector<ObjectId> reachable_;
  std::uint64_t reached_at_ = 0;
  std::map<std::tuple<std::uint32_t, ObjectId, ObjectId, std::uint64_t>, std::uint64_t> last_;
  std::unordered_map<ObjectId, std::vector<std::uint64_t>> queue_labels_;
  std::unordered_map<std::uint32_t, std::vector<std::uint64_t>> host_scopes_;
};

}  // namespace

Result<std::unique_ptr<Survey>> survey(Reader& reader, const player::Plan& plan, const States& states,
                                       const RecordRange& records, std::uint64_t counted_from,
                                       const std::function<void(std::uint64_t)>& progress) {
  return Surveyor(reader, plan, states, records, counted_from).run(progress);
}

}  // namespace rondo::trim
