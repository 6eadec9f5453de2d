// SPDX-License-Identifier: Apache-2.0
// Where a plan has shader code, and how other code gets there.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/shaders/compare.h"
#include "model/shaders/sites.h"
#include "player/plan/op_view.h"
#include "player/plan/plan.h"

namespace rondo::player {

// What a call that makes shaders or pipelines makes `index`th, by the order of its create infos; 0: nothing that is
// kept. `view`: of the op.
ObjectId made_by_site(const Plan& plan, const Op& op, const OpView& view, std::uint32_t index, CommandId canonical);

// "VkShaderModule#3", "VkPipeline#7.compute". What the captured driver did not make has no name of its own:
// it is named by its call.
std::string site_name(const Plan& plan, const Op& op, const OpView& view, CommandId canonical,
                      const shaders::Site& site);

// A module, a stage of a pipeline, or a shader object. What the captured driver did not make is one, too: the
// driver here is given its code.
struct CodeSite {
  shaders::Site::Kind kind{};
  std::string name;                // site_name()
  ObjectId made = ObjectId::null;  // null: the captured driver did not make it
  std::uint32_t op = 0;            // index into Plan::ops
  std::string entry;               // of stages and objects
  VkShaderStageFlagBits stage{};
  shaders::Specialized constants;
  bool identifier = false, binary = false;
  ObjectId module = ObjectId::null;  // of a module: it; of a stage: what it names; null: has its own code
  std::uint32_t module_member = 0;   // in the block: where a stage names it
  // Of its own: none where the stage names a module.
  std::span<const std::byte> code;
  std::uint32_t code_member = 0, bytes_member = 0;
  Digest digest;
};
std::vector<CodeSite> find_code_sites(const Plan& plan);

// The whole code of the site.
void replace_code(Plan& plan, const CodeSite& site, const Reader::Bytes& code);
// That of one stage, whose module stays.
void replace_stage(Plan& plan, const CodeSite& site, const Reader::Bytes& code);

}  // namespace rondo::player
