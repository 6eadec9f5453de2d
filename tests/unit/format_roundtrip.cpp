// SPDX-License-Identifier: Apache-2.0
// What is written is what is read.
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <map>
#include <thread>

#include "format_support.h"

namespace rondo::test {
namespace {

TEST(RoundTrip, KeepsEveryRecordOfOneThread) {
  TemporaryDirectory dir;
  auto writer = create(options_for(dir.file("a.rondo")));
  ThreadStream* stream = writer->open_stream();
  std::vector<std::string> payloads;
  for (int i = 0; i < 20000; ++i) {
    payloads.push_back("payload " + std::to_string(i));
    EXPECT_EQ(write_call(*writer, *stream, payloads.back()), static_cast<std::uint64_t>(i) + 1);
  }
  auto summary = writer->finish(Ending::exited);
  ASSERT_TRUE(summary) << summary.error().message;
  EXPECT_EQ(summary->records, 20000u);
  struct stat status {};
  ASSERT_EQ(::stat(dir.file("a.rondo").c_str(), &status), 0);
  EXPECT_EQ(summary->file_bytes, static_cast<std::uint64_t>(status.st_size));
  EXPECT_EQ(status.st_mode & 07777, 0600u);

  const Contents read = read_all(dir.file("a.rondo"));
  EXPECT_EQ(read.error, "");
  EXPECT_TRUE(read.complete);
  EXPECT_EQ(read.gaps, 0u);
  ASSERT_EQ(read.records.size(), payloads.size());
  for (std::size_t i = 0; i < payloads.size(); ++i) {
    EXPECT_EQ(read.records[i].sequence, i + 1);
    EXPECT_EQ(read.records[i].payload, payloads[i]);
    EXPECT_EQ(read.records[i].command, kDraw);
  }
}

TEST(RoundTrip, MergesThreadsBySequenceNumber) {
  for (const Compression codec : {Compression::none, Compression::lz4, Compression::zstd}) {
    TemporaryDirectory dir;
    WriterOptions options = options_for(dir.file("a.rondo"), 16 * 1024);
    options.compression = codec;
    options.backlog_bytes = 64 * 1024;
    auto writer = create(options);
    constexpr int kThreads = 4, kCalls = 20000;
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        ThreadStream* stream = writer->open_stream();
        for (int i = 0; i < kCalls; ++i) {
          const std::string blob = "blob " + std::to_string(i % 100);
          if (i % 7 == 0) writer->add_blob(*stream, digest_of(bytes_of(blob)), bytes_of(blob));
          write_call(*writer, *stream, std::to_string(t) + ":" + std::to_string(i));
        }
        if (t % 2 == 0) writer->close_stream(stream);
      });
    }
    for (std::thread& t : threads) t.join();
    ASSERT_TRUE(writer->finish(Ending::exited));
    const Contents read = read_all(dir.file("a.rondo"));
    EXPECT_EQ(read.error, "");
    ASSERT_EQ(read.records.size(), std::size_t{kThreads} * kCalls);
    std::map<std::string, int> next;  // by writer thread
    for (std::size_t i = 0; i < read.records.size(); ++i) {
      const Read& r = read.records[i];
      ASSERT_EQ(r.sequence, i + 1);
      const std::size_t colon = r.payload.find(':');
      ASSERT_EQ(r.payload.substr(colon + 1), std::to_string(next[r.payload.substr(0, colon)]++));
    }
    EXPECT_EQ(open(dir.file("a.rondo"))->blobs().size(), 100u);
  }
}

