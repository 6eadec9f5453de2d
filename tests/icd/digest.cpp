// SPDX-License-Identifier: Apache-2.0
#include "tests/icd/digest.h"

#include <xxhash.h>

#include <algorithm>
#include <cstring>

#include "format/codec/shapes.h"
#include "tests/icd/pipeline_uses.h"

namespace fake {
namespace {

using namespace rondo::codec;

// Says nothing about what is done: names, hints, and what a recorder or a
// player may rightly change.
bool is_silent(StructId id) {
  switch (id) {
    case StructId::VkPipelineCreationFeedbackCreateInfo:
    case StructId::VkDebugUtilsObjectNameInfoEXT:
    case StructId::VkImageViewUsageCreateInfo:
    case StructId::VkShaderModuleValidationCacheCreateInfoEXT:
      return true;
    default:
      return false;
  }
}

bool is_list(Shape shape) { return shape == Shape::many || shape == Shape::strings || shape == Shape::many_pointers; }

// Beside a render pass the formats of dynamic rendering are ignored.
bool has_render_pass(const std::byte* owner) {
  const auto* pipeline = reinterpret_cast<const VkGraphicsPipelineCreateInfo*>(owner);
  return pipeline->sType == VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO && pipeline->renderPass != VK_NULL_HANDLE;
}

// What no enumerant is, nobody looks at; a player puts the smallest one there.
std::uint32_t enumerant_or_first(rondo::EnumId id, std::uint32_t value) {
  std::uint32_t first = UINT32_MAX;
  for (const Enumerant& e : enumerants(id)) {
    if (static_cast<std::uint32_t>(e.value) == value) return value;
    first = std::min(first, static_cast<std::uint32_t>(e.value));
  }
  return enumerants(id).empty() ? value : first;
}

// … and takes away flags that are none.
std::uint64_t known_flags(rondo::EnumId id, std::uint64_t value) {
  std::uint64_t known = 0;
  for (const Enumerant& e : enumerants(id)) known |= static_cast<std::uint64_t>(e.value);
  return enumerants(id).empty() ? value : value & known;
}

class Walker {
 public:
  explicit Walker(Hash& hash) : hash_(hash) {}

  void structure(const StructInfo& type, const std::byte* base, std::size_t skipped = 0) {
    for (std::size_t i = skipped; i < type.fields.size(); ++i) field(type, type.fields[i], base);
  }

  void elements(const Field& f, const std::byte* at, std::size_t n, std::size_t stride, const std::byte* owner) {
    hash_.value(n);
    for (std::size_t i = 0; i < n; ++i) element(f, at + i * stride, owner);
  }

  void element(const Field& f, const std::byte* at, const std::byte* owner) {
    if ((f.flags & kPerhapsIgnored) != 0) return;
    switch (f.semantic) {
      case Semantic::none:
        break;
      case Semantic::image_layout:
        hash_.value(same_layout(load<std::uint32_t>(at)));
        return;
      default:
        return;
    }
    switch (f.element) {
      case Element::structure:
        structure(info(static_cast<StructId>(f.type)), at);
        return;
      case Element::union_type: {
        const std::uint32_t selector = f.selector == kNoSelector ? 0 : load<std::uint32_t>(owner + f.selector);
        const UnionForm form = union_form(f, selector);
        if (form.member != nullptr)
          field(info(static_cast<StructId>(f.type)), *form.member, at);
        else if (form.raw)
          hash_.bytes(at, f.size);
        return;
      }
      case Element::handle:
        hash_.value(content_of(static_cast<HandleType>(f.type), load<std::uint64_t>(at)));
        return;
      case Element::bool32:
        hash_.value(load<std::uint32_t>(at) != 0);
        return;
      case Element::enumerant:
        hash_.value(enumerant_or_first(static_cast<rondo::EnumId>(f.type), load<std::uint32_t>(at)));
        return;
      case Element::flags:
        hash_.value(known_flags(static_cast<rondo::EnumId>(f.type), load_unsigned(at, f.size)));
        return;
      case Element::untyped_handle:
      case Element::opaque:
        return;
      default:
        hash_.bytes(at, f.size);
    }
  }

 private:
  // A player has no presentation engine.
  static std::uint32_t same_layout(std::uint32_t layout) {
    return layout == VK_IMAGE_LAYOUT_PRESENT_SRC_KHR || layout == VK_IMAGE_LAYOUT_SHARED_PRESENT_KHR
               ? static_cast<std::uint32_t>(VK_IMAGE_LAYOUT_GENERAL)
               : layout;
  }

