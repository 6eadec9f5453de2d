// SPDX-License-Identifier: Apache-2.0
// A program that has a handler of SIGSEGV of its own, installed while its memory is
// mapped and was submitted: it sees the faults that it makes and no others.
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>

#include <thread>

#include "session.h"

using namespace program;

namespace {

volatile sig_atomic_t seen = 0;
sigjmp_buf back;

void handle(int, siginfo_t*, void*) {
  seen = seen + 1;
  siglongjmp(back, 1);
}

void install() {
  struct sigaction action {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  if (sigaction(SIGSEGV, &action, nullptr) != 0) die("sigaction", 0);
}

// The handler leads back here.
[[gnu::noinline]] void fault(const volatile char* at) {
  if (sigsetjmp(back, 1) == 0) static_cast<void>(*at);
}

}  // namespace

int main() {
  constexpr std::uint32_t kWords = 16384;
  Session s = open("handlers");
  const MappedBuffer in = buffer(s, kWords * 4, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
  const MappedBuffer out = buffer(s, kWords * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  const volatile char* const none =
      static_cast<char*>(mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  const VkBufferCopy all{0, 0, kWords * 4};
  for (std::uint32_t round = 1; round <= 4; ++round) {
    for (std::uint32_t i = 0; i < kWords; i += 512) in.words[i] = mix(round, i);
    vkCmdCopyBuffer(s.cmd, in.buffer, out.buffer, 1, &all);
    run(s);
    EXPECT(s, std::memcmp(in.words, out.words, kWords * 4) == 0);
    add(s, out);
    install();
    in.words[round * 1024] = round;
    fault(none);
    EXPECT(s, seen == static_cast<sig_atomic_t>(round));
    struct sigaction now {};
    EXPECT(s, sigaction(SIGSEGV, nullptr, &now) == 0 && now.sa_sigaction == handle);
    EXPECT(s, (now.sa_flags & SA_SIGINFO) != 0);
    in.words[round * 1024 + 2048] = round;
    EXPECT(s, signal(SIGSEGV, SIG_DFL) != SIG_DFL);
    in.words[round * 1024 + 4096] = round;
    std::thread([&] {  // as the threads of many libraries
      sigset_t everything;
      sigfillset(&everything);
      pthread_sigmask(SIG_SETMASK, &everything, nullptr);
      in.words[round * 1024 + 6144] = round;
    })
        .join();
  }
  return finish(s);
}
