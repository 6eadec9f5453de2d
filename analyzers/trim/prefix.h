// SPDX-License-Identifier: Apache-2.0
// The records of a cut, from those of its source: what makes the objects that it keeps, with what belongs to others
// left out, and then its span as it is.
#pragma once

#include <map>
#include <set>
#include <unordered_set>

#include "analyzers/trim/encoder.h"
#include "analyzers/trim/keep.h"
#include "analyzers/trim/states.h"
#include "analyzers/trim/survey.h"
#include "format/reader.h"
#include "generated/args.h"
#include "model/stream.h"

namespace rondo::trim {

// A checkpoint's digest, as it is where the cut was made.
struct Recomputed {
  Digest captured, replayed;
};
using RecomputedCheckpoints = std::map<std::uint64_t, std::vector<Recomputed>>;  // by record

// True if the command says what a set of pipelines or shaders holds for generated commands.
bool writes_execution_set(CommandId canonical);

class CutRecords {
 public:
  CutRecords(Reader& source, OfflineWriter& out, RecordEncoder& encoder, const player::Plan& plan, const Keep& keep,
             const States& states, const Survey& survey, const std::string& leave_out);

  // What comes before the span. The source is at its first record, and keeps the span's first for write_span().
  Result<void> write_prefix();
  // The span. Between the two the source must not go on. Where it counts from a later record (`begin.record`), what is
  // before that is without its checkpoints, and `begin` is written in front of it.
  Result<void> write_span(const RecomputedCheckpoints& recomputed, const args_rondoCut* begin,
                          const std::function<void(std::uint64_t)>& progress);
  // That next objects of each type go on from where they did.
  Result<void> write_numbers();

  std::uint64_t objects() const { return objects_; }  // kept

 private:
  bool puts_back(const char* what) const { return leave_out_ != what; }
  enum class Fate : std::uint8_t { drop, keep, edit };
  Result<model::Step> decode(const Record& record);
  Result<void> take(const Record& record);
  Fate fate_of(const codec::CommandInfo& command, const Record& record);
  Fate fate_of_creation(const codec::CommandInfo& command);
  Fate fate_of_destruction();
  bool all_kept() const;
  bool is_news(const codec::CommandInfo& command, const Record& record);
  Result<void> number_created();
  Result<void> give_number(HandleType type, std::uint32_t number);
  Result<void> flush_numbers();
  Result<void> copy_blobs();
  Result<void> load_view(const std::vector<ObjectId>& ids);  // of the handles of this record
  Result<void> write_edited(const codec::CommandInfo& command, const Record& record);
  Result<void> write_sets(std::uint64_t sequence);
  Result<void> write_checkpoint(const codec::CommandInfo& command, const Record& record,
                                const std::vector<Recomputed>& recomputed);
  void find_passed();
  Result<void> copy_contents(const Digest& digest);

  Reader& source_;
  OfflineWriter& out_;
  RecordEncoder& encoder_;
  const player::Plan& plan_;
  const Keep& keep_;
  const States& states_;
  const Survey& survey_;
  const std::string& leave_out_;
  std::set<std::uint64_t> wanted_;  // records of their own: maps, acquires, what was said last, open labels
  std::map<std::uint64_t, std::vector<ObjectId>> set_writes_;  // kept sets, by the record that wrote them last
  std::set<std::uint64_t> passed_;   // polls of the span that saw what work of before it did and took back
  std::unordered_set<Digest> told_;  // answers to questions
  std::unordered_set<Digest> source_blobs_;
  std::map<HandleType, std::uint32_t> next_number_;
  std::vector<std::uint32_t> number_types_, numbers_;
  model::Stream stream_;
  // The stream's, of this record.
  const codec::Lowered& lowered_;
  const ObjectTable& objects_table_;
  const ObjectTable::Resolution& resolution_;
  NativeView view_;
  std::vector<const std::byte*> pointers_;
  std::vector<Reader::Bytes> blobs_;
  std::optional<Record> first_of_span_;
  std::uint64_t objects_ = 0;
};

}  // namespace rondo::trim