  // Where a template's descriptors lie in its data; a player leaves out what is between them.
  static bool is_place_in_template(const StructInfo& type, const Field& f) {
    return type.id == StructId::VkDescriptorUpdateTemplateEntry &&
           (f.offset == offsetof(VkDescriptorUpdateTemplateEntry, offset) ||
            f.offset == offsetof(VkDescriptorUpdateTemplateEntry, stride));
  }

  void field(const StructInfo& type, const Field& f, const std::byte* base) {
    if ((f.flags & kOutput) != 0 || is_place_in_template(type, f)) return;
    const std::byte* at = base + f.offset;
    switch (f.shape) {
      case Shape::stype:
      case Shape::dropped:
        return;
      case Shape::value:
        if (std::strcmp(f.name, "flags") == 0 && f.element == Element::flags && f.size == 4 &&
            std::strstr(type.name, "PipelineCreateInfo") != nullptr) {
          // A player compiles what the program only looked for.
          constexpr VkPipelineCreateFlags kLookOnly =
              VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT | VK_PIPELINE_CREATE_EARLY_RETURN_ON_FAILURE_BIT;
          hash_.value(load<std::uint32_t>(at) & ~kLookOnly);
          return;
        }
        element(f, at, base);
        return;
      case Shape::array:
        elements(f, at, f.count.constant, f.size, base);
        return;
      case Shape::text:
        hash_.bytes(at, strnlen(reinterpret_cast<const char*>(at), f.count.constant));
        return;
      default:
        break;
    }
    const auto* pointee = load<const std::byte*>(at);
    // A list of nothing may lie anywhere.
    if (pointee != nullptr && is_list(f.shape) && count_of(f, base) == 0) pointee = nullptr;
    hash_.value(pointee != nullptr);
    if (pointee != nullptr) pointed(f, pointee, base);
  }

  void pointed(const Field& f, const std::byte* at, const std::byte* owner) {
    switch (f.shape) {
      case Shape::one:
        element(f, at, owner);
        return;
      case Shape::many: {
        const std::size_t n = count_of(f, owner);
        if (is_data(f) && f.semantic == Semantic::none)
          hash_.bytes(at, n * f.size);
        else
          elements(f, at, n, f.rule == rondo::RuleId::strided ? load<std::uint32_t>(owner + f.selector) : f.size,
                   owner);
        return;
      }
      case Shape::string:
        hash_.bytes(at, std::strlen(reinterpret_cast<const char*>(at)));
        return;
      case Shape::strings:
        for (std::size_t i = 0; i < count_of(f, owner); ++i)
          if (const auto* text = load<const char*>(at + i * sizeof(char*)); text != nullptr)
            hash_.bytes(text, std::strlen(text));
        return;
      case Shape::many_pointers: {
        for (std::size_t i = 0; i < count_of(f, owner); ++i)
          if (const auto* one = load<const std::byte*>(at + i * sizeof(void*)); one != nullptr) element(f, one, owner);
        return;
      }
      case Shape::pnext:
        for (auto* s = reinterpret_cast<const VkBaseInStructure*>(at); s != nullptr; s = s->pNext) {
          const StructInfo& type = info(structure_by_stype(static_cast<std::uint32_t>(s->sType)));
          if (is_silent(type.id)) continue;
          if (type.id == StructId::VkPipelineRenderingCreateInfo && has_render_pass(owner)) continue;
          hash_.value(static_cast<std::uint64_t>(s->sType));
          for (const Field& f2 : type.fields)
            if (f2.shape != Shape::pnext) field(type, f2, reinterpret_cast<const std::byte*>(s));
        }
        return;
      default:
        return;
    }
  }

