// SPDX-License-Identifier: Apache-2.0
// While one lives, a driver asks the window system. Mesa's WSI takes some
// answers without looking whether they came, and crashes where it went away just
// then: nothing here can go on then, but the process can say so and end with
// status 1. One at a time.
#pragma once

#include <string>

#include "player/show/desktop/desktop.h"

namespace rondo::player {

class DriverAsks {
 public:
  // `where`: begins the message.
  DriverAsks(const Desktop& desktop, const std::string& where);
  DriverAsks(const DriverAsks&) = delete;
  DriverAsks& operator=(const DriverAsks&) = delete;
  ~DriverAsks();
};

}  // namespace rondo::player
