// SPDX-License-Identifier: Apache-2.0
#include "analyzers/text/access_rows.h"
#include "analyzers/text/text.h"

namespace rondo::analyzers {

namespace {

// "VK_ACCESS_2_TRANSFER_WRITE_BIT": "TRANSFER_WRITE". Empty where the enumeration has no such value.
std::string short_word(EnumId id, std::string_view prefix, std::uint64_t value) {
  std::string_view name = codec::enumerant_name(id, static_cast<std::int64_t>(value));
  if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  std::string shown(name);
  if (const auto at = shown.find("_BIT"); at != std::string::npos) shown.erase(at, 4);
  return shown;
}

std::vector<std::string> flag_words(EnumId id, std::string_view prefix, std::uint64_t flags) {
  std::vector<std::string> names;
  for (int bit = 0; bit < 64; ++bit) {
    const std::uint64_t flag = std::uint64_t{1} << bit;
    if ((flags & flag) == 0) continue;
    std::string name = short_word(id, prefix, flag);
    names.push_back(name.empty() ? text("{:#x}", flag) : std::move(name));
  }
  return names;
}

}  // namespace

std::vector<std::string> access_names(VkAccessFlags2 access) {
  return flag_words(EnumId::VkAccessFlagBits2, "VK_ACCESS_2_", access);
}
std::vector<std::string> stage_names(VkPipelineStageFlags2 stages) {
  return flag_words(EnumId::VkPipelineStageFlagBits2, "VK_PIPELINE_STAGE_2_", stages);
}
std::vector<std::string> aspect_names(VkImageAspectFlags aspects) {
  return flag_words(EnumId::VkImageAspectFlagBits, "VK_IMAGE_ASPECT_", aspects);
}
std::vector<std::string> dependency_names(VkDependencyFlags flags) {
  return flag_words(EnumId::VkDependencyFlagBits, "VK_DEPENDENCY_", flags);
}

std::string layout_word(VkImageLayout layout) {
  std::string name = short_word(EnumId::VkImageLayout, "VK_IMAGE_LAYOUT_", static_cast<std::uint64_t>(layout));
  return name.empty() ? text("{}", static_cast<std::int64_t>(layout)) : name;
}

std::string family_word(std::uint32_t family) {
  switch (family) {
    case VK_QUEUE_FAMILY_IGNORED:
      return "IGNORED";
    case VK_QUEUE_FAMILY_EXTERNAL:
      return "EXTERNAL";
    case VK_QUEUE_FAMILY_FOREIGN_EXT:
      return "FOREIGN";
    default:
      return text("{}", family);
  }
}

const char* word_of(model::Batch::Kind kind) {
  switch (kind) {
    case model::Batch::Kind::commands:
      return "commands";
    case model::Batch::Kind::sparse_bind:
      return "sparse_bind";
    case model::Batch::Kind::present:
      return "present";
  }
  return "";
}

const char* word_of(model::HostSync::Kind kind) {
  using Kind = model::HostSync::Kind;
  switch (kind) {
    case Kind::wait_fences:
      return "wait_fences";
    case Kind::poll_fence:
      return "poll_fence";
    case Kind::reset_fences:
      return "reset_fences";
    case Kind::export_fence:
      return "export_fence";
    case Kind::import_fence:
      return "import_fence";
    case Kind::make_semaphore:
      return "make_semaphore";
    case Kind::wait_semaphores:
      return "wait_semaphores";
    case Kind::poll_semaphore:
      return "poll_semaphore";
    case Kind::signal_semaphore:
      return "signal_semaphore";
    case Kind::export_semaphore:
      return "export_semaphore";
    case Kind::import_semaphore:
      return "import_semaphore";
    case Kind::wait_queue:
      return "wait_queue";
    case Kind::wait_device:
      return "wait_device";
    case Kind::set_event:
      return "set_event";
    case Kind::reset_event:
      return "reset_event";
    case Kind::poll_event:
      return "poll_event";
    case Kind::query_results:
      return "query_results";
    case Kind::acquire_image:
      return "acquire_image";
    case Kind::wait_present:
      return "wait_present";
    case Kind::found_device_idle:
      return "found_device_idle";
    case Kind::found_work_ended:
      return "found_work_ended";
    case Kind::found_event_set:
      return "found_event_set";
  }
  return "";
}

const char* word_of(model::QueryUse::Kind kind) {
  switch (kind) {
    case model::QueryUse::Kind::reset:
      return "reset";
    case model::QueryUse::Kind::begin:
      return "begin";
    case model::QueryUse::Kind::end:
      return "end";
    case model::QueryUse::Kind::write:
      return "write";
    case model::QueryUse::Kind::read:
      return "read";
  }
  return "";
}

const char* word_of(model::EventUse::Kind kind) {
  switch (kind) {
    case model::EventUse::Kind::set:
      return "set";
    case model::EventUse::Kind::reset:
      return "reset";
    case model::EventUse::Kind::wait:
      return "wait";
  }
  return "";
}

const char* word_of(model::Barrier::Of of) {
  switch (of) {
    case model::Barrier::Of::pipeline_barrier:
      return "barrier";
    case model::Barrier::Of::event:
      return "event_barrier";
    case model::Barrier::Of::subpass_dependency:
      return "subpass_dependency";
  }
  return "";
}

std::vector<std::string> unknown_reasons(std::uint8_t unknown) {
  std::vector<std::string> reasons;
  for (const std::uint8_t why : access::kUnknowns)
    if ((unknown & why) != 0) reasons.push_back(access::text_of(static_cast<access::Unknown>(why)));
  return reasons;
}

}  // namespace rondo::analyzers
