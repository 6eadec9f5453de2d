// SPDX-License-Identifier: Apache-2.0
#include "analyzers/read/session_modules.h"

#include "analyzers/text/text.h"

namespace rondo::analyzers {

std::vector<SessionModule> session_modules(const JsonText& session) {
  std::vector<SessionModule> modules;
  for (std::size_t i = 0; i < session.size("/modules"); ++i) {
    const auto of = [&](const char* member) { return session.string(text("/modules/{}/{}", i, member).c_str()); };
    SessionModule module{of("path").value_or(""), of("file").value_or(""), of("role").value_or(""),
                         of("build_id").value_or("")};
    if (module.role.empty() && module.path == "(program)") module.role = "program";
    modules.push_back(std::move(module));
  }
  return modules;
}

std::string program_build(const JsonText& session) {
  constexpr std::size_t kMostDigits = 128;  // a linker makes 40, or what --build-id=0x... says
  for (const SessionModule& module : session_modules(session))
    if (module.role == "program") return module.build_id.size() <= kMostDigits ? module.build_id : std::string();
  return {};
}

}  // namespace rondo::analyzers
