// SPDX-License-Identifier: Apache-2.0
// Records that a cut makes itself, or changes, in the words of the file that it writes.
#pragma once

#include <map>
#include <set>

#include "format/call_chains.h"
#include "format/codec/encoder.h"
#include "format/offline_writer.h"

namespace rondo::trim {

class RecordEncoder final : public codec::EncodeContext {
 public:
  // `thread`: of the records that write() makes.
  RecordEncoder(OfflineWriter& out, std::uint32_t thread) : out_(out), thread_(thread) {}

  // Every record of the source, in order: who called is said of what is copied.
  void follow(const Record& record, CommandId command, const codec::Lowered& parameters) {
    callers_.take(command, record.thread, parameters);
  }
  std::uint32_t caller_of(std::uint32_t thread) const { return callers_.number_of(thread); }  // now
  // A record of the source's as it is, its blobs apart. `command`: none if it is unknown. `caller`: as it was then.
  Result<void> copy(const Record& record, CommandId command, std::uint32_t caller);

  // A record of its own, without a time and a caller. `returned`: what the call returned.
  template <class Args>
  Result<void> write(CommandId command, const Args& args, std::optional<std::int64_t> returned = {}) {
    return write(command, static_cast<const void*>(&args), returned);
  }
  Result<void> write(CommandId command, const void* args, std::optional<std::int64_t> returned);
  // The record with these parameters instead of its own.
  Result<void> write(const Record& record, CommandId command, const void* args, std::uint32_t caller);
  // The same without a word of who called: for a capture that is copied whole, with what it says of callers.
  Result<void> rewrite(const Record& record, CommandId command, const void* args);

  bool is_secondary(std::uint64_t) override { return false; }  // begins are not made anew
  SubpassUse subpass_use(std::uint64_t, std::uint32_t) override { return {}; }
  TemplateLayout template_layout(std::uint64_t) override { return nullptr; }  // nor updates by templates
  void add_blob(const Digest& digest, std::span<const std::byte> bytes) override;
  std::uint16_t note_structure(StructId id) override;

 private:
  Result<void> encode(CommandId command, const void* args);
  std::uint16_t id_of(CommandId command);
  // what is encoded
  Result<void> add(std::uint32_t thread, CommandId command, std::optional<std::int64_t> returned = {});
  // In front of the thread's next record, where another one is known there; with chain and modules where they are new.
  Result<void> say_caller(std::uint32_t thread, std::uint32_t number);
  Result<void> say_chain(std::uint32_t thread, std::uint32_t number, const CallChain& chain);

  OfflineWriter& out_;
  const std::uint32_t thread_;
  CallChains callers_;                           // of the source
  std::set<std::uint32_t> modules_, chains_;     // those that are written
  std::map<std::uint32_t, std::uint32_t> said_;  // callers, by thread
  codec::Buffer buffer_;
  Result<void> blob_failure_;
  std::map<CommandId, std::uint16_t> commands_;
  std::map<StructId, std::uint16_t> structures_;
};

}  // namespace rondo::trim
