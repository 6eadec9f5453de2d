// SPDX-License-Identifier: Apache-2.0
#include "analyzers/commands/cut.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <vector>

#include "analyzers/launch/launch.h"
#include "analyzers/options/file_arguments.h"
#include "analyzers/text/json.h"
#include "analyzers/text/text.h"
#include "format/reader.h"
#include "format/temporary_path.h"

namespace rondo::analyzers {

namespace {

struct Trimmed {
  int wait_status = 0;
  std::string said;  // the end of it
};

// Standard output goes nowhere: what became of the file its caller says.
Result<Trimmed> run_trim_program(const std::string& program, const std::vector<std::string>& words) {
  int errors[2];
  if (::pipe2(errors, O_CLOEXEC) != 0)
    return fail(Status::failed, text("cannot make a pipe: {}", std::strerror(errno)));
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    ::dup2(nowhere, STDIN_FILENO);
    ::dup2(nowhere, STDOUT_FILENO);
    ::dup2(errors[1], STDERR_FILENO);
    ::execv(program.c_str(), argv.data());
    ::_exit(127);
  }
  const int fork_error = errno;
  ::close(errors[1]);
  Trimmed trimmed;
  char block[1024];
  for (ssize_t got; child > 0 && (got = ::read(errors[0], block, sizeof block)) != 0;) {
    if (got < 0 && errno != EINTR) break;
    if (got > 0) trimmed.said.append(block, static_cast<std::size_t>(got));
    if (trimmed.said.size() > 2 * sizeof block) trimmed.said.erase(0, trimmed.said.size() - sizeof block);
  }
  ::close(errors[0]);
  if (child < 0) return fail(Status::failed, text("cannot start a process: {}", std::strerror(fork_error)));
  while (::waitpid(child, &trimmed.wait_status, 0) < 0 && errno == EINTR) {
  }
  return trimmed;
}

// Its last line, without the program's name.
std::string reason_of(const Trimmed& trimmed) {
  if (WIFSIGNALED(trimmed.wait_status))
    return text("`rondo trim` was ended by {}", signal_name(WTERMSIG(trimmed.wait_status)));
  std::string_view said = trimmed.said;
  while (said.ends_with('\n')) said.remove_suffix(1);
  if (const std::size_t line = said.rfind('\n'); line != std::string_view::npos) said.remove_prefix(line + 1);
  constexpr std::string_view name = "rondo: ";
  if (said.starts_with(name)) said.remove_prefix(name.size());
  return said.empty() ? text("`rondo trim` ended with status {}", WEXITSTATUS(trimmed.wait_status)) : printable(said);
}

}  // namespace

Result<std::optional<SpanRequest>> requested_cut(const std::string& file) {
  auto reader = Reader::open(file);
  if (!reader) return tl::unexpected(reader.error());
  const auto frames = JsonText::merge((*reader)->sessions()).string("/cut_request/frames");
  if (!frames) return std::optional<SpanRequest>();
  const auto request = parse_range(*frames, SpanRequest::Kind::frames, "cut_request");
  return request ? std::optional<SpanRequest>(*request) : std::nullopt;
}

Result<void> perform_cut(const std::string& file, const SpanRequest& request, const std::string& program) {
  TemporaryPath part = TemporaryPath::beside(file, ".part");
  std::vector<std::string> words{"rondo", "trim", "--frames", text("{}:{}", request.first, request.last),
                                 file,    "-o",   part.get()};
  const std::vector<std::string> allowing = allowing_files_of(file);
  words.insert(words.end(), allowing.begin(), allowing.end());
  const auto trimmed = run_trim_program(program, words);
  if (!trimmed) return tl::unexpected(trimmed.error());
  if (trimmed->wait_status != 0) return fail(Status::failed, reason_of(*trimmed));
  if (std::rename(part.get().c_str(), file.c_str()) != 0)
    return fail(Status::failed, text("{}: {}", printable(part.get()), std::strerror(errno)));
  part.forget();
  return {};
}

}  // namespace rondo::analyzers
