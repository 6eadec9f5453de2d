// SPDX-License-Identifier: Apache-2.0
// The interface of constants.comp of tests/programs, with less of it, and another result.
#version 450
layout(local_size_x_id = 6) in;
layout(constant_id = 1) const int number = 1;
layout(binding = 0) buffer Output { uint words[]; };

void main() {
  words[0] = 1;
  words[2] = uint(number) + 1000;
}
