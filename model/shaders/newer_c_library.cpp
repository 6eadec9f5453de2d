// SPDX-License-Identifier: Apache-2.0
// Static libraries of a newer Debian ask for a few functions that this machine's C and C++ libraries do not have
// yet (glibc before 2.38, libstdc++ before 13). They stand here, so that a newer SPIRV-Tools links
// (model/shaders/meson.build tries it). The compiler's headers choose these names, so they are reserved ones.
#include <cstdlib>
#include <iostream>  // starts the standard streams, which libraries of GCC 13 and later leave to libstdc++

#define RONDO_OF_NEWER_LIBRARY extern "C" __attribute__((visibility("hidden")))

// The C23 versions also read numbers that begin with "0b", where the base is 0 or 2. SPIRV-Tools reads decimal and
// hexadecimal ones only.
RONDO_OF_NEWER_LIBRARY long __isoc23_strtol(const char* text, char** end, int base) {
  return std::strtol(text, end, base);
}
RONDO_OF_NEWER_LIBRARY long long __isoc23_strtoll(const char* text, char** end, int base) {
  return std::strtoll(text, end, base);
}
RONDO_OF_NEWER_LIBRARY unsigned long __isoc23_strtoul(const char* text, char** end, int base) {
  return std::strtoul(text, end, base);
}
RONDO_OF_NEWER_LIBRARY unsigned long long __isoc23_strtoull(const char* text, char** end, int base) {
  return std::strtoull(text, end, base);
}

// std::ios_base_library_init(): asks for a libstdc++ that starts the standard streams itself.
RONDO_OF_NEWER_LIBRARY void _ZSt21ios_base_library_initv() {}
