// SPDX-License-Identifier: Apache-2.0
#include "trim/encoder.h"

namespace rondo::trim {

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

Result<void> RecordEncoder::write(CommandId command, const void* args, std::optional<std::int64_t> returned) {
  RONDO_TRY(encode(command, args));
  Record record;
  record.thread = thread_;
  record.command = id_of(command);
  record.has_return = returned.has_value();
  record.return_value = returned.value_or(0);
  record.payload = buffer_.bytes();
  return out_.add(record);
}

Result<void> RecordEncoder::write(const Record& source, CommandId command, const void* args) {
  RONDO_TRY(encode(command, args));
  Record record = source;
  record.payload = buffer_.bytes();
  return out_.add(record);
}

}  // namespace rondo::trim
