// SPDX-License-Identifier: Apache-2.0
// Is linked against a library that finds the driver behind itself.
extern "C" int direct_run(const char* path);

int main() { return direct_run(nullptr); }
