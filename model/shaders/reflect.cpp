// SPDX-License-Identifier: Apache-2.0
// SPIRV-Cross says what the declarations of a module mean; which of them an entry point uses, and all that
// is no declaration, was found by parse_module().
#include "model/shaders/reflect.h"

#include <spirv_cross/spirv_cross_c.h>

#include <algorithm>
#include <memory>

#include "model/shaders/module.h"
#include "model/shaders/names.h"
#include "model/shaders/sizes.h"
#include "model/shaders/spirv.h"

namespace rondo::shaders {

namespace {

constexpr std::uint64_t kMostLeaves = std::uint64_t{1} << 20;  // of all types that are written out

class Reflector {
 public:
  Result<Reflection> run(std::span<const std::byte> code) {
    auto parsed = parse_module(code);
    if (!parsed) return tl::unexpected<Error>(std::move(parsed).error());
    module_ = std::move(*parsed);
    // SPIRV-Cross takes memory by it.
    constexpr std::size_t kBound = 3;
    const std::uint32_t bound = module_.declarations[kBound];
    if (bound / 64 > code.size() / sizeof(std::uint32_t))
      return fail(Status::unreadable, "has a bound of ids of " + std::to_string(bound) + ", which its " +
                                          std::to_string(code.size() / sizeof(std::uint32_t)) + " words cannot need");
    RONDO_TRY(open());
    Reflection reflection;
    reflection.version = module_.version;
    reflection.capabilities = module_.capabilities;
    take_constants(reflection);
    for (const Entry& entry : module_.entries) reflection.entry_points.push_back(take_entry(entry));
    if (leaves_ > kMostLeaves) return fail(Status::unreadable, "is too large to be reflected");
    if (!refused_.empty()) return fail(Status::unreadable, "is not understood by SPIRV-Cross: " + refused_);
    return reflection;
  }

 private:
  struct Destroy {
    void operator()(spvc_context context) const { spvc_context_destroy(context); }
  };

  Result<void> open() {
    spvc_context context = nullptr;
    if (spvc_context_create(&context) != SPVC_SUCCESS)
      return fail(Status::failed, "cannot be reflected: SPIRV-Cross does not start");
    context_.reset(context);
    spvc_context_set_error_callback(
        context, [](void* self, const char* error) { static_cast<Reflector*>(self)->refused_ = error; }, this);
    spvc_parsed_ir ir = nullptr;
    const std::vector<SpvId>& words = module_.declarations;
    if (spvc_context_parse_spirv(context, words.data(), words.size(), &ir) != SPVC_SUCCESS ||
        spvc_context_create_compiler(context, SPVC_BACKEND_NONE, ir, SPVC_CAPTURE_MODE_TAKE_OWNERSHIP, &compiler_) !=
            SPVC_SUCCESS)
      return fail(Status::unreadable, "is not understood by SPIRV-Cross: " + refused_);
    return {};
  }

  bool has(std::uint32_t id, SpvDecoration d) const {
    return spvc_compiler_has_decoration(compiler_, id, d) != SPVC_FALSE;
  }
  std::uint32_t value(std::uint32_t id, SpvDecoration d) const {
    return spvc_compiler_get_decoration(compiler_, id, d);
  }
  bool has(std::uint32_t id, std::uint32_t member, SpvDecoration d) const {
    return spvc_compiler_has_member_decoration(compiler_, id, member, d) != SPVC_FALSE;
  }
  std::uint32_t value(std::uint32_t id, std::uint32_t member, SpvDecoration d) const {
    return spvc_compiler_get_member_decoration(compiler_, id, member, d);
  }
  std::string name(std::uint32_t id) const {
    const auto found = module_.names.find(id);
    return found != module_.names.end() ? found->second : "";
  }
  const Type& type(std::uint32_t id) const { return module_.types.at(id); }

  void take_constants(Reflection& reflection) {
    for (const auto& [id, constant] : module_.constants) {
      if (!constant.spec_id) continue;
      SpecConstant one;
      one.id = *constant.spec_id;
      one.type = type_text(constant.type);
      one.bytes = type(constant.type).width / 8;
      one.name = name(id);
      const std::size_t from = constant.text.find('(');
      one.default_value = constant.text.substr(from + 1, constant.text.size() - from - 2);
      reflection.constants.push_back(std::move(one));
    }
    std::sort(reflection.constants.begin(), reflection.constants.end(),
              [](const SpecConstant& a, const SpecConstant& b) { return a.id < b.id; });
  }

  // "3", or the text of the constant; of what is not there nothing.
  std::string text_of_constant(std::uint32_t id) const {
    const auto found = module_.constants.find(id);
    return found != module_.constants.end() ? found->second.text : "?";
  }

