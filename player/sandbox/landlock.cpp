// SPDX-License-Identifier: Apache-2.0
#include "player/sandbox/landlock.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

namespace rondo::player {

namespace {

// linux/landlock.h, as of version 6.
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif
constexpr unsigned kAskVersion = 1;  // LANDLOCK_CREATE_RULESET_VERSION
constexpr int kRulePathBeneath = 1;  // LANDLOCK_RULE_PATH_BENEATH

struct RulesetAttributes {
  std::uint64_t files = 0, network = 0, scoped = 0;
};
struct PathBeneath {
  std::uint64_t allowed;
  std::int32_t parent;
} __attribute__((packed));

// of version 1: executing, reading, writing, removing, making
constexpr std::uint64_t kFirstRights = (1u << 13) - 1;
constexpr std::uint64_t kRefer = 1u << 13, kTruncate = 1u << 14, kControlDevices = 1u << 15;
constexpr std::uint64_t kTcp = 3;     // binding and connecting
constexpr std::uint64_t kScopes = 3;  // abstract sockets and signals, to processes outside

// What a rule for a file, and not for a directory, may say.
constexpr std::uint64_t kOfFiles = 1u << 0 | 1u << 1 | 1u << 2 | kTruncate | kControlDevices;

}  // namespace

int Landlock::version() {
  const long version = ::syscall(SYS_landlock_create_ruleset, nullptr, std::size_t{0}, kAskVersion);
  return version > 0 ? static_cast<int>(version) : 0;
}

Landlock::Landlock() {
  const int version = Landlock::version();
  if (version == 0) return;
  handled_ = kFirstRights;
  if (version >= 2) handled_ |= kRefer;
  if (version >= 3) handled_ |= kTruncate;
  if (version >= 5) handled_ |= kControlDevices;
  RulesetAttributes attributes;
  attributes.files = handled_;
  if (version >= 4) attributes.network = kTcp;
  if (version >= 6) attributes.scoped = kScopes;
  ruleset_ = static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0));
  if (ruleset_ < 0) failure_ = errno;
}

Landlock::~Landlock() {
  if (ruleset_ >= 0) ::close(ruleset_);
}

void Landlock::allow(const std::string& path, std::uint64_t rights) {
  if (ruleset_ < 0) return;
  const int file = ::open(path.c_str(), O_PATH | O_CLOEXEC);
  // What is not there needs no rule. What cannot be opened for want of descriptors would seem forbidden
  // later.
  if (file < 0 && (errno == EMFILE || errno == ENFILE)) failure_ = errno;
  struct stat status {};
  if (file >= 0 && ::fstat(file, &status) == 0) {
    PathBeneath rule{rights & handled_ & (S_ISDIR(status.st_mode) ? ~std::uint64_t{0} : kOfFiles), file};
    ::syscall(SYS_landlock_add_rule, ruleset_, kRulePathBeneath, &rule, 0);
  }
  if (file >= 0) ::close(file);
}

bool Landlock::enforce() const {
  if (failure_ != 0) errno = failure_;
  return ruleset_ >= 0 && failure_ == 0 && ::syscall(SYS_landlock_restrict_self, ruleset_, 0) == 0;
}

}  // namespace rondo::player
