// SPDX-License-Identifier: Apache-2.0
// Catch2 3 (Debian 13 and later) under the name of Catch2 2's header (Debian 12). meson.build adds this directory
// where Catch2 is of version 3.
#pragma once

#include <catch2/catch_all.hpp>

using Catch::Approx;  // 2 has it outside of its namespace, too

#define TEST_CATCH_3
