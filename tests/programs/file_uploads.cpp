// SPDX-License-Identifier: Apache-2.0
// Uploads a file through a staging buffer, in pieces whose offsets and lengths fit nothing, as loaders of models do;
// copies them to where they belong and reads all back. Without a FILE it makes one of 1 MiB, which it deletes while it
// reads it.
//   file_uploads [FILE [--mapped 1 | --closed MS | --first 1]]
// --closed: it reads all into memory, and has closed the file before it uploads anything: it was open for so long.
// --first: likewise, before it makes an instance.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "support.h"

using namespace program;

namespace {

constexpr std::uint32_t kStaging = 300'000;  // bytes; every fourth is of use to vkCmdCopyBuffer at any offset

int own_file() {
  char path[] = "/tmp/file_uploads-XXXXXX";
  const int fd = ::mkstemp(path);
  if (fd < 0) die("mkstemp", 1);
  std::vector<std::uint32_t> words(1u << 18);
  for (std::uint32_t i = 0; i < words.size(); ++i) words[i] = mix(7, i);
  if (::write(fd, words.data(), words.size() * 4) != static_cast<ssize_t>(words.size() * 4)) die("write", 1);
  const int reading = ::open(path, O_RDONLY | O_CLOEXEC);
  ::close(fd);
  ::unlink(path);
  return reading;
}

}  // namespace

int main(int argc, char** argv) {
  const bool named = argc > 1 && argv[1][0] != '-';
  const int fd = named ? ::open(argv[1], O_RDONLY | O_CLOEXEC) : own_file();
  struct stat status {};
  if (fd < 0 || ::fstat(fd, &status) != 0) die("open", 1);
  const auto bytes = static_cast<std::uint32_t>(status.st_size) / 4 * 4;
  const bool mapped = option(argc, argv, "--mapped", 0) != 0;
  const unsigned char* map = nullptr;
  if (mapped) {
    map = static_cast<const unsigned char*>(::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, fd, 0));
    ::close(fd);
  }

  std::vector<unsigned char> read_before;
  const auto read_and_close = [&](std::uint32_t ms) {
    read_before.resize(bytes);
    if (::pread(fd, read_before.data(), bytes, 0) != static_cast<ssize_t>(bytes)) die("read", 1);
    ::usleep(ms * 1000);
    ::close(fd);
    map = read_before.data();
  };
  if (option(argc, argv, "--first", 0) != 0) read_and_close(0);
  Context c = create_context("file_uploads");
  if (const std::uint32_t ms = option(argc, argv, "--closed", 0); ms != 0) read_and_close(ms);
  Commands commands = create_commands(c);
  MappedBuffer staging = create_mapped_buffer(c, kStaging + 64, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
  MappedBuffer out = create_mapped_buffer(c, bytes, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  auto* const in = reinterpret_cast<unsigned char*>(staging.words);
  std::uint32_t n = 0;
  for (std::uint32_t at = 0; at < bytes; ++n) {
    const std::uint32_t in_front = mix(1, n) % 64;
    const std::uint32_t size = std::min(bytes - at, kStaging - mix(2, n) % 100'000);
    if (map != nullptr)
      std::memcpy(in + in_front, map + at, size);
    else if (::pread(fd, in + in_front, size, at) != static_cast<ssize_t>(size))
      die("read", 1);
    run_once(c, commands, [&](VkCommandBuffer buffer) {
      const VkBufferCopy region{in_front, at, size};
      vkCmdCopyBuffer(buffer, staging.buffer, out.buffer, 1, &region);
      transfers_to_host(buffer);
    });
    at += size;
  }
  for (std::uint32_t i = 0; !named && i < bytes / 4; ++i)
    if (out.words[i] != mix(7, i)) wrong("word", i);
  std::printf("file_uploads: %u bytes in %u pieces, checksum %016llx\n", bytes, n,
              static_cast<unsigned long long>(checksum(out.words, bytes / 4)));
  destroy(c, out);
  destroy(c, staging);
  destroy(c, commands);
  destroy(c);
  return 0;
}
