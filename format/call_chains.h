// SPDX-License-Identifier: Apache-2.0
// Who made the calls of a capture that was recorded with RONDO_BACKTRACES, as its records say: rondoModule,
// rondoCallChain, rondoCaller. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "format/codec/decoder.h"
#include "format/native_view.h"
#include "generated/args.h"
#include "generated/ids.h"

namespace rondo {

inline constexpr std::uint32_t kMostCallFrames = 256;  // of a chain

// Whether a record only says who calls.
inline bool says_who_calls(CommandId command) {
  return command == CommandId::rondoModule || command == CommandId::rondoCallChain || command == CommandId::rondoCaller;
}

// A file that was mapped into the program.
struct CallModule {
  std::string path;                 // empty: the recorder was not to say it
  std::vector<std::byte> build_id;  // empty: it has none
};

struct CallChain {
  // From the inside out: number of a module, 0: of none; where the frame returns to, as an address of the module's own.
  std::vector<RondoFrame> frames;
  bool truncated = false;  // there were more
};

class CallChains {
 public:
  // A record, in the capture's order. Others than these three change nothing.
  void take(CommandId command, std::uint32_t thread, const codec::Lowered& parameters);

  // Of the next call of this thread. 0: unknown.
  std::uint32_t number_of(std::uint32_t thread) const;
  const CallChain* chain(std::uint32_t number) const;    // null: there is none
  const CallModule* module(std::uint32_t number) const;  // likewise
  const std::map<std::uint32_t, CallModule>& modules() const { return modules_; }
  std::size_t chains() const { return chains_.size(); }

 private:
  NativeView view_;
  std::map<std::uint32_t, CallModule> modules_;
  std::map<std::uint32_t, CallChain> chains_;
  std::map<std::uint32_t, std::uint32_t> current_;  // by thread
};

}  // namespace rondo
