// SPDX-License-Identifier: Apache-2.0
// Linked statically, where nothing can be put under it, or with a sanitizer. It starts what it is given.
#include <unistd.h>

int main(int count, char** words) {
  if (count < 2) return 0;
  ::execv(words[1], words + 1);
  return 1;
}