TEST(RoundTrip, JoinsSecondPartsAlsoAcrossChunks) {
  TemporaryDirectory dir;
  auto writer = create(options_for(dir.file("a.rondo"), 4096));
  ThreadStream* a = writer->open_stream();
  ThreadStream* b = writer->open_stream();
  std::uint64_t clock = 1'000'000;
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t call =
        write_call(*writer, *a, "submit" + std::string(static_cast<std::size_t>(i % 97), 'x'), kSubmit, kRecordTwoPart);
    write_call(*writer, *b, "other thread");
    if (i % 3 == 0) write_call(*writer, *a, std::string(3000, 'n'));  // nested, opens a new segment
    if (i % 5 == 0) write_void(*writer, *a);
    write_result(*a, call, -i, clock, clock + 5);
    clock += 1000;
  }
  ASSERT_TRUE(writer->finish(Ending::exited));
  const Contents read = read_all(dir.file("a.rondo"));
  EXPECT_EQ(read.error, "");
  int i = 0;
  for (const Read& r : read.records) {
    if (r.command != kSubmit) {
      EXPECT_FALSE(r.has_return);
      continue;
    }
    ASSERT_TRUE(r.has_return) << "call " << i;
    EXPECT_EQ(r.return_value, -i);
    EXPECT_EQ(r.start_ns, 1'000'000u + static_cast<std::uint64_t>(i) * 1000);
    EXPECT_EQ(r.end_ns, r.start_ns + 5);
    ++i;
  }
  EXPECT_EQ(i, 1000);
}

TEST(RoundTrip, TimesMayNest) {
  // A callback from inside the driver makes calls of its own.
  TemporaryDirectory dir;
  auto writer = create(options_for(dir.file("a.rondo")));
  ThreadStream* stream = writer->open_stream();
  const std::uint64_t outer = write_call(*writer, *stream, "outer", kSubmit, kRecordTwoPart);
  const std::uint64_t inner = write_call(*writer, *stream, "inner", kSubmit, kRecordTwoPart);
  write_result(*stream, inner, 1, 2000, 3000);
  write_result(*stream, outer, 2, 1000, 4000);
  ASSERT_TRUE(writer->finish(Ending::exited));
  const Contents read = read_all(dir.file("a.rondo"));
  ASSERT_EQ(read.records.size(), 2u) << read.error;
  EXPECT_EQ(read.records[0].start_ns, 1000u);
  EXPECT_EQ(read.records[0].end_ns, 4000u);
  EXPECT_EQ(read.records[0].return_value, 2);
  EXPECT_EQ(read.records[1].start_ns, 2000u);
}

TEST(RoundTrip, ACallWhoseThreadDiedInsideHasNoResult) {
  TemporaryDirectory dir;
  auto writer = create(options_for(dir.file("a.rondo")));
  write_call(*writer, *writer->open_stream(), "submit", kSubmit, kRecordTwoPart);
  ASSERT_TRUE(writer->finish(Ending::exited));
  const Contents read = read_all(dir.file("a.rondo"));
  ASSERT_EQ(read.records.size(), 1u);
  EXPECT_FALSE(read.records[0].has_return);
}

TEST(RoundTrip, VoidNumbersAreNoGapsAndNoRecords) {
  TemporaryDirectory dir;
  auto writer = create(options_for(dir.file("a.rondo")));
  ThreadStream* stream = writer->open_stream();
  write_void(*writer, *stream);
  write_call(*writer, *stream, "one");
  write_void(*writer, *stream);
  ASSERT_TRUE(writer->finish(Ending::exited));
  const Contents read = read_all(dir.file("a.rondo"));
  EXPECT_EQ(read.gaps, 0u);
  ASSERT_EQ(read.records.size(), 1u);
  EXPECT_EQ(read.records[0].sequence, 2u);
}

