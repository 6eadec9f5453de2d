// SPDX-License-Identifier: Apache-2.0
// The one recorder of this process: from the first successful vkCreateInstance
// until the process ends, the last frame that was asked for (frames.h), the recorder
// stops on an error of its own, or the process forks (the child records nothing).
// Nothing here throws.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "format/vulkan.h"
#include "format/writer.h"
#include "layer/recorder/settings.h"

namespace rondo::layer {

// What every hook asks. `writer` is set before `recording` becomes true and
// lives as long as the process: threads may be inside a record at its end.
struct Hot {
  std::atomic<bool> recording{false};
  bool backtraces = false;  // set before `recording`, and not changed
  CaptureWriter* writer = nullptr;
};
extern constinit Hot g_hot;

inline bool recording() { return g_hot.recording.load(std::memory_order_acquire); }

// True under AT_SECURE: the layer changes and records nothing.
bool forward_only();

// False where this process is never recorded: under AT_SECURE, in a forked
// child, in a child process under RONDO_CHILDREN=0.
bool wanted();

// Read at first use; reports what it did not understand.
const Settings& settings();

// Creates the file if this process records and has none yet. Called after the
// driver created an instance from `info`.
void start_recording(const VkInstanceCreateInfo* info);

// Our own error: writes a note into the capture, says one line, and forwards from now on. Later calls do nothing. A
// check that fails (format/check.h) while something is recorded comes here, too, and then throws.
void stop_recording(std::string_view reason) noexcept;

// Closes the file of a recording that has ended, on a thread of the layer's own: the program
// goes on. Where there can be no thread, the file is closed when the process ends.
void close_capture() noexcept;

// Closes the file here and now, whatever calls other threads are in: the process ends.
void close_now() noexcept;

// A sentence in the capture that does not stop it, and a warning on stderr.
void note(std::string_view text) noexcept;

// The modules of the process, once, when the drivers are loaded.
void record_modules() noexcept;

// True in a child of fork.
bool in_forked_child();

// The file's absolute path; empty: there is none. Once it is recorded, it stays.
const std::string& capture_path();

std::uint64_t now_ns();  // CLOCK_MONOTONIC

}  // namespace rondo::layer
