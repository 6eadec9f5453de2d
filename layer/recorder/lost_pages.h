// SPDX-License-Identifier: Apache-2.0
// The capture's file is mapped: where somebody truncates it, or its disk fails, the next
// record is a SIGBUS in the program.
#pragma once

namespace rondo {
class CaptureWriter;
}

namespace rondo::layer {

// `writer` lives as long as the process. From now on such a fault ends the recording, not the program. Every other
// SIGBUS goes to the program as if ours was not there; a handler that it installs later takes the place of ours.
void survive_lost_pages(CaptureWriter& writer) noexcept;

}  // namespace rondo::layer
