// SPDX-License-Identifier: Apache-2.0
#include "analyzers/read/walk.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "analyzers/text/json.h"
#include "analyzers/text/text.h"
#include "generated/args.h"

namespace rondo::analyzers {

namespace {

bool is_cut(const Reader& reader) {
  const std::vector<std::string>& all = reader.sessions();
  return std::any_of(all.begin(), all.end(), [](const std::string& one) {
    const auto json = JsonText::parse(one);
    return json && json->size("/cut") != 0;
  });
}

}  // namespace

Walk::Walk(std::unique_ptr<Reader> reader) : reader_(std::move(reader)), stream_(*reader_) {
  if (is_cut(*reader_)) stream_.expect_cut();
}

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
  std::string_view first = damaged[0];  // names the file, too
  if (const std::string file = reader_->path() + ", "; first.substr(0, file.size()) == file)
    first.remove_prefix(file.size());
  return fail(Status::unreadable,
              text("{}: damaged in {}: the first is at {}; `player --salvage` plays what can be read", reader_->path(),
                   plural(damaged.size(), "place"), first));
}

Result<void> Walk::rewind() {
  callers_ = CallChains();
  return stream_.rewind();
}

const std::string& Walk::name(const Step& step) const { return ids().name(step.record.command); }

Result<bool> Walk::next(Step& step) {
  relocated_ = false;
  const auto more = stream_.fetch(step);
  if (!more || !*more) return more;
  if (const auto decoded = stream_.decode(step); !decoded)
    return fail(decoded.error().status, text("{}: sequence {}, chunk at offset {}: {}", reader_->path(),
                                             step.record.sequence, step.record.file_offset, decoded.error().message));
  if (step.command != nullptr) callers_.take(step.command->id, step.record.thread, decoded());
  stream_.resolve(step);
  return true;
}

const void* Walk::native() {
  if (!relocated_) {
    codec::Lowered& lowered = stream_.lowered();
    std::byte* const base = lowered.bytes.data();
    for (const std::uint32_t at : lowered.pointers) {
      std::uint64_t offset;
      std::memcpy(&offset, base + at, sizeof offset);
      const std::byte* target = base + offset;
      std::memcpy(base + at, &target, sizeof target);
    }
    for (const codec::BlobRef& blob : lowered.blobs) std::memset(base + blob.offset, 0, sizeof(void*));
    relocated_ = true;
  }
  return stream_.lowered().bytes.data();
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
