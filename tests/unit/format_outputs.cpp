// SPDX-License-Identifier: Apache-2.0
// Outputs are opened without waiting, and the helper process that opens them ends with the process that it serves.
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "format/output_helper.h"
#include "format/outputs.h"
#include "format_support.h"

namespace rondo::test {
namespace {

using helper::Question;

class PipeOutput : public testing::Test {
 protected:
  PipeOutput() { EXPECT_EQ(::mkfifo(pipe_.c_str(), 0600), 0); }
  // Whoever still waits for a reader goes on.
  ~PipeOutput() override {
    ::close(reader());
    while (::waitpid(-1, nullptr, 0) > 0) {
    }
  }
  int reader() const { return ::open(pipe_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC); }
  // A helper that answers within 5 s, or ask() is EAGAIN.
  int start(const std::string& path) const {
    const auto socket = helper::start({{NamedOutput::Kind::file, path, {}}});
    EXPECT_TRUE(socket);
    const timeval patience{5, 0};
    EXPECT_EQ(::setsockopt(*socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience), 0);
    return *socket;
  }

  TemporaryDirectory directory_;
  std::string pipe_ = directory_.file("pipe");
};

TEST_F(PipeOutput, IsNotWaitedForByTheHelper) {
  const int socket = start(pipe_);
  int opened = -1;
  EXPECT_EQ(helper::ask(socket, Question::open_to_overwrite, pipe_, {}, &opened), ENXIO);
  ::close(socket);
}

TEST_F(PipeOutput, IsNotWaitedForWithoutOne) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(5);
    ::_exit(open_output(pipe_, Opening::overwrite) < 0 && errno == ENXIO ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(PipeOutput, IsWrittenToWhereSomebodyReads) {
  const int end = reader();
  const int fd = open_output(pipe_, Opening::overwrite);
  ASSERT_GE(fd, 0);
  EXPECT_EQ(::fcntl(fd, F_GETFL) & O_NONBLOCK, 0) << "its writes wait";
  ::close(fd);
  ::close(end);
}

TEST(OutputHelper, OpensADevice) {
  const auto socket = helper::start({{NamedOutput::Kind::file, "/dev/null", {}}});
  ASSERT_TRUE(socket);
  int opened = -1;
  EXPECT_EQ(helper::ask(*socket, Question::open_to_overwrite, "/dev/null", {}, &opened), 0);
  EXPECT_GE(opened, 0);
  ::close(opened);
  ::close(*socket);
}

// A process starts a helper and ends. Another one still holds its end of the socket, and tells when the helper's
// end is closed.
TEST(OutputHelper, EndsWithItsProcess) {
  TemporaryDirectory directory;
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const pid_t process = ::fork();
  if (process == 0) {
    const auto socket = helper::start({{NamedOutput::Kind::file, directory.file("out"), {}}});
    int opened = -1;
    const std::string part = directory.file(".out.1-1.part");
    if (!socket || helper::ask(*socket, Question::open_temporary, part, {}, &opened) != 0) ::_exit(1);
    if (::fork() != 0) ::_exit(0);
    pollfd wait{*socket, POLLIN, 0};
    char answer = ::poll(&wait, 1, 8000) == 1 && ::recv(*socket, &opened, sizeof opened, 0) == 0 ? 'e' : 'n';
    ::_exit(::write(ends[1], &answer, 1) == 1 ? 0 : 1);
  }
  ::close(ends[1]);
  char answer = 0;
  EXPECT_EQ(::read(ends[0], &answer, 1), 1);
  EXPECT_EQ(answer, 'e');
  ::close(ends[0]);
  int status = -1;
  ASSERT_EQ(::waitpid(process, &status, 0), process);
  EXPECT_EQ(status, 0);
  EXPECT_FALSE(std::filesystem::exists(directory.file(".out.1-1.part"))) << "it removes what is left";
}

}  // namespace
}  // namespace rondo::test
