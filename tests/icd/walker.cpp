// SPDX-License-Identifier: Apache-2.0
#include "tests/icd/walker.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "format/codec/rules.h"
#include "format/codec/shapes.h"
#include "format/codec/template_data.h"
#include "tests/icd/state.h"
#include "tests/icd/tables.h"

namespace fake {

namespace {

using namespace rondo::codec;
using rondo::EnumId;
using rondo::RuleId;
using rondo::StructId;

// The bits that any enumerant of the type has.
std::uint64_t known_bits(EnumId id) {
  using Masks = std::vector<std::uint64_t>;
  static const Masks& all = *new Masks([] {
    Masks masks(rondo::kEnumIds);
    for (std::size_t i = 1; i < rondo::kEnumIds; ++i)
      for (const Enumerant& e : enumerants(static_cast<EnumId>(i))) masks[i] |= static_cast<std::uint64_t>(e.value);
    return masks;
  }());
  return all[static_cast<std::size_t>(id)];
}

// A pointer under a rule that is met: what the specification wants then.
bool rule_requires(RuleId rule) {
  switch (rule) {
    case RuleId::immutable_samplers:
    case RuleId::dynamic_sample_mask:
    case RuleId::pipeline_layout:          // pipelines.cpp
    case RuleId::pipeline_render_pass:     // null: dynamic rendering
    case RuleId::inheritance_render_pass:  // perhaps dynamic rendering: command_buffers.cpp
    case RuleId::resolve_view:             // perhaps rendered to as if it had several samples: check_rendering.cpp
    case RuleId::image_info_sampler:       // perhaps the binding has immutable ones
    case RuleId::image_info_view:          // null descriptors: checks_descriptors.cpp
    case RuleId::write_texel_views:
    case RuleId::template_data:
      return false;
    default:
      return true;
  }
}

// Null where all that it says is dynamic: VK_EXT_extended_dynamic_state3.
bool is_pipeline_state(RuleId rule) {
  switch (rule) {
    case RuleId::pipeline_input_assembly:
    case RuleId::pipeline_tessellation:
    case RuleId::pipeline_viewport:
    case RuleId::pipeline_rasterization:
    case RuleId::pipeline_multisample:
    case RuleId::pipeline_depth_stencil:
    case RuleId::pipeline_color_blend:
      return true;
    default:
      return false;
  }
}

class Walker {
 public:
  Walker(const Call& call, std::vector<std::shared_ptr<Object>>& named)
      : call_(call), named_(named), rules_(context_, call.id, call.args) {}

  void structure(const StructInfo& type, const std::byte* base, const std::string& path, bool output, bool in_chain,
                 int depth);

 private:
  void field(const StructInfo& type, std::size_t row, const std::byte* base, const std::string& path, bool output,
             int depth);
  void element(const Field& f, const std::byte* at, const std::byte* owner, const std::string& path, std::uint8_t facts,
               bool may_be_null, bool output, int depth);
  void pointer_field(const StructInfo& type, const Field& f, std::uint8_t facts, const std::byte* base,
                     const std::string& path, bool output, int depth);
  void chain(const StructInfo& type, const void* next, const std::string& path, bool output, int depth);
  void template_data(const std::byte* at, const std::byte* base, const std::string& path, int depth);
  void handle(HandleType type, std::uint64_t value, const std::string& path, bool may_be_null, bool ignored);
  std::size_t count(const Field& f, const std::byte* base) const;
  void wrong(const std::string& path, const std::string& what) {
    violation((path.empty() ? std::string("parameters") : path) + " " + what);
  }
  // What drivers pass over in a chain.
  void ignored(const std::string& path, const std::string& what) { passed_over(path + " " + what); }

