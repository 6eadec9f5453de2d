// SPDX-License-Identifier: Apache-2.0
#include "player/snapshot/snapshot.h"

#include <algorithm>
#include <map>
#include <optional>
#include <thread>
#include <utility>

#include "format/needed_files.h"
#include "player/console.h"
#include "player/devices/preflight.h"
#include "player/run/blobs_ahead.h"
#include "player/show/presenter.h"
#include "player/snapshot/snapshot_place.h"
#include "player/snapshot/snapshot_usage.h"

namespace rondo::player {

namespace {

constexpr VkDeviceSize kPiece = 16 << 20;  // of a buffer, at once
constexpr VkQueueFlags kGraphics = VK_QUEUE_GRAPHICS_BIT;
constexpr VkQueueFlags kCopies = kGraphics | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT;

}  // namespace

// In this order: what stands below uses what stands above.
struct Snapshot::Impl {
  SnapshotPlace place;
  std::size_t budget = 0;
  std::unique_ptr<Reader> reader;  // null: the plan has all of it
  std::unique_ptr<Plan> plan;
  std::uint32_t op = 0;
  SnapshotList list;

  std::optional<Loader> loader;
  std::unique_ptr<LiveDevices> live;
  std::vector<ChosenDevice> chosen;
  Targets targets;
  ShaderReport shaders;
  Windows windows;
  std::optional<Deadline> deadline;
  Observer observer;
  PlacementCache placements;
  std::optional<BlobsAhead> blobs;
  std::optional<Run> run;
  std::map<std::uint32_t, gpu::Decoder> decoders;  // by device; they end before the devices do
  bool left_running = false;

