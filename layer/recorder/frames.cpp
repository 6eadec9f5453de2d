// SPDX-License-Identifier: Apache-2.0
#include "layer/recorder/frames.h"

#include <algorithm>
#include <charconv>

#include "layer/driver/host_memory.h"
#include "layer/recorder/json.h"
#include "layer/recorder/recorder.h"

namespace rondo::layer {

constinit Frames g_frames;

namespace {

bool number(std::string_view text, std::uint64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::optional<FrameRange> parse_frames(std::string_view text) {
  const std::size_t colon = text.find(':');
  FrameRange range;
  if (colon == std::string_view::npos || !number(text.substr(0, colon), range.first) ||
      !number(text.substr(colon + 1), range.last) || range.first >= range.last)
    return std::nullopt;
  return range;
}

std::string cut_request(const FrameRange& range) {
  JsonWriter json;
  json.begin_object().key("cut_request").begin_object();
  json.key("frames").value(std::to_string(range.first) + ":" + std::to_string(range.last));
  json.end_object().end_object();
  return json.text();
}

void stop_behind(const FrameRange& range) { g_frames.stop_at.store(range.last, std::memory_order_relaxed); }

void frame_ended() noexcept {
  const std::uint64_t ended = g_frames.ended.load(std::memory_order_relaxed) + 1;
  g_frames.ended.store(ended, std::memory_order_relaxed);
  if (ended < g_frames.stop_at.load(std::memory_order_relaxed)) return;
  // What a thread begins from here on is not recorded, so neither is what follows from that:
  // the capture holds the beginning of what each thread did, and nothing without its cause.
  if (g_hot.recording.exchange(false, std::memory_order_acq_rel))
    g_frames.to_close.store(true, std::memory_order_relaxed);
}

void close_behind_frames() noexcept {
  if (g_frames.to_close.exchange(false)) close_capture();
}

std::optional<FrameRange> ask_for_frames(std::uint64_t count) {
  const auto lock = host_memory().enter();
  if (!recording() || count == 0) return std::nullopt;
  FrameRange range;
  range.first = g_frames.ended.load(std::memory_order_relaxed);
  range.last = range.first + std::min(count, UINT64_MAX - range.first);
  // Under the lock: no frame ends before the capture has the request.
  g_hot.writer->add_session_later(cut_request(range));
  g_frames.stop_at.store(range.last, std::memory_order_relaxed);
  return range;
}

}  // namespace rondo::layer
