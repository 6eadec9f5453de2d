// SPDX-License-Identifier: Apache-2.0
// The limit of a file's size (RLIMIT_FSIZE; `ulimit -f` in a shell), as far as recording asks for one.
#pragma once

#include <cstdint>
#include <string>

namespace rondo {

// Where files may not grow to so many bytes, nothing is recorded: all names that a recorder may write lie in
// the file while it is recorded, and some records are to find room as well.
inline constexpr std::uint64_t kSmallestFileLimit = 256 * 1024;

std::uint64_t most_file_bytes();  // that this process may write to one file
// 0, or EFBIG: the spool would come so near to that that a capture could not be closed any more.
int check_spool_end(std::uint64_t end);

// Empty: files may grow to kSmallestFileLimit. Else what is wrong and what to do. CaptureWriter::create()
// fails with it (Status::usage) before it makes a file.
std::string too_small_a_file_limit();

}  // namespace rondo
