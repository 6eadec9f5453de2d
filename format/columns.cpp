// SPDX-License-Identifier: Apache-2.0
#include "format/columns.h"

#include <cstring>

#include "format/varint.h"

namespace rondo {
namespace {

// Steps over `count` varints; null when they are cut off.
const std::byte* skip_varints(const std::byte* p, const std::byte* end, int count) {
  for (std::uint64_t ignored = 0; count > 0 && p != nullptr; --count) p = get_varint(p, end, ignored);
  return p;
}

void append(std::vector<std::byte>& to, const std::byte* from, const std::byte* end) { to.insert(to.end(), from, end); }

int returns(const RecordHeader& h) { return (h.flags & kRecordReturns) != 0 ? 1 : 0; }
int times(const RecordHeader& h) { return (h.flags & kRecordTimes) != 0 ? 2 : 0; }

}  // namespace

void RecordColumns::clear() {
  headers_.clear();
  times_.clear();
  rest_.clear();
}

bool RecordColumns::add(const RecordHeader& header, std::span<const std::byte> body) {
  const std::byte* const end = body.data() + body.size();
  const std::byte* const first_time = skip_varints(body.data(), end, returns(header));
  if (first_time == nullptr) return false;
  const std::byte* const payload = skip_varints(first_time, end, times(header));
  if (payload == nullptr) return false;
  const auto* raw = reinterpret_cast<const std::byte*>(&header);
  append(headers_, raw, raw + sizeof header);
  append(times_, first_time, payload);
  append(rest_, body.data(), first_time);
  append(rest_, payload, end);
  return true;
}

std::array<std::span<const std::byte>, 4> RecordColumns::payload() {
  sizes_ = {headers_.size(), times_.size()};
  return {std::as_bytes(std::span(&sizes_, 1)), headers_, times_, rest_};
}

std::optional<Payload> join_columns(std::span<const std::byte> payload) {
  ColumnSizes sizes{};
  if (payload.size() < sizeof sizes) return std::nullopt;
  std::memcpy(&sizes, payload.data(), sizeof sizes);
  payload = payload.subspan(sizeof sizes);
  if (sizes.header_bytes > payload.size() || sizes.time_bytes > payload.size() - sizes.header_bytes ||
      sizes.header_bytes % sizeof(RecordHeader) != 0)
    return std::nullopt;
  const std::byte* header = payload.data();
  const std::byte* const headers_end = header + sizes.header_bytes;
  const std::byte* time = headers_end;
  const std::byte* const times_end = time + sizes.time_bytes;
  const std::byte* rest = times_end;
  const std::byte* const rest_end = payload.data() + payload.size();

  Payload joined(payload.size());
  std::byte* out = joined.bytes().data();
  const auto copy = [&out](const std::byte*& from, std::size_t bytes) {
    if (bytes != 0) std::memcpy(out, from, bytes);
    from += bytes;
    out += bytes;
  };
  while (header != headers_end) {
    RecordHeader h{};
    std::memcpy(&h, header, sizeof h);
    const std::byte* const return_end = skip_varints(rest, rest_end, returns(h));
    const std::byte* const time_end = skip_varints(time, times_end, times(h));
    if (return_end == nullptr || time_end == nullptr) return std::nullopt;
    const auto return_bytes = static_cast<std::size_t>(return_end - rest);
    const auto time_bytes = static_cast<std::size_t>(time_end - time);
    const std::size_t before_payload = sizeof h + return_bytes + time_bytes;
    if (h.bytes < before_payload || h.bytes - before_payload > static_cast<std::size_t>(rest_end - return_end))
      return std::nullopt;
    copy(header, sizeof h);
    copy(rest, return_bytes);
    copy(time, time_bytes);
    copy(rest, h.bytes - before_payload);
  }
  if (time != times_end || rest != rest_end) return std::nullopt;
  return joined;
}

Result<Payload> load_records(const File& file, const ChunkInfo& chunk, std::size_t budget) {
  if (type_of(chunk.header) != ChunkType::records) return load_payload(file, chunk, budget);
  auto payload = load_payload(file, chunk, budget / 2);  // for a moment they are there twice
  if (!payload) return payload;
  auto joined = join_columns(std::as_const(*payload).bytes());
  if (!joined)
    return fail(Status::unreadable,
                at_offset(file, chunk.offset) + ": this chunk is damaged (its columns do not fit together)");
  return std::move(*joined);
}

}  // namespace rondo
