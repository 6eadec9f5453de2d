// SPDX-License-Identifier: Apache-2.0
#include "layer/callers/call_chains.h"

#include <link.h>
#include <setjmp.h>
#include <unistd.h>
#include <unwind.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "format/call_chains.h"
#include "format/codec/encoder.h"
#include "generated/args.h"
#include "layer/callers/build_id.h"
#include "layer/recorder/record.h"

namespace rondo::layer {

namespace {

constexpr std::size_t kMostKnown = 65536;  // chains of a thread: more are forgotten, and told apart anew

// Nobody looks at modules without it (lock_modules()). Never destroyed: threads may be in here at the process's end.
std::mutex& modules_lock() {
  static auto* const lock = new std::mutex;
  return *lock;
}

// Where the frames of this thread return to, from the inside out, without those of this library.
struct Stack {
  std::uintptr_t own_first = 0, own_end = 0;
  std::uintptr_t places[kMostCallFrames];
  std::uint32_t count = 0;
  bool truncated = false;
  sigjmp_buf end;  // where unwinding ends that would read what may not be there

  std::span<const std::uintptr_t> all() const { return {places, count}; }
  // False: there is no room.
  bool add(std::uintptr_t place) {
    if (count == 0 && place > own_first && place <= own_end) return true;
    truncated = count == kMostCallFrames;
    if (!truncated) places[count++] = place;
    return !truncated;
  }
};

// This thread's, while it is unwound.
thread_local constinit Stack* t_unwound = nullptr;

_Unwind_Reason_Code take_frame(_Unwind_Context* context, void* data) {
  auto& stack = *static_cast<Stack*>(data);
  int before = 0;
  std::uintptr_t place = _Unwind_GetIPInfo(context, &before);
  if (place == 0) return _URC_END_OF_STACK;
  if (before != 0) ++place;  // interrupted by a signal, not calling: the byte before is the instruction's
  return stack.add(place) ? _URC_NO_REASON : _URC_END_OF_STACK;
}

// No function of this library is between its begin and its end but take_frame(): what leaves it early leaves nothing.
void unwind(Stack& stack) {
  t_unwound = &stack;
  if (sigsetjmp(stack.end, 0) == 0) _Unwind_Backtrace(take_frame, &stack);
  t_unwound = nullptr;
}

// Whether one of its segments has this place; a call may be the last instruction of one.
bool holds(const dl_phdr_info& module, std::uintptr_t place) {
  for (int i = 0; i < module.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = module.dlpi_phdr[i];
    if (segment.p_type == PT_LOAD && place - 1 - (module.dlpi_addr + segment.p_vaddr) < segment.p_memsz) return true;
  }
  return false;
}

struct Extent {
  std::uintptr_t first = 0, end = 0;
};

// Of the code that this function is in.
Extent own_extent() {
  Extent extent;
  const std::lock_guard guard(modules_lock());
  ::dl_iterate_phdr(
      [](dl_phdr_info* module, std::size_t, void* data) {
        const auto here = reinterpret_cast<std::uintptr_t>(&own_extent);
        if (!holds(*module, here + 1)) return 0;
        for (int i = 0; i < module->dlpi_phnum; ++i) {
          const ElfW(Phdr)& segment = module->dlpi_phdr[i];
          const std::uintptr_t first = module->dlpi_addr + segment.p_vaddr;
          if (segment.p_type == PT_LOAD && here - first < segment.p_memsz)
            *static_cast<Extent*>(data) = {first, first + segment.p_memsz};
        }
        return 1;
      },
      &extent);
  return extent;
}

// How many modules were loaded and unloaded so far.
std::pair<std::uint64_t, std::uint64_t> loads() {
  std::pair<std::uint64_t, std::uint64_t> count;
  const std::lock_guard guard(modules_lock());
  ::dl_iterate_phdr(
      [](dl_phdr_info* module, std::size_t, void* data) {
        *static_cast<std::pair<std::uint64_t, std::uint64_t>*>(data) = {module->dlpi_adds, module->dlpi_subs};
        return 1;
      },
      &count);
  return count;
}

std::string path_of_program() {
  char path[PATH_MAX];
  const ssize_t length = ::readlink("/proc/self/exe", path, sizeof path);
  return length > 0 ? std::string(path, static_cast<std::size_t>(length)) : "(program)";
}

// As the dynamic linker has it, but never relative.
std::string path_of(const dl_phdr_info& module) {
  static const auto* const program = new std::string(path_of_program());
  char path[PATH_MAX];
  const std::string name = module.dlpi_name != nullptr ? module.dlpi_name : "";
  if (name.empty()) return *program;
  if (name[0] != '/' && name.find('/') != std::string::npos && ::realpath(name.c_str(), path) != nullptr) return path;
  return name;
}

struct Module {
  std::string path;
  std::vector<std::byte> build_id;
  friend auto operator<=>(const Module&, const Module&) = default;
};

// A stack as it can be told: frames of modules, by their place in `modules`, or of none.
struct Chain {
  std::vector<Module> modules;
  std::vector<RondoFrame> frames;  // `module`: from 1
};

Chain chain_of(const Stack& stack) {
  struct Search {
    const Stack& stack;
    Chain chain;
  } search{stack, {}};
  for (const std::uintptr_t place : stack.all()) search.chain.frames.push_back({0, place});
  const std::lock_guard guard(modules_lock());
  ::dl_iterate_phdr(
      [](dl_phdr_info* module, std::size_t, void* data) {
        auto& [stack, chain] = *static_cast<Search*>(data);
        std::uint32_t number = 0;
        for (std::size_t i = 0; i < stack.count; ++i) {
          if (!holds(*module, stack.places[i])) continue;
          if (number == 0) {
            const auto id = build_id_of(*module);
            chain.modules.push_back({path_of(*module), {id.begin(), id.end()}});
            number = static_cast<std::uint32_t>(chain.modules.size());
          }
          chain.frames[i] = {number, stack.places[i] - module->dlpi_addr};
        }
        return 0;
      },
      &search);
  return std::move(search.chain);
}

// Chains and modules of all threads.
class Known {
 public:
  // The chain's number. It is recorded where it is new: on this thread then, and true.
  std::pair<std::uint32_t, bool> number_of(ThreadState& state, Chain chain, bool truncated) {
    const std::lock_guard guard(lock_);  // whoever gets a number is numbered behind its record
    for (RondoFrame& frame : chain.frames)
      if (frame.module != 0) frame.module = module_number(state, chain.modules[frame.module - 1]);
    std::string key;
    const auto add = [&key](const auto& value) { key.append(reinterpret_cast<const char*>(&value), sizeof value); };
    add(truncated);
    for (const RondoFrame& frame : chain.frames) {
      add(frame.module);
      add(frame.offset);
    }
    const auto [found, fresh] =
        chains_.try_emplace(digest_of(std::as_bytes(std::span(key))), static_cast<std::uint32_t>(chains_.size() + 1));
    if (fresh) {
      const args_rondoCallChain args{found->second, truncated ? VK_TRUE : VK_FALSE,
                                     static_cast<std::uint32_t>(chain.frames.size()), chain.frames.data()};
      write(state, CommandId::rondoCallChain, &args);
    }
    return {found->second, fresh};
  }

