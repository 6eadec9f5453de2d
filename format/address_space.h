// SPDX-License-Identifier: Apache-2.0
// The limit of this process's address space (RLIMIT_AS; `ulimit -v` in a shell).
#pragma once

#include <exception>
#include <optional>
#include <string>

namespace rondo {

std::optional<std::size_t> address_space_limit() noexcept;  // in bytes, as of now; nullopt: there is none

// The C library gives each new thread 64 MiB of address space for its heap. Where the address space is limited,
// this makes all threads share one heap. To be called before Rondo starts its first thread.
void spare_address_space() noexcept;

// For the end of a sentence about something that may have failed for want of address space: the limit, and
// what to do. Empty: there is no limit.
std::string address_space_hint();

// An exception that ends a tool, in one sentence: memory or a thread that could not be had, or its own words.
std::string failure_text(const std::exception& error);

}  // namespace rondo
