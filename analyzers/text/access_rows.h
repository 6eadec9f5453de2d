// SPDX-License-Identifier: Apache-2.0
// What `rondo accesses` prints, as text or JSON lines: a command with what it touches, and what orders commands.
#pragma once

#include <memory>
#include <string>

#include "analyzers/read/access_walk.h"
#include "format/objects.h"
#include "model/placement.h"
#include "model/submits.h"

namespace rondo::analyzers {

class AccessRows {
 public:
  virtual ~AccessRows() = default;
  // `placement`: where resources lie then; null: not asked for.
  virtual void command(std::string& out, const access::Executed& executed, const model::Placement* placement) = 0;
  virtual void batch(std::string& out, const model::Batch& batch) = 0;
  // A batch that had to wait for something that came later can begin now.
  virtual void begins(std::string& out, const model::Batch& batch) = 0;
  virtual void never_begins(std::string& out, const model::Batch& batch) = 0;
  virtual void host(std::string& out, const model::HostSync& sync) = 0;
  virtual void summary(std::string& out, const AccessTotals& totals) = 0;
};

std::unique_ptr<AccessRows> access_text_rows(const ObjectTable& objects);
std::unique_ptr<AccessRows> access_json_rows(const ObjectTable& objects);

// --- Words that both have ---

// The names of flags without what is the same in all of them: "TRANSFER_WRITE".
std::vector<std::string> access_names(VkAccessFlags2 access);
std::vector<std::string> stage_names(VkPipelineStageFlags2 stages);
std::vector<std::string> aspect_names(VkImageAspectFlags aspects);
std::vector<std::string> dependency_names(VkDependencyFlags flags);
std::string layout_word(VkImageLayout layout);
std::string family_word(std::uint32_t family);
const char* word_of(model::Batch::Kind kind);
const char* word_of(model::HostSync::Kind kind);
const char* word_of(model::QueryUse::Kind kind);
const char* word_of(model::EventUse::Kind kind);
const char* word_of(model::Barrier::Of of);
std::vector<std::string> unknown_reasons(std::uint8_t unknown);

}  // namespace rondo::analyzers
