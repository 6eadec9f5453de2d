// SPDX-License-Identifier: Apache-2.0
#include "analyzers/read/shader_list.h"

#include <algorithm>
#include <unordered_map>

#include "analyzers/read/walk.h"
#include "analyzers/text/json.h"
#include "analyzers/text/text.h"
#include "generated/args.h"
#include "model/shaders/compare.h"
#include "model/shaders/names.h"
#include "model/shaders/sites.h"

namespace rondo::analyzers {

namespace {

// The object whose handle stands at `member`; 0: none.
ObjectId object_at(Walk& walk, const void* member) {
  const auto offset = static_cast<std::uint64_t>(static_cast<const std::byte*>(member) - &walk.args<std::byte>());
  const auto& handles = walk.decoded().handles;
  for (std::size_t i = 0; i < handles.size(); ++i)
    if (handles[i].offset == offset) return walk.resolution().ids[i];
  return ObjectId::null;
}

// What the call makes at `index`; 0: nothing.
template <class Args, class Handle>
ObjectId made(Walk& walk, Handle* Args::*member, std::uint32_t index) {
  const Handle* handles = walk.args<Args>().*member;
  return handles != nullptr ? object_at(walk, handles + index) : ObjectId::null;
}

ObjectId made(Walk& walk, CommandId canonical, std::uint32_t index) {
  switch (canonical) {
    case CommandId::vkCreateShaderModule:
      return made(walk, &args_vkCreateShaderModule::pShaderModule, 0);
    case CommandId::vkCreateGraphicsPipelines:
      return made(walk, &args_vkCreateGraphicsPipelines::pPipelines, index);
    case CommandId::vkCreateComputePipelines:
      return made(walk, &args_vkCreateComputePipelines::pPipelines, index);
    case CommandId::vkCreateRayTracingPipelinesKHR:
      return made(walk, &args_vkCreateRayTracingPipelinesKHR::pPipelines, index);
#ifdef VK_EXT_shader_object
    case CommandId::vkCreateShadersEXT:
      return made(walk, &args_vkCreateShadersEXT::pShaders, index);
#endif
    default:
      return ObjectId::null;
  }
}

}  // namespace

struct ShaderList::Impl {
  std::vector<ShaderRow> rows;
  std::vector<std::vector<std::byte>> inline_code;  // parallel to rows: of what is no blob
  std::unordered_map<Digest, std::size_t> by_digest;
  std::unordered_map<ObjectId, std::size_t> modules;  // the row of their code
  std::unordered_map<ObjectId, std::vector<StageShader>> stages;

