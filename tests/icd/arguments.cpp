// SPDX-License-Identifier: Apache-2.0
#include "tests/icd/arguments.h"

#include <algorithm>
#include <cstring>

#include "format/codec/encoder.h"
#include "format/codec/rules.h"
#include "format/codec/shapes.h"
#include "tests/icd/objects.h"

namespace fake {
namespace {

using namespace rondo::codec;
using rondo::RuleId;

// What rules ask of earlier calls.
class Context final : public EncodeContext {
 public:
  bool is_secondary(std::uint64_t command_buffer) override {
    const auto buffer = std::static_pointer_cast<CommandBuffer>(find(CommandBuffer::kType, command_buffer));
    return buffer != nullptr && buffer->level == VK_COMMAND_BUFFER_LEVEL_SECONDARY;
  }
  SubpassUse subpass_use(std::uint64_t handle, std::uint32_t index) override {
    const auto pass = std::static_pointer_cast<RenderPass>(find(RenderPass::kType, handle));
    if (pass == nullptr || index >= pass->subpasses.size()) return {};
    const RenderPass::Subpass& subpass = pass->subpasses[index];
    return {true, !subpass.colors.empty(),
            subpass.has_depth_stencil && subpass.depth_stencil.attachment != VK_ATTACHMENT_UNUSED};
  }
  TemplateLayout template_layout(std::uint64_t) override { return nullptr; }
  void add_blob(const rondo::Digest&, std::span<const std::byte>) override {}
  std::uint16_t note_structure(rondo::StructId id) override { return static_cast<std::uint16_t>(id); }
};

class Copier {
 public:
  Copier(Arguments& out, CommandId command, const void* args) : out_(out), rules_(context_, command, args) {}

  void structure(const StructInfo& type, const std::byte* from, std::byte* to, bool in_chain) {
    std::memcpy(to, from, type.size);
    for (const Field& f : type.fields) {
      if (in_chain && f.shape == Shape::pnext) continue;  // the chain walks on by itself
      field(f, from, to);
    }
  }

 private:
  void field(const Field& f, const std::byte* from, std::byte* to) {
    const std::byte* at = from + f.offset;
    std::byte* target = to + f.offset;
    switch (f.shape) {
      case Shape::stype:
      case Shape::text:
        return;
      case Shape::dropped:
        std::memset(target, 0, sizeof(void*));
        return;
      case Shape::value:
        if (f.element == Element::handle && f.rule != RuleId::none && !rules_.applies(f, from))
          std::memset(target, 0, f.size);
        else
          element(f, at, target, from);
        return;
      case Shape::array:
        for (std::size_t i = 0; i < f.count.constant; ++i) element(f, at + i * f.size, target + i * f.size, from);
        return;
      default:
        break;
    }
    const std::byte* pointee = (f.flags & kOutput) != 0 ? nullptr : load<const std::byte*>(at);
    // The rule is asked even for null: it may prepare later ones.
    if (f.rule != RuleId::none && f.rule != RuleId::template_data && !rules_.applies(f, from)) pointee = nullptr;
    const std::byte* copy = pointee == nullptr ? nullptr : pointed(f, pointee, from);
    std::memcpy(target, &copy, sizeof copy);
  }

  const std::byte* pointed(const Field& f, const std::byte* from, const std::byte* owner) {
    switch (f.shape) {
      case Shape::one:
        return elements(f, from, 1, f.size, owner);
      case Shape::many:
        if (f.rule == RuleId::template_data) return nullptr;  // its command reads it at once
        return elements(f, from, count_of(f, owner),
                        f.rule == RuleId::strided ? load<std::uint32_t>(owner + f.selector) : f.size, owner);
      case Shape::string:
        return string(reinterpret_cast<const char*>(from));
      case Shape::strings: {
        const std::size_t n = count_of(f, owner);
        std::byte* list = out_.allocate(n * sizeof(char*));
        for (std::size_t i = 0; i < n; ++i) {
          const std::byte* text = string(load<const char*>(from + i * sizeof(char*)));
          std::memcpy(list + i * sizeof(char*), &text, sizeof text);
        }
        return list;
      }
      case Shape::many_pointers: {
        const std::size_t n = count_of(f, owner);
        std::byte* list = out_.allocate(n * sizeof(void*));
        for (std::size_t i = 0; i < n; ++i) {
          const auto* one = load<const std::byte*>(from + i * sizeof(void*));
          const std::size_t inner = f.rule == RuleId::build_ranges ? rules_.inner_count(i) : 1;
          const std::byte* copy = one == nullptr ? nullptr : elements(f, one, inner, f.size, owner);
          std::memcpy(list + i * sizeof(void*), &copy, sizeof copy);
        }
        return list;
      }
      case Shape::pnext:
        return chain(from);
      default:
        return nullptr;
    }
  }

