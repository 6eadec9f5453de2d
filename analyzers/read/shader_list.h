// SPDX-License-Identifier: Apache-2.0
// The shaders of a capture: each code once, with all that is made of it. No device is touched.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "format/digest.h"
#include "format/objects.h"
#include "format/result.h"
#include "format/vulkan.h"
#include "model/shaders/reflect.h"
#include "model/stream.h"

namespace rondo::analyzers {

class Walk;

struct ShaderUse {
  std::string object;  // "VkShaderModule#3", "VkPipeline#7.compute", "VkShaderEXT#2"
  std::string entry;   // of stages and objects
};

struct ShaderRow {
  Digest digest;
  std::uint64_t bytes = 0;
  bool binary = false;          // the driver's own code
  std::vector<ShaderUse> uses;  // in the order of the capture
  shaders::Reflection reflection;
  std::string damage;    // why there is none, as the end of a sentence; empty: there is one
  bool missing = false;  // its code is not whole in the file
};

// A stage of a pipeline, or a shader object.
struct StageShader {
  std::string stage;  // "compute", "fragment"
  Digest digest;
};

// Fed record by record in their order; finish() then reads the code.
class ShaderList {
 public:
  ShaderList();
  ~ShaderList();
  ShaderList(ShaderList&&) noexcept;

  void take(Walk& walk, const model::Step& step);
  // `keep` gets every SPIR-V that can be read, until it says no.
  // Of a pipeline or shader object, in the order of the call that made it; of what was destroyed, too.
  std::span<const StageShader> stages_of(ObjectId id) const;
  using Keep = std::function<bool(const ShaderRow& row, std::span<const std::byte> code)>;
  std::vector<ShaderRow> finish(Walk& walk, const Keep& keep = {});

 private:
  struct Impl;
  void take_libraries(Walk& walk, ObjectId pipeline, const VkPipelineLibraryCreateInfoKHR* libraries);
  std::unique_ptr<Impl> impl_;
};

// "main (compute)"; what is wrong where it is not understood.
std::string entry_points_of(const ShaderRow& row);
// What `rondo info` says of each.
void append_shaders(std::string& out, const std::vector<ShaderRow>& rows);

class JsonWriter;
void write_shaders(JsonWriter& json, const std::vector<ShaderRow>& rows);

}  // namespace rondo::analyzers
