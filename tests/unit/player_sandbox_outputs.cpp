// SPDX-License-Identifier: Apache-2.0
// Outputs of a tool in the sandbox: they are opened by name, and nothing else is.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <string>

#include "tests/unit/player_sandbox.h"

namespace rondo::player {

namespace {

namespace fs = std::filesystem;

// The outputs, by way of a process outside.
class Outputs : public Sandbox {
 protected:
  SandboxRequest writing(NamedOutput::Kind kind, const std::string& path) const {
    SandboxRequest all = request();
    all.outputs = {{kind, path, {}}};
    return all;
  }
};

int put(const std::string& temporary, const std::string& path) {
  const int fd = open_output(temporary, Opening::temporary);
  if (fd < 0 || ::write(fd, "text", 4) != 4) return 1;
  const bool kept = keep_output(fd, temporary, path, {}) == 0;
  ::close(fd);
  return kept ? 0 : 2;
}

// Temporary names have the number of a process. The helper removes those of dead processes, so it is one that lives.
const std::string kMaker = std::to_string(::getpid());

std::string temporary_of(const std::string& path) {
  const std::size_t slash = path.rfind('/') + 1;
  return path.substr(0, slash) + "." + path.substr(slash) + "." + kMaker + "-0.part";
}

TEST_F(Outputs, AreWrittenAndReadByNameAndNothingElseIs) {
  const std::string out = directory_ + "/out.rondo", other = directory_ + "/other.rondo";
  const SandboxRequest all = writing(NamedOutput::Kind::file, out);
  EXPECT_EQ(inside(all, [&] { return put(temporary_of(out), out); }), 0);
  EXPECT_EQ(fs::file_size(out), 4u);
  EXPECT_EQ(
      inside(all, [&] { return ::open(out.c_str(), O_RDONLY) < 0 && open_output(out, Opening::read) >= 0 ? 0 : 1; }),
      0);
  EXPECT_EQ(inside(all, [&] { return open_output(out, Opening::overwrite) >= 0 ? 0 : 1; }), 0);
  // Not outputs.
  for (const std::string& path :
       {other, secret(), capture(), directory_, out + "/", directory_ + "/./out.rondo", std::string()}) {
    EXPECT_EQ(inside(all, [&] { return open_output(path, Opening::overwrite) < 0 && errno == EACCES ? 0 : 1; }), 0)
        << path;
    EXPECT_EQ(inside(all, [&] { return open_output(path, Opening::read) < 0 && errno == EACCES ? 0 : 1; }), 0) << path;
    EXPECT_EQ(inside(all, [&] { return open_output(path, Opening::temporary) < 0 && errno == EACCES ? 0 : 1; }), 0)
        << path;
    EXPECT_EQ(inside(all, [&] { return put(temporary_of(out), path); }), 2) << path;
  }
  // Names that are not of a temporary file beside it.
  for (const char* name : {"/.bashrc", "/.out.rondo.part", "/.out.rondo.x.part", "/.other.rondo.1-0.part",
                           "/home/.out.rondo.1-0.part", "/.out.rondo.1-0.sh", "/..1-0.part"})
    EXPECT_EQ(inside(all, [&] { return open_output(directory_ + name, Opening::temporary) < 0 ? 0 : 1; }), 0) << name;
  EXPECT_EQ(inside(all, [&] { return make_output_directory(directory_ + "/new") ? 0 : 1; }), 0);
}

// `rondo trim --draws` writes a capture beside its output, reads it, and leaves nothing of it.
TEST_F(Outputs, AStepIsWrittenReadAndRemoved) {
  for (const std::string& name : {std::string("out.rondo"), std::string(200, 'n')}) {
    const std::string out = directory_ + "/" + name,
                      step = directory_ + "/." + name.substr(0, 100) + "." + kMaker + "-0.step";
    const std::string part = directory_ + "/." + ("." + name.substr(0, 100) + "." + kMaker + "-0.step").substr(0, 100) +
                             "." + kMaker + "-1.part";
    EXPECT_EQ(inside(writing(NamedOutput::Kind::file, out),
                     [&] {
                       if (put(part, step) != 0) return 1;
                       const int again = open_output(step, Opening::read);
                       char text[4];
                       if (again < 0 || ::read(again, text, 4) != 4) return 2;
                       // Not over what is there.
                       if (put(part, step) != 2 || errno != EEXIST) return 3;
                       remove_output(step);
                       end_output_helper();
                       return 0;
                     }),
              0)
        << name;
    EXPECT_FALSE(fs::exists(step));
    EXPECT_FALSE(fs::exists(part));
  }
}

TEST_F(Outputs, OfOneNameDoNotTakeWhatWasThereBefore) {
  const std::string out = directory_ + "/out.rondo", left = temporary_of(out);
  write(left, "of another process");
  const SandboxRequest all = writing(NamedOutput::Kind::file, out);
  EXPECT_EQ(inside(all, [&] { return open_output(left, Opening::temporary) < 0 ? 0 : 1; }), 0);
  EXPECT_EQ(inside(all, [&] { return keep_output(-1, left, out, {}) != 0 ? 0 : 1; }), 0);
  EXPECT_EQ(inside(all,
                   [&] {
                     remove_output(left);
                     return 0;
                   }),
            0);
  EXPECT_TRUE(fs::exists(left));
}

TEST_F(Outputs, HavePermissionsThatTheSandboxDoesNotChoose) {
  const std::string out = directory_ + "/out.rondo";
  write(out, "");
  ASSERT_EQ(::chmod(out.c_str(), 0640), 0);
  EXPECT_EQ(inside(writing(NamedOutput::Kind::file, out),
                   [&] {
                     const int fd = open_output(temporary_of(out), Opening::temporary);
                     return keep_output(fd, temporary_of(out), out, {06777, false, 0, 0}) == 0 ? 0 : 1;
                   }),
            0);
  struct stat file {};
  ASSERT_EQ(::stat(out.c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 07777u, 0640u);
}

TEST_F(Outputs, OfADirectoryHaveTheNamesOfTheirTool) {
  const std::string pictures = directory_ + "/pictures";
  const SandboxRequest all = writing(NamedOutput::Kind::pictures, pictures);
  const auto writes = [&](const std::string& name) {
    return inside(all, [&] {
      if (make_output_directory(pictures)) return 3;
      return put(temporary_of(pictures + "/" + name), pictures + "/" + name);
    });
  };
  EXPECT_EQ(writes("frame-000001.png"), 0);
  EXPECT_EQ(writes("frame-000001-2.png"), 0);
  EXPECT_EQ(writes("difference-136-VkImage-1-mip0-layer0.png"), 0);
  EXPECT_NE(writes("difference-136-VkImage-1.sh.png"), 0);
  EXPECT_NE(writes("difference-136.sh"), 0);
  EXPECT_NE(writes("frame-x.png"), 0);
  EXPECT_NE(writes(".bashrc"), 0);
  EXPECT_NE(writes("images.json"), 0);
  EXPECT_NE(writes("../frame-000001.png"), 0);
  const SandboxRequest contents = writing(NamedOutput::Kind::contents, pictures);
  EXPECT_EQ(inside(contents, [&] { return put(temporary_of(pictures + "/images.json"), pictures + "/images.json"); }),
            0);
  EXPECT_EQ(
      inside(contents,
             [&] { return put(temporary_of(pictures + "/VkImage-1-mip0.png"), pictures + "/VkImage-1-mip0.png"); }),
      0);
  EXPECT_NE(inside(contents, [&] { return put(temporary_of(pictures + "/package.json"), pictures + "/package.json"); }),
            0);
}

TEST_F(Outputs, OfADirectoryFollowNoLink) {
  const std::string pictures = directory_ + "/pictures";
  fs::create_directory(pictures);
  fs::create_symlink(secret(), pictures + "/frame-000001.png");
  EXPECT_EQ(inside(writing(NamedOutput::Kind::pictures, pictures),
                   [&] {
                     return open_output(pictures + "/frame-000001.png", Opening::overwrite) < 0 &&
                                    open_output(pictures + "/frame-000001.png", Opening::read) < 0
                                ? 0
                                : 1;
                   }),
            0);
  EXPECT_EQ(fs::file_size(secret()), 13u);
}

TEST_F(Outputs, LeaveNoTemporaryFileWhenTheirProcessEnds) {
  const std::string out = directory_ + "/out.rondo";
  for (const bool asks : {true, false}) {
    EXPECT_EQ(inside(writing(NamedOutput::Kind::file, out),
                     [&] {
                       if (open_output(temporary_of(out), Opening::temporary) < 0) return 1;
                       if (asks) end_output_helper();
                       return 0;
                     }),
              0);
    // The helper ends after its process where that does not wait for it.
    for (int i = 0; !asks && i < 500 && fs::exists(temporary_of(out)); ++i) ::usleep(10'000);
    EXPECT_FALSE(fs::exists(temporary_of(out))) << asks;
  }
}

TEST_F(Outputs, HelperEndsAtWordsThatItDoesNotKnow) {
  const std::string out = directory_ + "/out.rondo";
  EXPECT_EQ(inside(writing(NamedOutput::Kind::file, out),
                   [&] {
                     char garbage[64];
                     std::memset(garbage, 0xff, sizeof garbage);
                     if (::send(output_helper_socket(), garbage, sizeof garbage, MSG_NOSIGNAL) != sizeof garbage)
                       return 1;
                     return open_output(out, Opening::overwrite) < 0 ? 0 : 2;
                   }),
            0);
}

}  // namespace

}  // namespace rondo::player
