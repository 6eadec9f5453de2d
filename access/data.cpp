// SPDX-License-Identifier: Apache-2.0
#include "access/data.h"

#include "access/tracker.h"
#include "shaders/sites.h"

namespace rondo::access {

namespace {

// Whether the model follows pointers of its parameters, other than to bytes that it passes over.
bool looks_at(CommandId canonical) {
  switch (canonical) {
    case CommandId::rondoHostWrite:
    case CommandId::vkCmdUpdateBuffer:
#ifdef VK_EXT_host_image_copy
    case CommandId::vkCopyMemoryToImage:
    case CommandId::vkCopyImageToMemory:
#endif
      return false;
    default:
      return handlers()[static_cast<std::size_t>(canonical)] != nullptr;
  }
}

}  // namespace

Result<void> load_data(Reader& reader, const codec::CommandInfo& command, const codec::Lowered& lowered, Data& out) {
  out.kept.clear();
  out.pointers.assign(lowered.blobs.size(), nullptr);
  if (!looks_at(command.canonical)) return {};
  for (std::size_t i = 0; i < lowered.blobs.size(); ++i) {
    auto read = reader.blob(lowered.blobs[i].digest);
    if (read && (*read)->size() < lowered.blobs[i].bytes)
      read = fail(Status::unreadable, std::string(command.name) + ": an array is shorter in the file than it says");
    if (!read && shaders::makes_shaders(command.canonical)) continue;
    if (!read) return tl::unexpected<Error>(std::move(read).error());
    out.pointers[i] = (*read)->data();
    out.kept.push_back(std::move(*read));
  }
  return {};
}

}  // namespace rondo::access
