// SPDX-License-Identifier: Apache-2.0
// Writes a capture anew, with a hostile text in place of its strings.
//   rewrite-strings list CAPTURE                 the kinds of strings in it: COMMAND.MEMBER, a line each
//   rewrite-strings COMMAND.MEMBER|all IN OUT    this kind, or all of them, and the strings of the session
//   and of shaders rewrite-strings entry-points IN OUT          names in shader code, and the pipelines'
//   names of entry points:
//                                                alike, so that the capture plays
//   rewrite-strings unterminated IN OUT          names of devices fill their arrays
//   rewrite-strings unknown IN OUT               every command but the first ten is one that nobody knows
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "format/codec/printer.h"
#include "format/offline_writer.h"
#include "format/reader.h"
#include "format/vulkan.h"
#include "tests/fuzz/hostile_text.h"

namespace rondo::fuzz {
namespace {

struct Found {
  std::string member;
  std::string_view where;  // in the payload
};

// Where the strings of a payload lie: printing hands them out in place.
class Finder final : public codec::ValueSink {
 public:
  std::vector<Found> strings;

  void begin_structure(std::string_view) override {}
  void end_structure() override {}
  void begin_array() override {}
  void end_array() override {}
  void key(std::string_view name) override { key_ = name; }
  void null() override {}
  void unsigned_value(std::uint64_t) override {}
  void signed_value(std::int64_t) override {}
  void floating_value(double, bool) override {}
  void boolean(bool) override {}
  void enumerant(std::string_view, std::int64_t) override {}
  void flags(EnumId, std::uint64_t) override {}
  void handle(HandleType, std::uint64_t, std::uint32_t) override {}
  void string(std::string_view v) override { strings.push_back({key_, v}); }
  void bytes(const Digest&, std::uint64_t) override {}

 private:
  std::string key_;
};

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "rewrite-strings: %s\n", why.c_str());
  std::exit(1);
}