  const VkQueueFamilyProperties& properties(const DeviceState& device, std::uint32_t family) const {
    return targets[device.index].families[family];
  }
  // That may read what belongs to the family, or to those that share it; none: no such queue can copy.
  std::optional<LiveQueue> queue_for(const DeviceState& device, std::uint32_t family,
                                     const std::vector<std::uint32_t>& shared, VkQueueFlags needs) const;
  Result<void> read_all(DeviceState& device, const LiveQueue& queue, std::span<const gpu::Source> sources,
                        const std::string& name,
                        const std::function<Result<void>(std::size_t, std::span<const std::byte>)>& visit);
};

std::optional<LiveQueue> Snapshot::Impl::queue_for(const DeviceState& device, std::uint32_t family,
                                                   const std::vector<std::uint32_t>& shared, VkQueueFlags needs) const {
  const auto fits = [&](const LiveQueue& queue) {
    if ((properties(device, queue.family).queueFlags & needs) == 0) return false;
    if (family != VK_QUEUE_FAMILY_IGNORED) return queue.family == family;
    return shared.empty() || std::find(shared.begin(), shared.end(), queue.family) != shared.end();
  };
  const LiveQueue service{ObjectId::null, device.service_queue, device.service_family};
  if (fits(service)) return service;
  const auto found = std::find_if(device.queues.begin(), device.queues.end(), fits);
  return found == device.queues.end() ? std::nullopt : std::optional(*found);
}

Result<void> Snapshot::Impl::read_all(
    DeviceState& device, const LiveQueue& queue, std::span<const gpu::Source> sources, const std::string& name,
    const std::function<Result<void>(std::size_t, std::span<const std::byte>)>& visit) {
  Result<void> visited;
  const auto read = run->readback(device, queue.family)
                        .read_all(queue.handle, sources, [&](std::size_t i, std::span<const std::byte> bytes) {
                          if (visited) visited = visit(i, bytes);
                        });
  if (!read)
    return fail(read.error().status,
                plan->path + ": reading " + name + " back " + place.text() + ": " + read.error().message);
  return visited;
}

Snapshot::Snapshot(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Snapshot::~Snapshot() { static_cast<void>(close()); }

Result<std::unique_ptr<Snapshot>> Snapshot::load(const std::string& file, const SnapshotPlace& place,
                                                 std::size_t memory_budget, const FileAccess& files,
                                                 std::span<const NamedOutput> outputs) {
  auto impl = std::make_unique<Impl>();
  impl->place = place;
  impl->budget = memory_budget != 0 ? memory_budget : machine_memory() / 2;
  auto reader = Reader::open(file, {.memory_budget = memory_budget, .files = files});
  if (!reader) return tl::unexpected<Error>(reader.error());
  RONDO_TRY(spare_needed_files(**reader, outputs));
  RONDO_TRY((*reader)->check_files());
  PlanOptions options;
  options.span = span_of(place);
  options.memory_budget = memory_budget;
  options.to_end_of_span = place.kind != SnapshotPlace::Kind::end;
  auto plan = build_plan(**reader, options);
  if (!plan) return tl::unexpected<Error>(plan.error());
  impl->plan = std::move(*plan);
  // What nothing ever wrote is zeros then, and not what drivers and this process had there before.
  impl->plan->has_checkpoints = true;
  if (!impl->plan->late_blobs.empty()) impl->reader = std::move(*reader);
  const auto op = find_place(*impl->plan, place);
  if (!op) return tl::unexpected<Error>(op.error());
  impl->op = *op;
  auto list = list_alive(*impl->plan, *op);
  if (!list) return tl::unexpected<Error>(list.error());
  impl->list = std::move(*list);
  return std::unique_ptr<Snapshot>(new Snapshot(std::move(impl)));
}

const Plan& Snapshot::plan() const { return *impl_->plan; }
std::uint32_t Snapshot::op() const { return impl_->op; }
std::uint64_t Snapshot::record() const { return impl_->op == 0 ? 0 : impl_->plan->ops[impl_->op - 1].sequence; }
const std::vector<SnapshotImage>& Snapshot::images() const { return impl_->list.images; }
const std::vector<SnapshotBuffer>& Snapshot::buffers() const { return impl_->list.buffers; }
const std::vector<ChosenDevice>& Snapshot::devices() const { return impl_->chosen; }
const ShaderReport& Snapshot::shaders() const { return impl_->shaders; }
bool Snapshot::left_running() const { return impl_->left_running; }

Result<void> Snapshot::play(const SnapshotOptions& options) {
  Impl& s = *impl_;
  Plan& plan = *s.plan;
  auto shaders = prepare_shaders(plan, {options.trust, options.clamp_shaders, 0, {}});
  if (!shaders) return tl::unexpected<Error>(shaders.error());
  s.shaders = std::move(*shaders);
  auto loader = Loader::open();
  if (!loader) return tl::unexpected<Error>(loader.error());
  s.loader = std::move(*loader);
  if (options.validate) RONDO_TRY(s.loader->check_validation_layer());
  auto live = LiveDevices::open(*s.loader);
  if (!live) return tl::unexpected<Error>(live.error());
  s.live = std::move(*live);
  auto targets = choose_targets(options.devices, plan, *s.live, s.chosen);
  if (!targets) return tl::unexpected<Error>(targets.error());
  s.targets = std::move(*targets);
  const Unreadable unreadable = make_readable(plan, s.op, *s.live, s.targets);
  RONDO_TRY(preflight(plan, *s.loader, *s.live, s.targets, options.trust));
  RONDO_TRY(check_workgroups(plan, s.shaders, options.trust, s.targets));
  // Again: the target may number its queue families otherwise.
  auto list = list_alive(plan, s.op);
  if (!list) return tl::unexpected<Error>(list.error());
  for (SnapshotImage& image : list->images)
    if (const auto why = unreadable.find(image.id); why != unreadable.end() && image.unreadable.empty())
      image.unreadable = why->second;
  // The usage that was added is not the program's.
  for (std::size_t i = 0; i < list->images.size(); ++i) list->images[i].usage = s.list.images[i].usage;
  for (std::size_t i = 0; i < list->buffers.size(); ++i) list->buffers[i].usage = s.list.buffers[i].usage;
  s.list = std::move(*list);

  s.deadline.emplace(0, plan.path);
  if (s.reader != nullptr) s.blobs.emplace(plan, *s.reader, s.budget / 8);
  RunOptions run_options;
  run_options.windows = &s.windows;
  run_options.validate = options.validate;
  run_options.jobs = std::max(std::thread::hardware_concurrency(), 1u);
  run_options.blobs = s.blobs ? &*s.blobs : nullptr;
  s.run.emplace(plan, *s.loader, s.targets, run_options, *s.deadline, s.observer, s.placements);
  RONDO_TRY(s.run->play_to(s.op));
  RONDO_TRY(s.run->idle());
  for (SnapshotImage& image : s.list.images) {
    DeviceState* const device = s.run->device_at(image.device).get();
    for (SnapshotPart& part : image.parts) {
      if (!part.unreadable.empty() || device == nullptr) continue;
      const bool depth = (part.aspect & (VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT)) != 0;
      if (!s.queue_for(*device, part.family, image.families, depth ? kGraphics : kCopies))
        part.unreadable =
            depth ? "no queue of its family can copy depth and stencil" : "no queue of its family can copy";
    }
  }
  return {};
}

Result<void> Snapshot::read(const SnapshotImage& image, const VisitPart& visit) {
  Impl& s = *impl_;
  if (!image.unreadable.empty()) return {};
  DeviceState& device = *s.run->device_at(image.device);
  // Those of one queue together, each group in order.
  struct Group {
    LiveQueue queue;
    std::vector<std::size_t> parts;
    std::vector<gpu::Source> sources;
  };
  std::vector<Group> groups;
  for (std::size_t i = 0; i < image.parts.size(); ++i) {
    const SnapshotPart& part = image.parts[i];
    if (!part.unreadable.empty()) continue;
    const bool depth = (part.aspect & (VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT)) != 0;
    const auto queue = s.queue_for(device, part.family, image.families, depth ? kGraphics : kCopies);
    if (!queue) continue;  // play() has said so
    gpu::ImageSource source;
    source.image = reinterpret_cast<VkImage>(s.run->slot(image.id));
    source.format = image.format;
    source.extent = part.extent;
    source.layout = part.layout;
    source.aspect = part.aspect;
    source.together = part.together;
    source.mip = part.mip;
    source.layer = part.layer;
    if (groups.empty() || groups.back().queue.handle != queue->handle) groups.push_back({*queue, {}, {}});
    groups.back().parts.push_back(i);
    groups.back().sources.push_back(source);
  }
  for (const Group& group : groups)
    RONDO_TRY(
        s.read_all(device, group.queue, group.sources, s.plan->full_name(image.id),
                   [&](std::size_t i, std::span<const std::byte> bytes) { return visit(group.parts[i], bytes); }));
  return {};
}

Result<void> Snapshot::read(const SnapshotBuffer& buffer, const VisitBytes& visit) {
  Impl& s = *impl_;
  if (!buffer.unreadable.empty()) return {};
  const std::string name = s.plan->full_name(buffer.id);
  DeviceState& device = *s.run->device_at(buffer.device);
  const auto queue = s.queue_for(device, VK_QUEUE_FAMILY_IGNORED, buffer.families, kCopies);
  if (!queue) return fail(Status::failed, s.plan->path + ": " + name + ": no queue of its families can copy");
  const auto handle = reinterpret_cast<VkBuffer>(s.run->slot(buffer.id));
  for (VkDeviceSize at = 0; at < buffer.bytes; at += kPiece) {
    const gpu::Source source = gpu::BufferSource{handle, at, std::min(kPiece, buffer.bytes - at)};
    RONDO_TRY(s.read_all(device, *queue, {&source, 1}, name, [&](std::size_t, std::span<const std::byte> bytes) {
      return visit(at, as_captured(*s.run, buffer.id, at, bytes));
    }));
  }
  return {};
}

Result<gpu::Decoded> Snapshot::decode(const SnapshotImage& image, VkFormat format, VkExtent2D extent,
                                      std::span<const std::byte> texels) {
  Impl& s = *impl_;
  DeviceState& device = *s.run->device_at(image.device);
  const auto queue = s.queue_for(device, VK_QUEUE_FAMILY_IGNORED, {}, kGraphics);
  if (!queue) return fail(Status::device, "no queue of the device can blit");
  const auto features = [&s, target = s.targets[device.index].handle](VkFormat asked) {
    VkFormatProperties has{};
    reinterpret_cast<PFN_vkGetPhysicalDeviceFormatProperties>(s.live->get("vkGetPhysicalDeviceFormatProperties"))(
        target, asked, &has);
    return has.optimalTilingFeatures;
  };
  const auto made = s.decoders.try_emplace(device.index, device.access, queue->family, features).first;
  return made->second.decode(queue->handle, format, extent, texels);
}

Result<void> Snapshot::close() {
  Impl& s = *impl_;
  if (!s.run) return {};
  s.decoders.clear();
  const Result<void> ended = s.run->finish();
  s.left_running = s.left_running || !ended;
  if (!ended) return ended;
  s.run.reset();
  return check_validation(s.plan->path, s.observer.validation_messages());
}

}  // namespace rondo::player
