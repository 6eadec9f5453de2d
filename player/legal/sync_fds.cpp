// SPDX-License-Identifier: Apache-2.0
// Payloads that leave as sync fds and come back as such. Which fd is which the
// capture does not say: what is imported may be anything that was exported before and
// is not known to have been signalled, so the player waits for all of that. What came from
// elsewhere was signalled, else the program would not have gone on.
#include <algorithm>
#include <iterator>

#include "generated/args.h"
#include "player/legal/validity.h"

namespace rondo::player::validity {

void Validity::exported(Place place) {
  // What is behind it on its queue, and exported later, stands for it.
  std::erase_if(exports_, [&](const Export& one) {
    return !work.running(one.place) || (one.place.queue == place.queue && one.place.number <= place.number);
  });
  if (work.running(place)) exports_.push_back({op(), place});
}

std::vector<Export> Validity::sources() const {
  std::vector<Export> found;
  std::copy_if(exports_.begin(), exports_.end(), std::back_inserter(found),
               [&](const Export& one) { return alive(one.place.queue) && work.running(one.place); });
  return found;
}

bool Validity::is_blocked(const Export& source) {
  if (sync_model_ == nullptr) sync_model_ = std::make_unique<SyncModel>(plan_);
  sync_model_->advance(op());
  ObjectId queue = source.place.queue;
  if (plan_.objects.objects()[queue].type == HandleType::VkSwapchainKHR) queue = plan_.queue_of_presents(queue);
  return sync_model_->blocked(queue, source.op);
}

namespace {

ObjectId device_of(Validity& v, ObjectId id) { return v.plan().objects.objects()[id].device; }

Settle leaving(Validity& v, Place place) {
  Settle settle;
  settle.op = v.op();
  settle.queue = place.queue;
  settle.payload = Settle::Payload::leaves;
  return settle;
}

Settle due(Validity& v, ObjectId queue, const Export& source) {
  Settle settle;
  settle.op = v.op();
  settle.queue = queue;
  settle.payload = Settle::Payload::is_due;
  settle.exported = source.op;
  return settle;
}

Settle coming(Validity& v, ObjectId queue) {
  Settle settle;
  settle.op = v.op();
  settle.queue = queue;
  settle.payload = Settle::Payload::comes;
  return settle;
}

// The host waits for what the program saw signalled; what waits for a later record, or for an
// event, was not in it.
void await(Validity& v, const std::vector<Export>& sources) {
  for (const Export& source : sources) {
    if (!v.work.running(source.place) || !v.alive(source.place.queue) || !v.never_ends(source.place).empty() ||
        v.is_blocked(source))
      continue;
    v.settle_payload(due(v, ObjectId::null, source));
    v.work.finish(source.place);
  }
}

// No fd was made: it was signalled already, and the program knows that.
bool was_signalled(const int* fd) { return fd != nullptr && *fd == -1; }

Wrong nothing_signals(Validity& v, ObjectId id) {
  return "exports the payload of " + v.name(id) + ", which nothing signals";
}

Wrong export_semaphore(Validity& v, const Call& c) {
  const ObjectId id = c.id(&c.as<args_vkGetSemaphoreFdKHR>().pGetFdInfo->semaphore);
  Semaphore* semaphore = v.semaphores.find(id);
  if (semaphore == nullptr) return {};
  if (semaphore->timeline) return v.name(id) + " is a timeline semaphore";
  const bool signalled = was_signalled(c.as<args_vkGetSemaphoreFdKHR>().pFd);
  if (semaphore->imported) {  // it goes on to whoever gets it, and its sources are known
    if (signalled)
      await(v, semaphore->sources);
    else
      v.skip();
    semaphore->imported = false;
    semaphore->sources.clear();
    return {};
  }
  if (semaphore->signals == 0 || semaphore->given.empty()) return nothing_signals(v, id);
  const Place place = semaphore->given[0].place;
  semaphore->signals = 0;
  semaphore->given.clear();
  v.work.forget(id);
  Settle settle = leaving(v, place);
  settle.semaphore = id;
  v.settle_payload(settle);
  if (signalled) await(v, {{v.op(), place}});
  v.exported(place);
  return {};
}

// What it had before is there again behind the wait for this.
Wrong import_semaphore(Validity& v, const Call& c) {
  const VkImportSemaphoreFdInfoKHR& info = *c.as<args_vkImportSemaphoreFdKHR>().pImportSemaphoreFdInfo;
  const ObjectId id = c.id(&info.semaphore);
  v.skip();
  Semaphore* semaphore = v.semaphores.find(id);
  if (semaphore == nullptr) return {};
  if (semaphore->timeline) return v.name(id) + " is a timeline semaphore";
  semaphore->imported = true;
  semaphore->sources = info.fd == -1 ? std::vector<Export>() : v.sources();
  return {};
}

Wrong export_fence(Validity& v, const Call& c) {
  const ObjectId id = c.id(&c.as<args_vkGetFenceFdKHR>().pGetFdInfo->fence);
  Fence* fence = v.fences.find(id);
  if (fence == nullptr) return {};
  if (!fence->signals) return nothing_signals(v, id);
  const Place place = fence->place;
  *fence = {};
  v.work.forget(id);
  Settle settle = leaving(v, place);
  settle.fence = id;
  v.settle_payload(settle);
  if (place.queue == ObjectId::null) return {};
  if (was_signalled(c.as<args_vkGetFenceFdKHR>().pFd)) await(v, {{v.op(), place}});
  v.exported(place);
  return {};
}

Wrong import_fence(Validity& v, const Call& c) {
  const VkImportFenceFdInfoKHR& info = *c.as<args_vkImportFenceFdKHR>().pImportFenceFdInfo;
  const ObjectId id = c.id(&info.fence);
  Fence* fence = v.fences.find(id);
  if (fence == nullptr) return {};
  *fence = {};
  fence->signals = true;
  if (info.fd != -1) fence->sources = v.sources();
  v.work.forget(id);
  Settle settle = coming(v, ObjectId::null);
  settle.fence = id;
  v.settle_payload(settle);
  return {};
}

}  // namespace

Wrong take_imported(Validity& v, ObjectId id, Place place) {
  Semaphore& semaphore = *v.semaphores.find(id);
  for (const Export& source : semaphore.sources) {
    if (!v.work.running(source.place) || !v.alive(source.place.queue)) continue;
    const bool here = device_of(v, source.place.queue) == device_of(v, place.queue);
    // No queue waits for another device's: the host does.
    if (!here && v.is_blocked(source))
      return "waits for " + v.name(id) + ", whose payload may be of work on another device that waits for a " +
             "later record";
    Settle settle = due(v, here ? place.queue : ObjectId::null, source);
    settle.semaphore = id;
    v.settle_payload(settle);
    v.work.depend(place, source.place);
  }
  semaphore.sources.clear();
  // The signal that it had before is taken in place of the imported one, which then is the next.
  if (semaphore.signals != 0) {
    semaphore.signals = 0;
    if (!semaphore.given.empty()) v.work.depend(place, semaphore.given[0].place);
    return {};
  }
  semaphore.imported = false;
  Settle settle = coming(v, place.queue);
  settle.semaphore = id;
  v.settle_payload(settle);
  return {};
}

Wrong saw_imported(Validity& v, Fence& fence) {
  await(v, fence.sources);
  fence.sources.clear();
  return {};
}

void add_sync_fd_checks(std::vector<Handler>& table) {
  const auto add = [&](CommandId id, Handler handler) { table[static_cast<std::size_t>(id)] = handler; };
  add(CommandId::vkGetSemaphoreFdKHR, export_semaphore);
  add(CommandId::vkImportSemaphoreFdKHR, import_semaphore);
  add(CommandId::vkGetFenceFdKHR, export_fence);
  add(CommandId::vkImportFenceFdKHR, import_fence);
}

}  // namespace rondo::player::validity
