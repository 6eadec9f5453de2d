// SPDX-License-Identifier: Apache-2.0
// What rows say of the things that work items name: names, labels, shaders, as far as the capture was read.
// One thread.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzers/read/shader_list.h"
#include "analyzers/read/walk.h"
#include "format/given_names.h"
#include "model/access/model.h"
#include "model/call.h"

namespace rondo::analyzers {

class WorkNames {
 public:
  explicit WorkNames(Walk walk) : walk_(std::make_unique<Walk>(std::move(walk))) {}
  WorkNames(WorkNames&&) = default;

  Walk& walk() { return *walk_; }
  const Walk& walk() const { return *walk_; }
  const ObjectTable& objects() const { return walk_->objects(); }
  // "VkPipeline#3", with the name that the program gave it.
  std::string name(ObjectId id) const { return full_name(names_, walk_->objects(), id); }
  const std::string* given_name(ObjectId id) const {
    const auto found = names_.find(id);
    return found != names_.end() ? &found->second : nullptr;
  }
  // Of WorkItem::label_path, the outermost first.
  std::vector<std::string_view> labels(std::uint32_t path) const;
  std::string label_text(std::uint32_t path) const;  // "frame/shadows"; empty: none
  // Of a pipeline, in the order of its creation.
  std::span<const StageShader> shaders(ObjectId pipeline) const { return shaders_.stages_of(pipeline); }

  // --- For those who read the capture ---

  // Whose labels these are. It must be there as long as labels are asked for.
  void starts(const access::Model& model) { model_ = &model; }
  // Labels can be asked for as long as the capture is read; these also after that.
  void keep_labels(std::uint32_t path);
  // Each call, while its parameters are there.
  void take_name(const model::Call& call) { rondo::take_name(names_, call.command, call.view); }
  // Then each record that has a command. It changes what the walk has decoded.
  void take(const Step& step);

 protected:
  // Of starts(), while the capture is read.
  const access::Model& model() const { return *model_; }

 private:
  std::unique_ptr<Walk> walk_;
  const access::Model* model_ = nullptr;
  GivenNames names_;
  std::map<std::uint32_t, std::vector<std::string>> kept_labels_;  // by path
  ShaderList shaders_;
};

}  // namespace rondo::analyzers
