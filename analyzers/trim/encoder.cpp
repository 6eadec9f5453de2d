// SPDX-License-Identifier: Apache-2.0
#include "analyzers/trim/encoder.h"
namespace rondo::trim {

namespace {

// Of the program's: what the recorder said for itself nobody called.
bool is_call(const Record& record, CommandId command) {
  return (record.flags & kRecordByLayer) == 0 &&
         (command == CommandId::none || !codec::is_event(codec::info(command).name));
}

}  // namespace

std::uint16_t RecordEncoder::id_of(CommandId command) {
  const auto [found, fresh] = commands_.try_emplace(command, std::uint16_t{0});
  const codec::CommandInfo& info = codec::info(command);
  if (fresh) found->second = out_.add_name(DictionaryKind::command, info.name, codec::info(info.args).encoding_hash);
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
  if (!encoded.error.empty())
    return fail(Status::failed, std::string(codec::info(command).name) + ": " + encoded.error);
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
  const CallChain* const chain = callers_.chain(number);
  if (chain == nullptr) number = 0;
  std::uint32_t& said = said_[thread];
  if (said == number) return {};
  said = number;
  if (chain != nullptr && chains_.insert(number).second) return say_chain(thread, number, *chain);
  const args_rondoCaller args{number};
  RONDO_TRY(encode(CommandId::rondoCaller, &args));
  return add(thread, CommandId::rondoCaller);
}

Result<void> RecordEncoder::say_chain(std::uint32_t thread, std::uint32_t number, const CallChain& chain) {
  for (const RondoFrame& frame : chain.frames) {
    const CallModule* const module = callers_.module(frame.module);
    if (module == nullptr || !modules_.insert(frame.module).second) continue;
    const args_rondoModule args{frame.module, static_cast<std::uint32_t>(module->build_id.size()),
                                reinterpret_cast<const std::uint8_t*>(module->build_id.data()),
                                module->path.empty() ? nullptr : module->path.c_str()};
    RONDO_TRY(encode(CommandId::rondoModule, &args));
    RONDO_TRY(add(thread, CommandId::rondoModule));
  }
  const args_rondoCallChain args{number, chain.truncated ? VK_TRUE : VK_FALSE,
                                 static_cast<std::uint32_t>(chain.frames.size()), chain.frames.data()};
  RONDO_TRY(encode(CommandId::rondoCallChain, &args));
  return add(thread, CommandId::rondoCallChain);
}

Result<void> RecordEncoder::copy(const Record& record, CommandId command, std::uint32_t caller) {
  if (says_who_calls(command)) return {};  // said where it is needed
  if (is_call(record, command)) RONDO_TRY(say_caller(record.thread, caller));
  return out_.add(record);
}

Result<void> RecordEncoder::write(CommandId command, const void* args, std::optional<std::int64_t> returned) {
  if (!codec::is_event(codec::info(command).name)) RONDO_TRY(say_caller(thread_, 0));
  RONDO_TRY(encode(command, args));
  return add(thread_, command, returned);
}

Result<void> RecordEncoder::write(const Record& source, CommandId command, const void* args, std::uint32_t caller) {
  if (is_call(source, command)) RONDO_TRY(say_caller(source.thread, caller));
  return rewrite(source, command, args);
}

Result<void> RecordEncoder::rewrite(const Record& source, CommandId command, const void* args) {
  RONDO_TRY(encode(command, args));
  Record record = source;
  record.payload = buffer_.bytes();
  return out_.add(record);
}

}  // namespace rondo::trim