  const Call& call_;
  std::vector<std::shared_ptr<Object>>& named_;
  Context context_;
  Rules rules_;
};

std::string member(const std::string& path, const char* name) {
  return path.empty() ? std::string(name) : path + "." + name;
}

void Walker::structure(const StructInfo& type, const std::byte* base, const std::string& path, bool output,
                       bool in_chain, int depth) {
  if (depth > kMaxDepth) return wrong(path, "is nested too deeply");
  for (std::size_t i = 0; i < type.fields.size(); ++i) {
    if (type.fields[i].shape == Shape::pnext && in_chain) continue;
    field(type, i, base, path, output, depth);
  }
}

void Walker::field(const StructInfo& type, std::size_t row, const std::byte* base, const std::string& path, bool output,
                   int depth) {
  const Field& f = type.fields[row];
  const std::uint8_t facts = tables::row_facts(type.id, row);
  const std::byte* at = base + f.offset;
  switch (f.shape) {
    case Shape::stype:
      if (load<std::uint32_t>(at) != type.stype)
        wrong(member(path, "sType"), "is " + std::to_string(load<std::uint32_t>(at)) + ", not that of " + type.name);
      return;
    case Shape::pnext:
      if (f.rule != RuleId::none) static_cast<void>(rules_.applies(f, base));
      return chain(type, load<const void*>(at), path, output, depth);
    case Shape::dropped:
    case Shape::text:
      return;
    case Shape::value: {
      if (f.element == Element::handle && f.rule != RuleId::none && !rules_.applies(f, base)) return;
      const bool by_rule = f.rule != RuleId::none && f.element == Element::handle && rule_requires(f.rule);
      const bool nullable = !by_rule && (facts & (tables::kMayBeNull | tables::kNotSaid)) != 0;
      return element(f, at, base, member(path, f.name), facts, nullable, output, depth);
    }
    case Shape::array:
      if (output && f.element != Element::structure) return;
      for (std::uint32_t i = 0; i < f.count.constant; ++i)
        element(f, at + i * f.size, base, member(path, f.name) + "[" + std::to_string(i) + "]", facts, true, output,
                depth);
      return;
    default:
      return pointer_field(type, f, facts, base, path, output || (f.flags & kOutput) != 0, depth);
  }
}

void Walker::pointer_field(const StructInfo&, const Field& f, std::uint8_t facts, const std::byte* base,
                           const std::string& path, bool output, int depth) {
  // Inside what the driver fills, pointers are only followed where it is told to write.
  if (output && (f.flags & kOutput) == 0) return;
  if (f.rule != RuleId::none && !rules_.applies(f, base)) return;
  const auto* target = load<const std::byte*>(base + f.offset);
  const std::string name = member(path, f.name);
  const bool counted = f.shape == Shape::many || f.shape == Shape::strings || f.shape == Shape::many_pointers;
  const bool dereferenced = f.count.kind == CountKind::dereferenced || f.count.kind == CountKind::path;
  const std::size_t n = counted ? count(f, base) : 1;
  if (target == nullptr) {
    const bool may_be_dynamic = is_pipeline_state(f.rule) && call_.device != nullptr &&
                                call_.device->enabled(VK_EXT_EXTENDED_DYNAMIC_STATE_3_EXTENSION_NAME);
    const bool by_rule = f.rule != RuleId::none && rule_requires(f.rule) && !may_be_dynamic;
    const bool required =
        (f.flags & kRequired) != 0 || by_rule || (facts & (tables::kMayBeNull | tables::kNotSaid)) == 0;
    const bool asks_for_the_count = output && dereferenced;
    if (required && n != 0 && !asks_for_the_count && f.element != Element::opaque) wrong(name, "is null");
    return;
  }
  if (f.rule == RuleId::template_data) return template_data(target, base, name, depth);
  if (f.shape == Shape::string) return;
  if (f.shape == Shape::strings) {
    for (std::size_t i = 0; i < n; ++i)
      if (load<const char*>(target + i * sizeof(char*)) == nullptr)
        wrong(name + "[" + std::to_string(i) + "]", "is null");
    return;
  }
  if (output && f.element != Element::structure) return;
  const std::size_t stride = f.rule == RuleId::strided ? load<std::uint32_t>(base + f.selector) : f.size;
  const bool plain = f.element == Element::byte || f.element == Element::unsigned_int ||
                     f.element == Element::signed_int || f.element == Element::floating;
  if (plain) return;
  const bool may_be_null =
      (facts & (tables::kElementsMayBeNull | tables::kNotSaid)) != 0 && (f.flags & kRequiredElements) == 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::string each = counted ? name + "[" + std::to_string(i) + "]" : name;
    const std::byte* one = target + i * stride;
    if (f.shape == Shape::many_pointers) {
      one = load<const std::byte*>(target + i * sizeof(void*));
      if (one == nullptr) {
        wrong(each, "is null");
        continue;
      }
      if (f.rule == RuleId::build_ranges) continue;  // plain numbers
    }
    element(f, one, base, each, facts, may_be_null, output, depth);
  }
}

void Walker::element(const Field& f, const std::byte* at, const std::byte* owner, const std::string& path,
                     std::uint8_t facts, bool may_be_null, bool output, int depth) {
  const bool said = (facts & tables::kNotSaid) == 0;
  switch (f.element) {
    case Element::structure:
      return structure(info(static_cast<StructId>(f.type)), at, path, output, false, depth + 1);
    case Element::union_type: {
      if (output) return;
      const std::uint32_t selector = f.selector == kNoSelector ? 0 : load<std::uint32_t>(owner + f.selector);
      const UnionForm form = union_form(f, selector);
      const StructInfo& type = info(static_cast<StructId>(f.type));
      if (form.member != nullptr)
        field(type, static_cast<std::size_t>(form.member - type.fields.data()), at, path, output, depth + 1);
      return;
    }
    case Element::handle:
      if (!output)
        handle(static_cast<HandleType>(f.type), load<std::uint64_t>(at), path, may_be_null,
               (f.flags & kPerhapsIgnored) != 0);
      return;
    case Element::untyped_handle:
      // The loader passes its own instance and physical devices on in messages.
      if (const HandleType named = untyped_handle_type(f, load<std::uint32_t>(owner + f.selector));
          !output && named != HandleType::VkInstance && named != HandleType::VkPhysicalDevice)
        handle(untyped_handle_type(f, load<std::uint32_t>(owner + f.selector)), load<std::uint64_t>(at), path, true,
               false);
      return;
    case Element::enumerant: {
      if (output || !said) return;
      const auto value = load<std::int32_t>(at);
      if (enumerant_name(static_cast<EnumId>(f.type), value).empty())
        wrong(path, "is " + std::to_string(value) + ", which is no " + f.name);
      return;
    }
    case Element::flags: {
      const auto id = static_cast<EnumId>(f.type);
      if (output || !said || id == EnumId::none || enumerants(id).empty()) return;
      const std::uint64_t unknown = load_unsigned(at, f.size) & ~known_bits(id);
      if (unknown != 0) wrong(path, "has unknown bits " + std::to_string(unknown));
      return;
    }
    case Element::bool32:
      if (!output && said && load<std::uint32_t>(at) > 1) wrong(path, "is neither true nor false");
      return;
    default:
      return;
  }
}

// Null where nothing owns it: instances.
const Object* owner_of(const Object& object) {
  if (object.type == HandleType::VkDevice || object.type == HandleType::VkInstance) return &object;
  return object.parent.get();
}

void Walker::handle(HandleType type, std::uint64_t value, const std::string& path, bool may_be_null, bool ignored) {
  const char* name = info(type).name;
  if (type == HandleType::none || ignored) return;
  if (value == 0) {
    if (!may_be_null) wrong(path, std::string("is null, and must be a ") + name);
    return;
  }
  auto object = find(type, value);
  if (object == nullptr && type == HandleType::VkSurfaceKHR && settings().interface < 3) return;  // the loader's
  if (object == nullptr) return wrong(path, "is " + std::to_string(value) + ", which is no live " + name);
  const Object* owner = owner_of(*object);
  if (call_.device != nullptr && owner != nullptr) {
    const bool of_device = owner == call_.device.get();
    const bool of_instance = owner == call_.device->physical->parent.get() || owner == call_.device->physical.get();
    if (!of_device && !of_instance) wrong(path, std::string("is a ") + name + " of another device");
  }
  named_.push_back(std::move(object));
}

void Walker::chain(const StructInfo& type, const void* next, const std::string& path, bool output, int depth) {
  int length = 0;
  std::vector<std::uint32_t> seen;
  for (auto* s = static_cast<const VkBaseInStructure*>(next); s != nullptr; s = s->pNext) {
    const auto stype = load<std::uint32_t>(&s->sType);
    if (stype == VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO || stype == VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO)
      continue;
    if (++length > kMaxChain) return wrong(member(path, "pNext"), "does not end");
    const StructId id = structure_by_stype(stype);
    const std::string name = member(path, "pNext");
    // Programs may ask an older driver for what it has never heard of.
    const bool question = output && info(call_.id).level == Level::physical_device;
    if (question && (id == StructId::none || info(id).size == 0)) continue;
    if (id == StructId::none || info(id).size == 0)
      return wrong(name, "holds a structure of the unknown type " + std::to_string(stype));
    const StructInfo& link = info(id);
    if (!tables::extends(id, type.id)) {
      ignored(name, std::string("holds a ") + link.name + ", which does not extend " + type.name);
      continue;
    }
    if (std::find(seen.begin(), seen.end(), stype) != seen.end() &&
        id != StructId::VkDebugUtilsMessengerCreateInfoEXT && id != StructId::VkDebugReportCallbackCreateInfoEXT)
      ignored(name, std::string("holds two of ") + link.name);
    seen.push_back(stype);
    structure(link, reinterpret_cast<const std::byte*>(s), name + "(" + link.name + ")", output, true, depth + 1);
  }
}

void Walker::template_data(const std::byte* at, const std::byte* base, const std::string& path, int depth) {
  const auto layout = rules_.template_layout(base);
  if (layout == nullptr) return;  // the template is none: reported
  for (const auto& entry : *layout) {
    const TemplateItem item = template_item(entry.type);
    if (item == TemplateItem::bytes || item == TemplateItem::unknown) continue;
    rules_.set_descriptor_type(entry.type);
    for (std::uint32_t i = 0; i < entry.count; ++i) {
      const std::byte* one = at + entry.offset + i * entry.stride;
      const std::string name = path + "[" + std::to_string(entry.offset) + "+" + std::to_string(i) + "]";
      if (item == TemplateItem::image)
        structure(info(StructId::VkDescriptorImageInfo), one, name, false, false, depth + 1);
      else if (item == TemplateItem::buffer)
        structure(info(StructId::VkDescriptorBufferInfo), one, name, false, false, depth + 1);
      else
        handle(item == TemplateItem::texel_view ? HandleType::VkBufferView : acceleration_structure(entry.type),
               load<std::uint64_t>(one), name, true, false);
    }
  }
}

std::size_t Walker::count(const Field& f, const std::byte* base) const {
  const Count& c = f.count;
  std::uint64_t value = 0;
  const auto* target =
      c.kind == CountKind::dereferenced || c.kind == CountKind::path ? load<const std::byte*>(base + c.a) : nullptr;
  switch (c.kind) {
    case CountKind::none:
      return 1;
    case CountKind::constant:
      return c.constant;
    case CountKind::member:
      value = load_unsigned(base + c.a, c.a_size);
      break;
    case CountKind::dereferenced:
      value = target == nullptr ? 0 : load_unsigned(target, c.a_size);
      break;
    case CountKind::path:
      value = target == nullptr ? 0 : load_unsigned(target + c.b, c.b_size);
      break;
    case CountKind::rule:
      return 1;
  }
  return static_cast<std::size_t>((value + c.constant) / c.divisor);
}

}  // namespace

