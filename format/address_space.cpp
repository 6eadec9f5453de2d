// SPDX-License-Identifier: Apache-2.0
#include "format/address_space.h"

#include <malloc.h>
#include <sys/resource.h>

#include <new>
#include <system_error>

namespace rondo {

std::optional<std::size_t> address_space_limit() noexcept {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  return static_cast<std::size_t>(limit.rlim_cur);
}

void spare_address_space() noexcept {
#ifdef __GLIBC__
  if (address_space_limit()) ::mallopt(M_ARENA_MAX, 1);
#endif
}

std::string address_space_hint() {
  const auto limit = address_space_limit();
  if (!limit) return {};
  return "; the address space is limited to " + std::to_string(*limit >> 10) +
         " KiB (ulimit -v), which may be too little: raise that limit";
}

std::string failure_text(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return "not enough memory" + address_space_hint();
  const auto* refused = dynamic_cast<const std::system_error*>(&error);
  if (refused == nullptr || refused->code() != std::errc::resource_unavailable_try_again) return error.what();
  const std::string text = std::string("a thread cannot be started: ") + error.what();
  const std::string hint = address_space_hint();
  return text + (hint.empty() ? "; the number of processes may be limited (ulimit -u)" : hint);
}

}  // namespace rondo