  const std::byte* elements(const Field& f, const std::byte* from, std::size_t n, std::size_t stride,
                            const std::byte* owner) {
    std::byte* to = out_.allocate(std::max<std::size_t>(n * std::max<std::size_t>(stride, f.size), 1));
    for (std::size_t i = 0; i < n; ++i) element(f, from + i * stride, to + i * stride, owner);
    return to;
  }

  void element(const Field& f, const std::byte* from, std::byte* to, const std::byte* owner) {
    switch (f.element) {
      case Element::structure:
        structure(info(static_cast<StructId>(f.type)), from, to, false);
        return;
      case Element::union_type: {
        std::memcpy(to, from, f.size);
        const std::uint32_t selector = f.selector == kNoSelector ? 0 : load<std::uint32_t>(owner + f.selector);
        const UnionForm form = union_form(f, selector);
        if (form.member != nullptr)
          field(*form.member, from, to);
        else if (!form.raw)
          std::memset(to, 0, f.size);
        return;
      }
      case Element::opaque:
        std::memset(to, 0, f.size);
        return;
      default:
        std::memcpy(to, from, f.size);
    }
  }

  const std::byte* string(const char* text) {
    if (text == nullptr) return nullptr;
    const std::size_t bytes = std::strlen(text) + 1;
    std::byte* copy = out_.allocate(bytes);
    std::memcpy(copy, text, bytes);
    return copy;
  }

  // What no table knows is not for this driver.
  const std::byte* chain(const std::byte* from) {
    const std::byte* first = nullptr;
    std::byte* last = nullptr;
    int length = 0;
    for (auto* s = reinterpret_cast<const VkBaseInStructure*>(from); s != nullptr && length < kMaxChain;
         s = s->pNext, ++length) {
      const StructInfo& type = info(structure_by_stype(static_cast<std::uint32_t>(s->sType)));
      if (type.id == StructId::none || type.size == 0) continue;
      std::byte* copy = out_.allocate(type.size);
      structure(type, reinterpret_cast<const std::byte*>(s), copy, true);
      std::memset(copy + offsetof(VkBaseInStructure, pNext), 0, sizeof(void*));
      if (last == nullptr)
        first = copy;
      else
        std::memcpy(last + offsetof(VkBaseInStructure, pNext), &copy, sizeof copy);
      last = copy;
    }
    return first;
  }

  Arguments& out_;
  Context context_;
  Rules rules_;
};

}  // namespace

Arguments::Arguments(CommandId command, const void* args) : command_(command) {
  const StructInfo& type = info(rondo::codec::info(command).args);
  std::byte* root = allocate(std::max<std::size_t>(type.size, 1));
  Copier(*this, command, args).structure(type, static_cast<const std::byte*>(args), root, false);
  root_ = root;
}

std::size_t count_of(const Field& f, const std::byte* owner) {
  const Count& c = f.count;
  std::uint64_t value = 0;
  switch (c.kind) {
    case CountKind::none:
      return 1;
    case CountKind::constant:
      return c.constant;
    case CountKind::rule:
      return 0;
    case CountKind::member:
      value = load_unsigned(owner + c.a, c.a_size);
      break;
    case CountKind::dereferenced: {
      const auto* target = load<const std::byte*>(owner + c.a);
      value = target == nullptr ? 0 : load_unsigned(target, c.a_size);
      break;
    }
    case CountKind::path: {
      const auto* target = load<const std::byte*>(owner + c.a);
      value = target == nullptr ? 0 : load_unsigned(target + c.b, c.b_size);
      break;
    }
  }
  return static_cast<std::size_t>((value + c.constant) / c.divisor);
}

std::byte* Arguments::allocate(std::size_t bytes) {
  constexpr std::size_t kAlignment = 16, kBlock = 512;
  bytes = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  if (used_ + bytes > room_) {
    room_ = std::max(bytes, kBlock);
    blocks_.push_back(std::make_unique<std::byte[]>(room_));
    used_ = 0;
  }
  std::byte* place = blocks_.back().get() + used_;
  used_ += bytes;
  return place;
}

}  // namespace fake
