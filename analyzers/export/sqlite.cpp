// SPDX-License-Identifier: Apache-2.0
#include "analyzers/export/sqlite.h"

#include <optional>
#include <vector>

#include "analyzers/analysis/graph_places.h"
#include "analyzers/analysis/graph_rows.h"
#include "analyzers/analysis/sync_rows.h"
#include "analyzers/export/database.h"
#include "analyzers/text/access_rows.h"
#include "analyzers/text/json.h"
#include "analyzers/text/text.h"

namespace rondo::analyzers {

namespace {

using graph::ItemNeed;

constexpr const char* kTables = R"(
CREATE TABLE capture (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE records (
  record INTEGER PRIMARY KEY, command TEXT NOT NULL, frame INTEGER NOT NULL, submit INTEGER, thread INTEGER NOT NULL,
  by_layer INTEGER NOT NULL, start_ns INTEGER, end_ns INTEGER);
CREATE TABLE objects (
  object INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL, given_name TEXT,
  device INTEGER REFERENCES objects, created INTEGER NOT NULL, destroyed INTEGER);
CREATE TABLE items (
  item INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, record INTEGER NOT NULL REFERENCES records,
  end_record INTEGER REFERENCES records, at INTEGER REFERENCES records, submit INTEGER, frame INTEGER NOT NULL,
  command TEXT NOT NULL, queue INTEGER REFERENCES objects, pipeline INTEGER REFERENCES objects, labels TEXT,
  draws INTEGER NOT NULL, bytes INTEGER NOT NULL);
CREATE TABLE touches (
  item INTEGER NOT NULL REFERENCES items, object INTEGER REFERENCES objects, range_begin INTEGER, range_end INTEGER,
  aspects TEXT, mip INTEGER, mips INTEGER, layer INTEGER, layers INTEGER, reads INTEGER NOT NULL,
  writes INTEGER NOT NULL);
CREATE TABLE joins (number INTEGER NOT NULL, item INTEGER REFERENCES items, other INTEGER);
CREATE TABLE needs (
  item INTEGER NOT NULL REFERENCES items, needed INTEGER REFERENCES items, needed_join INTEGER, kinds TEXT NOT NULL,
  possible INTEGER NOT NULL, object INTEGER REFERENCES objects, range_begin INTEGER, range_end INTEGER);
CREATE TABLE profile (
  item INTEGER PRIMARY KEY REFERENCES items, begin_ns REAL NOT NULL, median_ns REAL NOT NULL, min_ns REAL NOT NULL,
  below_timer INTEGER NOT NULL);
CREATE TABLE findings (
  finding INTEGER PRIMARY KEY, id TEXT NOT NULL, rule TEXT NOT NULL, grade TEXT, occurrences INTEGER NOT NULL,
  record INTEGER REFERENCES records, submit INTEGER, first_record INTEGER REFERENCES records, first_submit INTEGER,
  second_record INTEGER REFERENCES records, second_submit INTEGER, text TEXT NOT NULL);
)";
constexpr const char* kEnds = R"(
CREATE INDEX items_by_record ON items (record);
CREATE INDEX touches_by_item ON touches (item);
CREATE INDEX touches_by_object ON touches (object);
CREATE INDEX joins_by_number ON joins (number);
CREATE INDEX needs_by_item ON needs (item);
CREATE INDEX needs_by_needed ON needs (needed);
)";

// Rows of all tables, while items are told.
struct Rows {
  explicit Rows(Database& to)
      : capture(to.insertion("INSERT INTO capture VALUES (?, ?)")),
        records(to.insertion("INSERT INTO records VALUES (?, ?, ?, ?, ?, ?, ?, ?)")),
        objects(to.insertion("INSERT INTO objects VALUES (?, ?, ?, ?, ?, ?, ?)")),
        items(to.insertion("INSERT INTO items VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")),
        touches(to.insertion("INSERT INTO touches VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")),
        joins(to.insertion("INSERT INTO joins VALUES (?, ?, ?)")),
        needs(to.insertion("INSERT INTO needs VALUES (?, ?, ?, ?, ?, ?, ?, ?)")),
        profile(to.insertion("INSERT INTO profile VALUES (?, ?, ?, ?, ?)")),
        findings(to.insertion("INSERT INTO findings VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")) {}
  Insertion capture, records, objects, items, touches, joins, needs, profile, findings;
};

class Sqlite final : public Exporter {
 public:
  Sqlite(const ExportSource& source, std::unique_ptr<Database> database, std::string path, const SpanRequest& span)
      : source_(source), path_(std::move(path)), span_(span), database_(std::move(database)) {
    rows_.emplace(*database_);
  }

