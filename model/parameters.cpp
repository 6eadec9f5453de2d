// SPDX-License-Identifier: Apache-2.0
#include "model/parameters.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>

#include "format/check.h"
#include "format/leaves.h"
#include "model/effects/all.h"
#include "model/shaders/sites.h"
#include "model/submits.h"

namespace rondo::model {

namespace {

// Whether readers of the model look at arrays of the call that may lie in blobs: all but bytes of which the model knows
// no more than that they are there.
bool looks_at(CommandId canonical) {
  switch (canonical) {
    case CommandId::rondoHostWrite:
    case CommandId::rondoMemoryContents:
    case CommandId::rondoImageContents:
    case CommandId::vkCmdUpdateBuffer:
    case CommandId::vkGetQueryPoolResults:
#ifdef VK_EXT_host_image_copy
    case CommandId::vkCopyMemoryToImage:
    case CommandId::vkCopyImageToMemory:
#endif
      return false;
    default:
      return shaders::makes_shaders(canonical) || Effects::kinds_of(canonical) != 0 || Submits::reads(canonical);
  }
}

enum class Reads : std::uint8_t { nothing, no_blobs, all };

Reads reads_of(CommandId canonical) {
  static const std::vector<Reads> by_command = [] {
    std::vector<Reads> table;
    for (const codec::CommandInfo& one : codec::commands())
      table.push_back(looks_at(one.id)                 ? Reads::all
                      : Effects::kinds_of(one.id) != 0 ? Reads::no_blobs
                                                       : Reads::nothing);
    return table;
  }();
  return by_command[static_cast<std::size_t>(canonical)];
}

constexpr std::uint32_t kLast = 0x7fffffff;  // VK_…_MAX_ENUM

bool is_enumerant(const codec::Field& field) {
  return (field.element == codec::Element::enumerant || field.element == codec::Element::flags) &&
         field.size == sizeof kLast;
}

// By StructId: whether it, or what it leads to but for chained structures, has an enumerant.
std::vector<bool> find_enumerants() {
  const std::span<const codec::StructInfo> all = codec::structures();
  std::vector<bool> has(all.size());
  for (bool more = true; more;) {
    more = false;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (has[i]) continue;
      has[i] = std::any_of(all[i].fields.begin(), all[i].fields.end(), [&](const codec::Field& field) {
        const bool leads_on = field.element == codec::Element::structure || field.element == codec::Element::union_type;
        return is_enumerant(field) || (leads_on && has[field.type]);
      });
      more = more || has[i];
    }
  }
  return has;
}

bool holds_enumerants(const codec::StructInfo& type) {
  static const std::vector<bool> has = find_enumerants();
  const auto index = static_cast<std::size_t>(&type - codec::structures().data());
  RONDO_CHECK(index < has.size());
  return has[index];
}

// Sets right what stands in the view, or in blobs of it.
struct Settler {
  const codec::Lowered& lowered;
  Parameters& out;

  bool enters(const codec::StructInfo& type) const { return holds_enumerants(type); }
  void leaf(const Leaf& leaf) {
    if (!is_enumerant(*leaf.field)) return;
    if (leaf.blob) return blob(leaf);
    for (std::size_t i = 0; i < leaf.count; ++i) {
      const auto at = static_cast<std::uint32_t>(leaf.offset + i * sizeof kLast);
      const auto value = codec::load<std::uint32_t>(out.view.at(at));
      if (value <= kLast) continue;
      const std::uint32_t settled = leaf.field->element == codec::Element::flags ? value & kLast : kLast;
      out.view.write(at, &settled, sizeof settled);
    }
  }
  void blob(const Leaf& leaf) {
    for (std::size_t i = 0; i < lowered.blobs.size(); ++i) {
      if (lowered.blobs[i].offset != leaf.offset || out.pointers[i] == nullptr) continue;
      std::vector<std::byte> bytes(out.pointers[i], out.pointers[i] + leaf.count * sizeof kLast);
      bool settled = false;
      for (std::size_t k = 0; k < leaf.count; ++k)
        if (auto value = codec::load<std::uint32_t>(&bytes[k * sizeof kLast]); value > kLast) {
          value &= kLast;
          std::memcpy(&bytes[k * sizeof kLast], &value, sizeof value);
          settled = true;
        }
      if (!settled) return;
      out.kept.push_back(std::make_shared<const std::vector<std::byte>>(std::move(bytes)));
      out.pointers[i] = out.kept.back()->data();
      out.view.write(static_cast<std::uint32_t>(leaf.offset), &out.pointers[i], sizeof out.pointers[i]);
    }
  }
};

}  // namespace

Result<void> load(Reader& reader, const codec::CommandInfo& command, const codec::Lowered& lowered,
                  const std::vector<ObjectId>& ids, Parameters& out) {
  out.kept.clear();
  out.pointers.assign(lowered.blobs.size(), nullptr);
  const Reads reads = reads_of(command.canonical);
  const bool looked_at = reads == Reads::all;
  if (reads == Reads::nothing) {
    out.view.load(lowered, ids, out.pointers);
    return {};
  }
  for (std::size_t i = 0; looked_at && i < lowered.blobs.size(); ++i) {
    auto read = reader.blob(lowered.blobs[i].digest);
    if (read && (*read)->size() < lowered.blobs[i].bytes)
      read = fail(Status::unreadable, std::string(command.name) + ": an array is shorter in the file than it says");
    if (!read && shaders::makes_shaders(command.canonical)) continue;
    if (!read) return tl::unexpected<Error>(std::move(read).error());
    out.pointers[i] = (*read)->data();
    out.kept.push_back(std::move(*read));
  }
  out.view.load(lowered, ids, out.pointers);
  Settler settler{lowered, out};
  LeafWalk<Settler>(lowered, settler).run(command);
  return {};
}

Result<void> load(const Stream& stream, const Step& step, Parameters& out) {
  return load(stream.reader(), *step.command, stream.lowered(), stream.resolution().ids, out);
}

Call call_of(const Stream& stream, const Step& step, const Parameters& parameters) {
  RONDO_CHECK(step.command != nullptr);
  return {*step.command,
          parameters.view,
          stream.resolution(),
          stream.objects(),
          step.record.sequence,
          step.succeeded(),
          static_cast<std::uint64_t>(step.record.return_value)};
}

}  // namespace rondo::model
