// SPDX-License-Identifier: Apache-2.0
#include "analyzers/trim/split_submit.h"

#include <algorithm>
#include <array>
#include <unordered_set>

#include "analyzers/trim/split_checks.h"
#include "analyzers/trim/split_stream.h"
#include "format/closing_advice.h"
#include "format/counts.h"
#include "format/hex.h"
#include "generated/args.h"
#include "model/parameters.h"
#include "player/plan/plan_builder.h"

namespace rondo::trim {

namespace {

// One batch of a call, in what both forms of it say.
struct Batch {
  std::uint32_t index = 0;
  std::vector<ObjectId> commands;
  bool grouped = false, guarded = false;  // of a device group; protected
};

Batch batch_of(const model::Call& call, std::uint32_t index) {
  Batch out;
  out.index = index;
  const void* chain = nullptr;
  if (call.command.canonical == CommandId::vkQueueSubmit) {
    const VkSubmitInfo& info = call.as<args_vkQueueSubmit>().pSubmits[index];
    for (std::uint32_t i = 0; i < info.commandBufferCount; ++i)
      out.commands.push_back(call.id(&info.pCommandBuffers[i]));
    chain = info.pNext;
    const auto* guarded = find_chained<VkProtectedSubmitInfo>(chain, VK_STRUCTURE_TYPE_PROTECTED_SUBMIT_INFO);
    out.guarded = guarded != nullptr && guarded->protectedSubmit != VK_FALSE;
    out.grouped = find_chained<VkDeviceGroupSubmitInfo>(chain, VK_STRUCTURE_TYPE_DEVICE_GROUP_SUBMIT_INFO) != nullptr;
    return out;
  }
  const VkSubmitInfo2& info = call.as<args_vkQueueSubmit2>().pSubmits[index];
  for (std::uint32_t i = 0; i < info.commandBufferInfoCount; ++i) {
    out.commands.push_back(call.id(&info.pCommandBufferInfos[i].commandBuffer));
    out.grouped = out.grouped || info.pCommandBufferInfos[i].deviceMask > 1;
  }
  out.guarded = (info.flags & VK_SUBMIT_PROTECTED_BIT) != 0;
  return out;
}

class Splitter {
 public:
  Splitter(const Options& options, const DrawRange& draws, const std::string& step)
      : options_(options), draws_(draws), step_(step) {}

  Result<Split> run() {
    auto reader = Reader::open(options_.file, {.files = options_.files});
    if (!reader) return tl::unexpected<Error>(reader.error());
    source_ = std::move(*reader);
    if (!source_->complete() || source_->gaps() != 0)
      return fail(Status::unreadable, options_.file + ": it is not whole" +
                                          (source_->cut_reason().empty() ? "" : " (" + source_->cut_reason() + ")") +
                                          closing_advice(*source_));
    records_.emplace(*source_);
    auto out = OfflineWriter::create(step_, options_.file, Compression::lz4, source_->dictionary());
    if (!out) return tl::unexpected<Error>(out.error());
    out_ = std::move(*out);
    encoder_.emplace(*out_, 0u);
    passes_.emplace(*source_, records_->ids(), *encoder_,
                    [this] { return new_handle<VkRenderPass>(HandleType::VkRenderPass); });
    RONDO_TRY(find_cut());
    RONDO_TRY(read());
    RONDO_TRY(write());
    for (const std::string& session : source_->sessions()) RONDO_TRY(out_->add_session(session));
    const auto bytes = out_->finish();
    if (!bytes) return tl::unexpected<Error>(bytes.error());
    split_.source_id = hex_text(std::as_bytes(std::span(source_->header().capture_id)));
    split_.bytes = source_->file_bytes();
    return split_;
  }

 private:
  tl::unexpected<Error> cannot(const std::string& why) const {
    return fail(Status::failed,
                options_.file + ": submit " + std::to_string(draws_.submit) + " cannot be cut there: " + why);
  }

  // Of a cut only what is behind it counts.
  Result<void> find_cut() {
    const auto& names = source_->dictionary();
    if (std::none_of(names.begin(), names.end(), [](const DictionaryRow& row) { return row.name == "rondoCut"; }))
      return {};
    for (;;) {
      auto record = source_->next();
      if (!record) return tl::unexpected<Error>(record.error());
      if (!record->has_value()) return source_->rewind();
      if (records_->ids().command((*record)->command) == CommandId::rondoCut) cut_ = (*record)->sequence;
    }
  }

