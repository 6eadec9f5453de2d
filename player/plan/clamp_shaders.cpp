// SPDX-License-Identifier: Apache-2.0
#include "player/plan/clamp_shaders.h"

#include <algorithm>
#include <map>
#include <span>

#include "format/printable.h"
#include "model/shaders/clamp.h"
#include "player/legal/shader_checks.h"
#include "player/plan/replace_code.h"
#include "player/plan/workers.h"

namespace rondo::player {

namespace {

// The same bytes on the same device stand here once.
struct Code {
  std::span<const std::byte> bytes;
  std::uint32_t device = kNone;  // index into Plan::devices
  shaders::Clamped clamped;
};

class Clamper {
 public:
  explicit Clamper(Plan& plan) : plan_(plan), sites_(find_code_sites(plan)) {
    for (std::uint32_t d = 0; d < plan.devices.size(); ++d) rules_.push_back(device_rules(plan, d));
    for (const CodeSite& site : sites_)
      if (is_code(site)) at_site_.push_back(add(site.code, site.digest, plan.ops[site.op].device));
    std::map<std::uint64_t, std::uint32_t> devices;  // by block of the op
    for (const Op& op : plan.ops)
      if (op.block_bytes != 0) devices.emplace(op.block, op.device);
    for (const StageCode& stage : plan.stage_codes)
      at_stage_.push_back(add(*stage.code, digest_of(*stage.code), devices.at(stage.block)));
  }

  ClampReport run(std::uint32_t threads) {
    run_on_threads(codes_.size(), threads, [this](std::size_t i) {
      const std::uint32_t device = codes_[i].device;
      codes_[i].clamped =
          shaders::clamp(codes_[i].bytes, device < rules_.size() ? rules_[device] : shaders::DeviceRules{});
    });
    for (Code& code : codes_) take_result(code);
    apply();
    return std::move(report_);
  }

 private:
  // Binaries are not played (create_shaders() in exec_pipelines.cpp).
  static bool is_code(const CodeSite& site) { return !site.binary && site.code.data() != nullptr; }

  std::size_t add(std::span<const std::byte> bytes, const Digest& digest, std::uint32_t device) {
    const auto [at, fresh] = by_digest_.try_emplace({digest, device}, codes_.size());
    if (fresh) codes_.push_back({bytes, device, {}});
    return at->second;
  }

  void take_result(Code& code) {
    if (code.clamped.obstacle.empty()) {
      ++report_.clamped;
      new_codes_.push_back(std::make_shared<std::vector<std::byte>>(std::move(code.clamped.code)));
    } else {
      count_unchanged(code.clamped.obstacle);
      new_codes_.push_back(nullptr);
    }
  }

  void count_unchanged(const std::string& why) {
    const auto found = std::find_if(report_.unchanged.begin(), report_.unchanged.end(),
                                    [&](const auto& one) { return one.first == why; });
    if (found != report_.unchanged.end())
      ++found->second;
    else
      report_.unchanged.emplace_back(why, 1);
  }

  void apply() {
    std::size_t next = 0;
    for (const CodeSite& site : sites_) {
      if (site.identifier) count_unchanged("a module identifier stands for its code, which is not in the capture");
      if (!is_code(site)) continue;
      if (const Reader::Bytes& code = new_codes_[at_site_[next++]]; code != nullptr) replace_code(plan_, site, code);
    }
    for (std::size_t i = 0; i < at_stage_.size(); ++i)
      if (const Reader::Bytes& code = new_codes_[at_stage_[i]]; code != nullptr) plan_.stage_codes[i].code = code;
  }

  Plan& plan_;
  std::vector<CodeSite> sites_;
  std::vector<shaders::DeviceRules> rules_;  // by device
  std::map<std::pair<Digest, std::uint32_t>, std::size_t> by_digest_;
  std::vector<Code> codes_;
  std::vector<Reader::Bytes> new_codes_;  // by code; null: it stays what it is
  // Indexes into codes_: of the sites that are code, in order; of Plan::stage_codes.
  std::vector<std::size_t> at_site_, at_stage_;
  ClampReport report_;
};

}  // namespace

std::uint64_t ClampReport::count_unchanged() const {
  std::uint64_t all = 0;
  for (const auto& [why, count] : unchanged) all += count;
  return all;
}

std::string ClampReport::numbers() const {
  return std::to_string(clamped) + " of " + std::to_string(clamped + count_unchanged());
}

std::string ClampReport::text() const {
  std::string line = "--clamp-shaders: clamped " + numbers() + " different shaders";
  if (unchanged.empty()) return line;
  line += "; played unchanged: ";
  for (std::size_t i = 0; i < unchanged.size(); ++i)
    line += (i == 0 ? "" : ", ") + std::to_string(unchanged[i].second) + " (" + printable(unchanged[i].first) + ")";
  return line;
}

ClampReport clamp_shaders(Plan& plan, std::uint32_t threads) { return Clamper(plan).run(threads); }

}  // namespace rondo::player
