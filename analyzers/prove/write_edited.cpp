// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "analyzers/prove/edit_records.h"
#include "analyzers/prove/edits.h"
#include "analyzers/prove/move.h"
#include "analyzers/trim/encoder.h"
#include "format/closing_advice.h"
#include "format/native_view.h"
#include "format/offline_writer.h"
#include "generated/args.h"
#include "model/stream.h"

namespace rondo::prove {

namespace {

using model::Step;

bool is_content_check(CommandId command) {
  return command == CommandId::rondoCheckpointBuffers || command == CommandId::rondoCheckpointSubresources;
}
bool is_check(CommandId command) {
  return is_content_check(command) || command == CommandId::rondoCheckpointMemory ||
         command == CommandId::rondoCheckpointImage;
}

Result<std::unique_ptr<Reader>> open_source(const EditedCapture& capture) {
  auto source = Reader::open(capture.file, ReaderOptions{.files = capture.files});
  if (!source) return source;
  if (!(*source)->complete())
    return fail(Status::unreadable,
                capture.file + ": is not complete (" + (*source)->cut_reason() + ")" + closing_advice(**source));
  return source;
}

// What the edits ask of later records, before the first record is written.
struct LookAhead {
  std::optional<MovedCommands> moved;
  struct Kept {
    std::uint64_t before = 0;
    Record record;
    std::vector<std::byte> payload;
  };
  std::vector<Kept> earlier;
  std::uint64_t last_submit = 0;
};

Result<LookAhead> look_ahead(const EditedCapture& capture, const Edits& edits) {
  LookAhead found;
  if (!edits.move && edits.earlier.empty() && !edits.overlaps) return found;
  auto source = open_source(capture);
  if (!source) return tl::unexpected(source.error());
  model::Stream stream(**source);
  std::optional<MoveFinder> finder;
  if (edits.move) finder.emplace(**source, stream, *edits.move);
  Step step;
  for (;;) {
    const auto more = stream.next(step);
    if (!more) return tl::unexpected(more.error());
    if (!*more) break;
    if (step.command == nullptr) continue;
    if (step.submits != 0) found.last_submit = step.record.sequence;
    if (finder) RONDO_TRY(finder->take(step));
    if (const auto one = edits.earlier.find(step.record.sequence); one != edits.earlier.end())
      found.earlier.push_back({one->second, step.record, {step.record.payload.begin(), step.record.payload.end()}});
  }
  if (finder) {
    auto moved = finder->found();
    if (!moved) return tl::unexpected(moved.error());
    found.moved = std::move(*moved);
  }
  return found;
}

class EditWriter {
 public:
  EditWriter(Reader& source, OfflineWriter& out, const Edits& edits, const LookAhead& ahead)
      : source_(source), out_(out), edits_(edits), ahead_(ahead), stream_(source), encoder_(out, 0) {}

  Result<Edited> run() {
    Step step;
    for (;;) {
      const auto more = stream_.next(step);
      if (!more) return tl::unexpected(more.error());
      if (!*more) break;
      RONDO_TRY(take(step));
    }
    if (made_ != wanted()) return fail(Status::failed, "the capture has not all that is to be changed");
    RONDO_TRY(copy_blobs());
    return done_;
  }

 private:
  // Edits of records that a complete walk must have met.
  std::size_t wanted() const {
    std::set<ObjectId> passes;
    for (const DependencyEdit& one : edits_.dependencies) passes.insert(one.pass);
    return edits_.left_out.size() + edits_.barriers.size() + edits_.semaphores.size() + passes.size();
  }

  Result<void> take(const Step& step) {
    const std::uint64_t number = step.record.sequence;
    for (const LookAhead::Kept& one : ahead_.earlier)
      if (one.before == number) {
        Record record = one.record;
        record.payload = one.payload;
        RONDO_TRY(out_.add(record));
      }
    if (edits_.waits_before.count(number) != 0) RONDO_TRY(wait());
    if (ahead_.moved && edits_.move->place == number && edits_.move->is_before)
      RONDO_TRY(ahead_.moved->write(out_, step.record.thread));
    RONDO_TRY(write(step));
    if (ahead_.moved && edits_.move->place == number && !edits_.move->is_before)
      RONDO_TRY(ahead_.moved->write(out_, step.record.thread));
    if (edits_.waits_after.count(number) != 0) RONDO_TRY(wait());
    return {};
  }

  bool is_left_out(const Step& step) {
    const std::uint64_t number = step.record.sequence;
    if (edits_.left_out.count(number) != 0) {
      ++made_;
      return true;
    }
    if (edits_.earlier.count(number) != 0 || (ahead_.moved && ahead_.moved->has(number))) return true;
    if (step.command == nullptr || !is_check(step.command->canonical)) return false;
    if (edits_.unchecked && number >= edits_.unchecked->first && number <= edits_.unchecked->second) return true;
    if (edits_.overlaps && is_content_check(step.command->canonical) && number < ahead_.last_submit) {
      ++done_.overlapped;
      return true;
    }
    ++done_.checks;
    return false;
  }

