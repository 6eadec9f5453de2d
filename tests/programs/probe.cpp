// SPDX-License-Identifier: Apache-2.0
// Asks for the version, which loads the layers, and runs another program while it lives.
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"

int main(int argc, char** argv) {
  std::uint32_t version = 0;
  if (argc < 2 || vkEnumerateInstanceVersion(&version) != VK_SUCCESS) return 1;
  const pid_t child = ::fork();
  if (child == 0) {
    ::execv(argv[1], argv + 1);
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
