// SPDX-License-Identifier: Apache-2.0
// Frames of this process, as format/spans.h counts them, and the request to stop behind one:
// RONDO_FRAMES, or what `rondo trigger` asks while the program runs.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rondo::layer {

// Zero-based and half-open.
struct FrameRange {
  std::uint64_t first = 0, last = 0;
};

// "A:B" with A < B; nothing where it is not that.
std::optional<FrameRange> parse_frames(std::string_view text);

// The session object that leaves the request in the capture (docs/format.md).
std::string cut_request(const FrameRange& range);

// Written inside the critical section of host writes only (host_memory.h).
struct Frames {
  std::atomic<std::uint64_t> ended{0};             // presents that were recorded
  std::atomic<std::uint64_t> stop_at{UINT64_MAX};  // the recording ends behind so many
  std::atomic<bool> to_close{false};               // it has, and nobody closes the file yet
};
extern constinit Frames g_frames;

// Before anything is recorded.
void stop_behind(const FrameRange& range);

// Inside the critical section, behind the number of a present: so no present, submit, flush or
// other call with a critical section of its own follows the last frame's in the capture.
void frame_ended() noexcept;

// By the thread that presents, outside: closes the file where the frame just ended was the last one.
void close_behind_frames() noexcept;
inline void frame_presented() noexcept {
  if (g_frames.to_close.load(std::memory_order_relaxed)) [[unlikely]]
    close_behind_frames();
}

// The next `count` frames from the one that the program is in; the capture gets the request, in
// place of those before it. Nothing where nothing is recorded any more. Any thread.
std::optional<FrameRange> ask_for_frames(std::uint64_t count);

}  // namespace rondo::layer