  std::string local_size(const Entry& entry) const {
    std::vector<std::string> sizes;
    for (const auto& mode : entry.modes)
      if (mode[0] == SpvExecutionModeLocalSize && mode.size() == 4)
        for (std::size_t i = 1; i < 4; ++i) sizes.push_back(std::to_string(mode[i]));
      else if (mode[0] == SpvExecutionModeLocalSizeId && mode.size() == 4)
        for (std::size_t i = 1; i < 4; ++i) sizes.push_back(text_of_constant(mode[i]));
    const auto built_in = module_.constants.find(module_.work_group_size);
    if (built_in != module_.constants.end() && built_in->second.parts.size() == 3 && !sizes.empty()) {
      sizes.clear();
      for (const std::uint32_t part : built_in->second.parts) sizes.push_back(text_of_constant(part));
    }
    return sizes.size() < 3 ? "" : sizes[0] + " x " + sizes[1] + " x " + sizes[2];
  }

  EntryPoint take_entry(const Entry& entry) {
    EntryPoint out;
    out.name = entry.name;
    out.model = entry.model;
    out.local_size = local_size(entry);
    for (const auto& mode : entry.modes)
      if (const char* known = mode_name(mode[0]); known != nullptr)
        out.modes.push_back(known + (mode.size() > 1 ? " " + std::to_string(mode[1]) : ""));
    std::sort(out.modes.begin(), out.modes.end());
    out.modes.erase(std::unique(out.modes.begin(), out.modes.end()), out.modes.end());
    for (const Variable& variable : module_.variables) {
      const bool used = entry.used.count(variable.id) != 0;
      const bool named =
          std::find(entry.interface.begin(), entry.interface.end(), variable.id) != entry.interface.end();
      // Before SPIR-V 1.4 an entry point lists nothing but these.
      const bool listed = variable.storage == SpvStorageClassInput || variable.storage == SpvStorageClassOutput ||
                          module_.version >= 0x00010400;
      if ((used || named || !listed) && leaves_ <= kMostLeaves) take_variable(variable, used, out);
    }
    std::stable_sort(out.bindings.begin(), out.bindings.end(), [](const Binding& a, const Binding& b) {
      return a.set != b.set ? a.set < b.set : a.binding < b.binding;
    });
    return out;
  }

  void take_variable(const Variable& variable, bool used, EntryPoint& out) {
    switch (variable.storage) {
      case SpvStorageClassUniformConstant:
      case SpvStorageClassUniform:
      case SpvStorageClassStorageBuffer:
        return take_binding(variable, used, out);
      case SpvStorageClassPushConstant:
        return take_push_constants(variable, used, out);
      default:
        if (const char* kind = location_kind(variable.storage); kind != nullptr)
          take_locations(variable, kind, used, out);
    }
  }

  void take_binding(const Variable& variable, bool used, EntryPoint& out) {
    Binding binding;
    binding.set = value(variable.id, SpvDecorationDescriptorSet);
    binding.binding = value(variable.id, SpvDecorationBinding);
    binding.used = used;
    binding.name = name(variable.id);
    std::uint32_t id = variable.type;
    while (is_array(type(id))) {
      binding.array += "[" + type(id).length + "]";
      id = type(id).element;
    }
    if (binding.name.empty()) binding.name = name(id);
    binding.read_only = has(variable.id, SpvDecorationNonWritable);
    switch (type(id).operation) {
      case SpvOpTypeStruct: {
        const bool storage = variable.storage == SpvStorageClassStorageBuffer || has(id, SpvDecorationBufferBlock);
        binding.kind = storage ? "storage buffer" : "uniform buffer";
        binding.members = members_of(id);
        bool all = !type(id).members.empty();
        for (std::uint32_t m = 0; m < type(id).members.size(); ++m) all = all && has(id, m, SpvDecorationNonWritable);
        binding.read_only = storage && (binding.read_only || all);
        break;
      }
      case SpvOpTypeImage:
        take_image(variable, id, binding);
        break;
      case SpvOpTypeSampledImage:
        binding.type = image_text(type(id).element);
        binding.kind = is_buffer(type(id).element) ? "uniform texel buffer" : "sampled image and sampler";
        binding.read_only = false;
        break;
      case SpvOpTypeSampler:
        binding.kind = "sampler";
        break;
      case SpvOpTypeAccelerationStructureKHR:
        binding.kind = "acceleration structure";
        break;
      default:
        return;
    }
    out.bindings.push_back(std::move(binding));
  }