  // Up to the submit everything is written as it is, and who called anew. What comes behind only has numbers.
  Result<void> read() {
    double last = 1;
    for (const ChunkInfo& chunk : source_->chunks())
      last = std::max(last, static_cast<double>(chunk.header.last_sequence));
    for (;;) {
      auto record = source_->next();
      if (!record) return tl::unexpected<Error>(record.error());
      if (!record->has_value()) break;
      if (options_.progress && (*record)->sequence % 4096 == 0)
        options_.progress("splitting", static_cast<double>((*record)->sequence) / last);
      RONDO_TRY(take(**record));
    }
    if (!batch_)
      return fail(Status::usage, options_.file + ": there is no submit " + std::to_string(draws_.submit) + ": it has " +
                                     plural(submits_, "submit") +
                                     (submits_ == 0 ? "" : ", 0:" + std::to_string(submits_)));
    return {};
  }

  Result<void> take(const Record& record) {
    model::Step step = records_->step_of(record);
    const CommandId id = step.command != nullptr ? step.command->id : CommandId::none;
    if (id == CommandId::none)
      return batch_ ? Result<void>() : encoder_->copy(record, id, encoder_->caller_of(record.thread));
    if (const auto decoded = records_->decode(step); !decoded)
      return tl::unexpected<Error>(records_->at(step, decoded.error()));
    records_->resolve(step);
    if (batch_) return {};
    encoder_->follow(record, id, records_->lowered());
    if (!step.by_layer()) {
      RONDO_TRY(model::load(*records_, step, parameters_));
      const model::Call call = model::call_of(*records_, step, parameters_);
      RONDO_TRY(look_for_submit(call));
      if (batch_) return take_submit(call, record);
      checks_.take(call);
      if (step.succeeded()) follow(call, record);
    }
    for (const codec::BlobRef& ref : records_->lowered().blobs) {
      if (out_->has_blob(ref.digest)) continue;
      auto bytes = source_->blob(ref.digest);
      if (!bytes) return tl::unexpected<Error>(std::move(bytes).error());
      RONDO_TRY(out_->add_blob(ref.digest, **bytes));
    }
    return encoder_->copy(record, id, encoder_->caller_of(record.thread));
  }

  void follow(const model::Call& call, const Record& record) {
    log_.take(call.command, record, encoder_->caller_of(record.thread), records_->resolution(), records_->objects());
    passes_->take(call.command, record, records_->resolution());
    if (call.command.canonical == CommandId::vkCreateCommandPool && !records_->resolution().created.empty()) {
      const VkCommandPoolCreateInfo& info = *call.as<args_vkCreateCommandPool>().pCreateInfo;
      families_[records_->resolution().created[0]] = info.queueFamilyIndex;
    }
  }

  Result<void> look_for_submit(const model::Call& call) {
    const CommandId canonical = call.command.canonical;
    if (canonical != CommandId::vkQueueSubmit && canonical != CommandId::vkQueueSubmit2) return {};
    if (call.sequence < cut_) return {};
    const std::uint64_t count = canonical == CommandId::vkQueueSubmit ? call.as<args_vkQueueSubmit>().submitCount
                                                                      : call.as<args_vkQueueSubmit2>().submitCount;
    if (draws_.submit >= submits_ && draws_.submit < submits_ + count)
      batch_ = batch_of(call, static_cast<std::uint32_t>(draws_.submit - submits_));
    else
      submits_ += count;
    return {};
  }

  Result<void> take_submit(const model::Call& call, const Record& record) {
    submit_ = record;
    submit_caller_ = encoder_->caller_of(record.thread);
    submit_payload_.assign(record.payload.begin(), record.payload.end());
    submit_ids_ = records_->resolution().ids;
    split_.record = record.sequence;
    auto stream = stream_of(log_, records_->objects(), batch_->commands);
    if (!stream) return cannot(stream.error().message);
    stream_ = std::move(*stream);
    const std::uint64_t count = stream_.draws.size();
    if (draws_.last > count)
      return fail(Status::usage,
                  options_.file + ": submit " + std::to_string(draws_.submit) + " has " +
                      (count == 0 ? "no draws" : plural(count, "draw") + ", 0:" + std::to_string(count)));
    if (!call.succeeded) return cannot("the driver did not take it");
    if (batch_->grouped) return cannot("it is for several devices of a group: use --submits");
    if (batch_->guarded) return cannot("it is protected: use --submits");
    first_ = stream_.draws[draws_.first];
    last_ = stream_.draws[draws_.last - 1] + 1;
    split_stream_.emplace(stream_, first_, last_, *source_, records_->ids(), *passes_, *encoder_);
    if (const auto checked = split_stream_->check(); !checked) return cannot(checked.error().message);
    RONDO_TRY(check_alive());
    std::set<std::uint64_t> kept;
    for (std::size_t i = first_; i < last_; ++i) kept.insert(stream_.items[i].command->sequence);
    std::uint64_t pass_end = 0;
    const std::size_t pass = split_stream_->last_pass();
    if (pass != stream_.items.size()) {
      const StreamItem& item = stream_.items[pass];
      auto shape = passes_->shape_of(item.command->command, item.payload(), item.ids());
      if (!shape) return cannot(shape.error().message);
      shape_ = std::move(*shape);
      if (const std::size_t end = stream_.end_of(pass); end != stream_.items.size())
        pass_end = stream_.items[end].command->sequence;
    }
    checks_.watch(std::move(kept), stream_.items[last_ - 1].command->sequence, pass_end);
    checks_.take(call);
    if (checks_.too_many()) return cannot("it has more to follow than any program needs");
    for (const Object& object : records_->objects().objects())
      if (object.alive) taken_.insert(object.captured);
    return {};
  }

