// SPDX-License-Identifier: Apache-2.0
// A command each time that it is executed: what it is, where it stands, what it touches, and what else it does.
#pragma once

#include <cstdint>
#include <span>

#include "model/access/work.h"
#include "model/effects.h"

namespace rondo::access {

// The words of effects, which this library reads.
using model::kAddresses;
using model::kBindless;
using model::kDescriptors;
using model::kGenerated;
using model::kMemory;
using model::kShaders;
using model::kStructures;
using model::kUnknowns;
using model::kWrites;
using model::Mark;
using model::Reach;
using model::text_of;
using model::Touch;
using model::Unknown;

// What is known of a command from where it was recorded.
struct Recorded {
  Mark mark = Mark::none;
  bool suspends = false, resumes = false;  // begins_pass: VK_RENDERING_SUSPENDING_BIT, VK_RENDERING_RESUMING_BIT
  bool in_pass = false;                    // a render pass is open there, in its command buffer or in its primary
  // that its subpass is drawn for (multiview); 0: the pass has no multiview, or there is no pass
  std::uint32_t views = 0;
  ObjectId pipeline = ObjectId::null;  // of a draw: what is bound; null: shader objects, or nothing
  ObjectId pass = ObjectId::null;      // begins_pass: the VkRenderPass; null: dynamic rendering
  std::uint32_t label = 0;             // begins_label: index into the model's labels
  Counts counts{};                     // of a draw (work.h)
};

// A command as it is executed: once each time that its command buffer is submitted. Or a call that touches memory
// by itself: a host write, a host copy, a present.
struct Executed {
  std::uint64_t record = 0;          // the command's, or the call's
  std::uint64_t at = 0;              // the record that executes it: a submit; itself for calls
  std::uint64_t submit = kNoSubmit;  // batch, counted from 0 over all queues
  // The number of a draw in its submit: from 0, in the order of execution. `rondo trim --draws` takes the same number.
  std::uint64_t draw = kNoDraw;
  CommandId command{};                     // canonical
  ObjectId queue = ObjectId::null;         // null: a call
  std::uint32_t batch = 0;                 // index of the submit in the call that executes it
  std::uint32_t primary = 0;               // index of its primary command buffer in the submit
  std::uint32_t label_path = 0;            // Model::labels_of(): the labels that are open; 0: none
  const Recorded* recorded = nullptr;      // until the sink returns; null: a call
  std::span<const Touch> touches;          // until the sink returns
  std::span<const model::Effect> effects;  // likewise; those kinds that were asked for
  Reach reach;
  static constexpr std::uint64_t kNoSubmit = ~std::uint64_t{};
  static constexpr std::uint64_t kNoDraw = ~std::uint64_t{};
};

}  // namespace rondo::access