 private:
  std::uint32_t module_number(ThreadState& state, const Module& module) {
    const auto [found, fresh] = modules_.try_emplace(module, static_cast<std::uint32_t>(modules_.size() + 1));
    if (fresh) {
      const auto* id = reinterpret_cast<const std::uint8_t*>(module.build_id.data());
      const args_rondoModule args{found->second, static_cast<std::uint32_t>(module.build_id.size()), id,
                                  settings().minimal_session ? nullptr : module.path.c_str()};
      write(state, CommandId::rondoModule, &args);
    }
    return found->second;
  }

  // In a buffer of its own: the call that it belongs to may be encoded already.
  void write(ThreadState& state, CommandId command, const void* args) {
    buffer_.clear();
    if (!codec::encode(buffer_, state, command, args, true).error.empty())
      return stop_recording("a call chain cannot be encoded");
    write_call(state, command, 0, g_hot.writer->take_sequence(), {}, buffer_.bytes());
  }

  std::mutex lock_;
  std::map<Module, std::uint32_t> modules_;
  std::unordered_map<Digest, std::uint32_t> chains_;
  codec::Buffer buffer_;
};

Known& known() {
  static auto* const all = new Known;  // outlives every destructor
  return *all;
}

}  // namespace

void end_unwinding(std::uintptr_t place) noexcept {
  if (t_unwound == nullptr) return;
  t_unwound->add(place + 1);
  siglongjmp(t_unwound->end, 1);
}

void lock_modules() { modules_lock().lock(); }
void unlock_modules() { modules_lock().unlock(); }

void write_caller(ThreadState& state) noexcept {
  const int before = errno;  // of the program
  try {
    static const Extent own = own_extent();
    Stack stack;
    stack.own_first = own.first;
    stack.own_end = own.end;
    unwind(stack);
    if (state.callers == nullptr) state.callers = std::make_unique<Callers>();
    Callers& callers = *state.callers;
    if (const auto now = loads(); now != callers.loads || callers.known.size() >= kMostKnown) {
      callers.known.clear();
      callers.loads = now;
    }
    Digest digest = digest_of(std::as_bytes(stack.all()));
    digest.low ^= stack.truncated ? 1 : 0;
    auto found = callers.known.find(digest);
    if (found == callers.known.end()) {
      const auto [number, recorded] = known().number_of(state, chain_of(stack), stack.truncated);
      found = callers.known.emplace(digest, number).first;
      if (recorded) callers.last = number;
    }
    if (callers.last == found->second) return;
    callers.last = found->second;
    const std::uint64_t sequence = g_hot.writer->take_sequence();
    std::byte* const body = state.stream.begin(static_cast<std::uint16_t>(CommandId::rondoCaller), kRecordCall,
                                               sequence, sizeof callers.last);
    std::memcpy(body, &callers.last, sizeof callers.last);
    state.stream.commit();
  } catch (...) {
    stop_recording("out of memory for a call chain");
  }
  errno = before;
}

}  // namespace rondo::layer
