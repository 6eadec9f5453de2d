// SPDX-License-Identifier: Apache-2.0
// What `rondo trigger` and the layer say to each other: one message each way, text, over a
// sequenced-packet socket with an abstract name (docs/layer.md).
#pragma once

#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

namespace rondo {

// The request: the number of frames follows.
inline constexpr std::string_view kTriggerFrames = "frames ";
// Of the process itself: its capture is to be closed. The answer is "ok " then.
inline constexpr std::string_view kTriggerClose = "close";
// The answer: "ok A:B PATH", or "no " and a sentence.
inline constexpr std::string_view kTriggerOk = "ok ";
inline constexpr std::string_view kTriggerNo = "no ";

struct TriggerAddress {
  sockaddr_un address{};
  socklen_t bytes = 0;
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address); }
};

// Of no file: a zero comes before the name. What does not fit is left out.
inline TriggerAddress abstract_address(std::string_view name) {
  TriggerAddress a;
  a.address.sun_family = AF_UNIX;
  name = name.substr(0, sizeof a.address.sun_path - 1);
  std::memcpy(a.address.sun_path + 1, name.data(), name.size());
  a.bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  return a;
}

// `user`: the real one of the process.
inline TriggerAddress trigger_address(uid_t user, pid_t process) {
  return abstract_address("rondo-trigger-" + std::to_string(user) + "-" + std::to_string(process));
}

}  // namespace rondo