  bool is_buffer(std::uint32_t image) const {
    return spvc_type_get_image_dimension(spvc_compiler_get_type_handle(compiler_, image)) == SpvDimBuffer;
  }

  void take_image(const Variable& variable, std::uint32_t id, Binding& binding) {
    spvc_type handle = spvc_compiler_get_type_handle(compiler_, id);
    const SpvDim dimension = spvc_type_get_image_dimension(handle);
    const bool storage = spvc_type_get_image_is_storage(handle) != SPVC_FALSE;
    binding.read_only = binding.read_only && storage;
    binding.type = image_text(id);
    if (dimension == SpvDimSubpassData) {
      binding.kind = "input attachment " + std::to_string(value(variable.id, SpvDecorationInputAttachmentIndex));
      binding.read_only = false;
    } else if (is_buffer(id)) {
      binding.kind = storage ? "storage texel buffer" : "uniform texel buffer";
    } else {
      binding.kind = storage ? "storage image" : "sampled image";
    }
  }

  // Whether it is of depths is not compared: compilers do not agree on it.
  std::string image_text(std::uint32_t id) {
    spvc_type handle = spvc_compiler_get_type_handle(compiler_, id);
    static constexpr const char* kDimensions[] = {"1D", "2D", "3D", "cube", "rectangle", "buffer", "subpass"};
    const auto dimension = static_cast<std::size_t>(spvc_type_get_image_dimension(handle));
    std::string text = dimension < std::size(kDimensions) ? kDimensions[dimension] : "?";
    if (spvc_type_get_image_arrayed(handle) != SPVC_FALSE) text += " array";
    if (spvc_type_get_image_multisampled(handle) != SPVC_FALSE) text += " multisampled";
    text += " of " + type_text(spvc_type_get_image_sampled_type(handle));
    if (spvc_type_get_image_is_storage(handle) != SPVC_FALSE && dimension != SpvDimSubpassData)
      text += ", format " + std::to_string(spvc_type_get_image_storage_format(handle));
    return text;
  }

  void take_push_constants(const Variable& variable, bool used, EntryPoint& out) {
    if (type(variable.type).operation != SpvOpTypeStruct) return;
    PushConstants push;
    push.members = members_of(variable.type);
    push.used = used;
    push.begin = push.members.empty() ? 0 : ~std::uint32_t{};
    for (const Member& member : push.members) {
      push.begin = std::min(push.begin, member.offset);
      push.end = std::max(push.end,
                          member.offset + static_cast<std::uint32_t>(std::min<std::uint64_t>(member.bytes, 1 << 20)));
    }
    // An entry point uses one such block at most.
    if (used || !out.push_constants) out.push_constants = std::move(push);
  }

  void take_locations(const Variable& variable, const char* kind, bool used, EntryPoint& out) {
    if (has(variable.id, SpvDecorationBuiltIn)) return;
    std::string array;
    std::uint32_t id = variable.type;
    const bool block = is_block(id);
    while (block && is_array(type(id))) {
      array += "[" + type(id).length + "]";
      id = type(id).element;
    }
    Location one;
    one.kind = kind;
    one.used = used;
    one.name = name(variable.id);
    one.location = value(variable.id, SpvDecorationLocation);
    one.component = value(variable.id, SpvDecorationComponent);
    one.index = value(variable.id, SpvDecorationIndex);
    const std::string patch = has(variable.id, SpvDecorationPatch) ? "patch " : "";
    if (!block) {
      one.type = patch + type_text(id);
      out.locations.push_back(std::move(one));
      return;
    }
    // Members follow one another where none says where it is.
    std::uint32_t next = one.location;
    Sizes sizes(module_, [](const Type& array) { return array.count; });
    for (std::uint32_t m = 0; m < type(id).members.size(); ++m) {
      if (has(id, m, SpvDecorationBuiltIn)) return;
      if (has(id, m, SpvDecorationLocation)) next = value(id, m, SpvDecorationLocation);
      Location member = one;
      member.location = next;
      member.component = value(id, m, SpvDecorationComponent);
      member.type = patch + (has(id, m, SpvDecorationPatch) ? "patch " : "") + type_text(type(id).members[m]) + array;
      next += static_cast<std::uint32_t>(std::min<std::uint64_t>(sizes.locations(type(id).members[m]), 1 << 16));
      out.locations.push_back(std::move(member));
    }
  }

  static bool is_array(const Type& type) {
    return type.operation == SpvOpTypeArray || type.operation == SpvOpTypeRuntimeArray;
  }
  bool is_block(std::uint32_t id) const {
    while (is_array(type(id))) id = type(id).element;
    return type(id).operation == SpvOpTypeStruct && (has(id, SpvDecorationBlock) || has(id, SpvDecorationBufferBlock));
  }

