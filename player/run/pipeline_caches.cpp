// SPDX-License-Identifier: Apache-2.0
// The file: eight bytes of magic, then each device's data behind its length in
// eight bytes, little-endian.
#include "player/run/pipeline_caches.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "format/new_file.h"
#include "model/gpu/one_shot.h"
#include "player/run/run.h"

namespace rondo::player {

namespace {

constexpr char kMagic[8] = {'R', 'O', 'N', 'D', 'O', 'P', 'C', '1'};
constexpr std::size_t kHeader = 32;  // VkPipelineCacheHeaderVersionOne: length, version, vendor, device, UUID

bool is_of(const std::vector<std::byte>& data, const VkPhysicalDeviceProperties& properties) {
  return data.size() >= kHeader && std::memcmp(data.data() + 8, &properties.vendorID, 4) == 0 &&
         std::memcmp(data.data() + 12, &properties.deviceID, 4) == 0 &&
         std::memcmp(data.data() + 16, properties.pipelineCacheUUID, VK_UUID_SIZE) == 0;
}

}  // namespace

Result<PipelineCaches> PipelineCaches::open(const std::string& path) {
  PipelineCaches caches;
  caches.path_ = path;
  std::error_code none;
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  if (::access(parent.empty() ? "." : parent.c_str(), W_OK) != 0)  // it is replaced in one step
    return fail(Status::usage, path + ": --pipeline-cache cannot write there: " + errno_text(errno));
  if (!std::filesystem::exists(path, none)) return caches;
  const auto wrong = [&](const std::string& why) {
    return fail(Status::usage, path + ": is no file of --pipeline-cache: " + why + "; remove it, or name another");
  };
  if (!std::filesystem::is_regular_file(path, none)) return wrong("it is not a regular file");
  std::ifstream in(path, std::ios::binary);
  if (!in) return fail(Status::usage, path + ": cannot be opened: " + errno_text(errno));
  const std::uint64_t size = std::filesystem::file_size(path, none);
  if (size == 0) return caches;  // mktemp's
  char magic[sizeof kMagic] = {};
  if (!in.read(magic, sizeof magic) || std::memcmp(magic, kMagic, sizeof magic) != 0)
    return wrong("its first bytes are others");
  for (std::uint64_t at = sizeof magic; at < size;) {
    std::uint64_t bytes = 0;
    if (!in.read(reinterpret_cast<char*>(&bytes), sizeof bytes) || bytes < kHeader || bytes > size - at - sizeof bytes)
      return wrong("it ends in the middle, or says a wrong length at offset " + std::to_string(at));
    std::vector<std::byte> data(static_cast<std::size_t>(bytes));
    if (!in.read(reinterpret_cast<char*>(data.data()), static_cast<std::streamsize>(bytes)))
      return fail(Status::usage, path + ": cannot be read: " + errno_text(errno));
    caches.data_.push_back(std::move(data));
    at += sizeof bytes + bytes;
  }
  return caches;
}

Result<VkPipelineCache> PipelineCaches::of(DeviceState& device, const VkPhysicalDeviceProperties& properties) {
  if (device.pipeline_cache != VK_NULL_HANDLE) return device.pipeline_cache;
  VkPipelineCacheCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO;
  const auto found =
      std::find_if(data_.begin(), data_.end(), [&](const auto& data) { return is_of(data, properties); });
  if (found != data_.end()) {
    info.initialDataSize = found->size();
    info.pInitialData = found->data();
  }
  const VkResult r = device.dispatch.vkCreatePipelineCache(device.handle, &info, nullptr, &device.pipeline_cache);
  if (r < 0) return fail(Status::failed, gpu::describe("vkCreatePipelineCache", r));
  return device.pipeline_cache;
}

void PipelineCaches::keep(DeviceState& device) {
  const VkPipelineCache cache = std::exchange(device.pipeline_cache, VkPipelineCache{VK_NULL_HANDLE});
  if (cache == VK_NULL_HANDLE) return;
  std::size_t bytes = 0;
  std::vector<std::byte> data;
  // A driver that lost its device may have nothing to tell: the file stays as it was then.
  if (device.dispatch.vkGetPipelineCacheData(device.handle, cache, &bytes, nullptr) == VK_SUCCESS) {
    data.resize(bytes);
    if (device.dispatch.vkGetPipelineCacheData(device.handle, cache, &bytes, data.data()) != VK_SUCCESS) bytes = 0;
    data.resize(bytes);
  }
  device.dispatch.vkDestroyPipelineCache(device.handle, cache, nullptr);
  if (data.size() < kHeader) return;
  const auto same = std::find_if(data_.begin(), data_.end(), [&](const auto& other) {
    return std::memcmp(other.data() + 8, data.data() + 8, kHeader - 8) == 0;
  });
  if (same == data_.end())
    data_.push_back(std::move(data));
  else
    *same = std::move(data);
}

Result<void> PipelineCaches::save() const {
  if (data_.empty()) return {};
  auto file = NewFile::create(path_, {});
  if (!file) return tl::unexpected<Error>(file.error());
  std::uint64_t at = 0;
  const auto append = [&](const void* bytes, std::size_t count) {
    const int error = file->file().write(at, std::span(static_cast<const std::byte*>(bytes), count));
    at += count;
    return error;
  };
  int error = append(kMagic, sizeof kMagic);
  for (const std::vector<std::byte>& data : data_) {
    const std::uint64_t bytes = data.size();
    if (error == 0) error = append(&bytes, sizeof bytes);
    if (error == 0) error = append(data.data(), data.size());
  }
  if (error != 0) return fail(Status::failed, path_ + ": the pipeline cache cannot be written: " + errno_text(error));
  return file->keep();
}

}  // namespace rondo::player
