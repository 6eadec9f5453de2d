// SPDX-License-Identifier: Apache-2.0
// What is told of planted programs before they run.
#include <elf.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>

#include "analyzers/launch/elf_program.h"
#include "analyzers/launch/launch.h"
#include "analyzers/launch/program_check.h"
#include "format_support.h"

namespace rondo::analyzers {
namespace {

namespace fs = std::filesystem;

template <class T>
void put(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// A program of this machine, as far as its headers go: segments of these types over the whole file, then
// the dynamic linker's name and the dynamic table.
struct Planted {
  Elf64_Addr begins_at = 0x1000;
  std::uint16_t type = ET_DYN;
  std::string interpreter = {};
  std::vector<Elf64_Dyn> dynamic = {};
  Machine machine = own_machine();
  std::string behind_headers = {};

  std::string bytes() const {
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = machine.file_class;
    header.e_ident[EI_DATA] = machine.order;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_type = type;
    header.e_entry = begins_at;
    header.e_machine = machine.number;
    header.e_version = EV_CURRENT;
    header.e_ehsize = sizeof header;
    header.e_phoff = sizeof header;
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phnum = static_cast<Elf64_Half>(1 + (interpreter.empty() ? 0 : 1) + (dynamic.empty() ? 0 : 1));
    std::string tables;
    const std::uint64_t base = sizeof header + header.e_phnum * sizeof(Elf64_Phdr);
    std::string segments;
    const auto segment = [&](std::uint32_t kind, std::uint64_t at, std::uint64_t size) {
      Elf64_Phdr one{};
      one.p_type = kind;
      one.p_offset = at;
      one.p_filesz = one.p_memsz = size;
      put(segments, one);
    };
    if (!interpreter.empty()) {
      segment(PT_INTERP, base + tables.size(), interpreter.size() + 1);
      tables += interpreter + '\0';
    }
    if (!dynamic.empty()) {
      segment(PT_DYNAMIC, base + tables.size(), dynamic.size() * sizeof(Elf64_Dyn));
      for (const Elf64_Dyn& entry : dynamic) put(tables, entry);
    }
    tables += behind_headers;
    segment(PT_LOAD, 0, base + tables.size());
    std::string all;
    put(all, header);
    return all + segments + tables;
  }
};

Elf64_Dyn entry(std::int64_t tag, std::uint64_t value) { return {tag, {value}}; }

const std::string& own_linker() {
  static const std::string name = [] {
    const int file = ::open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    const auto self = read_elf_program(file);
    ::close(file);
    return self->interpreter;
  }();
  return name;
}

class AnalyzersProgramCheck : public ::testing::Test {
 protected:
  void SetUp() override {
    starter_ = Starter::this_process();
    starter_.formats = file("formats");
    ::chmod(directory_.path().c_str(), 0755);
  }
  std::string file(const std::string& name) const { return directory_.file(name); }
  std::string plant(const std::string& name, const std::string& bytes, mode_t mode = 0755) const {
    fs::create_directories(fs::path(file(name)).parent_path());
    std::ofstream(file(name), std::ios::binary) << bytes;
    ::chmod(file(name).c_str(), mode);
    return file(name);
  }
  std::string plant_dynamic(const std::string& name) const {
    return plant(name, Planted{.interpreter = own_linker()}.bytes());
  }
  std::string plant_static(const std::string& name) const { return plant(name, Planted{.type = ET_EXEC}.bytes()); }

  void passes(const std::string& program) const {
    const auto refusal = check_program(program, starter_).refusal;
    EXPECT_FALSE(refusal) << program << ": " << refusal->sentence;
  }
  // With this errno of exec, and a sentence that begins like this.
  void refuses(const std::string& program, int error, const std::string& begin) const {
    const auto refusal = check_program(program, starter_).refusal;
    ASSERT_TRUE(refusal) << program << " should be: " << begin;
    EXPECT_EQ(refusal->error, error) << refusal->sentence;
    EXPECT_EQ(refusal->sentence.substr(0, begin.size()), begin);
    EXPECT_EQ(refusal->sentence.find('\n'), std::string::npos);
  }
  bool sets_ids() const {
    struct statvfs place {};
    return ::geteuid() == 0 && ::statvfs(directory_.path().c_str(), &place) == 0 && (place.f_flag & ST_NOSUID) == 0;
  }
  // As another user than root, who may do anything.
  static bool as_user(const std::function<bool()>& holds) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit((::geteuid() != 0 || (::setgid(65534) == 0 && ::setuid(65534) == 0)) && holds() ? 0 : 1);
    int status = 0;
    return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

  test::TemporaryDirectory directory_;
  Starter starter_;
};

TEST_F(AnalyzersProgramCheck, WhatRunsIsNeverRefused) {
  passes("/proc/self/exe");
  passes("sh");
  passes(own_linker());  // `ld.so PROGRAM` captures PROGRAM
  passes(plant_dynamic("dynamic"));
  passes(plant("script", "#!/bin/sh\n"));
  passes(plant("script-without-end", "#!/bin/sh"));
  passes(plant("text", "echo a shell takes it\n"));
  passes(plant("one-of-another-kind", std::string("MZ\0\1", 4)));
}

TEST_F(AnalyzersProgramCheck, AStaticProgramIsNamed) {
  refuses(plant_static("static"), 0, file("static") + ": is a static program: ");
  refuses(plant("static-pie", Planted{.dynamic = {entry(DT_FLAGS_1, DF_1_PIE), entry(DT_NULL, 0)}}.bytes()), 0,
          file("static-pie") + ": is a static program: ");
}

TEST_F(AnalyzersProgramCheck, ALibraryHasNoEntryPoint) {
  refuses(plant("library.so", Planted{.begins_at = 0, .dynamic = {entry(DT_SONAME, 1), entry(DT_NULL, 0)}}.bytes()),
          ENOEXEC, file("library.so") + ": is an ELF file, and no program ");
}

TEST_F(AnalyzersProgramCheck, WhatOnlyLooksStaticIsNotNamed) {
  passes(plant("loader", Planted{.dynamic = {entry(DT_SONAME, 1), entry(DT_NULL, 0)}}.bytes()));
  passes(plant("library",
               Planted{.dynamic = {entry(DT_FLAGS_1, DF_1_PIE), entry(DT_NEEDED, 1), entry(DT_NULL, 0)}}.bytes()));
  passes(plant("packed", Planted{.type = ET_EXEC, .behind_headers = "....UPX!...."}.bytes()));
  std::string image = Planted{.type = ET_EXEC}.bytes();
  image.replace(EI_ABIVERSION, 3, "AI\2");
  passes(plant("a.AppImage", image));
}

TEST_F(AnalyzersProgramCheck, AnotherMachineIsNamed) {
  Planted other;
  other.machine.number = own_machine().number == EM_AARCH64 ? EM_X86_64 : EM_AARCH64;
  refuses(plant("other", other.bytes()), 0, file("other") + ": is a program for " + machine_text(other.machine));
  // Also where the file has the header alone.
  std::string small =
      "\x7f"
      "ELF\1\1\1" +
      std::string(9, '\0') + std::string("\2\0\3\0", 4) + std::string(32, '\0');
  refuses(plant("small", small), 0, file("small") + ": is a program for 32-bit x86, and this Rondo is one for ");
  EXPECT_EQ(machine_text({ELFCLASS64, ELFDATA2MSB, EM_PPC64}), "64-bit PowerPC (big-endian)");
  EXPECT_EQ(machine_text({ELFCLASS32, ELFDATA2LSB, EM_X86_64}), "32-bit x86-64");
  EXPECT_EQ(machine_text({ELFCLASS64, ELFDATA2LSB, 9999}), "64-bit machine 9999");
}

TEST_F(AnalyzersProgramCheck, FormatsThatTheKernelWasToldOfAreFollowed) {
  Planted other;
  other.machine.number = 9999;
  plant("other", other.bytes());
  plant("program.exe", "MZ");
  const std::string magic = "interpreter " + file("emulator") + "\nflags: \noffset 18\nmagic 0f27\n";
  plant("formats/status", "enabled\n");
  plant("formats/disabled", "disabled\n" + magic);
  plant_dynamic("emulator");
  refuses(file("other"), 0, file("other") + ": is a program for 64-bit machine 9999");
  plant("formats/emulated", "enabled\n" + magic);
  passes(file("other"));
  plant_static("emulator");
  refuses(file("other"), 0, file("other") + ": its interpreter " + file("emulator") + " is a static program: ");
  plant("formats/emulated", "enabled\n" + magic + "mask ff0f\n");
  refuses(file("other"), 0, file("other") + ": its interpreter ");
  plant("formats/emulated", "enabled\ninterpreter /nowhere\nflags: F\noffset 18\nmagic 0f27\n");
  passes(file("other"));  // opened before, elsewhere
  plant("formats/wine", "enabled\ninterpreter /nowhere\nflags: \nextension .exe\n");
  refuses(file("program.exe"), ENOENT, file("program.exe") + ": its interpreter /nowhere does not exist: ");
}

TEST_F(AnalyzersProgramCheck, ADynamicLinkerThatIsNotThereIsNamed) {
  refuses(plant("lost", Planted{.interpreter = file("ld.so")}.bytes()), ENOENT,
          file("lost") + ": its dynamic linker " + file("ld.so") + " does not exist: ");
  plant("ld.so", "text");
  refuses(file("lost"), ELIBBAD, file("lost") + ": its dynamic linker " + file("ld.so") + " is no library for ");
  plant("ld.so", "text", 0644);
  refuses(file("lost"), EACCES, file("lost") + ": its dynamic linker " + file("ld.so") + " may not be executed");
}

TEST_F(AnalyzersProgramCheck, WhatTheKernelRefusesIsSaidInWords) {
  const std::string whole = Planted{.interpreter = own_linker(), .behind_headers = std::string(20000, 'x')}.bytes();
  refuses(file("nothing"), ENOENT, file("nothing") + ": does not exist: ");
  refuses("", ENOENT, "the program's name is empty");
  refuses(directory_.path(), EACCES, directory_.path() + ": is a directory");
  refuses("/dev/null", EACCES, "/dev/null: is no regular file");
  refuses(plant("empty", ""), ENOEXEC, file("empty") + ": is an empty file");
  refuses(plant("plain", whole, 0644), EACCES, file("plain") + ": may not be executed by this user");
  for (const std::size_t bytes : {4, 18, 63, 64, 100, 300, 15000})
    refuses(plant("cut", whole.substr(0, bytes)), ENOEXEC, file("cut") + ": is an ELF file that is cut off or damaged");
  passes(plant("padded", whole.substr(0, whole.size() - 100)));  // the kernel fills its last page up
  refuses(plant("object", Planted{.type = ET_REL}.bytes()), ENOEXEC,
          file("object") + ": is an ELF file, and no program");
  refuses(plant("file/below/it", "") + "/x", ENOTDIR, file("file/below/it/x") + ": cannot be reached: ");
}

TEST_F(AnalyzersProgramCheck, AScriptsInterpreterIsChecked) {
  plant_static("static");
  plant_dynamic("dynamic");
  refuses(plant("one", "#! \t" + file("static") + "  -x y \n"), 0,
          file("one") + ": its interpreter " + file("static") + " is a static");
  refuses(plant("two", "#!" + file("one") + "\n"), 0,
          file("two") + ": its interpreter " + file("one") + ", whose interpreter " + file("static") + " is a static");
  passes(plant("good", "#!" + file("dynamic") + "\n"));
  refuses(plant("lost", "#!/no/such/interpreter -x\n"), ENOENT,
          file("lost") + ": its interpreter /no/such/interpreter does not exist: ");
  refuses(plant("dos", "#!/bin/sh\r\n"), ENOENT,
          file("dos") + ": its interpreter /bin/sh\\x0d does not exist: its line ends with");
  passes(plant("nobody", "#!\n"));                              // a shell takes it
  passes(plant("long", "#!/" + std::string(300, 'x') + "\n"));  // … too: the kernel does not read that far
  refuses(plant("long-arguments", "#!" + file("static") + " " + std::string(300, 'x') + "\n"), 0,
          file("long-arguments") + ": its ");
}

TEST_F(AnalyzersProgramCheck, AsManyInterpretersAsTheKernelFollows) {
  plant("0", "#!/bin/sh\n");
  for (int i = 1; i <= 5; ++i) plant(std::to_string(i), "#!" + file(std::to_string(i - 1)) + "\n");
  passes(file("4"));
  EXPECT_EQ(launch({file("4")}, {})->exec_error, 0);
  refuses(file("5"), ELOOP, file("5") + ": its interpreter " + file("4") + ", whose ");
  EXPECT_EQ(launch({file("5")}, {})->exec_error, ELOOP);
}

TEST_F(AnalyzersProgramCheck, WhomEnvStartsIsLookedForInPath) {
  starter_.search_path = file("bin");
  plant_static("bin/tool");
  plant_dynamic("bin/good");
  refuses(plant("a", "#!/usr/bin/env tool\n"), 0, file("a") + ": its interpreter tool (by env) is a static program");
  refuses(plant("b", "#!/usr/bin/env -S A=1 tool -x\n"), 0,
          file("b") + ": its interpreter tool (by env) is a static program");
  refuses(plant("c", "#!/usr/bin/env none\n"), ENOENT,
          file("c") + ": its interpreter none (by env) is in no directory of PATH: ");
  passes(plant("d", "#!/usr/bin/env good\n"));
  // What env itself says is better, or what it does is not known here.
  for (const char* line : {"tool -x", "-i tool", "-S -i tool", "-S PATH=/bin tool", "-S 'tool'", "A=1", "-S ", ""})
    passes(plant("e", std::string("#!/usr/bin/env ") + line + "\n"));
  passes(plant("bin/circle", "#!/usr/bin/env circle\n"));
}

TEST_F(AnalyzersProgramCheck, WithoutASlashItIsLookedForAsExecvpDoes) {
  const std::vector<std::string> two{"a/x", "x"};
  EXPECT_EQ(places_of("x", "a:"), two);
  EXPECT_EQ(places_of("./x", "a:"), std::vector<std::string>{"./x"});
  EXPECT_EQ(places_of("x", std::nullopt), (std::vector<std::string>{"/bin/x", "/usr/bin/x"}));
  EXPECT_TRUE(places_of("", "a").empty());

  starter_.search_path = file("a") + ":" + file("b") + ":" + file("c");
  refuses("x", ENOENT, "x: is in no directory of PATH");
  plant("c/x", "text", 0644);
  refuses("x", EACCES, file("c/x") + ": may not be executed");
  plant("a/x", "#!/no/such/interpreter\n");
  refuses("x", EACCES, file("c/x") + ": may not be executed");  // before that an interpreter is not there
  plant_static("b/x");
  refuses("x", 0, file("b/x") + ": is a static program");
  plant_dynamic("a/x");
  passes("x");
}

TEST_F(AnalyzersProgramCheck, WhatMayBeExecutedAndNotReadIsNotJudged) {
  plant("secret", Planted{.type = ET_EXEC}.bytes(), 0111);
  EXPECT_TRUE(as_user([&] { return !check_program(file("secret"), starter_).refusal; }));
}

TEST_F(AnalyzersProgramCheck, OtherPeoplesRightsAreNamedWhereTheyTakeEffect) {
  if (!sets_ids()) GTEST_SKIP() << "needs root, and a file system that is not mounted nosuid";
  plant_dynamic("suid");
  ASSERT_EQ(::chown(file("suid").c_str(), 65534, 65534), 0);
  ASSERT_EQ(::chmod(file("suid").c_str(), 04755), 0);
  const std::string user = file("suid") + ": is set-user-ID of another user (65534): ";
  refuses(file("suid"), 0, user);
  refuses(plant("script", "#!" + file("suid") + "\n"), 0,
          file("script") + ": its interpreter " + file("suid") + " is set-user-ID");
  starter_.no_new_privileges = true;
  passes(file("suid"));
  starter_.no_new_privileges = false;
  starter_.user = 65534;
  passes(file("suid"));
  starter_.user = 0;
  ASSERT_EQ(::chmod(file("suid").c_str(), 02755), 0);
  refuses(file("suid"), 0, file("suid") + ": is set-group-ID of another group (65534): ");
  starter_.group = 65534;
  passes(file("suid"));
  starter_.group = 0;
  ASSERT_EQ(::chmod(file("suid").c_str(), 02745), 0);  // not without the group's permission to execute it
  passes(file("suid"));
  plant("suid-script", "#!/bin/sh\n");  // the bits of a script have no effect
  ASSERT_EQ(::chown(file("suid-script").c_str(), 65534, 65534), 0);
  ASSERT_EQ(::chmod(file("suid-script").c_str(), 06755), 0);
  passes(file("suid-script"));
}

TEST_F(AnalyzersProgramCheck, FileCapabilitiesAreNamedWhereTheyTakeEffect) {
  plant_dynamic("able");
  vfs_cap_data data{};
  data.magic_etc = htole32(VFS_CAP_REVISION_2);
  data.data[0].permitted = htole32(1 << CAP_NET_RAW);
  if (!sets_ids() || ::setxattr(file("able").c_str(), "security.capability", &data, XATTR_CAPS_SZ_2, 0) != 0)
    GTEST_SKIP() << "file capabilities cannot be given here";
  passes(file("able"));  // root gains nothing by them
  starter_.user = 65534;
  refuses(file("able"), 0, file("able") + ": has file capabilities: ");
  starter_.no_new_privileges = true;
  passes(file("able"));
}

TEST_F(AnalyzersProgramCheck, LibrariesThatHaveToBeTheFirstAreFound) {
  // The table of names is at the file's beginning, which is at address 0.
  Planted program{.interpreter = own_linker(),
                  .dynamic = {entry(DT_NEEDED, 0), entry(DT_STRTAB, 0), entry(DT_NEEDED, 0), entry(DT_NULL, 0)}};
  const std::string libraries = std::string("libm.so.6\0libasan.so.8\0", 23);
  const auto plant_with = [&](const std::string& name, std::uint64_t first) {
    program.behind_headers = libraries;
    const std::uint64_t names = program.bytes().size() - libraries.size();
    program.dynamic[0].d_un.d_val = names + first;
    program.dynamic[2].d_un.d_val = names;
    return plant(name, program.bytes());
  };
  const std::string sanitized = plant_with("sanitized", 10);
  EXPECT_TRUE(check_program(sanitized, starter_).has_first_library);
  EXPECT_TRUE(check_program(plant("script", "#!" + sanitized + "\n"), starter_).has_first_library);
  EXPECT_FALSE(check_program(plant_with("plain", 0), starter_).has_first_library);
  EXPECT_TRUE(is_first_library("/usr/lib/gcc/x86_64-linux-gnu/12/libasan.so"));
  EXPECT_TRUE(is_first_library("libclang_rt.asan-x86_64.so"));
  EXPECT_FALSE(is_first_library("/libasan.so/libtsan.so.2"));
}

TEST_F(AnalyzersProgramCheck, AShellGetsTextAndNothingElse) {
  EXPECT_EQ(launch({plant("text", "exit 7\n")}, {})->status, 7);
  EXPECT_EQ(launch({plant("binary", std::string("exit 7\0\n", 8))}, {})->exec_error, ENOEXEC);
  EXPECT_TRUE(is_text(plant("latin", "# \xe4\nexit\n")));
  EXPECT_FALSE(is_text(plant("noise", "\x03\x04PK\n")));
  EXPECT_FALSE(is_text(file("none")));
  EXPECT_NE(exec_error_text(ENOEXEC).find("neither"), std::string::npos);
}

}  // namespace
}  // namespace rondo::analyzers
