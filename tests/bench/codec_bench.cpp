// SPDX-License-Identifier: Apache-2.0
// Encoding, decoding and printing of typical calls.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "calls.h"
#include "format/codec/decoder.h"
#include "format/codec/encoder.h"
#include "format/codec/printer.h"

namespace {

using namespace rondo;
using namespace rondo::codec;

class PlainContext : public EncodeContext {
 public:
  bool is_secondary(std::uint64_t) override { return false; }
  SubpassUse subpass_use(std::uint64_t, std::uint32_t) override { return {true, true, true}; }
  TemplateLayout template_layout(std::uint64_t) override { return nullptr; }
  void add_blob(const Digest&, std::span<const std::byte>) override {}
  std::uint16_t note_structure(StructId id) override { return static_cast<std::uint16_t>(id); }
};

class Nowhere : public ValueSink {
 public:
  void begin_structure(std::string_view) override {}
  void end_structure() override {}
  void begin_array() override {}
  void end_array() override {}
  void key(std::string_view name) override { benchmark::DoNotOptimize(name); }
  void null() override {}
  void unsigned_value(std::uint64_t) override {}
  void signed_value(std::int64_t) override {}
  void floating_value(double, bool) override {}
  void boolean(bool) override {}
  void enumerant(std::string_view, std::int64_t) override {}
  void flags(EnumId, std::uint64_t) override {}
  void handle(HandleType, std::uint64_t, std::uint32_t) override {}
  void string(std::string_view) override {}
  void bytes(const Digest&, std::uint64_t) override {}
};

// A file's dictionary as this build would write it: file ids are ours.
IdMap own_ids() {
  std::vector<DictionaryRow> rows;
  for (const CommandInfo& command : commands().subspan(1))
    rows.push_back({DictionaryKind::command, static_cast<std::uint16_t>(command.id), info(command.args).encoding_hash,
                    command.name});
  for (const StructInfo& structure : structures().subspan(1))
    if (structure.stype != kNull)
      rows.push_back({DictionaryKind::structure, static_cast<std::uint16_t>(structure.id), structure.encoding_hash,
                      structure.name});
  return IdMap::match(rows);
}

void encode_once(Buffer& buffer, const bench::Call& call) {
  PlainContext context;
  buffer.clear();
  const EncodeResult result = encode(buffer, context, call.command, call.arguments);
  if (!result.error.empty()) std::abort();
}

void encoding(benchmark::State& state, const bench::Call& call) {
  Buffer buffer;
  PlainContext context;
  for (auto _ : state) {
    buffer.clear();
    benchmark::DoNotOptimize(encode(buffer, context, call.command, call.arguments));
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(buffer.bytes().size()));
}

void decoding(benchmark::State& state, const bench::Call& call) {
  Buffer buffer;
  encode_once(buffer, call);
  const IdMap ids = own_ids();
  Lowered lowered;
  for (auto _ : state) {
    lowered.clear();
    if (!decode(lowered, ids, call.command, buffer.bytes())) std::abort();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(buffer.bytes().size()));
}

void printing(benchmark::State& state, const bench::Call& call) {
  Buffer buffer;
  encode_once(buffer, call);
  const IdMap ids = own_ids();
  Nowhere sink;
  for (auto _ : state)
    if (!print(sink, ids, call.command, buffer.bytes())) std::abort();
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(buffer.bytes().size()));
}

}  // namespace

int main(int argc, char** argv) {
  for (const bench::Call& call : bench::typical_calls()) {
    const std::string name = call.name;
    benchmark::RegisterBenchmark(("encode/" + name).c_str(), encoding, call);
    benchmark::RegisterBenchmark(("decode/" + name).c_str(), decoding, call);
    benchmark::RegisterBenchmark(("print/" + name).c_str(), printing, call);
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
