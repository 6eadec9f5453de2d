// SPDX-License-Identifier: Apache-2.0
// --window: what a replay presents is shown. Virtual swapchains stay what they
// are; their images are copied to windows, one for each captured surface.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "player/run/run.h"
#include "player/show/desktop/desktop.h"
#include "player/show/window_chain.h"

namespace rondo::player {

// The windows of all Runs of one player, by captured surface.
struct Windows {
  std::unique_ptr<Desktop> desktop;
  std::optional<Result<std::unique_ptr<Desktop>>> early;  // opened before this process gave up opening sockets
  std::map<ObjectId, std::unique_ptr<DesktopWindow>> of;  // null: closed by its user, for good
  std::set<ObjectId> leaving;  // their last swapchain is gone: they go when something else is shown
  bool quiet = false;
  std::uint64_t shown = 0;  // images

  // They and their connections stay until the process ends: swapchains of them cannot be destroyed.
  void leave();
};

// Status::usage: no window system is here. Status::device: it, or a target, shows nothing.
Result<void> open_windows(Windows& windows, const Plan& plan, const Loader& loader, const Targets& targets);

// The part of them that one Run's devices have.
class Presenter {
 public:
  Presenter(Run& run, Windows& windows) : run_(run), windows_(windows) {}
  Presenter(const Presenter&) = delete;
  Presenter& operator=(const Presenter&) = delete;

  const char* surface_extension() const { return windows_.desktop->surface_extension(); }
  // A captured swapchain was made: its surface's window is as large.
  void opened(const VirtualSwapchain& swapchain);
  // … is destroyed.
  void closing(const VirtualSwapchain& swapchain);
  // Behind the captured present's waits, on its queue.
  Result<void> show(const Op& op, const LiveQueue& queue, const VirtualSwapchain& swapchain, std::uint32_t image);
  // Before they are destroyed, with idle queues.
  void release_device(std::uint32_t index);
  void release_instance(ObjectId instance);

 private:
  struct Surface {
    ObjectId instance = ObjectId::null;
    VkSurfaceKHR handle = VK_NULL_HANDLE;
    std::uint32_t device = kNone;  // the chain's
    std::unique_ptr<WindowChain> chain;
  };

  ObjectId key_of(const VirtualSwapchain& swapchain) const;
  bool is_last_of_surface(const VirtualSwapchain& swapchain) const;
  Surface* find(ObjectId key);
  Result<bool> prepare(const Op& op, ObjectId key, const LiveQueue& queue, const VirtualSwapchain& source);
  Result<void> make_surface(const Op& op, ObjectId key, DesktopWindow& window);
  Result<void> make_chain(const Op& op, Surface& surface, const LiveQueue& queue);
  // False: work on it goes on.
  bool idle(Surface& surface);
  bool release(ObjectId key);
  void drop_closed(ObjectId key);
  bool was_closed(ObjectId key);
  void sweep(ObjectId but);

  Run& run_;
  Windows& windows_;
  std::map<ObjectId, Surface> surfaces_;
};

}  // namespace rondo::player