  void item(const GraphWalk& walk, const ExportedItem& exported) override;
  void join(std::uint32_t join, std::span<const std::uint32_t> items) override;
  Result<std::vector<ExportedFile>> finish(const GraphWalk& walk, const GraphTotals& totals) override;

 private:
  Result<void> write_records();
  void write_objects(const GraphWalk& walk);
  Result<void> write_findings();
  void write_touch(const GraphWalk& walk, std::uint32_t item, const graph::Piece& piece);
  void write_need(const GraphWalk& walk, std::uint32_t item, const ItemNeed& need);
  bool has(std::uint32_t item) const { return item < has_.size() && has_[item]; }
  static std::optional<std::uint64_t> object(ObjectId id) {
    return id != ObjectId::null ? std::optional<std::uint64_t>(index_of(id)) : std::nullopt;
  }
  static std::optional<std::uint64_t> submit(std::uint64_t number) {
    return number != access::Executed::kNoSubmit ? std::optional<std::uint64_t>(number) : std::nullopt;
  }

  const ExportSource& source_;
  const std::string path_;
  const SpanRequest span_;
  std::unique_ptr<Database> database_;
  std::optional<Rows> rows_;
  std::vector<bool> has_;  // by item
  std::uint64_t items_ = 0, touches_ = 0, needs_ = 0, records_ = 0, findings_ = 0;
};

void Sqlite::join(std::uint32_t join, std::span<const std::uint32_t> items) {
  const std::uint64_t number = join & ~graph::kJoin;
  for (const std::uint32_t one : items) {
    if (graph::is_join(one))
      rows_->joins.number(number).null().number(std::uint64_t{one & ~graph::kJoin}).run();
    else if (has(one))
      rows_->joins.number(number).number(std::uint64_t{one}).null().run();
  }
}

void Sqlite::write_touch(const GraphWalk& walk, std::uint32_t item, const graph::Piece& piece) {
  const GraphPlace place = place_of(walk, piece.space, piece.begin, piece.end);
  const auto begin = [&]() -> Insertion& {
    touches_ += 1;
    return rows_->touches.number(std::uint64_t{item}).number(object(place.object));
  };
  const auto end = [&](Insertion& row) { row.number(piece.reads ? 1 : 0).number(piece.writes ? 1 : 0).run(); };
  if (!place.is_image || place.parts.empty()) {
    Insertion& row = begin();
    if (place.begin != place.end)
      row.number(place.begin).number(place.end);
    else
      row.null().null();
    end(row.null().null().null().null().null());
    return;
  }
  for (const VkImageSubresourceRange& part : place.parts) {
    std::string aspects;
    for (const std::string& name : aspect_names(part.aspectMask))
      append(aspects, "{}{}", aspects.empty() ? "" : "|", name);
    end(begin()
            .null()
            .null()
            .text(aspects)
            .number(std::uint64_t{part.baseMipLevel})
            .number(std::uint64_t{part.levelCount})
            .number(std::uint64_t{part.baseArrayLayer})
            .number(std::uint64_t{part.layerCount}));
  }
}

void Sqlite::write_need(const GraphWalk& walk, std::uint32_t item, const ItemNeed& need) {
  const bool is_join = graph::is_join(need.from);
  if (!is_join && !has(need.from)) return;  // outside of the span
  needs_ += 1;
  const GraphPlace place = place_of(walk, need);
  Insertion& row = rows_->needs.number(std::uint64_t{item});
  if (is_join)
    row.null().number(std::uint64_t{need.from & ~graph::kJoin});
  else
    row.number(std::uint64_t{need.from}).null();
  row.text(kinds_text(need.kinds)).number(need.possible ? 1 : 0).number(object(place.object));
  if (place.begin != place.end)
    row.number(place.begin).number(place.end);
  else
    row.null().null();
  row.run();
}

void Sqlite::item(const GraphWalk& walk, const ExportedItem& exported) {
  const graph::Item& item = exported.item;
  const WorkItem& work = item.work;
  has_.resize(item.number);
  has_.push_back(true);
  items_ += 1;
  std::uint64_t bytes = 0;
  for (const graph::Piece& piece : exported.pieces)
    if (__builtin_add_overflow(bytes, walk.bytes_of(piece.space, piece.begin, piece.end), &bytes)) bytes = UINT64_MAX;
  rows_->items.number(std::uint64_t{item.number})
      .text(graph::name_of(item.kind))
      .text(text_of({work.record, work.submit}))
      .number(work.record)
      .number(work.is_pass && work.end != 0 ? std::optional(work.end) : std::nullopt)
      .number(work.at)
      .number(submit(work.submit))
      .number(work.frame)
      .text(codec::info(work.command).name)
      .number(object(work.queue))
      .number(object(work.pipeline))
      .text_or_null(walk.label_text(work.label_path))
      .number(std::uint64_t{work.draws})
      .number(bytes)
      .run();
  for (const graph::Piece& piece : exported.pieces) write_touch(walk, item.number, piece);
  for (const ItemNeed& need : exported.needs) write_need(walk, item.number, need);
  if (const MeasuredTime* const time = exported.time)
    rows_->profile.number(std::uint64_t{item.number})
        .real(time->begin)
        .real(time->median)
        .real(time->min)
        .number(time->below_timer ? 1 : 0)
        .run();
}

// All records, whatever the span: items name them.
Result<void> Sqlite::write_records() {
  auto walk = Walk::open(source_.file);
  if (!walk) return tl::unexpected(walk.error());
  Step step;
  for (;;) {
    const auto more = walk->next(step);
    if (!more || !*more) break;  // the command says what is wrong
    const Record& one = step.record;
    const bool has_times = one.has_times && one.end_ns >= one.start_ns;
    const auto time = [&](std::uint64_t ns) { return has_times ? std::optional(ns) : std::nullopt; };
    records_ += 1;
    rows_->records.number(one.sequence)
        .text(walk->name(step))
        .number(step.frame)
        .number(step.submits != 0 ? std::optional(step.submit) : std::nullopt)
        .number(std::uint64_t{one.thread})
        .number(step.by_layer() ? 1 : 0)
        .number(time(one.start_ns))
        .number(time(one.end_ns))
        .run();
  }
  return {};
}

void Sqlite::write_objects(const GraphWalk& walk) {
  const ByObject<Object>& objects = walk.objects().objects();
  for (const ObjectId id : all_ids(objects.size())) {
    const Object& one = objects[id];
    const std::string* const given = walk.given_name(id);
    const std::string name = walk.objects().name(id);
    rows_->objects.number(std::uint64_t{index_of(id)})
        .text(name)
        .text(name.substr(0, name.find('#')))
        .text_or_null(given != nullptr ? *given : "")
        .number(object(one.device))
        .number(one.created)
        .number(one.destroyed != 0 ? std::optional(one.destroyed) : std::nullopt)
        .run();
  }
}

Result<void> Sqlite::write_findings() {
  const auto analysis = SyncAnalysis::of(source_.file, span_);
  if (!analysis) return tl::unexpected(analysis.error());
  for (const SyncFinding& one : analysis->findings().all) {
    std::string json_text, words;
    append_sync_json(json_text, *analysis, one);
    append_sync_text(words, *analysis, one);
    const auto row = JsonText::parse(json_text);
    if (!row) return tl::unexpected(row.error());
    rows_->findings.number(findings_++)
        .text(one.id)
        .text(word_of(one.rule))
        .text_or_null(row->string("/grade").value_or(""));
    rows_->findings.number(one.occurrences);
    for (const char* const pointer : {"/record", "/submit", "/from/record", "/from/submit", "/to/record", "/to/submit"})
      rows_->findings.number(row->number(pointer));
    while (words.ends_with('\n')) words.pop_back();
    rows_->findings.text_lines(words).run();
  }
  return {};
}

Result<std::vector<ExportedFile>> Sqlite::finish(const GraphWalk& walk, const GraphTotals& totals) {
  RONDO_TRY(write_records());
  write_objects(walk);
  RONDO_TRY(write_findings());
  for (const auto& [name, value] : about(source_)) rows_->capture.text(name).text(value).run();
  if (!totals.cut.empty()) rows_->capture.text("cut").text(totals.cut).run();
  if (!totals.damage.empty()) rows_->capture.text("damage").text(totals.damage).run();
  rows_->capture.text("too_many").text(totals.too_many ? "1" : "0").run();
  rows_.reset();
  const auto bytes = database_->keep(kEnds);
  if (!bytes) return tl::unexpected(bytes.error());
  return std::vector<ExportedFile>{
      {path_, *bytes,
       text("{}, {}, {} touches, {}, {}", plural(records_, "record"), plural(items_, "item"), count_text(touches_),
            plural(needs_, "need"), plural(findings_, "finding"))}};
}

}  // namespace

Result<std::unique_ptr<Exporter>> sqlite_exporter(const ExportSource& source, const std::string& path,
                                                  const SpanRequest& span) {
  auto database = Database::create(path, source.file, kTables);
  if (!database) return tl::unexpected(database.error());
  return std::make_unique<Sqlite>(source, std::move(*database), path, span);
}

}  // namespace rondo::analyzers
