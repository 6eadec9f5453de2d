// SPDX-License-Identifier: Apache-2.0
// What it costs a thread to put one record into its open segment, and what the
// one order over all threads adds: `shared` takes the next number of the
// capture, `own` counts each thread by itself (a file that nobody could read).
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "format/writer.h"

namespace {

using namespace rondo;

// One capture for all threads of a benchmark; removed with its directory.
class Capture {
 public:
  Capture() {
    char pattern[] = "/tmp/rondo-bench-XXXXXX";
    if (::mkdtemp(pattern) == nullptr) std::abort();
    directory_ = pattern;
    WriterOptions options;
    options.path = directory_ + "/x.rondo";
    auto writer = CaptureWriter::create(options);
    if (!writer) std::abort();
    writer_ = std::move(*writer);
  }
  ~Capture() {
    (void)writer_->finish(Ending::exited);
    ::unlink((directory_ + "/x.rondo").c_str());
    ::rmdir(directory_.c_str());
  }
  CaptureWriter& writer() { return *writer_; }

 private:
  std::string directory_;
  std::unique_ptr<CaptureWriter> writer_;
};

std::unique_ptr<Capture> g_capture;

enum class Numbers { shared, own };

void record(benchmark::State& state, Numbers numbers) {
  if (state.thread_index() == 0) g_capture = std::make_unique<Capture>();
  const std::size_t bytes = static_cast<std::size_t>(state.range(0)) - sizeof(RecordHeader);
  char body[4096] = {};
  ThreadStream* stream = nullptr;
  for (auto _ : state) {
    // Setting up waits for thread 0: the first iteration begins behind a barrier.
    if (stream == nullptr) stream = g_capture->writer().open_stream();
    const std::uint64_t sequence =
        numbers == Numbers::shared ? g_capture->writer().take_sequence() : stream->last_sequence() + 1;
    std::memcpy(body, &sequence, sizeof sequence);
    std::memcpy(stream->begin(1, kRecordCall, sequence, bytes), body, bytes);
    stream->commit();
  }
  if (stream != nullptr) g_capture->writer().close_stream(stream);
  state.SetBytesProcessed(state.iterations() * state.range(0));
  state.SetItemsProcessed(state.iterations());
}
void destroy_capture(const benchmark::State&) { g_capture.reset(); }

BENCHMARK_CAPTURE(record, shared, Numbers::shared)
    ->Arg(32)
    ->Arg(100)
    ->Arg(1000)
    ->Threads(1)
    ->Threads(2)
    ->UseRealTime()
    ->Teardown(destroy_capture);

// A million draws on each of 64 threads.
void many_threads(benchmark::internal::Benchmark* bench) {
  bench->Arg(40)->Threads(64)->Iterations(1'000'000)->UseRealTime()->Teardown(destroy_capture);
}
BENCHMARK_CAPTURE(record, shared, Numbers::shared)->Apply(many_threads);
BENCHMARK_CAPTURE(record, own, Numbers::own)->Apply(many_threads);

}  // namespace

BENCHMARK_MAIN();