TEST(RoundTrip, StoresEachBlobOnceWhateverItsSize) {
  TemporaryDirectory dir;
  auto writer = create(options_for(dir.file("a.rondo")));
  ThreadStream* stream = writer->open_stream();
  std::vector<std::vector<std::byte>> blobs;
  for (const std::size_t size : {0u, 1u, 257u, 65536u, 65537u, 300'000u, 6'000'000u})
    blobs.push_back(noise(size, size + 1));
  blobs.push_back(std::vector<std::byte>(9'000'000));
  for (int again = 0; again < 3; ++again)
    for (const auto& blob : blobs) writer->add_blob(*stream, digest_of(blob), blob);
  write_call(*writer, *stream, "after");
  auto summary = writer->finish(Ending::exited);
  ASSERT_TRUE(summary);
  EXPECT_LT(summary->file_bytes, 6'700'000u);
  auto reader = open(dir.file("a.rondo"));
  EXPECT_EQ(reader->blobs().size(), blobs.size());
  for (int again = 0; again < 2; ++again) {
    for (const auto& blob : blobs) {
      auto bytes = reader->blob(digest_of(blob));
      ASSERT_TRUE(bytes) << bytes.error().message;
      EXPECT_TRUE(**bytes == blob);
    }
  }
  auto missing = reader->blob(Digest{1, 2});
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find("00000000000000020000000000000001"), std::string::npos);
}

TEST(RoundTrip, HoldsRecordsLargerThanASegment) {
  TemporaryDirectory dir;
  auto writer = create(options_for(dir.file("a.rondo"), 8192));
  ThreadStream* stream = writer->open_stream();
  std::vector<std::string> payloads;
  for (const std::size_t size : {10u, 8092u, 8093u, 20'000u, 5u, 3'000'000u, 7u}) {
    const auto bytes = noise(size, size);
    payloads.emplace_back(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    write_call(*writer, *stream, payloads.back());
  }
  ASSERT_TRUE(writer->finish(Ending::exited));
  const Contents read = read_all(dir.file("a.rondo"));
  ASSERT_EQ(read.records.size(), payloads.size()) << read.error;
  for (std::size_t i = 0; i < payloads.size(); ++i) EXPECT_TRUE(read.records[i].payload == payloads[i]) << i;
}

TEST(RoundTrip, KeepsSessionsInOrderAndOnlyNamesInUse) {
  TemporaryDirectory dir;
  auto writer = create(options_for(dir.file("a.rondo")));
  writer->add_session("{\"a\":1}");
  ThreadStream* stream = writer->open_stream();
  writer->note_structure(kStructure);
  write_call(*writer, *stream, "x");
  writer->add_session("{\"b\":2}");
  ASSERT_TRUE(writer->finish(Ending::stopped));
  auto reader = open(dir.file("a.rondo"));
  EXPECT_EQ(reader->sessions(), (std::vector<std::string>{"{\"a\":1}", "{\"b\":2}"}));
  ASSERT_EQ(reader->dictionary().size(), 2u);
  EXPECT_EQ(reader->dictionary()[0].name, "vkCmdDraw");
  EXPECT_EQ(reader->dictionary()[0].encoding_hash, 11u);
  EXPECT_EQ(reader->dictionary()[1].name, "VkUsedInfo");
  EXPECT_EQ(reader->footer()->ending, static_cast<std::uint32_t>(Ending::stopped));
}

TEST(RoundTrip, ACaptureWithoutRecordsIsComplete) {
  TemporaryDirectory dir;
  auto writer = create(options_for(dir.file("a.rondo")));
  ASSERT_TRUE(writer->finish(Ending::exited));
  const Contents read = read_all(dir.file("a.rondo"));
  EXPECT_TRUE(read.complete);
  EXPECT_TRUE(read.records.empty());
  EXPECT_EQ(read.error, "");
}

TEST(RoundTrip, NumbersMayBeFarApart) {
  TemporaryDirectory dir;
  auto writer = create(options_for(dir.file("a.rondo")));
  ThreadStream* stream = writer->open_stream();
  write_call(*writer, *stream, "first");
  const std::uint64_t far = std::uint64_t{1} << 40;
  stream->begin(kDraw, kRecordCall, far, 0);
  stream->commit();
  ASSERT_TRUE(writer->finish(Ending::exited));
  auto reader = open(dir.file("a.rondo"));
  // finish() took the numbers that take_sequence() gave out.
  EXPECT_EQ(reader->footer()->last_sequence, 1u);
}

TEST(RoundTrip, RewindsToTheStart) {
  TemporaryDirectory dir;
  auto writer = create(options_for(dir.file("a.rondo"), 4096));
  ThreadStream* stream = writer->open_stream();
  for (int i = 0; i < 1000; ++i) write_call(*writer, *stream, std::string(50, 'p'));
  ASSERT_TRUE(writer->finish(Ending::exited));
  auto reader = open(dir.file("a.rondo"));
  for (int i = 0; i < 500; ++i) ASSERT_TRUE(reader->next());
  ASSERT_TRUE(reader->rewind());
  std::uint64_t n = 0;
  for (auto r = reader->next(); r && *r; r = reader->next()) EXPECT_EQ((*r)->sequence, ++n);
  EXPECT_EQ(n, 1000u);
}

TEST(RoundTrip, TheDataRegionOvertakesTheSpool) {
  // More data than lies below the first spool base, with an idle thread whose
  // segment is in the way.
  TemporaryDirectory dir;
  WriterOptions options = options_for(dir.file("a.rondo"), 64 * 1024);
  options.compression = Compression::none;
  auto writer = create(options);
  ThreadStream* idle = writer->open_stream();
  write_call(*writer, *idle, "idle, first");
  ThreadStream* busy = writer->open_stream();
  const auto bytes = noise(50'000, 1);
  const std::string_view payload(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  for (int i = 0; i < 2000; ++i) write_call(*writer, *busy, payload);
  const auto blob = noise(70'000'000, 2);
  writer->add_blob(*busy, digest_of(blob), blob);
  for (int i = 0; i < 100; ++i) write_call(*writer, *busy, payload);
  write_call(*writer, *idle, "idle, last");
  ASSERT_TRUE(writer->finish(Ending::exited));
  const Contents read = read_all(dir.file("a.rondo"));
  EXPECT_EQ(read.error, "");
  EXPECT_TRUE(read.complete);
  ASSERT_EQ(read.records.size(), 2102u);
  EXPECT_EQ(read.records.front().payload, "idle, first");
  EXPECT_EQ(read.records.back().payload, "idle, last");
  const auto reader = open(dir.file("a.rondo"));
  EXPECT_TRUE(*reader->blob(digest_of(blob)).value() == blob);
  EXPECT_TRUE(reader->damaged_chunks().empty()) << "whatever padding holds is no damage";
  // The jumped-over segment takes no space.
  struct stat status {};
  ASSERT_EQ(::stat(dir.file("a.rondo").c_str(), &status), 0);
  EXPECT_LT(status.st_blocks * 512, 2100 * 50'100 + 70'000'000 + (1 << 20));
}

// A blob that is in the spool while it is compressed is not in the data's way.
TEST(RoundTrip, ALargeBlobLeavesNoHoleInTheFile) {
  TemporaryDirectory dir;
  WriterOptions options = options_for(dir.file("a.rondo"));
  options.spool_base = 0;
  auto writer = create(options);
  ThreadStream* stream = writer->open_stream();
  write_call(*writer, *stream, "first");
  const std::vector<std::byte> blob(64'000'000);
  writer->add_blob(*stream, digest_of(blob), blob);
  write_call(*writer, *stream, "last");
  const auto summary = writer->finish(Ending::exited);
  ASSERT_TRUE(summary);
  EXPECT_LT(summary->file_bytes, 1'000'000u);
  EXPECT_TRUE(*open(dir.file("a.rondo"))->blob(digest_of(blob)).value() == blob);
}

// Slots that were free when the data region jumped over the one behind them.
TEST(RoundTrip, WhatTheDataRegionJumpedOverTakesNoSpace) {
  TemporaryDirectory dir;
  WriterOptions options = options_for(dir.file("a.rondo"), 64 * 1024);
  options.compression = Compression::none;
  auto writer = create(options);
  const auto bytes = noise(50'000, 1);
  const std::string_view payload(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::vector<ThreadStream*> streams;
  for (int i = 0; i < 200; ++i) {
    streams.push_back(writer->open_stream());
    write_call(*writer, *streams.back(), payload);
  }
  for (ThreadStream* stream : streams)
    if (stream != streams.back()) writer->close_stream(stream);
  const auto blob = noise(60'000'000, 2);
  writer->add_blob(*streams.back(), digest_of(blob), blob);
  ASSERT_TRUE(writer->finish(Ending::exited));
  EXPECT_EQ(read_all(dir.file("a.rondo")).records.size(), 200u);
  struct stat status {};
  ASSERT_EQ(::stat(dir.file("a.rondo").c_str(), &status), 0);
  EXPECT_LT(status.st_blocks * 512, 200 * 50'100 + 60'000'000 + (1 << 20));
}

TEST(RoundTrip, WorksWhileTheProgramChangesDirectory) {
  TemporaryDirectory dir;
  char before[4096];
  ASSERT_NE(::getcwd(before, sizeof before), nullptr);
  ASSERT_EQ(::chdir(dir.path().c_str()), 0);
  auto writer = create(options_for("relative.rondo"));
  ASSERT_EQ(::chdir("/"), 0);
  write_call(*writer, *writer->open_stream(), "x");
  EXPECT_TRUE(writer->finish(Ending::exited));
  ASSERT_EQ(::chdir(before), 0);
  EXPECT_EQ(read_all(dir.file("relative.rondo")).records.size(), 1u);
}

TEST(RoundTrip, NeverOverwritesAFile) {
  TemporaryDirectory dir;
  spill(dir.file("a.rondo"), bytes_of("precious"));
  auto writer = CaptureWriter::create(options_for(dir.file("a.rondo")));
  ASSERT_FALSE(writer);
  EXPECT_NE(writer.error().message.find("a.rondo"), std::string::npos);
  EXPECT_EQ(slurp(dir.file("a.rondo")), bytes_of("precious"));
}

TEST(RoundTrip, FinishTakesOnlyWhatIsCommittedWhileThreadsGoOn) {
  TemporaryDirectory dir;
  WriterOptions options = options_for(dir.file("a.rondo"), 16 * 1024);
  auto writer = create(options);
  std::atomic<bool> stop{false};
  std::atomic<int> running{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      ThreadStream* stream = writer->open_stream();
      ++running;
      while (!stop.load(std::memory_order_relaxed)) write_call(*writer, *stream, "a payload of some bytes");
    });
  }
  while (running.load() < 3) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  auto summary = writer->finish(Ending::exited);
  ASSERT_TRUE(summary) << summary.error().message;
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // they write on, into nowhere
  stop = true;
  for (std::thread& t : threads) t.join();
  const Contents read = read_all(dir.file("a.rondo"));
  EXPECT_EQ(read.error, "");
  EXPECT_TRUE(read.complete);
  EXPECT_EQ(read.gaps, 0u);
  EXPECT_EQ(read.records.size(), summary->records);
  EXPECT_GT(read.records.size(), 100u);
}

TEST(RoundTrip, ThreadsComeAndGo) {
  TemporaryDirectory dir;
  auto writer = create(options_for(dir.file("a.rondo"), 4096));
  for (int i = 0; i < 200; ++i) {
    std::thread([&] {
      ThreadStream* stream = writer->open_stream();
      write_call(*writer, *stream, "one");
      writer->close_stream(stream);
    }).join();
  }
  ASSERT_TRUE(writer->finish(Ending::exited));
  const Contents read = read_all(dir.file("a.rondo"));
  ASSERT_EQ(read.records.size(), 200u) << read.error;
  EXPECT_EQ(read.records.back().thread, 199u);
}

}  // namespace
}  // namespace rondo::test
