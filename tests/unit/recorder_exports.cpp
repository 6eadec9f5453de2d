// SPDX-License-Identifier: Apache-2.0
// The library as it lies in the build tree: what a program that loads it sees.
#include <elf.h>
#include <gtest/gtest.h>
#include <link.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

namespace {

struct Library {
  std::set<std::string> exported;
  std::set<std::string> needed;
  bool nodelete = false;
};

template <class T>
T at(const std::vector<char>& file, std::size_t offset) {
  T value{};
  if (offset + sizeof value <= file.size()) std::memcpy(&value, file.data() + offset, sizeof value);
  return value;
}

Library read_library(const std::filesystem::path& path) {
  Library library;
  std::ifstream in(path, std::ios::binary);
  const std::vector<char> file{std::istreambuf_iterator<char>(in), {}};
  const auto header = at<ElfW(Ehdr)>(file, 0);
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    const auto section = at<ElfW(Shdr)>(file, header.e_shoff + i * sizeof(ElfW(Shdr)));
    if (section.sh_type != SHT_DYNSYM && section.sh_type != SHT_DYNAMIC) continue;
    const auto strings = at<ElfW(Shdr)>(file, header.e_shoff + section.sh_link * sizeof(ElfW(Shdr)));
    for (std::size_t o = section.sh_offset; o < section.sh_offset + section.sh_size; o += section.sh_entsize) {
      if (section.sh_type == SHT_DYNSYM) {
        const auto symbol = at<ElfW(Sym)>(file, o);
        if (symbol.st_shndx != SHN_UNDEF) library.exported.insert(file.data() + strings.sh_offset + symbol.st_name);
        continue;
      }
      const auto entry = at<ElfW(Dyn)>(file, o);
      if (entry.d_tag == DT_NEEDED) library.needed.insert(file.data() + strings.sh_offset + entry.d_un.d_val);
      if (entry.d_tag == DT_FLAGS_1) library.nodelete = (entry.d_un.d_val & DF_1_NODELETE) != 0;
    }
  }
  return library;
}

std::filesystem::path build_root() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / ".." / "..";
}

std::filesystem::path layer_library() { return build_root() / "layer" / "librondo_layer.so"; }

TEST(LayerLibrary, ExportsWhatTheLoaderAndTheScopeLibraryLookUpAndNothingElse) {
  const std::set<std::string> expected = {"vkNegotiateLoaderLayerInterfaceVersion",
                                          "vkGetInstanceProcAddr",
                                          "vkGetDeviceProcAddr",
                                          "vk_layerGetPhysicalDeviceProcAddr",
                                          "rondo_enumerate_instance_extensions",
                                          "rondo_enumerate_instance_layers",
                                          "rondo_enumerate_instance_version",
                                          "rondo_layer_advise",
                                          "rondo_layer_close",
                                          "rondo_layer_meet",
                                          "rondo_layer_open_door",
                                          "rondo_layer_scope_begin",
                                          "rondo_layer_scope_end"};
  EXPECT_EQ(read_library(layer_library()).exported, expected);
}

TEST(LayerLibrary, StaysLoaded) { EXPECT_TRUE(read_library(layer_library()).nodelete); }

TEST(LayerLibrary, NeedsTheCLibraryOnly) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer brings its own libraries";
#endif
  for (const std::string& name : read_library(layer_library()).needed)
    EXPECT_TRUE(name.starts_with("libc.so") || name.starts_with("libm.so") || name.starts_with("ld-linux")) << name;
}

// So what was built on Debian 12 runs on 13 and sid.
TEST(Programs, NeedOnlyLibrariesThatHaveOneNameOnEveryDebian) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer brings its own libraries";
#endif
  const std::set<std::string> alike = {"libspirv-cross-c-shared.so.0",
                                       "libpng16.so.16",
                                       "libelf.so.1",
                                       "libdw.so.1",
                                       "libstdc++.so.6",
                                       "libm.so.6",
                                       "libgcc_s.so.1",
                                       "libc.so.6"};
  for (const char* program : {"analyzers/rondo", "player/player"}) {
    const Library read = read_library(build_root() / program);
    EXPECT_TRUE(read.needed.contains("libc.so.6")) << program;
    for (const std::string& name : read.needed)
      EXPECT_TRUE(alike.contains(name) || name.starts_with("ld-linux")) << program << " needs " << name;
  }
}

}  // namespace
