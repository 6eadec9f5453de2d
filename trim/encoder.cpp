// SPDX-License-Identifier: Apache-2.0
#include "trim/encoder.h"

#include <string_view>

namespace rondo::trim {

namespace {

// Rondo's own.
bool is_event(CommandId command) {
  return command != CommandId::none && std::string_view(codec::info(command).name).starts_with("rondo");
}

}  // namespace

std::uint16_t RecordEncoder::id_of(CommandId command) {
  const auto [found, fresh] = commands_.try_emplace(command, std::uint16_t{0});
  const codec::CommandInfo& info = codec::info(command);
  if (fresh)
    found->second = out_.add_name(DictionaryKind::command, info.name, codec::info(info.args).encoding_hash);
  return found->second;
}

std::uint16_t RecordEncoder::note_structure(StructId id) {
  const auto [found, fresh] = structures_.try_emplace(id, std::uint16_t{0});
  const codec::StructInfo& info = codec::info(id);
  if (fresh) found->second = out_.add_name(DictionaryKind::structure, info.name, info.encoding_hash);
  return found->second;
}

void RecordEncoder::add_blob(const Digest& digest, std::span<const std::byte> bytes) {
  const auto added = out_.add_blob(digest, bytes);
  if (!added && blob_failure_) blob_failure_ = added;
}

Result<void> RecordEncoder::encode(CommandId command, const void* args) {
  buffer_.clear();
  const codec::EncodeResult encoded = codec::encode(buffer_, *this, command, args);
  if (!encoded.error.empty()) return fail(Status::failed, std::string(codec::info(command).name) + ": " + encoded.error);
  return blob_failure_;
}

Result<void> RecordEncoder::add(std::uint32_t thread, CommandId command, std::optional<std::int64_t> returned) {
  Record record;
  record.thread = thread;
  record.command = id_of(command);
  record.has_return = returned.has_value();
  record.return_value = returned.value_or(0);
  record.payload = buffer_.bytes();
  return out_.add(record);
}

Result<void> RecordEncoder::say_caller(std::uint32_t thread, std::uint32_t number) {
  const auto write_on = [&](CommandId command, const auto& args) -> Result<void> {
    RONDO_TRY(encode(command, &args));
    return add(thread, command);
  };
  return callers_.say(
      thread, number,
      [&](std::uint32_t named, const CallModule& module) {
        const auto* const id = reinterpret_cast<const std::uint8_t*>(module.build_id.data());
        return write_on(CommandId::rondoModule,
                        args_rondoModule{named, static_cast<std::uint32_t>(module.build_id.size()), id,
                                         module.path.empty() ? nullptr : module.path.c_str()});
      },
      [&](std::uint32_t named, const CallChain& chain) {
        return write_on(CommandId::rondoCallChain,
                        args_rondoCallChain{named, chain.truncated ? VK_TRUE : VK_FALSE,
                                            static_cast<std::uint32_t>(chain.frames.size()), chain.frames.data()});
      },
      [&](std::uint32_t named) { return write_on(CommandId::rondoCaller, args_rondoCaller{named}); });
}

// Of the program's calls: what the recorder said for itself nobody called.
Result<void> RecordEncoder::say_caller_of(const Record& record, CommandId command) {
  if ((record.flags & kRecordByLayer) != 0 || is_event(command)) return {};
  return say_caller(record.thread, callers_.at(record.thread, record.sequence));
}

Result<void> RecordEncoder::copy(const Record& record, CommandId command) {
  if (says_who_calls(command)) return {};  // said where it is needed
  RONDO_TRY(say_caller_of(record, command));
  return out_.add(record);
}

Result<void> RecordEncoder::write(CommandId command, const void* args, std::optional<std::int64_t> returned) {
  if (!is_event(command)) RONDO_TRY(say_caller(thread_, 0));
  RONDO_TRY(encode(command, args));
  return add(thread_, command, returned);
}

Result<void> RecordEncoder::write(const Record& source, CommandId command, const void* args) {
  RONDO_TRY(say_caller_of(source, command));
  RONDO_TRY(encode(command, args));
  Record record = source;
  record.payload = buffer_.bytes();
  return out_.add(record);
}

}  // namespace rondo::trim
