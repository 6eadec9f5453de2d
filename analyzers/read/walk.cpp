// SPDX-License-Identifier: Apache-2.0
#include "analyzers/read/walk.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "analyzers/text/json.h"
#include "analyzers/text/text.h"
#include "generated/args.h"

namespace rondo::analyzers {

bool Step::succeeded() const {
  if (command == nullptr || command->returns != codec::Returns::result) return true;
  return record.has_return ? record.return_value >= 0 : !unfinished();
}

namespace {

bool is_cut(const Reader& reader) {
  const std::vector<std::string>& all = reader.sessions();
  return std::any_of(all.begin(), all.end(), [](const std::string& one) {
    const auto json = JsonText::parse(one);
    return json && json->size("/cut") != 0;
  });
}

}  // namespace

Walk::Walk(std::unique_ptr<Reader> reader)
    : reader_(std::move(reader)),
      ids_(codec::IdMap::match(reader_->dictionary())),
      is_cut_(is_cut(*reader_)),
      in_front_(is_cut_) {}

Result<Walk> Walk::open(const std::string& path) {
  auto reader = Reader::open(path);
  if (reader) return Walk(std::move(*reader));
  auto salvaged = Reader::open(path, ReaderOptions{.salvage = true});
  if (!salvaged) return tl::unexpected(std::move(reader).error());
  Walk walk(std::move(*salvaged));
  walk.damage_ = std::move(reader).error();
  return walk;
}

Result<void> Walk::intact() const {
  if (damage_) return tl::unexpected(*damage_);
  const std::vector<std::string> damaged = reader_->damaged_chunks();
  if (damaged.empty()) return {};
  return fail(Status::unreadable,
              text("{}: damaged in {}: the first is {}", reader_->path(), plural(damaged.size(), "place"), damaged[0]));
}

Result<void> Walk::rewind() {
  RONDO_TRY(reader_->rewind());
  objects_ = ObjectTable();
  callers_ = CallChains();
  frames_ = 0;
  submits_ = 0;
  in_front_ = is_cut_;
  return {};
}

const std::string& Walk::name(const Step& step) const { return ids_.name(step.record.command); }

Result<bool> Walk::next(Step& step) {
  auto read = reader_->next();
  if (!read) return tl::unexpected(std::move(read).error());
  lowered_.clear();
  relocated_ = false;
  if (!*read) return false;
  step = Step{};
  step.record = **read;
  step.event = codec::is_event(name(step));
  const CommandId id = ids_.command(step.record.command);
  if (id != CommandId::none) {
    step.command = &codec::info(id);
    const auto decoded = codec::decode(lowered_, ids_, id, step.record.payload);
    if (!decoded)
      return fail(decoded.error().status, text("{}: sequence {}, chunk at offset {}: {}", reader_->path(),
                                               step.record.sequence, step.record.file_offset, decoded.error().message));
    callers_.take(id, step.record.thread, lowered_);
    objects_.apply(*step.command, step.record.sequence, step.succeeded(), lowered_, resolution_);
  }
  count(step);
  return true;
}

void Walk::count(Step& step) {
  step.frame = frames_;
  step.submit = submits_;
  if (step.command == nullptr || step.by_layer()) return;
  switch (step.command->canonical) {
    case CommandId::vkQueuePresentKHR:
      step.present = true;
      if (!in_front_) frames_ += 1;
      break;
    case CommandId::vkQueueSubmit:
      step.submits = reinterpret_cast<const args_vkQueueSubmit*>(lowered_.bytes.data())->submitCount;
      break;
    case CommandId::vkQueueSubmit2:
      step.submits = reinterpret_cast<const args_vkQueueSubmit2*>(lowered_.bytes.data())->submitCount;
      break;
    case CommandId::rondoCut:  // they count from here
      frames_ = submits_ = 0;
      in_front_ = false;
      return;
    default:
      break;
  }
  if (in_front_) {  // these put back, or make again
    step.submits = 0;
    step.present = false;
  }
  submits_ += step.submits;
}

const void* Walk::native() {
  if (!relocated_) {
    std::byte* base = lowered_.bytes.data();
    for (const std::uint32_t at : lowered_.pointers) {
      std::uint64_t offset;
      std::memcpy(&offset, base + at, sizeof offset);
      const std::byte* target = base + offset;
      std::memcpy(base + at, &target, sizeof target);
    }
    for (const codec::BlobRef& blob : lowered_.blobs) std::memset(base + blob.offset, 0, sizeof(void*));
    relocated_ = true;
  }
  return lowered_.bytes.data();
}

SpanFinder::Call call_of(Walk& walk, const Step& step) {
  const Record& record = step.record;
  return {*step.command,
          &walk.args<std::byte>(),
          record.sequence,
          record.thread,
          step.succeeded(),
          record.return_value,
          record.has_times ? record.start_ns : 0,
          record.has_times ? record.end_ns : 0};
}

}  // namespace rondo::analyzers
