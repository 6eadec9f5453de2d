// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/payload_sites.h"

#include <algorithm>

namespace rondo::fuzz {
namespace {

using What = codec::ValueSink::Part;

class Collector : public codec::ValueSink {
 public:
  explicit Collector(PayloadSites& sites) : sites_(sites) {}

  void stands_at(const codec::Field& field, Part part, std::size_t offset, std::size_t bytes) override {
    const Site site{&field, part, offset, bytes, owners_.back(), HandleType::none};
    switch (part) {
      case What::value:
      case What::data:
      case What::text:
        sites_.values.push_back(site);
        return;
      case What::present:
      case What::count:
        open_.push_back({site, {}, offset + bytes});
        opened_at_ = open_.size();
        return;
      case What::chained:
        // The first structure opens the chain.
        if (open_.empty() || open_.back().head.field != &field || open_.back().head.owner != site.owner)
          open_.push_back({site, {}, offset});
        open_.back().begins.push_back(offset);
        return;
      case What::element:
        open_.back().begins.push_back(offset);
        return;
      case What::end:
        close(site);
    }
  }
  void begin_structure(std::string_view) override { owners_.push_back(++structures_); }
  void end_structure() override { owners_.pop_back(); }
  void begin_array() override {}
  void end_array() override {}
  void key(std::string_view) override {}
  // After a count or presence: the list that it was to open is not there.
  void null() override {
    if (open_.empty() || opened_at_ != open_.size() || !open_.back().begins.empty()) return;
    if (open_.back().head.part == What::chained) return;
    sites_.lists.push_back(std::move(open_.back()));
    open_.pop_back();
    opened_at_ = 0;
  }
  void unsigned_value(std::uint64_t) override {}
  void signed_value(std::int64_t) override {}
  void floating_value(double, bool) override {}
  void boolean(bool) override {}
  void enumerant(std::string_view, std::int64_t) override {}
  void flags(EnumId, std::uint64_t) override {}
  void handle(HandleType type, std::uint64_t, std::uint32_t) override { sites_.values.back().handle = type; }
  void string(std::string_view) override {}
  void bytes(const Digest&, std::uint64_t) override {}

 private:
  void close(const Site& site) {
    const bool chain = site.bytes != 0;
    const bool ours = !open_.empty() && open_.back().head.field == site.field && open_.back().head.owner == site.owner;
    if (ours) {
      open_.back().end = site.at;
      sites_.lists.push_back(std::move(open_.back()));
      open_.pop_back();
    } else if (chain) {  // an empty one
      List empty{site, {}, site.at};
      empty.head.part = What::chained;
      sites_.lists.push_back(std::move(empty));
    }
    opened_at_ = 0;
  }

  PayloadSites& sites_;
  std::vector<List> open_;
  std::size_t opened_at_ = 0;  // the list that the last call opened; 0: it opened none
  std::vector<std::uint32_t> owners_{0};
  std::uint32_t structures_ = 0;
};

}  // namespace

std::optional<PayloadSites> PayloadSites::of(const codec::IdMap& ids, CommandId command,
                                             std::span<const std::byte> payload) {
  PayloadSites sites;
  Collector collector(sites);
  if (!codec::print(collector, ids, command, payload)) return std::nullopt;
  return sites;
}

const Site* PayloadSites::count_of(const Site& site) const {
  const codec::Count& count = site.field->count;
  if (count.kind != codec::CountKind::member && count.kind != codec::CountKind::dereferenced) return nullptr;
  const auto found = std::find_if(values.begin(), values.end(), [&](const Site& one) {
    return one.part == What::value && one.owner == site.owner && one.field->offset == count.a &&
           one.bytes == count.a_size;
  });
  return found == values.end() ? nullptr : &*found;
}

}  // namespace rondo::fuzz
