// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/need_orders.h"

#include <algorithm>

#include "analyzers/analysis/graph_nodes.h"
#include "analyzers/analysis/op_words.h"
#include "analyzers/text/text.h"
#include "format/check.h"

namespace rondo::analyzers {

namespace {

std::uint8_t kind_of_question(const graph::SyncQuestion& question) {
  if (question.from_part != graph::SyncQuestion::kNoPart || question.to_part != graph::SyncQuestion::kNoPart)
    return graph::kLayout;
  return question.hazard == graph::Hazard::raw   ? graph::kRaw
         : question.hazard == graph::Hazard::war ? graph::kWar
                                                 : graph::kWaw;
}

}  // namespace

const char* word_of(NeedState state) {
  switch (state) {
    case NeedState::specification:
      return "specification";
    case NeedState::ordered:
      return "ordered";
    case NeedState::unknown:
      return "unknown";
    case NeedState::not_visible:
      return "not-visible";
    case NeedState::race:
      return "race";
  }
  return "";
}

void NeedOrder::add(const NeedOrder& other) {
  state = std::max(state, other.state);
  for (const Op& op : other.by)
    if (by.size() < kMostOps && std::find(by.begin(), by.end(), op) == by.end()) by.push_back(op);
}

std::string order_text(const NeedOrder& order) {
  std::string by;
  for (const NeedOrder::Op& op : order.by) append(by, "{}{}", by.empty() ? "" : "; ", op.text);
  switch (order.state) {
    case NeedState::specification:
      return "ordered by Vulkan itself";
    case NeedState::ordered:
      return "ordered by " + by;
    case NeedState::unknown:
      return "not ordered, and nobody knows whether both touch the same";
    case NeedState::not_visible:
      return "race: what was written is not made visible" + (by.empty() ? by : ", by " + by);
    case NeedState::race:
      return "race: nothing orders " + (by.empty() ? std::string("it") : "all of it; a part is ordered by " + by);
  }
  return {};
}

void write_order(JsonWriter& json, const NeedOrder& order) {
  json.field("order", word_of(order.state));
  json.key("by");
  json.begin_array();
  for (const NeedOrder::Op& op : order.by) {
    json.begin_object();
    json.field("record", op.record);
    json.field("text", op.text);
    json.end_object();
  }
  json.end_array();
}

Result<NeedOrders> NeedOrders::of(const std::string& path) {
  NeedOrders made;
  made.first_ = std::make_unique<graph::SyncQuestions>();
  const graph::SyncQuestions& questions = *made.first_;
  auto walk = GraphWalk::open(path);
  if (!walk) return tl::unexpected(walk.error());
  GraphNodes nodes(*made.first_);
  const auto totals = walk->run(nodes, made.first_.get());
  if (!totals) return tl::unexpected(totals.error());
  made.item_of_ = std::move(nodes.item_of);

  const std::vector<bool> none(questions.log.syncs().size());
  graph::SyncOrder order(questions.log, questions.histories, none);
  std::vector<graph::SyncOrder::Used> way;
  made.answers_.reserve(questions.all().size());
  for (const graph::SyncQuestion& one : questions.all()) {
    const graph::AccessAt from = questions.from(one), to = questions.to(one);
    auto said = order.ask(from, one.history, to, one.memory);
    graph::AccessAt by = from;
    if (const auto last = questions.from_last_stage(one); last && !said.executes) {
      by = *last;
      said = order.ask(by, one.history, to, one.memory);
    }
    const bool is_yes = one.memory ? said.sees : said.executes;
    Answer answer;
    answer.state = is_yes           ? NeedState::ordered
                   : one.is_quiet   ? NeedState::unknown
                   : !said.executes ? NeedState::race
                                    : NeedState::not_visible;
    if (said.executes) {
      order.way(by, one.history, to, is_yes && one.memory, way);
      for (auto used = way.rbegin(); used != way.rend() && answer.ops.size() < NeedOrder::kMostOps; ++used)
        answer.ops.push_back(used->op);
    }
    made.answers_.push_back(std::move(answer));
  }
  made.too_many_ = questions.too_many() || order.too_many();
  return made;
}

graph::SyncQuestions& NeedOrders::questions() {
  again_ = std::make_unique<graph::SyncQuestions>(
      [this](std::uint32_t question, const graph::Need& need) { asked(question, need); },
      [this](std::uint32_t question, const graph::HostNeed& need) { asked_of_host(question, need); });
  return *again_;
}

void NeedOrders::asked(std::uint32_t question, const graph::Need& need) {
  RONDO_CHECK(question < answers_.size() && need.from.node < item_of_.size());
  may_be_own_ = may_be_own_ || (first_->executed(need.to.node).is_ambiguous && need.hazard == graph::Hazard::waw &&
                                is_race(answers_[question].state));
  add({item_of_[need.from.node], need.space, need.begin, need.end, kind_of_question(first_->all()[question]), question,
       ObjectId::null});
}

void NeedOrders::asked_of_host(std::uint32_t question, const graph::HostNeed& need) {
  using Kind = graph::HostNeed::Kind;
  if (need.kind == Kind::acquire) add({0, 0, 0, 0, graph::kPayload, question, need.object});
  if ((need.kind != Kind::lifetime && need.kind != Kind::lifetime_of_fence) || need.node == graph::HostNeed::kNoNode)
    return;
  RONDO_CHECK(question < answers_.size() && need.node < item_of_.size());
  add({item_of_[need.node], 0, 0, 0, graph::kLifetime, question, need.object});
}

void NeedOrders::add(const Mark& mark) {
  marks_.push_back(mark);
  // Each once: a pass asks the same many times.
  if (marks_.size() < most_marks_) return;
  std::sort(marks_.begin(), marks_.end());
  marks_.erase(std::unique(marks_.begin(), marks_.end()), marks_.end());
  most_marks_ = std::max<std::size_t>(1024, 2 * marks_.size());
}

NeedOrder NeedOrders::order_of(std::uint32_t question) const {
  NeedOrder order;
  order.state = answers_[question].state;
  for (const std::uint32_t number : answers_[question].ops) {
    const graph::SyncLog::Op& op = first_->log.ops()[number];
    order.by.push_back({op.record, op_text(*first_, op)});
  }
  return order;
}

// Whether an item waits for the acquire of an image. Where the image was presented before, the order after that present
// tells it: what the item does to the image must come after what the presentation engine reads. The present is the last
// one before that uses the image.
NeedOrder NeedOrders::order_of_payload(const graph::ItemNeed& payload, std::span<const graph::ItemNeed> needs,
                                       std::span<const NeedOrder> orders, const graph::Spaces& spaces) const {
  NeedOrder order;
  for (const Mark& mark : marks_)
    if (mark.kind == graph::kPayload && mark.object == payload.object) order.add(order_of(mark.question));
  const auto is_of_image = [&](const graph::ItemNeed& need) {
    return need.object == ObjectId::null && !graph::is_join(need.from) &&
           spaces.info(need.space).object == payload.object;
  };
  std::uint32_t last = 0;
  for (const graph::ItemNeed& need : needs)
    if (is_of_image(need)) last = std::max(last, need.from);
  for (std::size_t i = 0; i < needs.size(); ++i)
    if (is_of_image(needs[i]) && needs[i].from == last) order.add(orders[i]);
  return order;
}

std::vector<NeedOrder> NeedOrders::take(std::span<const graph::ItemNeed> needs, const ItemNames& names,
                                        const graph::Spaces& spaces) {
  std::sort(marks_.begin(), marks_.end());
  marks_.erase(std::unique(marks_.begin(), marks_.end()), marks_.end());
  std::vector<NeedOrder> orders(needs.size());
  for (std::size_t i = 0; i < needs.size(); ++i) {
    const graph::ItemNeed& need = needs[i];
    if (need.kinds == graph::kPayload) continue;
    std::vector<std::uint32_t> from{need.from};
    std::uint64_t all = 0;
    if (graph::is_join(need.from)) from = names.items_of(need.from, SIZE_MAX, all);
    for (const std::uint32_t one : from)
      for (auto mark =
               std::lower_bound(marks_.begin(), marks_.end(), Mark{one, need.space, 0, 0, 0, 0, ObjectId::null});
           mark != marks_.end() && mark->from == one && mark->space == need.space; ++mark) {
        const bool meets =
            mark->begin == mark->end || need.begin == need.end || (mark->begin < need.end && need.begin < mark->end);
        if (meets && (mark->kind & need.kinds) != 0 && mark->object == need.object)
          orders[i].add(order_of(mark->question));
      }
    if (may_be_own_ && is_race(orders[i].state)) orders[i].state = NeedState::unknown;
    races_ += is_race(orders[i].state) ? 1 : 0;
  }
  // These take what was said of the others.
  for (std::size_t i = 0; i < needs.size(); ++i)
    if (needs[i].kinds == graph::kPayload) {
      orders[i] = order_of_payload(needs[i], needs, orders, spaces);
      races_ += is_race(orders[i].state) ? 1 : 0;
    }
  may_be_own_ = false;
  marks_.clear();
  most_marks_ = 1024;
  return orders;
}

}  // namespace rondo::analyzers