  // A program may end some objects (layouts) once commands that name them are recorded.
  Result<void> check_alive() const {
    for (std::size_t i = 0; i < last_; ++i)
      for (const ObjectId id : stream_.items[i].ids())
        if (id != ObjectId::null && records_->objects().objects()[id].destroyed != 0 &&
            records_->objects().objects()[id].destroyed < submit_.sequence)
          return cannot(std::string(codec::info(stream_.items[i].command->command).name) + " (record " +
                        std::to_string(stream_.items[i].command->sequence) + ") names " + records_->objects().name(id) +
                        ", which the program had ended before: use --submits");
    return {};
  }

  // A handle that nothing alive has, and a number behind all of the source's.
  template <class Handle>
  Result<Handle> new_handle(HandleType type) {
    std::uint32_t& next = numbers_[type];
    if (next == 0)
      for (const Object& object : records_->objects().objects())
        if (object.type == type) next = std::max(next, object.number + 1);
    const std::uint32_t object_type = codec::info(type).object_type;
    const auto vk_type = static_cast<VkObjectType>(object_type);
    const args_rondoObjectNumbers args{1, &vk_type, &next};
    RONDO_TRY(encoder_->write(CommandId::rondoObjectNumbers, args));
    ++next;
    while (!taken_.insert(handle_).second) ++handle_;
    return reinterpret_cast<Handle>(handle_);
  }

  Result<void> write() {
    const VkQueue queue = captured<VkQueue>(submit_ids_.at(0));
    device_ = captured<VkDevice>(records_->objects().objects()[submit_ids_.at(0)].device);
    const ObjectId some = batch_->commands.at(0);
    RONDO_TRY(make_pool(families_[records_->objects().objects()[some].parent]));
    RONDO_TRY(write_commands(0, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT));
    RONDO_TRY(write_first_submit());
    RONDO_TRY(write_commands(1, 0));
    RONDO_TRY(write_second_submit(queue));
    RONDO_TRY(encoder_->write(CommandId::vkQueueWaitIdle, args_vkQueueWaitIdle{queue}, VK_SUCCESS));
    const auto checks = checks_.write(*encoder_, queue, shape_ ? &*shape_ : nullptr, records_->objects());
    if (!checks) return tl::unexpected<Error>(checks.error());
    split_.checks = *checks;
    split_.submit = draws_.submit + 1;
    return {};
  }

  Result<void> make_pool(std::uint32_t family) {
    auto pool = new_handle<VkCommandPool>(HandleType::VkCommandPool);
    if (!pool) return tl::unexpected<Error>(pool.error());
    VkCommandPoolCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
    info.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
    info.queueFamilyIndex = family;
    RONDO_TRY(encoder_->write(CommandId::vkCreateCommandPool, args_vkCreateCommandPool{device_, &info, nullptr, &*pool},
                              VK_SUCCESS));
    for (VkCommandBuffer& one : commands_) {
      auto made = new_handle<VkCommandBuffer>(HandleType::VkCommandBuffer);
      if (!made) return tl::unexpected<Error>(made.error());
      one = *made;
      VkCommandBufferAllocateInfo allocate{};
      allocate.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
      allocate.commandPool = *pool;
      allocate.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
      allocate.commandBufferCount = 1;
      RONDO_TRY(encoder_->write(CommandId::vkAllocateCommandBuffers,
                                args_vkAllocateCommandBuffers{device_, &allocate, &one}, VK_SUCCESS));
    }
    return {};
  }

