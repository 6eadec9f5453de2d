// SPDX-License-Identifier: Apache-2.0
// The program PROGRAM, whose main() is compiled in one unit with those of others (scripts/unite.py).
#define JOIN(a, b) a##b
#define MAIN_OF(program) JOIN(main_, program)

int MAIN_OF(PROGRAM)(int argc, char** argv);
int main(int argc, char** argv) { return MAIN_OF(PROGRAM)(argc, argv); }
