// SPDX-License-Identifier: Apache-2.0
// Clears its environment and runs commands by the C library: what it gets, and that its environment is as it left it.
//   shells system|popen|execveat PROGRAM
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

extern char** environ;

namespace {

void tell_environment() {
  for (char** one = environ; one != nullptr && *one != nullptr; ++one) std::printf("environment: %s\n", *one);
}

void tell(const char* command) {
  std::fflush(stdout);
  errno = 0;
  const int status = system(command);
  std::printf("system(%s): %x, errno %d\n", command != nullptr ? command : "null", static_cast<unsigned>(status),
              errno);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::string manifest = std::getenv("VK_ICD_FILENAMES");
  const std::string_view how = argv[1];
  clearenv();
  setenv("VK_ICD_FILENAMES", manifest.c_str(), 1);
  setenv("LD_PRELOAD", "", 1);  // … and preloads nothing
  if (how == "execveat") {
    const int file = open(argv[2], O_PATH | O_CLOEXEC);
    std::string name = argv[2];
    char* const arguments[] = {name.data(), nullptr};
    execveat(file, "", arguments, environ, AT_EMPTY_PATH);
    return 1;
  }
  tell_environment();
  if (how == "system") {
    tell(nullptr);
    tell("");
    tell("exit 3");
    tell("kill -9 $$");
    tell(")");
    tell("echo $0 $# '$?' $?; # and nothing more");
    const std::string longest = ": " + std::string((128 << 10) - 4, 'x');
    std::printf("longest: %d\n", system(longest.c_str()));
    std::printf("longer: %x\n", static_cast<unsigned>(system((longest + "x").c_str())));
    tell(argv[2]);
  } else {
    for (const std::string& command : {std::string("echo one; exit 4"), std::string(argv[2])}) {
      std::FILE* const stream = popen(command.c_str(), "r");
      char line[256];
      while (stream != nullptr && std::fgets(line, sizeof line, stream) != nullptr) std::printf("popen: %s", line);
      std::printf("pclose: %x\n", static_cast<unsigned>(pclose(stream)));
    }
    std::fflush(stdout);
    std::FILE* const stream = popen("read word; echo $word", "w");
    std::fputs("two\n", stream);
    std::printf("pclose: %x\n", static_cast<unsigned>(pclose(stream)));
    std::printf("popen: %d\n", popen("true", "neither") == nullptr);
  }
  tell_environment();
  return 0;
}
