// SPDX-License-Identifier: Apache-2.0
// The work items of a capture, or of a span of it, and what rows say of them: labels, names, shaders. No device.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzers/analysis/work.h"
#include "analyzers/read/capture_info.h"
#include "analyzers/read/shader_list.h"
#include "analyzers/read/walk.h"
#include "format/given_names.h"
#include "format/spans.h"

namespace rondo::analyzers {

struct WorkTotals {
  std::uint64_t items = 0;                // given to the visitor
  std::uint64_t frames = 0, submits = 0;  // of the capture
  bool too_many = false;                  // access::Model::too_many: the rest is missing
  std::string cut;                        // why the capture ends early; empty: it is complete
};

class WorkWalk {
 public:
  static Result<WorkWalk> open(const std::string& path);
  WorkWalk(WorkWalk&&) = default;

  enum class Visit : std::uint8_t {
    wanted,  // only the items that are asked for
    played,  // also what a replay of the span executes beside them: WorkItem::wanted tells them apart
  };
  // `visit` gets the items of each submit of the span and says whether it wants more. Once. A span that is not there is
  // Status::usage.
  Result<WorkTotals> run(const SpanRequest& span, Visit which,
                         const std::function<bool(std::span<const WorkItem>)>& visit);

  Walk& walk() { return *walk_; }
  // The names, labels and shaders that the capture has given up to the submit that `visit` gets. They stay after run().
  const ObjectTable& objects() const { return walk_->objects(); }
  // "VkPipeline#3", with the name that the program gave it.
  std::string name(ObjectId id) const { return full_name(names_, walk_->objects(), id); }
  const std::string* given_name(ObjectId id) const {
    const auto found = names_.find(id);
    return found != names_.end() ? &found->second : nullptr;
  }
  const std::vector<DeviceRow>& devices() const { return facts_.devices; }
  std::vector<std::string_view> labels(std::uint32_t path) const { return model_->labels_of(path); }
  std::string label_text(std::uint32_t path) const;  // "frame/shadows"; empty: none
  // Of a pipeline, in the order of its creation.
  std::span<const StageShader> shaders(ObjectId pipeline) const { return shaders_.stages_of(pipeline); }

 private:
  explicit WorkWalk(Walk walk) : walk_(std::make_unique<Walk>(std::move(walk))) {}
  Result<rondo::Span> find(const SpanRequest& span, std::vector<Scope>& scopes);

  std::unique_ptr<Walk> walk_;
  std::unique_ptr<access::Model> model_;
  CaptureInfo facts_;  // of devices
  GivenNames names_;
  ShaderList shaders_;
};

}  // namespace rondo::analyzers
