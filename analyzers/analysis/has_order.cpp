// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/has_order.h"

#include <algorithm>

#include "analyzers/analysis/graph_nodes.h"
#include "analyzers/analysis/op_words.h"
#include "analyzers/analysis/sync_rows.h"
#include "analyzers/text/access_rows.h"
#include "analyzers/text/json.h"
#include "analyzers/text/text.h"
#include "format/codec/schema.h"

namespace rondo::analyzers {

namespace {

using graph::HasLink;
using graph::HasLinkKind;
using graph::HasOperation;
using graph::SyncLog;

constexpr std::size_t kMostItemsOfOperation = 8;  // that text names

std::string_view kind_of_op(const graph::SyncQuestions& questions, const HasOperation& one) {
  if (one.is_signal) return "signal";
  const SyncLog::Op& op = questions.log.ops()[one.op];
  if (op.sync != SyncLog::kNone) return word_of(questions.log.syncs()[op.sync].kind);
  const graph::SyncShape& shape = questions.log.shape(op.shape);
  if (op.pass != 0) return "implicit dependency";
  if (shape.to_queue == SyncLog::kHost) return "host wait";
  return shape.from_queue == SyncLog::kHost ? "submit" : "semaphore";
}

std::string link_text(const HasLink& link) {
  switch (link.kind) {
    case HasLinkKind::first:
      return text("orders what operation {} orders", link.operation);
    case HasLinkKind::chain:
      return text("comes after operation {}", link.operation);
    case HasLinkKind::second:
      return text("what comes after it comes after operation {}", link.operation);
  }
  return {};
}

void write_stages(JsonWriter& json, VkPipelineStageFlags2 stages) {
  json.key("stages");
  json.begin_array();
  if ((stages & VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT) != 0) {
    json.string("ALL_COMMANDS");
  } else {
    for (const std::string& word : stage_names(stages)) json.string(word);
  }
  json.end_array();
}

}  // namespace

Result<HasOrder> HasOrder::open(const std::string& path) {
  HasOrder made;
  made.questions_ = std::make_unique<graph::SyncQuestions>();
  auto walk = GraphWalk::open(path);
  if (!walk) return tl::unexpected(walk.error());
  made.walk_ = std::make_unique<GraphWalk>(std::move(*walk));
  return made;
}

Result<HasOrder> HasOrder::of(const std::string& path) {
  auto made = open(path);
  if (!made) return made;
  NoVisit nobody;
  const auto totals = made->find_steps(nobody);
  if (!totals) return tl::unexpected(totals.error());
  made->graph_ = graph::graph_of(std::exchange(made->steps_, {}), static_cast<std::uint32_t>(totals->items));
  made->item_of_ = {};
  made->told_.resize(made->graph_.operations.size());
  return made;
}

Result<GraphTotals> HasOrder::run(GraphVisitor& also) {
  auto totals = find_steps(also);
  for (const graph::HasStepOperation& one : steps_.operations) graph_.operations.push_back({one, {}, {}});
  return totals;
}

Result<GraphTotals> HasOrder::find_steps(GraphVisitor& also) {
  GraphNodes nodes(*questions_);
  BothVisit both(nodes, also);
  auto totals = walk_->run(both, questions_.get());
  if (!totals) return totals;
  std::vector<graph::HasNode> all(nodes.item_of.size());
  for (std::uint32_t i = 0; i < all.size(); ++i)
    all[i] = {questions_->place(i), nodes.stages[i], nodes.item_of[i], nodes.submit_of[i], nodes.transitions[i]};
  steps_ = graph::find_has_steps(questions_->log, all);
  item_of_ = std::move(nodes.item_of);
  return totals;
}

bool HasOrder::is_of_shown(const ItemNames& names, std::uint32_t number) const {
  const std::vector<std::uint32_t>& items = graph_.operations[number].items;
  return std::any_of(items.begin(), items.end(),
                     [&](std::uint32_t one) { return one < names.size() && names.is_shown(one); });
}

std::string HasOrder::text_of_operation(std::uint32_t number) const {
  const HasOperation& one = graph_.operations[number];
  const SyncLog::Op& op = questions_->log.ops()[one.op];
  std::string out = text("operation {}, ", number);
  if (one.is_signal) return out + text("a signal for what waits here: {}", op_text(*questions_, op));
  std::string what = op_text(*questions_, op);
  // "vkCmdPipelineBarrier 383" is "vkCmdPipelineBarrier 383@1" where it is known.
  if (one.submit != HasOperation::kNoSubmit) {
    const std::string record = text(" {}: ", op.record);
    if (const std::size_t at = what.find(record); at != std::string::npos)
      what.insert(at + record.size() - 2, text("@{}", one.submit));
  }
  out += what;
  if (one.count > 1) append(out, " ({} of it)", plural(one.count, "barrier"));
  if (op.sync != SyncLog::kNone)
    if (const std::string labels = walk_->label_text(questions_->log.syncs()[op.sync].label_path); !labels.empty())
      append(out, " [{}]", printable(labels));
  return out;
}

void HasOrder::append_text(std::string& out, const ItemNames& names, std::uint32_t number) const {
  const HasOperation& one = graph_.operations[number];
  append(out, "{}\n", text_of_operation(number));
  if (!one.items.empty()) {
    append(out, "    orders {}", one.items.size() > 1 ? plural(one.items.size(), "item") + ": " : std::string());
    for (std::size_t i = 0; i < one.items.size() && i < kMostItemsOfOperation; ++i)
      append(out, "{}{}", i == 0 ? "" : ", ",
             one.items[i] < names.size() ? text_of(names[one.items[i]]) : text("item {}", one.items[i]));
    out += one.items.size() > kMostItemsOfOperation ? ", ...\n" : "\n";
  }
  for (const HasLink& link : one.links) append(out, "    {}\n", link_text(link));
}

void HasOrder::append_text_item(std::string& out, const GraphWalk& walk, const graph::Item& item) const {
  append(out, "{}\n", item_text(walk, item));
  for (const HasLink& link : graph_.after[item.number]) append(out, "    comes after operation {}\n", link.operation);
}

void HasOrder::append_json(std::string& out, const ItemNames& names, std::uint32_t number) const {
  const HasOperation& one = graph_.operations[number];
  const SyncLog::Op& op = questions_->log.ops()[one.op];
  JsonWriter json(out);
  json.begin_object();
  json.field("row", "operation");
  json.field("operation", number);
  json.field("kind", kind_of_op(*questions_, one));
  json.field("record", op.record);
  json.key("submit");
  one.submit != HasOperation::kNoSubmit ? json.unsigned_value(one.submit) : json.null();
  json.key("labels");
  json.begin_array();
  if (op.sync != SyncLog::kNone)
    for (const std::string_view label : walk_->labels(questions_->log.syncs()[op.sync].label_path)) json.string(label);
  json.end_array();
  json.field("text", text_of_operation(number));
  json.key("items");
  json.begin_array();
  for (const std::uint32_t item : one.items) json.unsigned_value(item);
  json.end_array();
  json.key("names");
  json.begin_array();
  for (const std::uint32_t item : one.items)
    json.string(item < names.size() ? text_of(names[item]) : text("item {}", item));
  json.end_array();
  json.key("operations");
  json.begin_array();
  for (const HasLink& link : one.links) {
    json.begin_object();
    json.field("operation", link.operation);
    json.field("link", name_of(link.kind));
    write_stages(json, link.stages);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  out += '\n';
}

void HasOrder::append_json_item(std::string& out, const GraphWalk& walk, const graph::Item& item) const {
  JsonWriter json(out);
  json.begin_object();
  json.field("row", "item");
  write_graph_item(json, walk, item);
  json.key("after");
  json.begin_array();
  for (const HasLink& link : graph_.after[item.number]) {
    json.begin_object();
    json.field("operation", link.operation);
    write_stages(json, link.stages);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  out += '\n';
}

}  // namespace rondo::analyzers
