// SPDX-License-Identifier: Apache-2.0
// A record's payload: to native memory and text, and from there back to bytes.
#include <cstring>
#include <unordered_map>
#include <vector>

#include "format/codec/decoder.h"
#include "format/codec/encoder.h"
#include "format/codec/printer.h"
#include "format/digest.h"
#include "tests/fuzz/targets.h"

namespace rondo::fuzz {
namespace {

namespace codec = rondo::codec;

constexpr std::size_t kMostBytes = std::size_t{1} << 20;  // of one lowered block, and of one blob

// Counts what it is told and checks that it is nested well.
class Sink : public codec::ValueSink {
 public:
  void begin_structure(std::string_view) override { ++depth_; }
  void end_structure() override { close(); }
  void begin_array() override { ++depth_; }
  void end_array() override { close(); }
  void key(std::string_view name) override { expect(!name.empty(), "every member has a name"); }
  void null() override {}
  void unsigned_value(std::uint64_t) override {}
  void signed_value(std::int64_t) override {}
  void floating_value(double, bool) override {}
  void boolean(bool) override {}
  void enumerant(std::string_view, std::int64_t) override {}
  void flags(EnumId, std::uint64_t) override {}
  void handle(HandleType, std::uint64_t captured, std::uint32_t index) override {
    expect(index == handles.size(), "handles are counted");
    handles.push_back(captured);
  }
  void string(std::string_view) override {}
  void bytes(const Digest&, std::uint64_t) override {}
  bool closed() const { return depth_ == 0; }

  std::vector<std::uint64_t> handles;

 private:
  void close() { expect(depth_-- > 0, "what is ended was begun"); }
  int depth_ = 0;
};

class Context : public codec::EncodeContext {
 public:
  bool is_secondary(std::uint64_t) override { return false; }
  SubpassUse subpass_use(std::uint64_t, std::uint32_t) override { return {}; }
  // A template's layout comes from its creation, which a payload alone has not.
  TemplateLayout template_layout(std::uint64_t) override { return nullptr; }
  void add_blob(const Digest&, std::span<const std::byte>) override {}
  std::uint16_t note_structure(StructId id) override { return static_cast<std::uint16_t>(id); }
};

const codec::IdMap& own_ids() {
  static const codec::IdMap ids = [] {
    std::vector<DictionaryRow> rows;
    for (const codec::CommandInfo& c : codec::commands())
      if (c.id != CommandId::none && c.args != StructId::none)
        rows.push_back(
            {DictionaryKind::command, static_cast<std::uint16_t>(c.id), codec::info(c.args).encoding_hash, c.name});
    for (const codec::StructInfo& s : codec::structures())
      if (s.stype != codec::kNull)
        rows.push_back({DictionaryKind::structure, static_cast<std::uint16_t>(s.id), s.encoding_hash, s.name});
    return codec::IdMap::match(rows);
  }();
  return ids;
}

const std::unordered_map<std::uint32_t, CommandId>& by_selector() {
  static const auto commands = [] {
    std::unordered_map<std::uint32_t, CommandId> all;
    for (const codec::CommandInfo& c : codec::commands())
      if (c.args != StructId::none) all.emplace(codec_selector(c.name), c.id);
    return all;
  }();
  return commands;
}

void check_places(const codec::Lowered& lowered) {
  const auto inside = [&](std::uint64_t at, std::uint64_t bytes) {
    return at <= lowered.bytes.size() && bytes <= lowered.bytes.size() - at;
  };
  for (const std::uint32_t at : lowered.pointers) {
    expect(inside(at, 8), "a pointer lies in the block");
    std::uint64_t target = 0;
    std::memcpy(&target, &lowered.bytes[at], sizeof target);
    expect(inside(target, 1), "a pointer points into the block");
  }
  for (const codec::HandleRef& ref : lowered.handles) expect(inside(ref.offset, 8), "a handle lies in the block");
  for (const codec::BlobRef& ref : lowered.blobs) expect(inside(ref.offset, 8), "a blob's pointer lies in the block");
  for (const codec::MarkRef& ref : lowered.marks) expect(inside(ref.offset, 4), "a mark lies in the block");
  for (const codec::StructRef& ref : lowered.chained)
    expect(inside(ref.offset, codec::info(ref.id).size), "a chained structure lies in the block");
}

// A block to call with; blobs are zeros of their length. False where that is
// more than a test wants to hold.
struct Native {
  std::vector<std::byte> bytes;
  std::vector<std::vector<std::byte>> blobs;

  bool make(const codec::Lowered& lowered) {
    bytes = lowered.bytes;
    for (const std::uint32_t at : lowered.pointers) {
      std::uint64_t value = 0;
      std::memcpy(&value, &bytes[at], sizeof value);
      value += reinterpret_cast<std::uintptr_t>(bytes.data());
      std::memcpy(&bytes[at], &value, sizeof value);
    }
    std::size_t all = 0;
    for (const codec::BlobRef& ref : lowered.blobs) {
      if (ref.bytes > kMostBytes || (all += ref.bytes) > kMostBytes) return false;
      blobs.emplace_back(ref.bytes);
      const std::byte* data = blobs.back().data();
      std::memcpy(&bytes[ref.offset], &data, sizeof data);
    }
    return true;
  }
};

// What the encoder makes of it; empty where it refuses.
std::vector<std::byte> encoded(CommandId command, const codec::Lowered& lowered) {
  Native native;
  if (!native.make(lowered)) return {};
  Context context;
  codec::Buffer buffer;
  if (!codec::encode(buffer, context, command, native.bytes.data()).error.empty()) return {};
  return {buffer.bytes().begin(), buffer.bytes().end()};
}

}  // namespace

std::uint32_t codec_selector(std::string_view command) {
  return static_cast<std::uint32_t>(checksum_of(std::as_bytes(std::span(command.data(), command.size()))));
}

void codec(Bytes input) {
  std::uint32_t selector = 0;
  if (input.size() < sizeof selector) return;
  std::memcpy(&selector, input.data(), sizeof selector);
  input = input.subspan(sizeof selector);
  const auto known = by_selector().find(selector);
  const CommandId command =
      known != by_selector().end() ? known->second : static_cast<CommandId>(selector % kCommandIds);

  codec::DecodeLimits limits;
  limits.max_bytes = kMostBytes;
  codec::Lowered lowered;
  const auto decoded = codec::decode(lowered, own_ids(), command, input, limits);
  check_places(lowered);
  Sink sink;
  const auto printed = codec::print(sink, own_ids(), command, input);
  if (!decoded) {
    expect(!decoded.error().message.empty(), "an error says something");
    return;
  }
  expect(static_cast<bool>(printed) && sink.closed(), "what can be decoded can be printed");
  expect(sink.handles.size() == lowered.handles.size(), "the printer sees the handles of the decoder");

  // Once more through the encoder drops what the specification ignores, and
  // then nothing changes any more.
  const std::vector<std::byte> once = encoded(command, lowered);
  if (once.empty()) return;
  codec::Lowered again;
  expect(static_cast<bool>(codec::decode(again, own_ids(), command, once, limits)), "what is encoded can be decoded");
  expect(encoded(command, again) == once, "encoding is stable");
}

}  // namespace rondo::fuzz
