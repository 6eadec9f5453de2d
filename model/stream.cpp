// SPDX-License-Identifier: Apache-2.0
#include "model/stream.h"

#include <string>
#include <utility>

#include "format/check.h"
#include "generated/args.h"

namespace rondo::model {

namespace {

bool gives_work(CommandId canonical) {
  return canonical == CommandId::vkQueueSubmit || canonical == CommandId::vkQueueSubmit2 ||
         canonical == CommandId::vkQueuePresentKHR;
}

// The first member behind the queue is the number of batches.
template <class Args>
std::uint64_t batches(const codec::Lowered& lowered) {
  return reinterpret_cast<const Args*>(lowered.bytes.data())->submitCount;
}

}  // namespace

bool succeeded(const codec::CommandInfo& command, const Record& record) {
  if (command.returns != codec::Returns::result) return true;
  if (record.has_return) return record.return_value >= 0;
  return (record.flags & kRecordTwoPart) == 0 || gives_work(command.canonical);
}

Stream::Stream(Reader& reader, ObjectTable* objects)
    : reader_(&reader),
      ids_(codec::IdMap::match(reader.dictionary())),
      own_objects_(objects == nullptr ? std::make_unique<ObjectTable>() : nullptr),
      objects_(objects == nullptr ? own_objects_.get() : objects) {}

Result<bool> Stream::next(Step& step) {
  const auto more = fetch(step);
  if (!more || !*more) return more;
  if (const auto decoded = decode(step); !decoded) return tl::unexpected(at(step, decoded.error()));
  resolve(step);
  return true;
}

Result<bool> Stream::fetch(Step& step) {
  auto read = reader_->next();
  if (!read) return tl::unexpected(std::move(read).error());
  if (!*read) return false;
  begin(step, **read);
  return true;
}

Error Stream::at(const Step& step, const Error& error) const {
  return {error.status, reader_->path() + ": record " + std::to_string(step.record.sequence) + ": " + error.message};
}

Step Stream::step_of(const Record& record) const {
  Step step;
  begin(step, record);
  return step;
}

void Stream::begin(Step& step, const Record& record) const {
  step = Step{};
  step.record = record;
  step.event = codec::is_event(ids_.name(record.command));
  if (const CommandId id = ids_.command(record.command); id != CommandId::none) step.command = &codec::info(id);
}

Result<void> Stream::decode(const Step& step, const codec::DecodeLimits& limits) {
  decoded_ = step.record.sequence;
  if (step.command != nullptr) return codec::decode(lowered_, ids_, step.command->id, step.record.payload, limits);
  lowered_.clear();
  return {};
}

void Stream::resolve(Step& step) {
  RONDO_CHECK(step.record.sequence == decoded_);
  RONDO_CHECK(step.record.sequence >= resolved_);
  resolved_ = decoded_;
  if (step.command != nullptr)
    objects_->apply(*step.command, step.record.sequence, step.succeeded(), lowered_, resolution_);
  count(step);
}

Result<void> Stream::rewind() {
  RONDO_TRY(reader_->rewind());
  *objects_ = ObjectTable();
  decoded_ = resolved_ = frames_ = submits_ = 0;
  in_front_ = is_cut_;
  return {};
}

void Stream::count(Step& step) {
  step.frame = frames_;
  step.submit = submits_;
  if (step.command == nullptr || step.by_layer()) return;
  switch (step.command->canonical) {
    case CommandId::vkQueuePresentKHR:
      step.present = true;
      break;
    case CommandId::vkQueueSubmit:
      step.submits = batches<args_vkQueueSubmit>(lowered_);
      break;
    case CommandId::vkQueueSubmit2:
      step.submits = batches<args_vkQueueSubmit2>(lowered_);
      break;
    case CommandId::rondoCut:  // they count from here
      frames_ = submits_ = 0;
      in_front_ = false;
      return;
    default:
      return;
  }
  if (in_front_) {  // these put back, or make again
    step.submits = 0;
    step.present = false;
  }
  frames_ += step.present ? 1 : 0;
  submits_ += step.submits;
}

}  // namespace rondo::model