  Result<void> write_commands(std::size_t part, VkCommandBufferUsageFlags usage) {
    VkCommandBufferBeginInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
    info.flags = usage;
    RONDO_TRY(encoder_->write(CommandId::vkBeginCommandBuffer, args_vkBeginCommandBuffer{commands_[part], &info},
                              VK_SUCCESS));
    const auto written = part == 0 ? split_stream_->write_head(commands_[0]) : split_stream_->write_kept(commands_[1]);
    if (!written) return tl::unexpected<Error>(written.error());
    return encoder_->write(CommandId::vkEndCommandBuffer, args_vkEndCommandBuffer{commands_[part]}, VK_SUCCESS);
  }

  // The call up to its batch, of which the first part; nobody is told of its end.
  Result<void> write_first_submit() {
    Loaded loaded;
    const CommandId command = records_->ids().command(submit_.command);
    RONDO_TRY(loaded.load(*source_, records_->ids(), command, submit_payload_, submit_ids_));
    Record record = submit_;
    record.has_times = false;
    if (codec::info(command).canonical == CommandId::vkQueueSubmit) {
      auto& args = loaded.as<args_vkQueueSubmit>();
      VkSubmitInfo& info = Loaded::change(args.pSubmits[batch_->index]);
      info.commandBufferCount = 1;
      info.pCommandBuffers = &commands_[0];
      info.signalSemaphoreCount = 0;
      if (auto* values = const_cast<VkTimelineSemaphoreSubmitInfo*>(find_chained<VkTimelineSemaphoreSubmitInfo>(
              info.pNext, VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO));
          values != nullptr)
        values->signalSemaphoreValueCount = 0;
      args.submitCount = batch_->index + 1;
      args.fence = VK_NULL_HANDLE;
      return encoder_->write(record, command, &args, submit_caller_);
    }
    auto& args = loaded.as<args_vkQueueSubmit2>();
    VkCommandBufferSubmitInfo one{};
    one.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO;
    one.commandBuffer = commands_[0];
    VkSubmitInfo2& info = Loaded::change(args.pSubmits[batch_->index]);
    info.commandBufferInfoCount = 1;
    info.pCommandBufferInfos = &one;
    info.signalSemaphoreInfoCount = 0;
    args.submitCount = batch_->index + 1;
    args.fence = VK_NULL_HANDLE;
    return encoder_->write(record, command, &args, submit_caller_);
  }

  Result<void> write_second_submit(VkQueue queue) {
    VkSubmitInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    info.commandBufferCount = 1;
    info.pCommandBuffers = &commands_[1];
    return encoder_->write(CommandId::vkQueueSubmit, args_vkQueueSubmit{queue, 1, &info, VK_NULL_HANDLE}, VK_SUCCESS);
  }

  template <class Handle>
  Handle captured(ObjectId id) const {
    return reinterpret_cast<Handle>(records_->objects().objects()[id].captured);
  }

  const Options& options_;
  const DrawRange draws_;
  const std::string step_;
  Split split_;
  std::unique_ptr<Reader> source_;
  std::optional<model::Stream> records_;  // of source_
  std::unique_ptr<OfflineWriter> out_;
  std::optional<RecordEncoder> encoder_;
  std::optional<SplitPasses> passes_;
  CommandLog log_;
  SplitChecks checks_;
  model::Parameters parameters_;
  std::unordered_map<ObjectId, std::uint32_t> families_;  // of command pools
  std::uint64_t submits_ = 0, cut_ = 0;
  // Of the submit.
  std::optional<Batch> batch_;
  Record submit_;
  std::uint32_t submit_caller_ = 0;
  std::vector<std::byte> submit_payload_;
  std::vector<ObjectId> submit_ids_;
  CommandStream stream_;
  std::size_t first_ = 0, last_ = 0;  // items that are kept
  std::optional<SplitStream> split_stream_;
  std::optional<PassShape> shape_;  // of the last draw's pass
  // What is made for it.
  VkDevice device_ = VK_NULL_HANDLE;
  std::array<VkCommandBuffer, 2> commands_{};
  std::map<HandleType, std::uint32_t> numbers_;
  std::unordered_set<std::uint64_t> taken_;
  std::uint64_t handle_ = 0x7064'7261'7773'0000;
};

}  // namespace

Result<Split> split_submit(const Options& options, const DrawRange& draws, const std::string& step) {
  return Splitter(options, draws, step).run();
}

}  // namespace rondo::trim
