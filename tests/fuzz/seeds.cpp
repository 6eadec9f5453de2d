// SPDX-License-Identifier: Apache-2.0
// Inputs for the targets that take no capture, out of captures:
//   seeds DIRECTORY CAPTURE…
// writes DIRECTORY/{chunk,dictionary,codec,resolver,shader}/ with a file for each
// distinct piece. Made afresh for every fuzzing, so that they fit the build.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "format/codec/decoder.h"
#include "format/columns.h"
#include "format/digest.h"
#include "format/file.h"
#include "format/objects.h"
#include "format/reader.h"
#include "tests/fuzz/capture_parts.h"
#include "tests/fuzz/targets.h"

namespace rondo::fuzz {
namespace {

using Buffer = std::vector<std::byte>;

class Seeds {
 public:
  explicit Seeds(std::filesystem::path directory) : directory_(std::move(directory)) {}

  void from(const std::string& path) {
    chunks(path);
    records(path);
    shaders(path);
  }
  std::size_t count() const { return count_; }

 private:
  // The name is the digest: the same piece is kept once.
  void keep(const char* target, std::span<const std::byte> bytes) {
    const auto directory = directory_ / target;
    std::filesystem::create_directories(directory);
    const auto path = directory / to_string(digest_of(bytes));
    if (std::filesystem::exists(path)) return;
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    ++count_;
  }

  void chunks(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    const auto capture = CaptureParts::from(std::as_bytes(std::span(text)));
    if (!capture) return;
    for (const Part& part : capture->parts) {
      const auto raw = part.raw();
      if (!raw) continue;
      if (part.type() == ChunkType::dictionary) keep("dictionary", *raw);
      const auto raw_bytes = static_cast<std::uint32_t>(part.header.raw_bytes);
      const unsigned selector = part.header.codec == 1 ? 0 : part.header.codec == 2 ? 1 : 2;
      Buffer stored = {static_cast<std::byte>(selector)};
      const auto size = std::as_bytes(std::span(&raw_bytes, 1));
      stored.insert(stored.end(), size.begin(), size.end());
      stored.insert(stored.end(), part.stored.begin(), part.stored.end());
      keep("chunk", stored);
      if (part.type() != ChunkType::records) continue;
      Buffer columns = {std::byte{3}};
      columns.insert(columns.end(), raw->begin(), raw->end());
      keep("chunk", columns);
      const auto joined = join_columns(*raw);
      if (!joined) continue;
      Buffer flat = {std::byte{4}};
      flat.insert(flat.end(), joined->bytes().begin(), joined->bytes().end());
      keep("chunk", flat);
    }
  }

  void records(const std::string& path) {
    auto reader = Reader::open(path);
    if (!reader) return;
    const codec::IdMap ids = codec::IdMap::match((*reader)->dictionary());
    codec::Lowered lowered;
    Buffer stream;
    std::unordered_map<std::uint64_t, std::uint8_t> values{{0, std::uint8_t{0}}};
    for (;;) {
      const auto record = (*reader)->next();
      if (!record || !*record) break;
      const CommandId command = ids.command((*record)->command);
      if (command == CommandId::none || !codec::decode(lowered, ids, command, (*record)->payload)) continue;
      // A few payloads a command are enough.
      if (seen_[command]++ < 4) {
        const std::uint32_t selector = codec_selector(codec::info(command).name);
        const auto first = std::as_bytes(std::span(&selector, 1));
        Buffer input(first.begin(), first.end());
        input.insert(input.end(), (*record)->payload.begin(), (*record)->payload.end());
        keep("codec", input);
      }
      const auto handles = std::min<std::size_t>(lowered.handles.size(), 0x7f);
      const auto number = static_cast<unsigned>(command);
      const bool succeeded = !(*record)->has_return || (*record)->return_value >= 0;
      for (const unsigned byte :
           {number & 0xff, number >> 8, static_cast<unsigned>(handles) | (succeeded ? 0x80u : 0u)})
        stream.push_back(static_cast<std::byte>(byte));
      for (std::size_t i = 0; i < handles; ++i) {
        const codec::HandleRef& ref = lowered.handles[i];
        const auto value = values.emplace(ref.captured, static_cast<std::uint8_t>(values.size())).first->second;
        for (const unsigned byte :
             {static_cast<unsigned>(ref.type), static_cast<unsigned>(ref.flags), static_cast<unsigned>(value)})
          stream.push_back(static_cast<std::byte>(byte));
      }
    }
    if (!stream.empty()) keep("resolver", stream);
  }

  void shaders(const std::string& path) {
    constexpr std::uint32_t kMagic = 0x07230203;
    const auto reader = Reader::open(path);
    if (!reader) return;
    for (const BlobInfo& blob : (*reader)->blobs()) {
      const auto bytes = (*reader)->blob(blob.digest);
      if (!bytes || (*bytes)->size() < sizeof kMagic) continue;
      std::uint32_t first = 0;
      std::memcpy(&first, (*bytes)->data(), sizeof first);
      if (first == kMagic) keep("shader", **bytes);
    }
  }

  std::filesystem::path directory_;
  std::unordered_map<CommandId, int> seen_;
  std::size_t count_ = 0;
};

}  // namespace
}  // namespace rondo::fuzz

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: seeds DIRECTORY CAPTURE...\n");
    return 2;
  }
  rondo::fuzz::Seeds seeds(argv[1]);
  for (int i = 2; i < argc; ++i) seeds.from(argv[i]);
  std::printf("%zu seeds in %s\n", seeds.count(), argv[1]);
  return seeds.count() == 0 ? 1 : 0;
}
