// SPDX-License-Identifier: Apache-2.0
// Writes small captures, as the layer would, from parameters that a test gives.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "format/codec/encoder.h"
#include "format/writer.h"
#include "generated/args.h"
#include "generated/ids.h"

namespace rondo::test {

struct Call {
  std::optional<std::int64_t> result = {};  // nothing: the command returns nothing
  std::uint64_t start_ns = 0;               // 0: not timed
  std::uint64_t end_ns = 0;
  std::uint16_t flags = 0;  // further RecordFlags
};

// One thread. Fails the test on any error.
class SyntheticCapture : public codec::EncodeContext {
 public:
  bool secondaries = false;         // command buffers are taken for such from here on
  TemplateLayout template_entries;  // of every template
  std::uint64_t host_bytes = 0;     // of every region that the host copies
  // `otherwise`: a command of which the file says that it encodes it otherwise.
  explicit SyntheticCapture(const std::string& path, CommandId otherwise = CommandId::none);
  ~SyntheticCapture() override;

  template <class Args>
  void call(CommandId command, const Args& args, const Call& call = {}) {
    record(command, &args, call);
  }
  // Numbered, durable, and its result never written: the process died in it.
  template <class Args>
  void call_without_end(CommandId command, const Args& args) {
    record(command, &args, Call{.flags = kRecordTwoPart});
  }
  std::uint64_t last_number() const { return last_number_; }  // of the call that was written last
  void session(std::string_view json) { writer_->add_session(json); }
  void unused_number();
  void lost_number();  // taken by a thread that died before it had written the record
  void finish(Ending ending = Ending::exited);

  bool is_secondary(std::uint64_t) override { return secondaries; }
  std::optional<std::uint64_t> host_texels(const HostRegion&) override { return host_bytes; }
  SubpassUse subpass_use(std::uint64_t, std::uint32_t) override { return {}; }
  TemplateLayout template_layout(std::uint64_t) override { return template_entries; }
  void add_blob(const Digest& digest, std::span<const std::byte> bytes) override;
  std::uint16_t note_structure(StructId id) override;

 private:
  void record(CommandId command, const void* args, const Call& call);

  std::unique_ptr<CaptureWriter> writer_;
  ThreadStream* stream_ = nullptr;
  codec::Buffer buffer_;
  std::uint64_t last_number_ = 0;
};

// A file name in a directory of its own that goes away with the object.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view name = "test.rondo");
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }
  const std::string& directory() const { return directory_; }

 private:
  std::string directory_;
  std::string path_;
};

}  // namespace rondo::test
