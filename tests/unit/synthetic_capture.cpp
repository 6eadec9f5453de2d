// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/synthetic_capture.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <vector>

#include "format/codec/schema.h"
#include "format/varint.h"

namespace rondo::test {

SyntheticCapture::SyntheticCapture(const std::string& path, CommandId otherwise) {
  WriterOptions options;
  options.path = path;
  for (const codec::CommandInfo& command : codec::commands())
    if (command.id != CommandId::none)
      options.dictionary.push_back({DictionaryKind::command, static_cast<std::uint16_t>(command.id),
                                    codec::info(command.args).encoding_hash + (command.id == otherwise ? 1u : 0u),
                                    command.name});
  for (const codec::StructInfo& structure : codec::structures())
    if (structure.stype != codec::kNull)
      options.dictionary.push_back({DictionaryKind::structure, static_cast<std::uint16_t>(structure.id),
                                    structure.encoding_hash, structure.name});
  auto writer = CaptureWriter::create(options);
  if (!writer) throw std::runtime_error(writer.error().message);
  writer_ = std::move(*writer);
  stream_ = writer_->open_stream();
}

SyntheticCapture::~SyntheticCapture() = default;

void SyntheticCapture::add_blob(const Digest& digest, std::span<const std::byte> bytes) {
  writer_->add_blob(*stream_, digest, bytes);
}

std::uint16_t SyntheticCapture::note_structure(StructId id) {
  writer_->note_structure(static_cast<std::uint16_t>(id));
  return static_cast<std::uint16_t>(id);
}

void SyntheticCapture::record(CommandId command, const void* args, const Call& call) {
  buffer_.clear();
  const bool succeeded = !call.result || *call.result >= 0;
  const codec::EncodeResult encoded = codec::encode(buffer_, *this, command, args, succeeded);
  if (!encoded.error.empty()) throw std::runtime_error(encoded.error);
  std::vector<std::byte> body(3 * kMaxVarint);
  std::size_t used = 0;
  std::uint16_t flags = call.flags;
  if (call.result) {
    flags |= kRecordReturns;
    used += put_varint(body.data(), zigzag(*call.result));
  }
  if (call.start_ns != 0) {
    flags |= kRecordTimes;
    used += put_varint(body.data() + used, call.start_ns - stream_->last_time_ns());
    used += put_varint(body.data() + used, call.end_ns - call.start_ns);
  }
  body.resize(used);
  body.insert(body.end(), buffer_.bytes().begin(), buffer_.bytes().end());
  last_number_ = writer_->take_sequence();
  std::byte* to = stream_->begin(static_cast<std::uint16_t>(command), flags, last_number_, body.size());
  std::memcpy(to, body.data(), body.size());
  if (call.start_ns != 0) stream_->set_last_time_ns(call.end_ns);
  stream_->commit();
}

void SyntheticCapture::unused_number() {
  stream_->begin(0, kRecordVoid, writer_->take_sequence(), 0);
  stream_->commit();
}

void SyntheticCapture::lost_number() { writer_->take_sequence(); }

void SyntheticCapture::finish(Ending ending) {
  writer_->close_stream(stream_);
  const auto summary = writer_->finish(ending);
  if (!summary) throw std::runtime_error(summary.error().message);
}

TemporaryFile::TemporaryFile(std::string_view name) {
  const char* root = std::getenv("TMPDIR");
  directory_ = std::string(root != nullptr ? root : "/tmp") + "/rondo-unit-XXXXXX";
  if (::mkdtemp(directory_.data()) == nullptr) throw std::runtime_error("cannot make a directory like " + directory_);
  path_ = directory_ + "/" + std::string(name);
}

TemporaryFile::~TemporaryFile() {
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

}  // namespace rondo::test