  std::vector<Member> members_of(std::uint32_t structure) {
    std::vector<Member> members;
    Sizes sizes(module_, [](const Type& array) { return array.count; });
    for (std::uint32_t m = 0; m < type(structure).members.size() && leaves_ <= kMostLeaves; ++m) {
      Member member;
      member.offset = value(structure, m, SpvDecorationOffset);
      member.type = member_text(structure, m);
      member.bytes = sizes.member(structure, m);
      members.push_back(std::move(member));
    }
    std::stable_sort(members.begin(), members.end(),
                     [](const Member& a, const Member& b) { return a.offset < b.offset; });
    return members;
  }

  std::string member_text(std::uint32_t structure, std::uint32_t m) {
    std::string text = type_text(type(structure).members[m]);
    if (has(structure, m, SpvDecorationMatrixStride))
      text += " stride " + std::to_string(matrix_stride(structure, m)) +
              (has(structure, m, SpvDecorationRowMajor) ? " by rows" : "");
    return text;
  }

  std::uint32_t matrix_stride(std::uint32_t structure, std::uint32_t m) const {
    const auto found = module_.decorated_members.find({structure, m});
    return found != module_.decorated_members.end() ? found->second.matrix_stride : 0;
  }

  static std::string scalar_text(spvc_type handle) {
    switch (spvc_type_get_basetype(handle)) {
      case SPVC_BASETYPE_VOID:
        return "void";
      case SPVC_BASETYPE_BOOLEAN:
        return "bool";
      case SPVC_BASETYPE_INT8:
        return "int8";
      case SPVC_BASETYPE_UINT8:
        return "uint8";
      case SPVC_BASETYPE_INT16:
        return "int16";
      case SPVC_BASETYPE_UINT16:
        return "uint16";
      case SPVC_BASETYPE_INT32:
        return "int";
      case SPVC_BASETYPE_UINT32:
        return "uint";
      case SPVC_BASETYPE_INT64:
        return "int64";
      case SPVC_BASETYPE_UINT64:
        return "uint64";
      case SPVC_BASETYPE_FP16:
        return "float16";
      case SPVC_BASETYPE_FP32:
        return "float";
      case SPVC_BASETYPE_FP64:
        return "double";
      case SPVC_BASETYPE_SAMPLER:
        return "sampler";
      case SPVC_BASETYPE_ACCELERATION_STRUCTURE:
        return "acceleration structure";
      default:
        return "?";
    }
  }

  std::string type_text(std::uint32_t id) {
    const auto found = module_.types.find(id);
    if (found == module_.types.end()) return "?";
    const Type& t = found->second;
    if (++leaves_ > kMostLeaves) return "?";
    switch (t.operation) {
      case SpvOpTypeArray:
      case SpvOpTypeRuntimeArray: {
        std::string text = type_text(t.element) + "[" + t.length;
        if (has(id, SpvDecorationArrayStride))
          text += (t.length.empty() ? "stride " : " stride ") + std::to_string(value(id, SpvDecorationArrayStride));
        return text + "]";
      }
      case SpvOpTypeStruct: {
        std::string text = "struct {";
        for (std::uint32_t m = 0; m < t.members.size(); ++m) {
          text += m == 0 ? "" : ", ";
          if (has(id, m, SpvDecorationOffset)) text += std::to_string(value(id, m, SpvDecorationOffset)) + ": ";
          text += member_text(id, m);
        }
        return text + "}";
      }
      case SpvOpTypePointer:
        return "address";
      case SpvOpTypeImage:
      case SpvOpTypeSampledImage:
        return image_text(t.operation == SpvOpTypeImage ? id : t.element);
      default:
        break;
    }
    spvc_type handle = spvc_compiler_get_type_handle(compiler_, id);
    std::string text = scalar_text(handle);
    if (const unsigned rows = spvc_type_get_vector_size(handle); rows > 1) text += std::to_string(rows);
    if (const unsigned columns = spvc_type_get_columns(handle); columns > 1) text += "x" + std::to_string(columns);
    return text;
  }

  Module module_;
  std::unique_ptr<spvc_context_s, Destroy> context_;
  spvc_compiler compiler_ = nullptr;
  std::string refused_;  // the first thing that SPIRV-Cross did not like
  std::uint64_t leaves_ = 0;
};

}  // namespace

Result<Reflection> reflect(std::span<const std::byte> code) { return Reflector().run(code); }

}  // namespace rondo::shaders
