// SPDX-License-Identifier: Apache-2.0
// What `rondo memory` finds: bytes over time, the class of each buffer and image, and advice. No device. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analyzers/analysis/memory_packing.h"
#include "analyzers/analysis/memory_timeline.h"
#include "analyzers/analysis/memory_uses.h"

namespace rondo::analyzers {

enum class MemoryClass : std::uint8_t {
  constant,      // all writes come before all reads, and only the device reads it
  staging_up,    // the host writes it, and copies read it
  staging_down,  // the device writes it, and the host may read it: nothing else does
  transient,     // no version is read in another frame, or with one frame in another submit, than it was written in
  variable,      // none of the others
  external,      // its memory is imported, exported, or of a swapchain
  dead,          // written, and never read
  unused,        // no work touches it, and the host does not write it
};
inline constexpr MemoryClass kMemoryClasses[] = {
    MemoryClass::constant, MemoryClass::staging_up, MemoryClass::staging_down, MemoryClass::transient,
    MemoryClass::variable, MemoryClass::external,   MemoryClass::dead,         MemoryClass::unused};
std::string_view word_of(MemoryClass one);

enum class MemoryRule : std::uint8_t {
  dead,                  // written, and never read
  unused,                // made, and never used; of an allocation: nothing is bound to it
  host_constant,         // constant, but not in memory of the device: each read goes to the host's memory
  transient_attachment,  // contents never leave a render pass: it needs no memory on some devices
  unread_store,          // STORE, and nobody reads it
  undefined_load,        // LOAD of what nobody wrote
  unshared,              // VK_SHARING_MODE_CONCURRENT, and one queue family uses it
  unused_usage,          // usage bits that no work needs
};
inline constexpr MemoryRule kMemoryRules[] = {
    MemoryRule::dead,         MemoryRule::unused,         MemoryRule::host_constant, MemoryRule::transient_attachment,
    MemoryRule::unread_store, MemoryRule::undefined_load, MemoryRule::unshared,      MemoryRule::unused_usage};
std::string_view word_of(MemoryRule rule);

struct MemoryAdvice {
  MemoryRule rule{};
  std::string id;                     // the same for the same resource and rule, in another capture of the program
  ObjectId object = ObjectId::null;   // a buffer, an image or an allocation
  std::uint32_t resource = kNoIndex;  // index; kNoIndex: it is an allocation
  std::uint64_t saved = 0;            // bytes of memory
  std::uint64_t traffic = 0;          // bytes that are read or written for nothing, of the whole capture
  std::string text;                   // one sentence
};

class MemoryAnalysis {
 public:
  static Result<MemoryAnalysis> of(const std::string& path, const MemoryUseOptions& options);

  GraphWalk& walk() { return *walk_; }
  const GraphWalk& walk() const { return *walk_; }
  const GraphTotals& totals() const { return totals_; }
  GraphTotals& totals() { return totals_; }
  const MemoryUses& uses() const { return *uses_; }
  const MemoryFacts& facts() const { return uses_->facts(); }
  const std::vector<MemorySeries>& timeline() const { return timeline_; }
  MemoryClass class_of(std::uint32_t resource) const { return classes_[resource]; }
  // By rule, then by what they save.
  const std::vector<MemoryAdvice>& advice() const { return advice_; }
  std::uint64_t frames() const { return uses_->frames(); }

 private:
  MemoryAnalysis() = default;
  std::unique_ptr<GraphWalk> walk_;
  std::unique_ptr<MemoryUses> uses_;
  GraphTotals totals_;
  std::vector<MemorySeries> timeline_;
  std::vector<MemoryClass> classes_;
  std::vector<MemoryAdvice> advice_;
};

MemoryClass memory_class(const MemoryResource& resource, const MemoryUse& use, const MemoryFacts& facts,
                         std::uint64_t frames);
std::vector<MemoryAdvice> memory_advice(const MemoryAnalysis& analysis);

}  // namespace rondo::analyzers
