// SPDX-License-Identifier: Apache-2.0
#include "layer/recorder/session.h"

#include <fcntl.h>
#include <link.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <climits>
#include <cstring>
#include <ctime>

#include "format/hex.h"
#include "layer/callers/build_id.h"
#include "layer/callers/elf_tables.h"
#include "layer/recorder/json.h"

namespace rondo::layer {

namespace {

bool allowed(std::string_view variable) {
  if (variable.starts_with("RONDO_REPORT_FILE=")) return false;  // the launcher's own
  for (std::string_view prefix : {"VK_", "MESA_", "LIBGL_", "RONDO_", "GGML_VK_"})
    if (variable.starts_with(prefix)) return true;
  return variable.starts_with("DRI_PRIME=");
}

std::string version_text(std::uint32_t v) {
  return std::to_string(VK_API_VERSION_MAJOR(v)) + "." + std::to_string(VK_API_VERSION_MINOR(v)) + "." +
         std::to_string(VK_API_VERSION_PATCH(v));
}

// What a library is to a program of Vulkan's, by what it exports; null: nothing.
const char* role_of(const dl_phdr_info& module) {
  const ElfTables tables = elf_tables_of(module);
  if (tables.defined("vk_icdGetInstanceProcAddr") != nullptr) return "driver";
  if (tables.defined("vkNegotiateLoaderLayerInterfaceVersion") != nullptr ||
      tables.defined("vkEnumerateInstanceLayerProperties") != nullptr)
    return tables.defined("vkEnumeratePhysicalDevices") != nullptr ? "loader" : "layer";
  return nullptr;
}

void write_process(JsonWriter& json, const Settings& settings, const ProcessNames& names) {
  json.key("process").begin_object();
  json.key("pid").value(static_cast<std::uint64_t>(names.pid));
  std::timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  json.key("start_unix_ns")
      .value(static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(now.tv_nsec));
  if (!settings.minimal_session) {
    json.key("program").value(names.program);
    json.key("directory").value(names.directory);
    json.key("command_line").begin_array();
    // The process's own is empty where its first thread has ended.
    const std::string arguments = read_text_file("/proc/thread-self/cmdline");
    for (std::size_t at = 0; at < arguments.size();) {
      const std::string_view argument(arguments.c_str() + at);
      json.value(argument);
      at += argument.size() + 1;
    }
    json.end_array();
    json.key("environment").begin_object();
    for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
      const std::string_view text(*variable);
      const std::size_t equals = text.find('=');
      if (equals != std::string_view::npos && allowed(text))
        json.key(text.substr(0, equals)).value(text.substr(equals + 1));
    }
    json.end_object();
  }
  json.end_object();
}

void write_application(JsonWriter& json, const Settings& settings, const VkInstanceCreateInfo* info) {
  const VkApplicationInfo* application = info != nullptr ? info->pApplicationInfo : nullptr;
  if (application == nullptr) return;
  json.key("application").begin_object();
  if (!settings.minimal_session) {
    if (application->pApplicationName != nullptr) json.key("name").value(application->pApplicationName);
    json.key("version").value(std::uint64_t{application->applicationVersion});
    if (application->pEngineName != nullptr) json.key("engine").value(application->pEngineName);
    json.key("engine_version").value(std::uint64_t{application->engineVersion});
  }
  json.key("api_version").value(version_text(application->apiVersion));
  json.end_object();
}

const char* word(Checkpoints c) {
  switch (c) {
    case Checkpoints::none:
      return "none";
    case Checkpoints::present:
      return "present";
    case Checkpoints::readback:
      return "readback";
    case Checkpoints::submit:
      return "submit";
  }
  return "none";
}
const char* word(FilePolicy p) {
  return p == FilePolicy::embed       ? "embed"
         : p == FilePolicy::embed_all ? "embed-all"
         : p == FilePolicy::reference ? "reference"
                                      : "fail";
}
const char* word(Compression c) { return c == Compression::none ? "none" : c == Compression::lz4 ? "fast" : "high"; }

}  // namespace

// /proc files say size 0: read to the end.
std::string read_text_file(const char* path) {
  std::string text;
  const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return text;
  char block[4096];
  for (ssize_t got; (got = ::read(fd, block, sizeof block)) > 0;) text.append(block, static_cast<std::size_t>(got));
  ::close(fd);
  return text;
}

ProcessNames process_names() {
  ProcessNames names;
  names.pid = ::getpid();
  names.start = std::time(nullptr);
  char path[PATH_MAX];
  if (const ssize_t length = ::readlink("/proc/self/exe", path, sizeof path); length > 0) {
    const std::string_view executable(path, static_cast<std::size_t>(length));
    names.program = executable.substr(executable.rfind('/') + 1);
  }
  if (names.program.empty()) names.program = program_invocation_short_name;
  if (::getcwd(path, sizeof path) != nullptr) names.directory = path;
  return names;
}

std::string session_start(const Settings& settings, const ProcessNames& names, const VkInstanceCreateInfo* info) {
  JsonWriter json;
  json.begin_object();
  json.key("rondo").begin_object();
  json.key("version").value(RONDO_VERSION);
  json.key("vulkan_headers").value(version_text(VK_HEADER_VERSION_COMPLETE));
  json.end_object();
  write_process(json, settings, names);
  write_application(json, settings, info);
  if (utsname host{}; ::uname(&host) == 0) {
    json.key("host").begin_object();
    json.key("kernel").value(std::string(host.sysname) + " " + host.release);
    json.key("machine").value(host.machine);
    json.end_object();
  }
  json.key("capture").begin_object();
  json.key("checkpoints").value(word(settings.checkpoints));
  json.key("compression").value(word(settings.compression));
  json.key("memory").value(settings.memory);
  if (settings.files != FilePolicy::embed) {
    json.key("files").value(word(settings.files));
    json.key("file_check").value(settings.file_check == FileCheck::digest ? "digest" : "identity");
  }
  if (settings.backtraces) json.key("backtraces").value(true);
  json.end_object();
  json.end_object();
  return json.text();
}

std::string session_modules(const Settings& settings) {
  struct Walk {
    JsonWriter json;
    bool minimal;
  } walk{{}, settings.minimal_session};
  walk.json.begin_object().key("modules").begin_array();
  ::dl_iterate_phdr(
      [](dl_phdr_info* module, std::size_t, void* data) {
        auto& w = *static_cast<Walk*>(data);
        const std::string id = hex_text(build_id_of(*module));
        std::string_view path = module->dlpi_name != nullptr ? module->dlpi_name : "";
        if (w.minimal) path = path.substr(path.rfind('/') + 1);
        if (path.empty() && id.empty()) return 0;
        w.json.begin_object();
        w.json.key("path").value(path.empty() ? "(program)" : path);
        if (!id.empty()) w.json.key("build_id").value(id);
        if (const char* role = role_of(*module); role != nullptr) {
          w.json.key("role").value(role);
          // Its version is in the name of the file that a link leads to.
          char file[PATH_MAX];
          if (module->dlpi_name != nullptr && ::realpath(module->dlpi_name, file) != nullptr) {
            const std::string_view resolved(file);
            w.json.key("file").value(resolved.substr(resolved.rfind('/') + 1));
          }
        }
        w.json.end_object();
        return 0;
      },
      &walk);
  walk.json.end_array().end_object();
  return walk.json.text();
}

}  // namespace rondo::layer
