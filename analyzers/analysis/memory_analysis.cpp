// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/memory_analysis.h"

namespace rondo::analyzers {

std::string_view word_of(MemoryClass one) {
  constexpr std::string_view kWords[] = {"constant", "staging-up", "staging-down", "transient",
                                         "variable", "external",   "dead",         "unused"};
  return kWords[static_cast<std::size_t>(one)];
}

MemoryClass memory_class(const MemoryResource& resource, const MemoryUse& use, const MemoryFacts& facts,
                         std::uint64_t frames) {
  if (resource.is_external || resource.is_of_swapchain) return MemoryClass::external;
  if (resource.allocation != kNoIndex) {
    const Allocation& memory = facts.allocations()[resource.allocation];
    if (memory.is_imported || memory.is_exported) return MemoryClass::external;
  }
  const std::uint64_t writes = use.host_writes + use.device_writes;
  // Nobody knows what else touches it. Others may read what is written here by the bytes that they share.
  const bool is_open = use.may_be_reached || resource.shares || resource.is_sparse;
  if (writes + use.reads == 0) return is_open ? MemoryClass::variable : MemoryClass::unused;
  if (use.reads == 0) {
    if (use.device_writes != 0 && use.may_be_read_by_host) return MemoryClass::staging_down;
    return is_open ? MemoryClass::variable : MemoryClass::dead;
  }
  if (use.may_be_reached) return MemoryClass::variable;
  if (use.device_writes == 0 && use.host_writes != 0 && use.transfer_reads == use.reads) return MemoryClass::staging_up;
  const bool lives_across = frames > 1 ? use.lives_across_frames : use.lives_across_submits;
  const bool is_uploaded = use.device_writes == use.transfer_writes && use.transfer_reads != use.reads;
  if (!use.is_written_after_read && (is_uploaded || lives_across)) return MemoryClass::constant;
  if (use.host_writes == 0 && !lives_across && !use.may_be_read_by_host) return MemoryClass::transient;
  return MemoryClass::variable;
}

Result<MemoryAnalysis> MemoryAnalysis::of(const std::string& path, const MemoryUseOptions& options) {
  auto walk = GraphWalk::open(path);
  if (!walk) return tl::unexpected(walk.error());
  MemoryAnalysis made;
  made.walk_ = std::make_unique<GraphWalk>(std::move(*walk));
  made.uses_ = std::make_unique<MemoryUses>(*made.walk_, options);
  auto totals = made.walk_->run(*made.uses_);
  if (!totals) return tl::unexpected(totals.error());
  made.totals_ = *totals;
  made.walk_->find_damage(made.totals_);
  made.uses_->finish();
  made.timeline_ = memory_timeline(*made.uses_);
  const auto& resources = made.facts().resources();
  for (std::uint32_t i = 0; i < resources.size(); ++i)
    made.classes_.push_back(memory_class(resources[i], made.uses_->uses()[i], made.facts(), made.frames()));
  made.advice_ = memory_advice(made);
  return made;
}

}  // namespace rondo::analyzers
