// SPDX-License-Identifier: Apache-2.0
// What the oracle says: lines appended to the file that RONDO_TEST_ORACLE
// names. Each is one write, as it happens, so that a process that is killed or
// leaves by _exit has said what it did. `tests/scenarios/oracle.h` reads them.
//
//   allocated PROCESS ALLOCATION SIZE TYPE
//   bound     PROCESS ALLOCATION                 the first buffer or image that lives in it
//   freed     PROCESS ALLOCATION DIGEST BYTES    BYTES: without the zeros at its end
//   unread    PROCESS ALLOCATION WHY             freed, and could not be read, or not kept
//   unzeroed  PROCESS ALLOCATION WHY
//
// Where RONDO_TEST_ORACLE_CONTENTS names a directory, it has these BYTES when the
// line says that they are freed, as the file PROCESS-ALLOCATION.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "digest.h"

namespace oracle {

// Whether there is a file to write to; opens it at the first call.
bool reporting();

// Where contents are wanted: why they cannot be kept; empty: they are, or nobody wants them.
std::string keep_contents(std::uint64_t allocation, const unsigned char* bytes, std::size_t size);

void report_allocated(std::uint64_t allocation, std::uint64_t size, std::uint32_t type);
void report_bound(std::uint64_t allocation);
void report_freed(std::uint64_t allocation, const Digest& digest, std::uint64_t bytes);
void report_unread(std::uint64_t allocation, const std::string& why);
void report_unzeroed(std::uint64_t allocation, const std::string& why);

}  // namespace oracle
