// SPDX-License-Identifier: Apache-2.0
// Who made the calls of a capture (format/call_chains.h), for calls that are written again, in any order.
#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "format/call_chains.h"
#include "format/reader.h"

namespace rondo::trim {

class Callers {
 public:
  // Every record of the source, in order.
  void take(const Record& record, CommandId command, const void* args);
  // Of this call of the source's. 0: unknown.
  std::uint32_t at(std::uint32_t thread, std::uint64_t sequence) const;

  // What is written so that the next call on `thread` has this caller: `module(number, it)`, `chain(number, it)` where the
  // output has it not, else `caller(number)` where another one is known there. Each returns Result<void>.
  template <class WriteModule, class WriteChain, class WriteCaller>
  Result<void> say(std::uint32_t thread, std::uint32_t number, WriteModule&& module, WriteChain&& chain,
                   WriteCaller&& caller) {
    const CallChain* const named = chains_.chain(number);
    if (named == nullptr) number = 0;
    std::uint32_t& said = said_[thread];
    if (said == number) return {};
    said = number;
    if (named == nullptr || !chains_said_.insert(number).second) return caller(number);
    for (const RondoFrame& frame : named->frames)
      if (const CallModule* const one = chains_.module(frame.module); one != nullptr && modules_said_.insert(frame.module).second)
        RONDO_TRY(module(frame.module, *one));
    return chain(number, *named);
  }

 private:
  CallChains chains_;
  std::map<std::uint32_t, std::vector<std::pair<std::uint64_t, std::uint32_t>>> changes_;  // by thread: from which record on
  std::set<std::uint32_t> modules_said_, chains_said_;
  std::map<std::uint32_t, std::uint32_t> said_;  // by thread
};

// Whether a record only says who calls.
inline bool says_who_calls(CommandId command) {
  return command == CommandId::rondoModule || command == CommandId::rondoCallChain || command == CommandId::rondoCaller;
}

}  // namespace rondo::trim
