// SPDX-License-Identifier: Apache-2.0
#include "analyzers/read/coverage.h"

#include <array>
#include <string_view>
#include <vector>

#include "analyzers/text/names.h"
#include "analyzers/text/text.h"
#include "format/codec/schema.h"
#include "format/vulkan.h"

namespace rondo::analyzers {

namespace {

constexpr codec::CommandClass kClasses[] = {codec::CommandClass::regular, codec::CommandClass::irregular,
                                            codec::CommandClass::unsupported};

bool is_vulkan(const codec::CommandInfo& command) {
  return command.id != CommandId::none && std::string_view(command.name).starts_with("vk");
}

// Why it is not regular: hidden; or written by hand, in the layer, the player or both.
std::string reason_of(const codec::CommandInfo& command) {
  if (command.kind == codec::CommandClass::unsupported) return command.reason;
  const std::string_view layer = command.layer_reason, player = command.player_reason;
  std::string text;
  if (!layer.empty()) append(text, "layer: {}", layer);
  if (!player.empty()) append(text, "{}player: {}", text.empty() ? "" : "; ", player);
  return text;
}

void write_reasons(JsonWriter& json, const codec::CommandInfo& command) {
  if (const std::string reason = reason_of(command); !reason.empty()) json.field("reason", reason);
  if (command.kind == codec::CommandClass::unsupported) return;
  if (*command.layer_reason != 0) json.field("layer", command.layer_reason);
  if (*command.player_reason != 0) json.field("player", command.player_reason);
}

using Counts = std::array<std::uint64_t, std::size(kClasses)>;

Counts count_commands() {
  Counts counts{};
  for (const codec::CommandInfo& command : codec::commands())
    if (is_vulkan(command)) counts[static_cast<std::size_t>(command.kind)] += 1;
  return counts;
}

struct Used {
  const codec::CommandInfo* command;  // null: unknown to this build
  const std::string* name;
};
std::vector<Used> used_by(const std::map<std::string, CommandCount>& commands, Counts& counts) {
  std::vector<Used> used;
  for (const auto& [name, count] : commands) {
    const CommandId id = codec::command_by_name(name);
    const codec::CommandInfo* command = id == CommandId::none ? nullptr : &codec::info(id);
    if (command != nullptr && !is_vulkan(*command)) continue;
    counts[static_cast<std::size_t>(command == nullptr ? codec::CommandClass::unsupported : command->kind)] += 1;
    used.push_back({command, &name});
  }
  return used;
}

void write_counts(JsonWriter& json, const Counts& counts) {
  for (const codec::CommandClass kind : kClasses) json.field(class_text(kind), counts[static_cast<std::size_t>(kind)]);
}

void append_counts(std::string& out, const Counts& counts) {
  append(out, "{} regular, {} irregular, {} unsupported\n", counts[0], counts[1], counts[2]);
}

// Of the Vulkan registry that this build was made with.
std::string registry_version() {
  constexpr std::uint32_t version = VK_HEADER_VERSION_COMPLETE;
  return text("{}.{}.{}", VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version), VK_API_VERSION_PATCH(version));
}

}  // namespace

void append_coverage(std::string& out) {
  append(out, "registry    {}\ncommands    ", registry_version());
  append_counts(out, count_commands());
  for (const codec::CommandClass kind : kClasses) {
    append(out, "\n{} commands\n", class_text(kind));
    for (const codec::CommandInfo& command : codec::commands()) {
      if (!is_vulkan(command) || command.kind != kind) continue;
      const std::string reason = reason_of(command);
      append(out, "  {}{}{}\n", command.name, reason.empty() ? "" : ": ", reason);
    }
  }
  out += "\nextensions\n";
  for (const codec::ExtensionInfo& extension : codec::extensions()) {
    append(out, "  {:<7} {}", extension.supported ? "yes" : "hidden", extension.name);
    if (!extension.supported && extension.reason != nullptr) append(out, ": {}", extension.reason);
    out += '\n';
  }
}

void write_coverage(JsonWriter& json) {
  json.begin_object();
  json.field("registry", registry_version());
  json.key("counts");
  json.begin_object();
  write_counts(json, count_commands());
  json.end_object();
  json.key("commands");
  json.begin_array();
  for (const codec::CommandInfo& command : codec::commands()) {
    if (!is_vulkan(command)) continue;
    json.begin_object();
    json.field("name", command.name);
    json.field("class", class_text(command.kind));
    json.field("feature", command.feature != nullptr ? command.feature : "");
    write_reasons(json, command);
    json.end_object();
  }
  json.end_array();
  json.key("extensions");
  json.begin_array();
  for (const codec::ExtensionInfo& extension : codec::extensions()) {
    json.begin_object();
    json.field("name", extension.name);
    json.field("of", extension.device ? "device" : "instance");
    json.field("supported", extension.supported);
    if (!extension.supported && extension.reason != nullptr) json.field("reason", extension.reason);
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

void append_coverage_of(std::string& out, const std::map<std::string, CommandCount>& commands) {
  Counts counts{};
  const std::vector<Used> used = used_by(commands, counts);
  out += "coverage    of the commands used: ";
  append_counts(out, counts);
  for (const Used& u : used) {
    if (u.command == nullptr)
      append(out, "  unsupported {}: unknown to this build\n", printable(*u.name));
    else if (u.command->kind != codec::CommandClass::regular)
      append(out, "  {:<11} {}: {}\n", class_text(u.command->kind), u.command->name, reason_of(*u.command));
  }
}

void write_coverage_of(JsonWriter& json, const std::map<std::string, CommandCount>& commands) {
  Counts counts{};
  const std::vector<Used> used = used_by(commands, counts);
  json.begin_object();
  write_counts(json, counts);
  json.key("commands");
  json.begin_array();
  for (const Used& u : used) {
    json.begin_object();
    json.field("name", *u.name);
    json.field("class", u.command == nullptr ? "unsupported" : class_text(u.command->kind));
    if (u.command != nullptr) write_reasons(json, *u.command);
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

}  // namespace rondo::analyzers