template <class T>
T take(Result<T> result) {
  if (!result) give_up(result.error().message);
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

class Rewriter {
 public:
  Rewriter(const std::string& what, const std::string& in) : what_(what), reader_(take(Reader::open(in))) {
    ids_ = codec::IdMap::match(reader_->dictionary());
  }

  void list() {
    std::set<std::string> kinds;
    for_each([&](const Record& record) {
      for (const Found& one : strings_of(record)) kinds.insert(kind_of(record, one));
    });
    for (const std::string& kind : kinds) std::printf("%s\n", kind.c_str());
  }

  void write(const std::string& out) {
    writer_ = take(OfflineWriter::create(out, reader_->path(), Compression::zstd, reader_->dictionary()));
    std::uint16_t unknown = 0;
    if (what_ == "unknown") unknown = writer_->add_name(DictionaryKind::command, kHostileText, 1);
    rewrite_blobs();
    for_each([&](const Record& record) {
      Record changed = record;
      std::vector<std::byte> payload = rewritten(record);
      changed.payload = payload;
      if (what_ == "unknown" && record.sequence > 10) changed.command = unknown;
      take(writer_->add(changed));
    });
    for (const std::string& session : reader_->sessions()) {
      if (what_ == "all")
        take(writer_->add_session(session_of(session)));
      else
        take(writer_->add_session(session));
    }
    if (what_ == "all") take(writer_->add_session("{\"stopped\":\"" + std::string(kHostileText) + "\"}"));  // no JSON
    take(writer_->finish());
  }

 private:
  template <class Do>
  void for_each(const Do& visit) {
    take(reader_->rewind());
    for (;;) {
      const auto record = take(reader_->next());
      if (!record) return;
      visit(*record);
    }
  }

  std::vector<Found> strings_of(const Record& record) const {
    Finder finder;
    const CommandId command = ids_.command(record.command);
    if (command == CommandId::none) return {};
    take(codec::print(finder, ids_, command, record.payload));
    return std::move(finder.strings);
  }
  std::string kind_of(const Record& record, const Found& one) const {
    return std::string(codec::info(ids_.command(record.command)).name) + "." + one.member;
  }

  // A string is its length as 32 bits and its characters; a blob is named by the digest of its bytes.
  std::vector<std::byte> rewritten(const Record& record) const {
    std::vector<std::byte> out;
    const std::byte* from = record.payload.data();
    static const std::string full(VK_MAX_PHYSICAL_DEVICE_NAME_SIZE, 'N');
    for (const Found& one : strings_of(record)) {
      const std::string kind = kind_of(record, one);
      const bool is_meant = what_ == "entry-points"   ? one.member == "pName"
                            : what_ == "unterminated" ? one.member == "deviceName"
                                                      : what_ == "all" || what_ == kind;
      if (!is_meant) continue;
      const auto* at = reinterpret_cast<const std::byte*>(one.where.data());
      out.insert(out.end(), from, at - sizeof(std::uint32_t));
      // Where shaders are renamed, too, pipelines find them.
      const bool is_entry_point = one.member == "pName" && (what_ == "all" || what_ == "entry-points");
      const std::string_view text = is_entry_point ? kHostileName : what_ == "unterminated" ? full : kHostileText;
      const auto length = static_cast<std::uint32_t>(text.size());
      const auto* bytes = reinterpret_cast<const std::byte*>(&length);
      out.insert(out.end(), bytes, bytes + sizeof length);
      bytes = reinterpret_cast<const std::byte*>(text.data());
      out.insert(out.end(), bytes, bytes + text.size());
      from = at + one.where.size();
    }
    out.insert(out.end(), from, record.payload.data() + record.payload.size());
    for (const auto& [before, after] : blobs_) {
      const auto* old = reinterpret_cast<const std::byte*>(&before);
      for (auto at = out.begin(); (at = std::search(at, out.end(), old, old + sizeof before)) != out.end();)
        std::memcpy(&*at, &after, sizeof after);
    }
    return out;
  }

  void rewrite_blobs() {
    for (const BlobInfo& blob : reader_->blobs()) {
      std::vector<std::byte> bytes = *take(reader_->blob(blob.digest));
      if (what_ == "all" || what_ == "entry-points") rename_in_shader(bytes);
      const Digest digest = digest_of(bytes);
      if (digest != blob.digest) blobs_[blob.digest] = digest;
      take(writer_->add_blob(digest, bytes));
    }
  }

  // Names stay as long as they are: OpEntryPoint (15), OpName (5), OpString (7).
  static void rename_in_shader(std::vector<std::byte>& code) {
    std::vector<std::uint32_t> words(code.size() / 4);
    if (words.size() < 5 || code.size() % 4 != 0) return;
    std::memcpy(words.data(), code.data(), code.size());
    if (words[0] != 0x07230203) return;
    for (std::size_t at = 5; at < words.size() && words[at] >> 16 != 0; at += words[at] >> 16) {
      const std::uint32_t op = words[at] & 0xffff;
      const std::size_t first = op == 15 ? 3 : op == 5 || op == 7 ? 2 : 0;
      if (first == 0 || at + (words[at] >> 16) > words.size()) continue;
      char* const name = reinterpret_cast<char*>(&words[at + first]);
      const std::size_t room =
          ::strnlen(name, ((words[at] >> 16) - first) * 4) / 4 * 4 + 3;  // before the last word's zero
      if (room >= kHostileName.size()) std::memset(name, 0, room);
      if (room >= kHostileName.size()) std::memcpy(name, kHostileName.data(), kHostileName.size());
    }
    std::memcpy(code.data(), words.data(), code.size());
  }

  // JSON's strings are UTF-8.
  static void poison(nlohmann::json& value) {
    if (value.is_string()) value = std::string(kHostileUtf8);
    if (!value.is_structured()) return;
    for (nlohmann::json& element : value) poison(element);
    if (value.is_object()) value[std::string(kHostileUtf8)] = std::string(kHostileUtf8);
  }
  static std::string session_of(const std::string& text) {
    nlohmann::json session = nlohmann::json::parse(text);
    poison(session);
    return session.dump();
  }

  std::string what_;
  std::unique_ptr<Reader> reader_;
  codec::IdMap ids_;
  std::unique_ptr<OfflineWriter> writer_;
  std::map<Digest, Digest> blobs_;  // before and after
};

}  // namespace
}  // namespace rondo::fuzz

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 2 && words[0] == "list") {
    rondo::fuzz::Rewriter(words[0], words[1]).list();
  } else if (words.size() == 3) {
    rondo::fuzz::Rewriter(words[0], words[1]).write(words[2]);
  } else {
    std::fprintf(stderr, "rewrite-strings: list CAPTURE, or WHAT IN OUT\n");
    return 2;
  }
}
