// SPDX-License-Identifier: Apache-2.0
// Nothing that goes wrong inside the layer reaches the program as an exception.
#pragma once

#include <new>

#include "layer/recorder/recorder.h"

namespace rondo::layer {

// What `work` returns; `otherwise` where memory ran out.
template <class T, class Work>
T guarded(T otherwise, Work&& work) noexcept {
  try {
    return work();
  } catch (...) {
    stop_recording("out of memory");
    return otherwise;
  }
}

// For work of the layer's own around a driver call.
template <class Work>
void guarded(Work&& work) noexcept {
  try {
    work();
  } catch (...) {
    stop_recording("out of memory");
  }
}

}  // namespace rondo::layer