  std::size_t row_of(Walk& walk, const shaders::Site& site) {
    // Whole words of a module are in the file, whatever the program says of a last one.
    const std::uint64_t bytes = site.kind == shaders::Site::Kind::object ? *site.bytes : *site.bytes / 4 * 4;
    const auto at = static_cast<std::uint64_t>(reinterpret_cast<const std::byte*>(site.code) - &walk.args<std::byte>());
    ShaderRow row;
    row.bytes = bytes;
    row.binary = site.binary;
    std::vector<std::byte> code;
    for (const codec::BlobRef& blob : walk.decoded().blobs)
      if (blob.offset == at) {
        row.digest = blob.digest;
        row.bytes = blob.bytes;
      }
    if (*site.code != nullptr) {
      const auto* first = static_cast<const std::byte*>(*site.code);
      code.assign(first, first + bytes);
      row.digest = digest_of(code);
    }
    const auto [found, fresh] = by_digest.try_emplace(row.digest, rows.size());
    if (fresh) {
      rows.push_back(std::move(row));
      inline_code.push_back(std::move(code));
    }
    return found->second;
  }
};

ShaderList::ShaderList() : impl_(std::make_unique<Impl>()) {}
ShaderList::~ShaderList() = default;
ShaderList::ShaderList(ShaderList&&) noexcept = default;

std::span<const StageShader> ShaderList::stages_of(ObjectId id) const {
  const auto found = impl_->stages.find(id);
  return found != impl_->stages.end() ? std::span<const StageShader>(found->second) : std::span<const StageShader>();
}

void ShaderList::take(Walk& walk, const Step& step) {
  if (step.command == nullptr || step.by_layer() || !shaders::makes_shaders(step.command->canonical)) return;
  const CommandId canonical = step.command->canonical;
  shaders::for_each_site(canonical, &walk.args<std::byte>(), [&](const shaders::Site& site) {
    const ObjectId id = made(walk, canonical, site.index);
    if (id == ObjectId::null) return;
    ShaderUse use{walk.objects().name(id), site.entry};
    if (site.kind == shaders::Site::Kind::stage) use.object += site.suffix();
    std::size_t row = 0;
    if (site.module != nullptr) {
      const auto module = impl_->modules.find(object_at(walk, site.module));
      if (module == impl_->modules.end()) return;
      row = module->second;
    } else if (site.code != nullptr) {
      row = impl_->row_of(walk, site);
      if (site.kind == shaders::Site::Kind::module) impl_->modules[id] = row;
    } else {
      return;
    }
    if (site.kind != shaders::Site::Kind::module)
      impl_->stages[id].push_back({site.suffix().substr(1), impl_->rows[row].digest});
    impl_->rows[row].uses.push_back(std::move(use));
  });
  if (canonical == CommandId::vkCreateGraphicsPipelines) {
    const auto& args = walk.args<args_vkCreateGraphicsPipelines>();
    for (std::uint32_t i = 0; i < args.createInfoCount; ++i)
      take_libraries(walk, made(walk, canonical, i),
                     find_chained<VkPipelineLibraryCreateInfoKHR>(args.pCreateInfos[i].pNext,
                                                                  VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR));
  } else if (canonical == CommandId::vkCreateRayTracingPipelinesKHR) {
    const auto& args = walk.args<args_vkCreateRayTracingPipelinesKHR>();
    for (std::uint32_t i = 0; i < args.createInfoCount; ++i)
      take_libraries(walk, made(walk, canonical, i), args.pCreateInfos[i].pLibraryInfo);
  }
}

// A pipeline has the shaders of the libraries that it is linked of.
void ShaderList::take_libraries(Walk& walk, ObjectId pipeline, const VkPipelineLibraryCreateInfoKHR* libraries) {
  if (libraries == nullptr || pipeline == ObjectId::null) return;
  for (std::uint32_t i = 0; i < libraries->libraryCount; ++i) {
    const std::span<const StageShader> of_library = stages_of(object_at(walk, &libraries->pLibraries[i]));
    std::vector<StageShader> added(of_library.begin(), of_library.end());  // it may be the same list
    std::vector<StageShader>& all = impl_->stages[pipeline];
    for (const StageShader& one : added)
      if (std::none_of(all.begin(), all.end(), [&](const StageShader& other) {
            return other.stage == one.stage && other.digest == one.digest;
          }))
        all.push_back(one);
  }
}

std::vector<ShaderRow> ShaderList::finish(Walk& walk, const Keep& keep) {
  for (std::size_t i = 0; i < impl_->rows.size(); ++i) {
    ShaderRow& row = impl_->rows[i];
    Reader::Bytes blob;
    std::span<const std::byte> bytes = impl_->inline_code[i];
    if (bytes.empty()) {
      auto read = walk.reader().blob(row.digest);
      if (!read) {
        row.damage = "is not whole in the file: " + read.error().message;
        row.missing = true;
        continue;
      }
      blob = std::move(*read);
      bytes = *blob;
    }
    if (row.binary) {
      row.damage = "is the driver's own binary";
      continue;
    }
    auto reflection = shaders::reflect(bytes);
    if (reflection)
      row.reflection = std::move(*reflection);
    else
      row.damage = reflection.error().message;
    if (keep && !keep(row, bytes)) break;
  }
  return std::move(impl_->rows);
}

std::string entry_points_of(const ShaderRow& row) {
  return printable(row.damage.empty() ? shaders::entry_points_text(row.reflection) : row.damage);
}

void append_shaders(std::string& out, const std::vector<ShaderRow>& rows) {
  append(out, "{:<32} {:>9} {}\n", "shader", "bytes", "entry points; what is made of it");
  for (const ShaderRow& row : rows) {
    append(out, "{} {:>9} {};", to_string(row.digest), row.bytes, entry_points_of(row));
    for (const ShaderUse& use : row.uses) append(out, " {}", use.object);
    out += '\n';
  }
}

void write_shaders(JsonWriter& json, const std::vector<ShaderRow>& rows) {
  json.key("shader_rows");
  json.begin_array();
  for (const ShaderRow& row : rows) {
    json.begin_object();
    json.field("digest", to_string(row.digest));
    json.field("bytes", row.bytes);
    if (!row.damage.empty()) json.field("damage", row.damage);
    json.key("entry_points");
    json.begin_array();
    for (const shaders::EntryPoint& entry : row.reflection.entry_points) {
      json.begin_object();
      json.field("name", entry.name);
      json.field("model", shaders::model_name(entry.model));
      json.end_object();
    }
    json.end_array();
    json.key("uses");
    json.begin_array();
    for (const ShaderUse& use : row.uses) {
      json.begin_object();
      json.field("object", use.object);
      if (!use.entry.empty()) json.field("entry_point", use.entry);
      json.end_object();
    }
    json.end_array();
    json.end_object();
  }
  json.end_array();
}

}  // namespace rondo::analyzers
