// SPDX-License-Identifier: Apache-2.0
// The preload shim in children of programs.
#include <catch2/catch.hpp>

#include "fixture.h"
#include "preloads.h"
#include "sanitizers.h"
#include "skip.h"

using namespace scenario;

SCENARIO("children are captured whose environment was cleared, unless they are not to be", "[preload]") {
  if (kSanitized) SKIP_SCENARIO(kNotSanitized);
  const std::string manifest = "VK_ICD_FILENAMES=" + quiet_environment().at("VK_ICD_FILENAMES");
  struct Case {
    Words start;
    Environment more;
    std::size_t files;
  };
  const std::string script = "import os,subprocess,sys; e={'VK_ICD_FILENAMES':os.environ['VK_ICD_FILENAMES']}; ";
  for (const Case& one :
       {Case{{"/usr/bin/env", "-i", manifest, loaderless("direct")}, {}, 1},
        Case{{"/usr/bin/env", "-i", manifest, "RONDO_DISABLE=1", loaderless("direct")}, {}, 0},
        Case{{"/usr/bin/env", "-i", manifest, loaderless("direct")}, {{"RONDO_CHILDREN", "0"}}, 0},
        Case{{"/usr/bin/python3", "-c", script + "os.execve(sys.argv[1], sys.argv[1:], e)", loaderless("direct")},
             {},
             1},
        Case{{"/usr/bin/python3", "-c", script + "os.waitpid(os.posix_spawn(sys.argv[1], sys.argv[1:], e), 0)",
              loaderless("direct")},
             {},
             1},
        Case{
            {"/usr/bin/python3", "-c", script + "subprocess.run(sys.argv[1:], env=e)", loaderless("direct")}, {}, 1}}) {
    const TemporaryDirectory directory;
    Command command = shimmed(one.start, directory.file("c.rondo"));
    for (const auto& [name, value] : one.more) command.environment[name] = value;
    const Outcome outcome = run(command);
    INFO(one.start[0] << " " << one.start[1] << "\n" << outcome.both());
    CHECK(outcome.status == 0);
    CHECK(outcome.out.find("direct: checksum") != std::string::npos);
    CHECK(files_in(directory.path()).size() == one.files);
    if (one.files == 1) CHECK(player({"--verify", directory.file("c.rondo")}).status == 0);
  }
}

SCENARIO("children that the C library starts are captured whose environment was cleared, and nothing else is changed",
         "[preload]") {
  if (kSanitized) SKIP_SCENARIO(kNotSanitized);
  for (const char* how : {"system", "popen", "execveat"}) {
    is_captured({loaderless("shells"), how, loaderless("direct")});
    // Not to be.
    const TemporaryDirectory directory;
    Command command = shimmed({loaderless("shells"), how, loaderless("direct")}, directory.file("c.rondo"));
    command.environment["RONDO_CHILDREN"] = "0";
    CHECK(run(command).status == 0);
    CHECK(files_in(directory.path()).empty());
    // What a shell would take for more than itself.
    const std::string name = "it's $HOME \"`\\c.rondo";
    command.environment["RONDO_OUTPUT"] = directory.file(name);
    command.environment["RONDO_CHILDREN"] = "1";
    CHECK(run(command).status == 0);
    CHECK(files_in(directory.path()) == std::vector<std::string>{name});
  }
}

SCENARIO("children of AddressSanitizer's shared runtime start", "[preload]") {
  if (kSanitized) SKIP_SCENARIO(kNotSanitized);
  const std::string name = "with-address", path = build_root() + "/tests/static/" + name;
  Command linked;
  linked.arguments = {"/usr/bin/ldd", path};
  const std::string ldd = run(linked).out;
  const std::size_t begin = ldd.find("libasan.so."), end = ldd.find(' ', begin);
  REQUIRE(end != std::string::npos);
  const std::string runtime = ldd.substr(begin, end - begin);
  const std::string python = "import os,sys; a=sys.argv[1:]; b=[a[0],'/usr/bin/env']; ";
  const std::string in_path = "PATH=/nowhere:" + build_root() + "/tests/static:/usr/bin";
  struct Case {
    Words start;  // … prints the environment that a child of its gets
    Environment more;
    const char* preloaded;
  };
  const std::string shim = build_root() + "/layer/librondo_preload.so";
  for (const Case& one :
       {Case{{"/bin/sh", "-c", path + " /usr/bin/env"}, {}, ""},
        Case{{"/bin/sh", "-c", path + " /usr/bin/env"}, {{"RONDO_CHILDREN", "0"}}, ""},
        Case{{"/usr/bin/env", "-i", path, "/usr/bin/env"}, {}, ""},
        Case{{"/usr/bin/env", in_path, name, "/usr/bin/env"}, {}, ""},
        Case{{"/usr/bin/python3", "-c", python + "os.execve(os.open(a[0], os.O_RDONLY), b, os.environ)", path}, {}, ""},
        Case{{"/usr/bin/python3", "-c", python + "sys.exit(os.waitpid(os.posix_spawn(a[0], b, os.environ), 0)[1])",
              path},
             {},
             ""},
        Case{{"/usr/bin/env", in_path, "/usr/bin/python3", "-c",
              python + "sys.exit(os.waitpid(os.posix_spawnp(a[0], b, os.environ), 0)[1])", name},
             {},
             ""},
        Case{{"/usr/bin/env", "LD_PRELOAD=libm.so.6:" + shim, "/usr/bin/env"}, {}, "libm.so.6:SHIM"},
        Case{{"/usr/bin/env", "LD_PRELOAD=" + runtime, path, "/usr/bin/env"}, {}, "RUNTIME:SHIM"},
        Case{{"/usr/bin/env", "LD_PRELOAD=" + shim + ":" + runtime, path, "/usr/bin/env"}, {}, "RUNTIME:SHIM"}}) {
    const TemporaryDirectory directory;
    Command command = shimmed(one.start, directory.file("c.rondo"));
    command.environment.insert(one.more.begin(), one.more.end());
    command.environment["ASAN_OPTIONS"] = "detect_leaks=0";
    const Outcome outcome = run(command);
    INFO(one.start[0] << " " << one.start[1] << "\n" << outcome.both());
    CHECK(outcome.status == 0);
    CHECK(outcome.err.empty());
    std::string expected = one.preloaded;
    for (const auto& [word, value] : {std::pair<std::string, std::string>{"RUNTIME", runtime}, {"SHIM", shim}})
      if (const std::size_t at = expected.find(word); at != std::string::npos) expected.replace(at, word.size(), value);
    CHECK(count(outcome.out, "LD_PRELOAD=") == (expected.empty() ? 0 : 1));
    if (!expected.empty()) CHECK(count(outcome.out, "LD_PRELOAD=" + expected + "\n") == 1);
  }
  // By the descriptor alone, and the shell of system().
  for (const char* how : {"execveat", "system"}) {
    const TemporaryDirectory directory;
    const Outcome outcome = run(shimmed({loaderless("shells"), how, path}, directory.file("c.rondo")));
    INFO(outcome.both());
    CHECK(outcome.status == 0);
    CHECK(count(outcome.err, "ASan runtime") == 0);
    if (std::string(how) == "system") CHECK(count(outcome.out, "system(" + path + "): 0, errno 0\n") == 1);
  }
}