bool Context::is_secondary(std::uint64_t command_buffer) {
  const auto found = find(HandleType::VkCommandBuffer, command_buffer);
  return found != nullptr && static_cast<const CommandBuffer&>(*found).level == VK_COMMAND_BUFFER_LEVEL_SECONDARY;
}

Context::SubpassUse Context::subpass_use(std::uint64_t render_pass, std::uint32_t subpass) {
  const auto found = find(HandleType::VkRenderPass, render_pass);
  if (found == nullptr) return {};
  const auto& passes = static_cast<const RenderPass&>(*found).subpasses;
  if (subpass >= passes.size()) return {};
  const auto used = [](const VkAttachmentReference2& r) { return r.attachment != VK_ATTACHMENT_UNUSED; };
  const auto& pass = passes[subpass];
  return {true, std::any_of(pass.colors.begin(), pass.colors.end(), used),
          pass.has_depth_stencil && used(pass.depth_stencil)};
}

Context::TemplateLayout Context::template_layout(std::uint64_t update_template) {
  const auto found = find(HandleType::VkDescriptorUpdateTemplate, update_template);
  if (found == nullptr) return nullptr;
  auto layout = std::make_shared<std::vector<TemplateEntry>>();
  for (const auto& e : static_cast<const UpdateTemplate&>(*found).entries)
    layout->push_back({static_cast<std::uint32_t>(e.descriptorType), e.descriptorCount, e.offset, e.stride});
  return layout;
}

void Context::add_blob(const rondo::Digest&, std::span<const std::byte> bytes) {
  blobs.insert(blobs.end(), bytes.begin(), bytes.end());
}

void check_validity(const Call& call, std::vector<std::shared_ptr<Object>>& named) {
  const auto& command = info(call.id);
  if (command.args == StructId::none) return;
  Walker(call, named).structure(info(command.args), static_cast<const std::byte*>(call.args), "", false, false, 0);
}

}  // namespace fake
