// SPDX-License-Identifier: Apache-2.0
// Answers `rondo trigger`: a thread and a socket of the layer's own, while the process lives.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace rondo::layer {

// Returns when the thread listens, or cannot: then RONDO_LOG=info says why. Once, when a
// recording begins.
void start_trigger() noexcept;

// Has that thread close the capture, and waits for it, `milliseconds` at most: for the end of a process that runs no
// exit handlers. System calls only: the caller may be a signal handler.
void close_through_trigger(unsigned milliseconds) noexcept;

// "frames N", N from 1.
std::optional<std::uint64_t> parse_trigger(std::string_view request);

}  // namespace rondo::layer
