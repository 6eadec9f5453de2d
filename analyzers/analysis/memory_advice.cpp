// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <tuple>

#include "analyzers/analysis/memory_analysis.h"
#include "analyzers/analysis/sync_findings.h"
#include "analyzers/text/names.h"
#include "analyzers/text/text.h"

namespace rondo::analyzers {

namespace {

// Which accesses need which bit of usage. Bits that are not here are not judged.
struct UsageNeed {
  VkFlags bit;
  VkAccessFlags2 access;
};
constexpr VkAccessFlags2 kStorage =
    VK_ACCESS_2_SHADER_STORAGE_READ_BIT | VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT | VK_ACCESS_2_SHADER_WRITE_BIT;
constexpr UsageNeed kBufferUsage[] = {
    {VK_BUFFER_USAGE_TRANSFER_SRC_BIT, VK_ACCESS_2_TRANSFER_READ_BIT},
    {VK_BUFFER_USAGE_TRANSFER_DST_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT},
    {VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, VK_ACCESS_2_UNIFORM_READ_BIT},
    {VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, kStorage | VK_ACCESS_2_SHADER_READ_BIT},
    {VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT, VK_ACCESS_2_SHADER_SAMPLED_READ_BIT | VK_ACCESS_2_SHADER_READ_BIT},
    {VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT, kStorage | VK_ACCESS_2_SHADER_READ_BIT},
    {VK_BUFFER_USAGE_INDEX_BUFFER_BIT, VK_ACCESS_2_INDEX_READ_BIT},
    {VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, VK_ACCESS_2_VERTEX_ATTRIBUTE_READ_BIT},
    {VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT},
};
constexpr VkAccessFlags2 kColorAccess = VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT;
constexpr VkAccessFlags2 kDepthAccess =
    VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT | VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT;
constexpr UsageNeed kImageUsage[] = {
    {VK_IMAGE_USAGE_TRANSFER_SRC_BIT, VK_ACCESS_2_TRANSFER_READ_BIT},
    {VK_IMAGE_USAGE_TRANSFER_DST_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT},
    {VK_IMAGE_USAGE_SAMPLED_BIT, VK_ACCESS_2_SHADER_SAMPLED_READ_BIT | VK_ACCESS_2_SHADER_READ_BIT},
    {VK_IMAGE_USAGE_STORAGE_BIT, kStorage | VK_ACCESS_2_SHADER_READ_BIT},
    {VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, kColorAccess},
    {VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT, kDepthAccess},
    {VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT, VK_ACCESS_2_INPUT_ATTACHMENT_READ_BIT},
};

class Adviser {
 public:
  explicit Adviser(const MemoryAnalysis& analysis) : analysis_(analysis), facts_(analysis.facts()) {}

  std::vector<MemoryAdvice> all() {
    for (std::uint32_t i = 0; i < facts_.resources().size(); ++i) look_at(i);
    std::vector<bool> has_resource(facts_.allocations().size());
    for (const BoundBytes& one : facts_.bound()) has_resource[one.allocation] = true;
    for (std::uint32_t i = 0; i < facts_.allocations().size(); ++i) {
      const Allocation& one = facts_.allocations()[i];
      if (has_resource[i] || one.is_exported || one.is_imported) continue;
      add(MemoryRule::unused, one.id, kNoIndex, one.bytes, 0, "no buffer or image is ever bound to it");
    }
    std::stable_sort(out_.begin(), out_.end(), [](const MemoryAdvice& a, const MemoryAdvice& b) {
      return std::tuple(a.rule, b.saved, b.traffic) < std::tuple(b.rule, a.saved, a.traffic);
    });
    return std::move(out_);
  }

 private:
  void add(MemoryRule rule, ObjectId object, std::uint32_t resource, std::uint64_t saved, std::uint64_t traffic,
           std::string text) {
    MemoryAdvice one;
    one.rule = rule;
    one.object = object;
    one.resource = resource;
    one.saved = saved;
    one.traffic = traffic;
    one.text = std::move(text);
    one.id = finding_id(std::string(word_of(rule)) + " " + analysis_.walk().objects().name(object));
    out_.push_back(std::move(one));
  }

  // Of a type that the device has, and that the resource may be in.
  bool has_type(const Allocation& memory, std::uint32_t types, VkMemoryPropertyFlags wanted) const {
    const auto& all = facts_.devices()[memory.device].types;
    for (std::uint32_t i = 0; i < all.size(); ++i)
      if ((types == 0 || (types >> i & 1) != 0) && (all[i].propertyFlags & wanted) == wanted) return true;
    return false;
  }