  Hash& hash_;
};

// One of the elements that a call makes objects of, if it makes several.
std::uint64_t content_of_creation(const Arguments& arguments, std::size_t index, std::size_t objects) {
  const StructInfo& type = info(rondo::codec::info(arguments.command()).args);
  Hash hash(static_cast<std::uint64_t>(arguments.command()));
  Walker walker(hash);
  for (const Field& f : type.fields) {
    if (f.element != Element::structure || f.shape != Shape::many || (f.flags & kOutput) != 0) continue;
    const auto* list = load<const std::byte*>(arguments.root() + f.offset);
    if (list == nullptr || count_of(f, arguments.root()) != objects) continue;
    walker.element(f, list + index * f.size, arguments.root());
    return hash.digest();
  }
  for (const Field& f : type.fields)
    if (f.element == Element::structure && f.shape == Shape::one && (f.flags & kOutput) == 0)
      if (const auto* one = load<const std::byte*>(arguments.root() + f.offset);
          one != nullptr && static_cast<StructId>(f.type) != StructId::VkAllocationCallbacks)
        walker.element(f, one, arguments.root());
  return hash.digest();
}

std::uint64_t content_of_view(const ImageView& view) {
  Hash hash(view.content);
  if (view.image != nullptr) hash.value(content_of(*view.image));
  return hash.digest();
}

}  // namespace

void Hash::bytes(const void* from, std::size_t count) {
  state_ = XXH3_64bits_withSeed(from, count, state_ * 0x9e3779b97f4a7c15u + count);
}

void Hash::value(std::uint64_t value) { bytes(&value, sizeof value); }

std::uint64_t content_of(const Object& object) {
  switch (object.type) {
    case HandleType::VkImage: {
      const auto& image = static_cast<const Image&>(object);
      Hash hash(static_cast<std::uint64_t>(object.type));
      for (const std::uint64_t part :
           {std::uint64_t{static_cast<std::uint32_t>(image.format)}, std::uint64_t{image.extent.width},
            std::uint64_t{image.extent.height}, std::uint64_t{image.extent.depth}, std::uint64_t{image.levels},
            std::uint64_t{image.layers}, std::uint64_t{image.samples}})
        hash.value(part);
      return hash.digest();
    }
    case HandleType::VkImageView:
      return content_of_view(static_cast<const ImageView&>(object));
    case HandleType::VkDescriptorSet: {
      const auto& set = static_cast<const DescriptorSet&>(object);
      return set.layout == nullptr ? 0 : set.layout->content;
    }
    case HandleType::VkFramebuffer: {
      const auto& framebuffer = static_cast<const Framebuffer&>(object);
      Hash hash(static_cast<std::uint64_t>(object.type));
      for (const std::uint32_t part : {framebuffer.width, framebuffer.height, framebuffer.layers}) hash.value(part);
      for (const auto& view : framebuffer.views)
        if (view != nullptr) hash.value(content_of_view(*view));
      return hash.digest();
    }
    case HandleType::VkBuffer:
      return static_cast<const Buffer&>(object).size;
    case HandleType::VkInstance:
    case HandleType::VkPhysicalDevice:
    case HandleType::VkDevice:
    case HandleType::VkQueue:
    case HandleType::VkCommandBuffer:
    case HandleType::VkCommandPool:
    case HandleType::VkDescriptorPool:
    case HandleType::VkDeviceMemory:
    case HandleType::VkFence:
    case HandleType::VkSemaphore:
    case HandleType::VkEvent:
    case HandleType::VkPipelineCache:
    case HandleType::VkSwapchainKHR:
    case HandleType::VkSurfaceKHR:
      return 0;
    default:
      return object.content;
  }
}

std::uint64_t content_of(HandleType type, std::uint64_t handle) {
  if (handle == 0) return 0;
  const auto object = find(type, handle);
  return object == nullptr ? 0 : content_of(*object);
}

std::uint64_t digest_of(const Arguments& arguments) {
  Hash hash(static_cast<std::uint64_t>(arguments.command()));
  Walker(hash).structure(info(rondo::codec::info(arguments.command()).args), arguments.root(), 1);
  return hash.digest();
}

void note_created(const Call& call) {
  const StructInfo& type = info(rondo::codec::info(call.canonical).args);
  const auto* base = static_cast<const std::byte*>(call.args);
  std::unique_ptr<Arguments> arguments;
  for (const Field& f : type.fields) {
    if (f.element != Element::handle || (f.flags & kCreated) == 0) continue;
    const auto* made = load<const std::byte*>(base + f.offset);
    if (made == nullptr || (f.shape != Shape::one && f.shape != Shape::many)) continue;
    const std::size_t objects = f.shape == Shape::one ? 1 : count_of(f, base);
    for (std::size_t i = 0; i < objects; ++i) {
      const auto object = find(static_cast<HandleType>(f.type), load<std::uint64_t>(made + i * f.size));
      if (object == nullptr) continue;
      if (arguments == nullptr) arguments = std::make_unique<Arguments>(call.canonical, call.args);
      std::call_once(object->described, [&] {
        object->content = content_of_creation(*arguments, i, objects);
        if (object->type == HandleType::VkPipeline) note_pipeline(*arguments, i, static_cast<Pipeline&>(*object));
      });
    }
  }
}

void fill_pattern(std::byte* to, std::size_t bytes, std::uint64_t seed) {
  // splitmix64, whose state is the place: every word can be found by itself.
  for (std::size_t at = 0; at < bytes; at += sizeof(std::uint64_t)) {
    std::uint64_t word = seed + (at / sizeof word + 1) * 0x9e3779b97f4a7c15u;
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
    word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
    word ^= word >> 31;
    std::memcpy(to + at, &word, std::min(sizeof word, bytes - at));
  }
}

}  // namespace fake
