// SPDX-License-Identifier: Apache-2.0
// Calls whose callers are known: a chain of functions, a recursion, two threads, a callback within a call, two
// libraries one after the other. Each resets the fence that its name stands for; the program names it.
//   callers [--depth N] [--forks N] [--fiber 1] [--lost-register 1]
// --fiber: also on a stack that ends in an address that leads nowhere.
// --lost-register: also from a function whose table of frames needs a register that calls do not keep.
// --forks: children of fork that load a library, while two threads call.
#include <dlfcn.h>
#include <sys/wait.h>
#include <ucontext.h>

#include <atomic>
#include <string>
#include <thread>

#include "../support.h"

using namespace program;

namespace {

// No call is the last thing that a function does: it would be no caller.
#ifdef __clang__
#define CALLER __attribute__((noinline))
#else
#define CALLER __attribute__((noinline, noipa))
#endif
#define NO_TAIL asm volatile("")

struct Fences {
  Context& context;
  PFN_vkSetDebugUtilsObjectNameEXT set_name = nullptr;

  VkFence make(const char* name) const {
    VkFenceCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
    VkFence fence = VK_NULL_HANDLE;
    CHECK(vkCreateFence(context.device, &info, nullptr, &fence));
    VkDebugUtilsObjectNameInfoEXT named{};
    named.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT;
    named.objectType = VK_OBJECT_TYPE_FENCE;
    std::memcpy(&named.objectHandle, &fence, sizeof fence);
    named.pObjectName = name;
    CHECK(set_name(context.device, &named));
    return fence;
  }
};

CALLER void innermost(VkDevice device, VkFence fence) {
  CHECK(vkResetFences(device, 1, &fence));
  NO_TAIL;
}
CALLER void middle(VkDevice device, VkFence fence) {
  innermost(device, fence);
  NO_TAIL;
}
CALLER void outermost(VkDevice device, VkFence fence) {
  middle(device, fence);
  NO_TAIL;
}
// A name of C that would be a type's, were it one of C++.
extern "C" CALLER void f(VkDevice device, VkFence fence) {
  CHECK(vkResetFences(device, 1, &fence));
  NO_TAIL;
}
CALLER void recursion(VkDevice device, VkFence fence, std::uint32_t depth) {
  if (depth == 0)
    innermost(device, fence);
  else
    recursion(device, fence, depth - 1);
  NO_TAIL;
}
CALLER void one_thread(VkDevice device, VkFence fence) {
  for (int i = 0; i < 100; ++i) CHECK(vkResetFences(device, 1, &fence));
  NO_TAIL;
}
CALLER void other_thread(VkDevice device, VkFence fence) {
  for (int i = 0; i < 100; ++i) CHECK(vkResetFences(device, 1, &fence));
  NO_TAIL;
}

struct InCallback {
  VkDevice device;
  VkFence fence;
};
VKAPI_ATTR VkBool32 VKAPI_CALL callback(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                                        const VkDebugUtilsMessengerCallbackDataEXT*, void* data) {
  const auto& use = *static_cast<InCallback*>(data);
  CHECK(vkResetFences(use.device, 1, &use.fence));
  NO_TAIL;
  return VK_FALSE;
}

// What it says is heard in the middle of the call.
CALLER void says_something(const Context& c, VkFence fence) {
  InCallback use{c.device, fence};
  const auto create = reinterpret_cast<PFN_vkCreateDebugUtilsMessengerEXT>(
      vkGetInstanceProcAddr(c.instance, "vkCreateDebugUtilsMessengerEXT"));
  const auto destroy = reinterpret_cast<PFN_vkDestroyDebugUtilsMessengerEXT>(
      vkGetInstanceProcAddr(c.instance, "vkDestroyDebugUtilsMessengerEXT"));
  const auto submit = reinterpret_cast<PFN_vkSubmitDebugUtilsMessageEXT>(
      vkGetInstanceProcAddr(c.instance, "vkSubmitDebugUtilsMessageEXT"));
  VkDebugUtilsMessengerCreateInfoEXT info{};
  info.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
  info.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT;
  info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT;
  info.pfnUserCallback = callback;
  info.pUserData = &use;
  VkDebugUtilsMessengerEXT messenger = VK_NULL_HANDLE;
  CHECK(create(c.instance, &info, nullptr, &messenger));
  VkDebugUtilsMessengerCallbackDataEXT said{};
  said.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CALLBACK_DATA_EXT;
  said.pMessage = "heard";
  submit(c.instance, VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT, VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT, &said);
  destroy(c.instance, messenger, nullptr);
}

// On a stack that ends in an address that leads nowhere, as stacks of coroutines may that are made by hand.
VkDevice g_fiber_device;
VkFence g_fiber_fence;
ucontext_t g_back, g_fiber;
CALLER void on_fiber() {
  CHECK(vkResetFences(g_fiber_device, 1, &g_fiber_fence));
  NO_TAIL;
  setcontext(&g_back);
}
CALLER void from_fiber(VkDevice device, VkFence fence) {
  static char stack[1 << 16];
  g_fiber_device = device;
  g_fiber_fence = fence;
  getcontext(&g_fiber);
  g_fiber.uc_stack = {stack, 0, sizeof stack};
  g_fiber.uc_link = nullptr;
  makecontext(&g_fiber, on_fiber, 0);
#ifdef __x86_64__
  *reinterpret_cast<std::uintptr_t*>(g_fiber.uc_mcontext.gregs[REG_RSP]) = 0xdead000;
#else
  g_fiber.uc_mcontext.regs[30] = 0xdead000;
#endif
  swapcontext(&g_back, &g_fiber);
}

// As Wine's dispatcher of calls to the host: its caller's frame is where rcx says, which is lost in the call.
#ifdef __x86_64__
extern "C" void by_lost_register(void (*call)(VkDevice, VkFence), VkDevice device, VkFence fence);
asm(R"(
  .pushsection .text
  .type by_lost_register, @function
by_lost_register:
  .cfi_startproc
  push %rsp
  .cfi_adjust_cfa_offset 8
  mov %rsp, %rcx
  .cfi_escape 0x0f, 5, 0x72, 0, 0x06, 0x23, 8  # the frame: *(rcx + 0) + 8
  .cfi_escape 0x10, 16, 2, 0x72, 8             # rip: at rcx + 8
  mov %rdi, %rax
  mov %rsi, %rdi
  mov %rdx, %rsi
  call *%rax
  add $8, %rsp
  .cfi_def_cfa rsp, 8
  ret
  .cfi_endproc
  .size by_lost_register, . - by_lost_register
  .popsection
)");
#else
CALLER void by_lost_register(void (*call)(VkDevice, VkFence), VkDevice device, VkFence fence) {
  call(device, fence);
  NO_TAIL;
}
#endif

// Children that load a library: whatever other threads are in the middle of, they do.
CALLER void fork_children(VkDevice device, VkFence one, VkFence other, std::uint32_t count) {
  std::atomic<bool> stop{false};
  const auto work = [&](VkFence fence) {
    while (!stop) CHECK(vkResetFences(device, 1, &fence));
  };
  std::thread a(work, one), b(work, other);
  for (std::uint32_t i = 0; i < count; ++i) {
    const pid_t child = fork();
    if (child < 0) die("fork", errno);
    if (child == 0) {
      alarm(20);
      _exit(dlopen("libz.so.1", RTLD_NOW) != nullptr || dlopen("libm.so.6", RTLD_NOW) != nullptr ? 0 : 1);
    }
    int status = 0;
    if (waitpid(child, &status, 0) != child || status != 0) die("a child could not load a library", status);
  }
  stop = true;
  a.join();
  b.join();
}

// Where its function lay.
CALLER const void* from_library(const std::string& name, VkDevice device, VkFence fence) {
  char self[4096];
  const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length < 0) die("readlink", errno);
  const std::string program(self, static_cast<std::size_t>(length));
  void* const library = dlopen((program.substr(0, program.rfind('/') + 1) + name).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) die("dlopen", 0);
  const auto call = reinterpret_cast<VkResult (*)(PFN_vkResetFences, VkDevice, VkFence)>(dlsym(library, "plugin_call"));
  CHECK(call(vkResetFences, device, fence));
  dlclose(library);
  return reinterpret_cast<const void*>(call);
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint32_t depth = option(argc, argv, "--depth", 10);
  Wanted wanted;
  wanted.instance_extensions = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME};
  Context c = create_context("callers", wanted);
  Fences fences{c, reinterpret_cast<PFN_vkSetDebugUtilsObjectNameEXT>(
                       vkGetInstanceProcAddr(c.instance, "vkSetDebugUtilsObjectNameEXT"))};
  std::vector<VkFence> all;
  const auto make = [&](const char* name) { return all.emplace_back(fences.make(name)); };

  const VkFence chain = make("chain"), deep = make("deep"), one = make("one"), other = make("other"),
                heard = make("heard"), first = make("first"), second = make("second"), above = make("above"),
                fiber = make("fiber"), letter = make("letter"), lost = make("lost");
  outermost(c.device, chain);
  innermost(c.device, chain);
  outermost(c.device, chain);
  recursion(c.device, deep, depth);
  f(c.device, letter);
  std::thread a([&] { one_thread(c.device, one); });
  std::thread b([&] { other_thread(c.device, other); });
  a.join();
  b.join();
  says_something(c, heard);
  // From one place: the return addresses are the same, too.
  const std::pair<const char*, VkFence> libraries[] = {{"called_first.so", first}, {"called_second.so", second}};
  const void* places[2] = {};
  for (int i = 0; i < 2; ++i) places[i] = from_library(libraries[i].first, c.device, libraries[i].second);
  from_library("called_above.so", c.device, above);
  if (option(argc, argv, "--fiber", 0) != 0) from_fiber(c.device, fiber);
  if (option(argc, argv, "--lost-register", 0) != 0) by_lost_register(innermost, c.device, lost);
  if (const std::uint32_t forks = option(argc, argv, "--forks", 0); forks != 0)
    fork_children(c.device, one, other, forks);
  std::printf("callers: the libraries lay %s\n", places[0] == places[1] ? "in one place" : "in two places");
  for (const VkFence fence : all) vkDestroyFence(c.device, fence, nullptr);
  destroy(c);
  return 0;
}