  void look_at(std::uint32_t number) {
    const MemoryResource& one = facts_.resources()[number];
    const MemoryUse& use = analysis_.uses().uses()[number];
    const MemoryClass kind = analysis_.class_of(number);
    if (kind == MemoryClass::external) return;
    const auto advise = [&](MemoryRule rule, std::uint64_t saved, std::uint64_t traffic, std::string why) {
      add(rule, one.id, number, saved, traffic, std::move(why));
    };
    const std::uint64_t bytes = one.allocation != kNoIndex ? one.bytes : 0;
    if (kind == MemoryClass::unused)
      return advise(MemoryRule::unused, bytes, 0, "no work touches it, and the host does not write it");
    if (kind == MemoryClass::dead)
      return advise(MemoryRule::dead, bytes, 0,
                    text("written {} times, from {} on, and never read", use.host_writes + use.device_writes,
                         text_of(use.first_write)));
    if (one.allocation != kNoIndex) look_at_place(one, use, kind, advise);
    if (use.unread_stores != 0 && use.unread_stores >= use.stores && !use.may_be_reached)
      advise(MemoryRule::unread_store, 0, use.unread_store_bytes,
             text("stored by STORE at the end of {} and not read after that: DONT_CARE would do",
                  plural(use.unread_stores, "render pass")));
    if (use.undefined_loads != 0)
      advise(MemoryRule::undefined_load, 0, use.undefined_load_bytes,
             text("loaded by LOAD {} of {} times where it has no contents: CLEAR or DONT_CARE would do",
                  use.undefined_loads, use.loads));
    if (one.is_concurrent && std::popcount(use.families) == 1 && use.families >> 63 == 0)
      advise(MemoryRule::unshared, 0, 0,
             text("made with VK_SHARING_MODE_CONCURRENT, and only queue family {} uses it: EXCLUSIVE would do",
                  std::countr_zero(use.families)));
    look_at_usage(one, use, advise);
  }

  template <class Advise>
  void look_at_place(const MemoryResource& one, const MemoryUse& use, MemoryClass kind, const Advise& advise) const {
    const Allocation& memory = facts_.allocations()[one.allocation];
    const VkMemoryType* type = facts_.type_of(memory);
    if (type == nullptr) return;
    const VkMemoryPropertyFlags flags = type->propertyFlags;
    if (kind == MemoryClass::constant && (flags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) == 0 &&
        has_type(memory, one.types, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) && use.reads > 1)
      advise(MemoryRule::host_constant, 0, use.read_bytes,
             text("constant in memory of the host, and read by {}: a copy in DEVICE_LOCAL memory is read faster",
                  plural(use.reads, "command")));
    constexpr VkFlags kTransient = VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT;
    const bool is_lazy = (flags & VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT) != 0;
    if (!one.is_image || !use.lives_in_passes || kind != MemoryClass::transient) return;
    const bool has_lazy = has_type(memory, one.types, VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT);
    if ((one.usage & kTransient) != 0 && (is_lazy || !has_lazy)) return;
    advise(MemoryRule::transient_attachment, has_lazy && !is_lazy ? one.bytes : 0, 0,
           text("its contents never leave a render pass: {}",
                (one.usage & kTransient) == 0
                    ? "usage TRANSIENT_ATTACHMENT and LAZILY_ALLOCATED memory give it no bytes on devices that can"
                    : "this device has LAZILY_ALLOCATED memory for it"));
  }

  template <class Advise>
  static void look_at_usage(const MemoryResource& one, const MemoryUse& use, const Advise& advise) {
    // Others may need what is not seen here.
    if (use.may_be_reached || one.has_address || one.shares) return;
    VkFlags unused = 0;
    for (const UsageNeed& need : one.is_image ? std::span<const UsageNeed>(kImageUsage) : kBufferUsage)
      if ((one.usage & need.bit) != 0 && (use.access & need.access) == 0) unused |= need.bit;
    if (unused != 0)
      advise(MemoryRule::unused_usage, 0, 0,
             text("no work needs its usage {}",
                  flags_text(one.is_image ? EnumId::VkImageUsageFlagBits : EnumId::VkBufferUsageFlagBits, unused)));
  }

  const MemoryAnalysis& analysis_;
  const MemoryFacts& facts_;
  std::vector<MemoryAdvice> out_;
};

}  // namespace

std::string_view word_of(MemoryRule rule) {
  constexpr std::string_view kWords[] = {"dead",         "unused",         "host-constant", "transient-attachment",
                                         "unread-store", "undefined-load", "unshared",      "unused-usage"};
  return kWords[static_cast<std::size_t>(rule)];
}

std::vector<MemoryAdvice> memory_advice(const MemoryAnalysis& analysis) { return Adviser(analysis).all(); }

}  // namespace rondo::analyzers
