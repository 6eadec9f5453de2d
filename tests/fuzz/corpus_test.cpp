// SPDX-License-Identifier: Apache-2.0
// Every kept input through its target, in every build.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "format/reader.h"
#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/mutations.h"
#include "tests/fuzz/targets.h"
#include "tests/fuzz/typed_mutations.h"

namespace rondo::fuzz {
namespace {

std::string contents(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

Bytes bytes_of(const std::string& text) { return std::as_bytes(std::span(text.data(), text.size())); }

std::vector<std::filesystem::path> inputs(const Target& target) {
  std::vector<std::filesystem::path> found;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(RONDO_CORPUS) + "/" + std::string(target.name)))
    found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

class Corpus : public testing::TestWithParam<Target> {};

TEST_P(Corpus, KeepsEveryPromise) {
  const auto files = inputs(GetParam());
  ASSERT_FALSE(files.empty()) << "no kept inputs";
  for (const auto& file : files) {
    SCOPED_TRACE(file.filename().string());
    GetParam().run(bytes_of(contents(file)));
  }
}

// Inputs of one kind are the strangest inputs of another.
TEST_P(Corpus, KeepsEveryPromiseOnForeignInputs) {
  for (const Target& other : kTargets)
    for (const auto& file : inputs(other)) GetParam().run(bytes_of(contents(file)));
}

TEST_P(Corpus, KeepsEveryPromiseWhenCutAnywhere) {
  const std::string whole = contents(inputs(GetParam()).front());
  const std::size_t step = std::max<std::size_t>(1, whole.size() / 200);
  for (std::size_t n = 0; n < whole.size(); n += step) GetParam().run(bytes_of(whole).first(n));
}

INSTANTIATE_TEST_SUITE_P(, Corpus, testing::ValuesIn(kTargets),
                         [](const auto& about) { return std::string(about.param.name); });

// A mutation that no reader gets to see would prove nothing.
TEST(Mutations, ReachTheRecords) {
  const std::string seed = contents(std::string(RONDO_CORPUS) + "/container/triangle.rondo");
  const Mutator mutator(bytes_of(seed));
  const auto original = CaptureParts::from(bytes_of(seed));
  ASSERT_TRUE(original);
  int readable = 0, changed = 0;
  for (std::uint64_t i = 0; i < 200; ++i) {
    const auto mutated = mutator.mutate(i);
    EXPECT_EQ(mutated, mutator.mutate(i)) << "mutation " << i << " is not repeatable";
    const auto parts = CaptureParts::from(mutated);
    if (!parts || parts->parts.size() != original->parts.size()) continue;
    ++readable;
    for (std::size_t p = 0; p < parts->parts.size(); ++p)
      if (parts->parts[p].type() == ChunkType::records && parts->parts[p].raw() != original->parts[p].raw()) {
        ++changed;
        break;
      }
  }
  EXPECT_GT(readable, 100);
  EXPECT_GT(changed, 60);
}

// Nothing but what a mutant says is wrong with it, and that is believed: every chunk and blob has its digest.
TEST(TypedMutations, AreCapturesWhoseDigestsAreRight) {
  const std::string seed = contents(std::string(RONDO_CORPUS) + "/plan/triangle.rondo");
  const auto mutator = TypedMutator::from(bytes_of(seed));
  ASSERT_TRUE(mutator);
  ASSERT_TRUE(mutator->has_shaders());
  int readable = 0, shaders = 0;
  for (std::uint64_t i = 0; i < 300; ++i) {
    const auto kind = i % 3 == 0 ? TypedMutator::Kind::shaders : TypedMutator::Kind::records;
    const Mutant mutant = mutator->mutate(7, i, kind);
    SCOPED_TRACE("mutant " + std::to_string(i) + ": " + mutant.what);
    EXPECT_TRUE(mutant.file == mutator->mutate(7, i, kind).file);
    EXPECT_TRUE(mutant.file != mutator->mutate(8, i, kind).file);
    const MemoryFile file(mutant.file);
    const auto reader = Reader::open(file.path());
    ASSERT_TRUE(reader) << reader.error().message;
    EXPECT_TRUE((*reader)->complete()) << (*reader)->cut_reason();
    EXPECT_TRUE((*reader)->damaged_chunks().empty());
    for (const BlobInfo& blob : (*reader)->blobs()) EXPECT_TRUE((*reader)->blob(blob.digest));
    const codec::IdMap ids = codec::IdMap::match((*reader)->dictionary());
    codec::Lowered lowered;
    bool decodes = true, new_shader = false;
    while (true) {
      const auto record = (*reader)->next();
      ASSERT_TRUE(record) << record.error().message;
      if (!*record) break;
      const CommandId command = ids.command((*record)->command);
      decodes = decodes && codec::decode(lowered, ids, command, (*record)->payload);
      for (const codec::BlobRef& blob : lowered.blobs) {
        if (command != CommandId::vkCreateShaderModule) continue;
        const MemoryFile original(bytes_of(seed));
        new_shader = new_shader || !(*Reader::open(original.path()))->blob(blob.digest);
      }
    }
    readable += decodes ? 1 : 0;
    shaders += new_shader ? 1 : 0;
  }
  EXPECT_GT(readable, 200);
  EXPECT_GT(shaders, 80);
}

// Every kind of change is made.
TEST(TypedMutations, ChangeWhatTheySay) {
  const std::string seed = contents(std::string(RONDO_CORPUS) + "/plan/addresses.rondo");
  const auto mutator = TypedMutator::from(bytes_of(seed));
  ASSERT_TRUE(mutator);
  std::string all;
  for (std::uint64_t i = 0; i < 2000; ++i) all += mutator->mutate(1, i, TypedMutator::Kind::records).what + "\n";
  for (const char* kind : {"vkCreateBuffer; ", "elements are none", ", the count is left", "of the chain is taken out",
                           "of the chain is there twice", "of another chain", " is null", "the word at ", " bytes long",
                           " is another text of ", "returned ", "is left out", "is there twice", "has changed places"})
    EXPECT_NE(all.find(kind), std::string::npos) << kind;
}

TEST(Mutations, OfNothingLeaveACompleteCapture) {
  const std::string seed = contents(std::string(RONDO_CORPUS) + "/container/triangle.rondo");
  const auto parts = CaptureParts::from(bytes_of(seed));
  ASSERT_TRUE(parts);
  const MemoryFile file(parts->bytes());
  const auto reader = Reader::open(file.path());
  ASSERT_TRUE(reader) << reader.error().message;
  EXPECT_TRUE((*reader)->complete()) << (*reader)->cut_reason();
  EXPECT_TRUE((*reader)->damaged_chunks().empty());
  EXPECT_EQ((*reader)->gaps(), 0u);
}

}  // namespace
}  // namespace rondo::fuzz
