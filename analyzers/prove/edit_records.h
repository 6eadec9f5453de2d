// SPDX-License-Identifier: Apache-2.0
// Changes the parameters of a synchronization command where they lie.
#pragma once

#include <span>

#include "analyzers/prove/edits.h"
#include "analyzers/trim/loaded.h"

namespace rondo::prove {

// Status::failed: the command has no such barrier, or its barriers cannot be changed; the message says why.
Result<void> edit_barriers(CommandId canonical, trim::Loaded& call, std::span<const BarrierEdit> edits);
// Edits the subpass dependencies of a vkCreateRenderPass or vkCreateRenderPass2.
Result<void> edit_dependencies(CommandId canonical, trim::Loaded& call, std::span<const DependencyEdit> edits);
// Makes all edits of one vkQueueSubmit or vkQueueSubmit2.
Result<void> edit_semaphores(CommandId canonical, trim::Loaded& call, std::span<const SemaphoreEdit> edits);

}  // namespace rondo::prove