  Result<void> write(const Step& step) {
    if (is_left_out(step)) return {};
    const std::uint64_t number = step.record.sequence;
    bool changed = false;
    if (const auto found = edits_.barriers.find(number); found != edits_.barriers.end()) {
      RONDO_TRY(load(step));
      RONDO_TRY(edit_barriers(step.command->canonical, call_, found->second));
      changed = true;
      ++made_;
    }
    if (step.command != nullptr && (step.command->canonical == CommandId::vkCreateRenderPass ||
                                    step.command->canonical == CommandId::vkCreateRenderPass2)) {
      std::vector<DependencyEdit> own;
      for (const DependencyEdit& one : edits_.dependencies)
        if (std::find(stream_.resolution().created.begin(), stream_.resolution().created.end(), one.pass) !=
            stream_.resolution().created.end())
          own.push_back(one);
      if (!own.empty()) {
        RONDO_TRY(load(step));
        RONDO_TRY(edit_dependencies(step.command->canonical, call_, own));
        changed = true;
        ++made_;
      }
    }
    RONDO_TRY(note_timeline(step));
    std::vector<SemaphoreEdit> own;
    for (const SemaphoreEdit& one : edits_.semaphores) {
      if (one.record != number) continue;
      ++made_;
      if (one.is_wait || timelines_.count(one.semaphore) == 0) own.push_back(one);
    }
    if (!own.empty()) {
      RONDO_TRY(load(step));
      RONDO_TRY(edit_semaphores(step.command->canonical, call_, own));
      changed = true;
    }
    if (!changed) return out_.add(step.record);
    return encoder_.rewrite(step.record, step.command->id, &call_.as<std::byte>());
  }

  Result<void> note_timeline(const Step& step) {
    if (edits_.semaphores.empty() || step.command == nullptr || step.command->canonical != CommandId::vkCreateSemaphore)
      return {};
    RONDO_TRY(load(step));
    const auto* const type = find_chained<VkSemaphoreTypeCreateInfo>(
        call_.as<args_vkCreateSemaphore>().pCreateInfo->pNext, VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
    const auto& made = stream_.resolution().created;
    if (type != nullptr && type->semaphoreType == VK_SEMAPHORE_TYPE_TIMELINE)
      timelines_.insert(made.begin(), made.end());
    return {};
  }

  Result<void> load(const Step& step) {
    if (step.command == nullptr)
      return fail(Status::failed, "a command that this build does not know is to be changed");
    return call_.load(source_, stream_.ids(), step.command->id, step.record.payload, stream_.resolution().ids);
  }

  Result<void> wait() {
    const auto& ids = stream_.resolution().ids;
    const auto& objects = stream_.objects().objects();
    ObjectId device = ids.empty() ? ObjectId::null : ids[0];
    if (device != ObjectId::null && objects[device].type != HandleType::VkDevice) device = objects[device].device;
    if (device == ObjectId::null) return fail(Status::failed, "it is not known which device to wait for");
    const args_vkDeviceWaitIdle args{reinterpret_cast<VkDevice>(objects[device].captured)};
    return encoder_.write(CommandId::vkDeviceWaitIdle, args, VK_SUCCESS);
  }

  // Those that records name, and those that checkpoints only name by their digests.
  Result<void> copy_blobs() {
    for (const BlobInfo& blob : source_.blobs()) {
      if (out_.has_blob(blob.digest)) continue;
      auto bytes = source_.blob(blob.digest);
      if (!bytes) return tl::unexpected<Error>(std::move(bytes).error());
      RONDO_TRY(out_.add_blob(blob.digest, **bytes));
    }
    return {};
  }

  Reader& source_;
  OfflineWriter& out_;
  const Edits& edits_;
  const LookAhead& ahead_;
  model::Stream stream_;
  trim::RecordEncoder encoder_;
  trim::Loaded call_;
  std::set<ObjectId> timelines_;
  Edited done_;
  std::size_t made_ = 0;
};

}  // namespace

void Edits::add(const Edits& other) {
  left_out.insert(other.left_out.begin(), other.left_out.end());
  barriers.insert(other.barriers.begin(), other.barriers.end());
  dependencies.insert(dependencies.end(), other.dependencies.begin(), other.dependencies.end());
  semaphores.insert(semaphores.end(), other.semaphores.begin(), other.semaphores.end());
  earlier.insert(other.earlier.begin(), other.earlier.end());
  waits_before.insert(other.waits_before.begin(), other.waits_before.end());
  waits_after.insert(other.waits_after.begin(), other.waits_after.end());
  if (other.move) {
    RONDO_CHECK(!move);
    move = other.move;
    unchecked = other.unchecked;
  }
  overlaps = overlaps || other.overlaps;
}

Result<Edited> write_edited(const EditedCapture& capture, const Edits& edits) {
  auto source = open_source(capture);
  if (!source) return tl::unexpected(source.error());
  const auto ahead = look_ahead(capture, edits);
  if (!ahead) return tl::unexpected(ahead.error());
  auto out = OfflineWriter::create(capture.output, capture.file, Compression::lz4, (*source)->dictionary());
  if (!out) return tl::unexpected<Error>(out.error());
  const auto done = EditWriter(**source, **out, edits, *ahead).run();
  if (!done) return tl::unexpected(done.error());
  for (const std::string& session : (*source)->sessions()) RONDO_TRY((*out)->add_session(session));
  const Footer footer = (*source)->footer().value_or(Footer{});
  const auto bytes = (*out)->close(static_cast<Ending>(footer.ending), footer.exit_signal);
  if (!bytes) return tl::unexpected<Error>(bytes.error());
  RONDO_TRY((*out)->keep());
  return *done;
}

}  // namespace rondo::prove
