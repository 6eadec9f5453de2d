// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <span>

#include "format/codec/shapes.h"
#include "format/counts.h"
#include "generated/args.h"
#include "player/plan/places.h"
#include "player/plan/plan_builder.h"
#include "player/plan/shared_pages.h"
#include "player/plan/swapchain_images.h"
#include "player/run/run.h"

namespace rondo::player {

namespace {

// Only to compare: for that alone resources are made otherwise.
bool is_of_contents(CommandId id) {
  return id == CommandId::rondoCheckpointBuffers || id == CommandId::rondoCheckpointSubresources;
}

// Bytes that nothing but its executor looks at.
bool brings_contents(CommandId id) {
  return id == CommandId::rondoHostWrite || id == CommandId::rondoMemoryContents || id == CommandId::rondoImageContents;
}

// Names and tags may be given to objects that the player does not have.
bool may_name_unknown(const codec::CommandInfo& command) {
  return command.canonical == CommandId::vkSetDebugUtilsObjectNameEXT ||
         command.canonical == CommandId::vkSetDebugUtilsObjectTagEXT ||
         command.canonical == CommandId::vkDebugMarkerSetObjectNameEXT ||
         command.canonical == CommandId::vkDebugMarkerSetObjectTagEXT;
}

// Never made by an op, or by one that makes more than it says.
bool is_players_own(HandleType type) {
  switch (type) {
    case HandleType::VkPhysicalDevice:
    case HandleType::VkSurfaceKHR:
    case HandleType::VkDisplayKHR:
    case HandleType::VkDisplayModeKHR:
    case HandleType::VkDebugUtilsMessengerEXT:
    case HandleType::VkDebugReportCallbackEXT:
      return true;
    default:
      return false;
  }
}

// Damage of the file: what comes before it can be played, if there is any.
tl::unexpected<Error> ends_plan(Error error, const PlanOptions& options, const Plan& plan) {
  if (!options.salvage && error.status == Status::unreadable && !plan.ops.empty())
    error.message += "; `player --salvage` plays what comes before it";
  return tl::unexpected<Error>(std::move(error));
}

}  // namespace

PlanBuilder::PlanBuilder(Reader& reader, const PlanOptions& options)
    : reader_(reader),
      options_(options),
      plan_(std::make_unique<Plan>()),
      stream_(reader, &plan_->objects),
      lowered_(stream_.lowered()),
      resolution_(stream_.resolution()),
      validity_(*plan_),
      budget_(options.memory_budget != 0 ? options.memory_budget : machine_memory() / 2) {
  plan_->path = reader.path();
  plan_->files = reader.file_access();
  plan_->header = reader.header();
  const auto& names = reader.dictionary();
  if (std::any_of(names.begin(), names.end(), [](const DictionaryRow& row) { return row.name == "rondoCut"; }))
    spans_.expect_cut();
  if (std::any_of(names.begin(), names.end(), [](const DictionaryRow& row) { return row.name == "rondoWorkEnded"; }))
    late_submits_ = std::make_unique<LateSubmits>(*plan_, validity_.work);
}

Error PlanBuilder::at(const Record& record, Status status, const std::string& sentence) const {
  return {status, plan_->path + ": record " + std::to_string(record.sequence) + ": " + sentence};
}

Result<void> PlanBuilder::run() {
  while (true) {
    auto record = reader_.next();
    if (!record) return ends_plan(std::move(record).error(), options_, *plan_);
    if (!record->has_value() || (*record)->sequence > options_.until) break;
    if (options_.to_end_of_span && spans_.is_whole(options_.span)) break;
    const bool whole = options_.damage.kind == Damage::Kind::none;
    if (auto added = whole ? add(**record) : add_damaged(**record); !added) {
      // The capture ends where its bytes do, or its names.
      if (options_.salvage && (!blob_lost_.empty() || reader_.names_lost())) break;
      if (blob_lost_.empty()) return added;
      return ends_plan(std::move(added).error(), options_, *plan_);
    }
    const std::size_t late_bytes = late_submits_ != nullptr ? late_submits_->bytes() : 0;
    if (plan_->arena.bytes() + blob_bytes_ + validity_.bytes() + late_bytes > budget_)
      return tl::unexpected<Error>(at(
          **record, Status::failed,
          "the plan needs more than the " + std::to_string(budget_ >> 20) +
              " MiB of memory it may use; play less of it with --until, or cut a part out with `rondo trim --frames`"));
  }
  const bool whole = reader_.complete() && reader_.gaps() == 0 && blob_lost_.empty() && !reader_.names_lost();
  if (options_.salvage && !whole) {
    if (plan_->ops.empty())
      return fail(Status::unreadable,
                  plan_->path + ": holds no Vulkan call before it was cut or damaged: nothing to salvage");
    cut_after_last_whole_submit();
  }
  if (plan_->ops.empty())
    return fail(Status::unreadable, plan_->path + ": no Vulkan call was recorded: nothing to play");
  RONDO_TRY(finish_damage());
  find_shared_pages(*plan_);
  plan_->sparse = std::move(validity_.sparse);
  std::erase_if(plan_->sparse, [&](const auto& one) { return one.second.end == 0 && one.second.mips == 0; });
  find_payloads(*plan_);
  RONDO_TRY(find_span());
  plan_->place.resize(plan_->objects.objects().size(), kNone);
  return {};
}

Result<void> PlanBuilder::add(const Record& record) {
  model::Step step = stream_.step_of(record);
  const bool by_layer = step.by_layer();
  if (step.command == nullptr) {
    if (by_layer) return {};
    return tl::unexpected<Error>(at(record, Status::unreadable,
                                    stream_.ids().name(record.command) +
                                        " is unknown to this build, or encoded otherwise: "
                                        "play it with the Rondo that recorded it or a newer one"));
  }
  const codec::CommandInfo& command = *step.command;
  poll_ns_ = by_layer ? 0 : polls_.take(record, command);
  std::string why;
  Action action = action_for(command, record, why);
  if (is_of_contents(command.canonical)) {
    plan_->has_checkpoints = true;
    if (!options_.verify) action = Action::drop;
  }
  if (action == Action::refuse && !by_layer)
    return tl::unexpected<Error>(at(record, Status::failed, std::string(command.name) + " is " + why));
  codec::DecodeLimits limits;
  limits.max_bytes = std::min(limits.max_bytes, budget_);
  if (const auto decoded = stream_.decode(step, limits); !decoded)
    return tl::unexpected<Error>(stream_.at(step, decoded.error()));
  if (damaging_) RONDO_TRY(damage_lowered(record, command));
  stream_.resolve(step);
  if (!by_layer) ++plan_->counts.records;
  if (!resolution_.ids.empty() && is_lost(device_of(resolution_.ids[0])) && needs_a_living_device(command.canonical))
    action = Action::drop;
  note_loss(record, command);

  if (action == Action::play && !by_layer) RONDO_TRY(check_swapchains(record, command));
  blob_data_.assign(lowered_.blobs.size(), nullptr);
  if (action == Action::play && !by_layer) RONDO_TRY(load_blobs(record));
  if (damaging_) RONDO_TRY(corrupt_blob_data());
  if (action == Action::play && !by_layer)
    if (const validity::Wrong wrong = validity::settle_values(command, lowered_, blob_data_); !wrong.empty())
      return tl::unexpected<Error>(at(record, Status::unreadable, std::string(command.name) + ": " + wrong));
  view_.load(lowered_, resolution_.ids, blob_data_);
  if ((action == Action::play || by_layer) && !has_its_parameters(command)) {
    if (by_layer) return {};
    return tl::unexpected<Error>(
        at(record, Status::unreadable, std::string(command.name) + " lacks parameters that it cannot be without"));
  }
  note_span(record, command);
  RONDO_TRY(observe(record, command));
  if (by_layer) return {};
  const std::size_t op = plan_->ops.size();
  if (action == Action::play) RONDO_TRY(emit(record, command));
  return late_submits_ != nullptr ? find_late_writes(record, command, op) : Result<void>();
}

// What the device has to do then is ended before anything else is played: nothing in the
// capture tells what of it came to an end there.
void PlanBuilder::note_loss(const Record& record, const codec::CommandInfo& command) {
  if (command.returns != codec::Returns::result || !record.has_return || record.return_value != VK_ERROR_DEVICE_LOST ||
      resolution_.ids.empty())
    return;
  const std::uint32_t device = device_of(resolution_.ids[0]);
  if (device == kNone || is_lost(device)) return;
  lost_.resize(plan_->devices.size(), false);
  lost_[device] = true;
  Settle end;
  end.op = static_cast<std::uint32_t>(plan_->ops.size());
  end.lost = device;
  plan_->settles.push_back(end);
  validity_.work.finish_device(plan_->devices[device].id, plan_->objects.objects());
}

Result<void> PlanBuilder::check_known(const Record& record, const codec::CommandInfo& command) const {
  if (resolution_.unknown.empty() || may_name_unknown(command)) return {};
  const codec::HandleRef& ref = lowered_.handles[resolution_.unknown.front()];
  // The program never asked for this image: it presents those that it made of the swapchain.
  if (command.canonical == CommandId::rondoCheckpointImage && ref.type == HandleType::VkImage) return {};
  return tl::unexpected<Error>(at(record, Status::unreadable,
                                  std::string(command.name) + " uses the " + codec::info(ref.type).name + " " +
                                      address_text(ref.captured) +
                                      ", which is not alive here: the record that made it is missing"));
}

Result<void> PlanBuilder::check_played(const Record& record, const codec::CommandInfo& command) const {
  const auto& objects = plan_->objects.objects();
  for (std::size_t i = 0; i < resolution_.ids.size(); ++i) {
    const ObjectId id = resolution_.ids[i];
    if (id == ObjectId::null || (lowered_.handles[i].flags & (codec::kCreated | codec::kPerhapsIgnored)) != 0) continue;
    if (command.canonical != CommandId::vkDestroyImage && outlives_its_swapchain(*plan_, id))
      return tl::unexpected<Error>(
          at(record, Status::unreadable,
             std::string(command.name) + " uses " + plan_->name(id) + ", which went with its swapchain"));
    if ((index_of(id) < played_.size() && played_[index_of(id)]) || is_players_own(objects[id].type) ||
        may_name_unknown(command))
      continue;
    // An image of a swapchain is made with that.
    if (const ObjectId parent = objects[id].parent; objects[parent].type == HandleType::VkSwapchainKHR)
      if (const std::uint32_t place = plan_->place_of(parent);
          index_of(parent) < played_.size() && played_[index_of(parent)] && place < plan_->swapchains.size()) {
        const std::vector<ObjectId>& images = plan_->swapchains[place].images;
        if (std::find(images.begin(), images.end(), id) != images.end()) continue;
      }
    return tl::unexpected<Error>(
        at(record, Status::unreadable,
           std::string(command.name) + " uses " + plan_->name(id) + ", which no record that is played made"));
  }
  if (command.returns == codec::Returns::result && record.has_return && record.return_value < 0) return {};
  for (const codec::Field& f : codec::info(command.args).fields) {
    if (f.element != codec::Element::handle || (f.flags & codec::kCreated) == 0) continue;
    const bool none = f.shape == codec::Shape::many && f.count.kind == codec::CountKind::member &&
                      codec::load_unsigned(&lowered_.bytes[f.count.a], f.count.a_size) == 0;
    if (!none && codec::load<std::uint64_t>(&lowered_.bytes[f.offset]) == 0)
      return tl::unexpected<Error>(
          at(record, Status::unreadable, std::string(command.name) + ": " + f.name + " is null"));
  }
  // What the driver makes all the same would have no owner.
  if (command.returns == codec::Returns::result && record.has_return && record.return_value == VK_SUCCESS)
    for (std::size_t i = 0; i < resolution_.ids.size(); ++i)
      if (resolution_.ids[i] == ObjectId::null && (lowered_.handles[i].flags & codec::kCreated) != 0)
        return tl::unexpected<Error>(
            at(record, Status::unreadable,
               std::string(command.name) + " succeeded and made no " + codec::info(lowered_.handles[i].type).name));
  return {};
}

// The device or instance that the call goes to was made by a call of the plan.
Result<void> PlanBuilder::check_owner(const Record& record, const codec::CommandInfo& command, const Op& op) const {
  const auto& objects = plan_->objects.objects();
  ObjectId instance = op.dispatch;
  while (instance != ObjectId::null && objects[instance].type != HandleType::VkInstance)
    instance = objects[instance].parent;
  const bool needs_device = command.level == codec::Level::device;
  const bool needs_instance = needs_device || command.level != codec::Level::global;
  if ((!needs_device || op.device != kNone) && (!needs_instance || plan_->place_of(instance) != kNone) &&
      (command.canonical != CommandId::vkCreateInstance || plan_->place_of(op.subject) != kNone) &&
      (command.canonical != CommandId::vkCreateDevice || plan_->place_of(op.subject) != kNone))
    return {};
  return tl::unexpected<Error>(
      at(record, Status::unreadable, std::string(command.name) + " is of a device or instance that nothing made"));
}

Result<void> PlanBuilder::emit(const Record& record, const codec::CommandInfo& command) {
  if (const char* shared = shared_payload(command); shared != nullptr)
    return tl::unexpected<Error>(at(record, Status::failed, std::string(command.name) + shared));
  RONDO_TRY(check_known(record, command));
  RONDO_TRY(check_played(record, command));
  const validity::Call call{command, view_, lowered_, resolution_, static_cast<std::uint64_t>(record.return_value)};
  if (const validity::Wrong wrong = validity_.check(call); !wrong.empty())
    return tl::unexpected<Error>(at(record, Status::unreadable, std::string(command.name) + ": " + wrong));
  for (const validity::Validity::Widen& widened : validity_.widened()) widen(widened);
  note_offsets(record);
  if (validity_.skipped()) return {};
  for (const validity::Validity::Edit& edit : validity_.edits())
    std::memcpy(lowered_.bytes.data() + edit.at, edit.bytes.data(), edit.bytes.size());
  Plan& plan = *plan_;
  Op op;
  op.sequence = record.sequence;
  op.captured = record.return_value;
  op.command = command.id;
  op.returned = record.has_return;
  op.checked = command.returns == codec::Returns::result && record.has_return && record.return_value >= 0;
  op.dispatch = resolution_.ids.empty() ? ObjectId::null : resolution_.ids[0];
  op.device = device_of(op.dispatch);
  op.lost = is_lost(op.device);
  op.ambiguous = (record.flags & kRecordAmbiguous) != 0;
  op.ends_submits = validity_.work.submits_ended();
  op.poll_ns = poll_ns_;
  op.may_pass = validity_.seen.may_pass;
  op.subject = subject_of(command);
  RONDO_TRY(check_owner(record, command, op));

  RONDO_TRY(add_block(record, command, op));
  for (const Patch& made : std::span(plan.created).subspan(op.first_created, op.created)) {
    if (const std::size_t index = index_of(made.id); index >= played_.size())
      played_.resize(index + index / 2 + 16, false);
    played_[index_of(made.id)] = true;
  }

  // Pipelines of a call that failed are made again only if some came of it.
  if (command.returns == codec::Returns::result && record.has_return && record.return_value < 0 &&
      command.canonical != CommandId::vkQueuePresentKHR && op.created == 0)
    return {};

  if (op.device != kNone && command.level == codec::Level::device &&
      device_commands_[op.device].insert(static_cast<std::uint16_t>(command.id)).second)
    plan.devices[op.device].commands.push_back(command.id);
  if (const ObjectId buffer = validity_.waits_for_bind(); buffer != ObjectId::null) {
    waiting_.emplace_back(buffer, op);
    return {};
  }
  const PlanCounts before = plan.counts;
  plan.ops.push_back(op);
  plan.settles.insert(plan.settles.end(), validity_.settles().begin(), validity_.settles().end());
  if (op.may_pass) note_observation();
  for (const validity::Validity::Begin& begin : validity_.begins()) change_begin(begin);
  for (const codec::DataRef& data : lowered_.data) plan.host_bytes[op.sequence].push_back(data.bytes);
  if (command.canonical == CommandId::rondoCut) plan.begins = op.sequence;
  count(command);
  note_sync(command, op);
  if (is_submit(command.canonical)) note_submits(command, op);
  note_whole(command, record, before);
  if (!waiting_.empty()) emit_waiting();
  return {};
}

// Views that were made before their buffer had memory, behind the bind.
void PlanBuilder::emit_waiting() {
  for (std::size_t i = 0; i < waiting_.size();) {
    const validity::Buffer* buffer = validity_.buffers.find(waiting_[i].first);
    if (buffer != nullptr && !buffer->bound) {
      ++i;
      continue;
    }
    if (buffer != nullptr) plan_->ops.push_back(waiting_[i].second);
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

void PlanBuilder::count(const codec::CommandInfo& command) {
  PlanCounts& counts = plan_->counts;
  switch (command.canonical) {
    case CommandId::rondoCut:  // what is in front of it only puts back what there was
      counts.frames = counts.submits = counts.draws = counts.dispatches = 0;
      plan_->has_checkpoints = true;  // what it does not bring is zeros, not what a driver had there
      break;
    case CommandId::vkQueueSubmit:
      counts.submits += view_.as<args_vkQueueSubmit>().submitCount;
      break;
    case CommandId::vkQueueSubmit2:
      counts.submits += view_.as<args_vkQueueSubmit2>().submitCount;
      break;
    case CommandId::vkQueuePresentKHR:
      ++counts.frames;
      break;
    case CommandId::rondoCheckpointImage:
      ++counts.image_checkpoints;
      plan_->has_checkpoints = true;
      break;
    case CommandId::rondoCheckpointMemory:
      plan_->has_checkpoints = true;
      counts.memory_checkpoints += view_.as<args_rondoCheckpointMemory>().rangeCount;
      break;
    case CommandId::rondoCheckpointBuffers:
      counts.content_checkpoints += view_.as<args_rondoCheckpointBuffers>().count;
      break;
    case CommandId::rondoCheckpointSubresources:
      counts.content_checkpoints += view_.as<args_rondoCheckpointSubresources>().count;
      break;
#ifdef VK_EXT_host_image_copy
    case CommandId::vkCopyImageToMemory:
      counts.content_checkpoints += view_.as<args_vkCopyImageToMemory>().pCopyImageToMemoryInfo->regionCount;
      break;
#endif
    default:
      if (command.verb == codec::Verb::draws || command.verb == codec::Verb::draws_meshes) ++counts.draws;
      if (command.verb == codec::Verb::dispatches) ++counts.dispatches;
  }
}

// Of what the host wrote a half of the budget is kept; the rest is read when it is played.
bool PlanBuilder::is_late(const Record& record, const codec::BlobRef& ref) const {
  return !damaging_ && options_.damage.kind == Damage::Kind::none && lowered_.blobs.size() == 1 &&
         brings_contents(stream_.ids().command(record.command)) && ref.bytes <= budget_ / 4 &&
         blob_bytes_ + ref.bytes > (options_.host_writes != 0 ? options_.host_writes : budget_ / 2);
}

Result<void> PlanBuilder::load_blobs(const Record& record) {
  late_.reset();
  for (std::size_t i = 0; i < lowered_.blobs.size(); ++i) {
    const codec::BlobRef& ref = lowered_.blobs[i];
    auto found = blob_at_.find(ref.digest);
    if (found == blob_at_.end() && is_late(record, ref)) {
      auto bytes = reader_.blob(ref.digest);  // is checked all the same
      if (!bytes) return tl::unexpected<Error>(blob_error(record, bytes.error()));
      late_ = std::move(*bytes);
    } else if (found == blob_at_.end()) {
      if (ref.bytes > budget_ - std::min(budget_, blob_bytes_))
        return tl::unexpected<Error>(at(record, Status::unreadable,
                                        "blob " + to_string(ref.digest) + " says it has " + std::to_string(ref.bytes) +
                                            " bytes: more than the memory budget"));
      auto bytes = reader_.blob(ref.digest);
      if (!bytes) return tl::unexpected<Error>(blob_error(record, bytes.error()));
      if (options_.damage.kind == Damage::Kind::corrupt_blob && blobs_seen_ == options_.damage.a) {
        auto copy = std::make_shared<std::vector<std::byte>>(**bytes);
        if (!copy->empty()) copy->front() ^= std::byte{1};
        if (digest_of(*copy) != ref.digest)
          return tl::unexpected<Error>(at(record, Status::unreadable,
                                          "blob " + to_string(ref.digest) + " is damaged: its bytes have the digest " +
                                              to_string(digest_of(*copy))));
      }
      ++blobs_seen_;
      blob_bytes_ += (*bytes)->size();
      found = blob_at_.emplace(ref.digest, plan_->blobs.size()).first;
      plan_->blobs.push_back(std::move(*bytes));
    }
    const std::vector<std::byte>& bytes = late_ != nullptr ? *late_ : *plan_->blobs[found->second];
    if (bytes.size() != ref.bytes)
      return tl::unexpected<Error>(at(record, Status::unreadable,
                                      "blob " + to_string(ref.digest) + " does not have the " +
                                          std::to_string(ref.bytes) + " bytes that the record says"));
    blob_data_[i] = bytes.data();
  }
  return {};
}

Result<std::unique_ptr<Plan>> build_plan(Reader& reader, const PlanOptions& options) {
  if (!options.salvage) {
    if (!reader.complete() && reader.cut_reason().starts_with("it is still being recorded"))
      return fail(Status::unreadable, reader.path() + ": " + reader.cut_reason() + " (if that dies, `rondo finish " +
                                          reader.path() +
                                          "` closes it), or play what is whole so far with `player --salvage`");
    if (!reader.complete())
      return fail(Status::unreadable,
                  reader.path() + (reader.can_be_finished() ? ": cut (" : ": damaged (") + reader.cut_reason() +
                      "); play what is whole with `player --salvage`" +
                      (reader.can_be_finished() ? ", or close it with `rondo finish " + reader.path() + "`" : ""));
    if (reader.gaps() != 0 && !ends_at_a_gap(reader))
      return fail(Status::unreadable, reader.path() + ": it lacks " + plural(reader.gaps(), "record") +
                                          "; play up to the first gap with `player --salvage`");
  }
  PlanBuilder builder(reader, options);
  RONDO_TRY(builder.run());
  return builder.take();
}

}  // namespace rondo::player
