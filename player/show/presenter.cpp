// SPDX-License-Identifier: Apache-2.0
#include "player/show/presenter.h"

#include <algorithm>

#include "format/printable.h"
#include "player/console.h"
#include "player/run/idle.h"
#include "player/show/desktop/driver_asks.h"

namespace rondo::player {

namespace {

constexpr std::uint64_t kPatienceNs = 10'000'000'000;  // for work on what is to be destroyed

bool is_gone(VkResult result) { return result == VK_ERROR_SURFACE_LOST_KHR; }

}  // namespace

void Windows::leave() {
  for (auto& [key, window] : of) static_cast<void>(window.release());
  of.clear();
  static_cast<void>(desktop.release());
}

Result<void> open_windows(Windows& windows, const Plan& plan, const Loader& loader, const Targets& targets) {
  if (plan.swapchains.empty()) return {};
  auto desktop = windows.early ? std::move(*windows.early) : Desktop::open();
  if (!desktop) return tl::unexpected<Error>(desktop.error());
  for (const char* name : {VK_KHR_SURFACE_EXTENSION_NAME, (*desktop)->surface_extension()})
    if (!loader.has_extension(name))
      return fail(Status::device, std::string("--window: no driver here presents to windows: none has ") + name);
  for (const CapturedSwapchain& swapchain : plan.swapchains)
    if (const LiveDevice& target = targets[swapchain.device]; !target.has_extension(VK_KHR_SWAPCHAIN_EXTENSION_NAME))
      return fail(Status::device, "--window: " + std::string(fixed_text(target.properties.deviceName)) +
                                      " cannot present to windows: it lacks " VK_KHR_SWAPCHAIN_EXTENSION_NAME);
  windows.desktop = std::move(*desktop);
  return {};
}

ObjectId Presenter::key_of(const VirtualSwapchain& swapchain) const {
  const CapturedSwapchain& captured = run_.plan().swapchains[swapchain.place];
  return captured.surface != ObjectId::null ? captured.surface : captured.id;
}

bool Presenter::is_last_of_surface(const VirtualSwapchain& swapchain) const {
  const auto& all = run_.plan().swapchains;
  const ObjectId surface = all[swapchain.place].surface;
  return std::none_of(all.begin() + swapchain.place + 1, all.end(), [&](const CapturedSwapchain& later) {
    return surface != ObjectId::null && later.surface == surface;
  });
}

Presenter::Surface* Presenter::find(ObjectId key) {
  const auto found = surfaces_.find(key);
  return found == surfaces_.end() ? nullptr : &found->second;
}

void Presenter::opened(const VirtualSwapchain& swapchain) {
  const ObjectId key = key_of(swapchain);
  const VkExtent2D extent{swapchain.info.extent.width, swapchain.info.extent.height};
  windows_.leaving.erase(key);
  sweep(key);
  const auto known = windows_.of.find(key);
  if (known == windows_.of.end()) {
    const std::string& path = run_.plan().path;
    const std::string title = printable(path.substr(path.rfind('/') + 1) + " " + run_.plan().full_name(key));
    windows_.of[key] = windows_.desktop->create_window(extent, title);
  } else if (known->second != nullptr) {
    known->second->resize(extent);
  }
}

void Presenter::closing(const VirtualSwapchain& swapchain) {
  const ObjectId key = key_of(swapchain);
  // A copy of its last image may still wait for the window system.
  if (Surface* surface = find(key); surface != nullptr && surface->chain != nullptr) surface->chain->finish_copies();
  if (!is_last_of_surface(swapchain)) return;
  release(key);
  windows_.leaving.insert(key);
}

// Of those that nothing is shown in any more.
void Presenter::sweep(ObjectId but) {
  std::erase_if(windows_.leaving, [&](ObjectId key) {
    if (key == but || find(key) != nullptr) return false;
    const auto window = windows_.of.find(key);
    if (window != windows_.of.end() && window->second != nullptr) windows_.of.erase(window);
    return true;
  });
}

bool Presenter::idle(Surface& surface) {
  if (surface.chain == nullptr) return true;
  DeviceState& device = *surface.chain->place().device;
  if (run_.blocked(device)) return false;
  const VkResult r = IdleProbe(device).wait(kPatienceNs);
  return r == VK_SUCCESS || r == VK_ERROR_DEVICE_LOST;
}

// The surface and what stands on it.
bool Presenter::release(ObjectId key) {
  Surface* surface = find(key);
  if (surface == nullptr) return true;
  if (!idle(*surface)) return false;
  surface->chain.reset();
  InstanceState& instance = run_.instance(surface->instance);
  instance.dispatch.vkDestroySurfaceKHR(instance.handle, surface->handle, nullptr);
  surfaces_.erase(key);
  return true;
}

void Presenter::drop_closed(ObjectId key) {
  if (!release(key)) return;
  windows_.of[key] = nullptr;
  run_.observer().clear_progress();
  if (!windows_.quiet) print_line("the window of " + run_.plan().full_name(key) + " was closed: playing on without it");
}

// Then what failed did so for that.
bool Presenter::was_closed(ObjectId key) {
  windows_.desktop->catch_up();
  if (windows_.of[key] == nullptr) return true;
  if (!windows_.of[key]->closed()) return false;
  drop_closed(key);
  return true;
}

Result<void> Presenter::make_surface(const Op& op, ObjectId key, DesktopWindow& window) {
  Surface surface;
  surface.instance = run_.plan().devices[op.device].instance;
  InstanceState& instance = run_.instance(surface.instance);
  const VkResult r = window.create_surface(instance.handle, instance.dispatch, &surface.handle);
  if (r < 0) return tl::unexpected<Error>(run_.failure(op, r, "the creation of its window's surface"));
  surfaces_[key] = std::move(surface);
  return {};
}

Result<void> Presenter::make_chain(const Op& op, Surface& surface, const LiveQueue& queue) {
  InstanceState& instance = run_.instance(surface.instance);
  const LiveDevice& target = run_.targets()[op.device];
  ChainPlace place;
  place.device = &run_.device(op);
  place.instance = &instance.dispatch;
  place.physical = instance.targets.at(op.device);
  place.surface = surface.handle;
  place.family = queue.family;
  place.graphics = (target.families[queue.family].queueFlags & VK_QUEUE_GRAPHICS_BIT) != 0;
  VkBool32 supported = VK_FALSE;
  const VkResult r =
      instance.dispatch.vkGetPhysicalDeviceSurfaceSupportKHR(place.physical, place.family, place.surface, &supported);
  if (r < 0 && !is_gone(r)) return tl::unexpected<Error>(run_.failure(op, r, "vkGetPhysicalDeviceSurfaceSupportKHR"));
  if (r >= 0 && supported == VK_FALSE)
    return tl::unexpected<Error>(run_.refuse(op, Status::device,
                                             std::string("--window: queues of family ") + std::to_string(place.family) +
                                                 " of " + std::string(fixed_text(target.properties.deviceName)) +
                                                 " cannot present to windows"));
  surface.device = op.device;
  surface.chain = std::make_unique<WindowChain>(place);
  return {};
}

// True: an image can be shown. False: not now.
Result<bool> Presenter::prepare(const Op& op, ObjectId key, const LiveQueue& queue, const VirtualSwapchain& source) {
  const auto window = windows_.of.find(key);
  if (window == windows_.of.end() || window->second == nullptr) return false;
  if (window->second->closed()) {
    drop_closed(key);
    return false;
  }
  if (find(key) == nullptr) RONDO_TRY(make_surface(op, key, *window->second));
  Surface& surface = *find(key);
  const VkExtent2D wanted = window->second->extent();
  const bool other =
      surface.chain != nullptr && (surface.device != op.device || surface.chain->place().family != queue.family);
  if (surface.chain != nullptr && !other && !surface.chain->stale(source, wanted)) return true;
  if (!idle(surface)) return false;
  const DriverAsks asks(*windows_.desktop, run_.refuse(op, Status::failed, "").message);
  if (other) surface.chain.reset();
  if (surface.chain == nullptr) RONDO_TRY(make_chain(op, surface, queue));
  const VkResult r = surface.chain->make(source, wanted);
  if (r == VK_ERROR_FORMAT_NOT_SUPPORTED)
    return tl::unexpected<Error>(
        run_.refuse(op, Status::device, "--window: images of this format cannot be shown in windows here"));
  if (is_gone(r)) drop_closed(key);
  // As it may when the window changes once more.
  if (is_gone(r) || r == VK_NOT_READY || r == VK_ERROR_OUT_OF_DATE_KHR) return false;
  if (r < 0) return tl::unexpected<Error>(run_.failure(op, r, surface.chain->command()));
  return true;
}

Result<void> Presenter::show(const Op& op, const LiveQueue& queue, const VirtualSwapchain& swapchain,
                             std::uint32_t image) {
  const ObjectId key = key_of(swapchain);
  sweep(key);
  windows_.desktop->poll();
  // What the window system waits for would come with a later record.
  if (run_.blocked(run_.device(op), queue.handle, false)) return {};
  constexpr int kTries = 2;  // a window that has changed gets another swapchain
  for (int i = 0; i < kTries; ++i) {
    const Result<bool> ready = prepare(op, key, queue, swapchain);
    if (!ready && was_closed(key)) return {};
    if (!ready) return tl::unexpected<Error>(ready.error());
    if (!*ready) return {};
    WindowChain& chain = *find(key)->chain;
    const VkResult r = chain.show(queue.handle, swapchain, image);
    if (r == VK_ERROR_OUT_OF_DATE_KHR) continue;
    if (is_gone(r)) drop_closed(key);
    if (r == VK_SUCCESS || r == VK_SUBOPTIMAL_KHR) ++windows_.shown;
    if (r >= 0 || is_gone(r) || was_closed(key)) return {};
    return tl::unexpected<Error>(run_.failure(op, r, chain.command()));
  }
  return {};
}

void Presenter::release_device(std::uint32_t index) {
  for (auto& [key, surface] : surfaces_)
    if (surface.chain != nullptr && surface.device == index) surface.chain.reset();
}

void Presenter::release_instance(ObjectId id) {
  InstanceState& instance = run_.instance(id);
  std::erase_if(surfaces_, [&](const auto& entry) {
    const Surface& surface = entry.second;
    if (surface.instance != id) return false;
    instance.dispatch.vkDestroySurfaceKHR(instance.handle, surface.handle, nullptr);
    return true;
  });
}

}  // namespace rondo::player
