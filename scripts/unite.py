#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Make translation units of several source files each: most of what a compiler does is reading headers.

    unite.py [--absolute] SIZE NAME 'FILE…'
    unite.py [--absolute] SIZE --programs 'PROGRAM…'
    unite.py --write UNIT FOLDER PROGRAM.cpp…

meson.build files call the first two while a build is configured. SIZE is how many files a unit holds on average; 1: each file is
compiled alone. The first prints the sources of the target NAME, a line each; --absolute: by absolute paths. A unit includes its files by their path from the root
of the source tree: messages then name them as if they were compiled alone, and compiler caches find them again from other directories.

Each PROGRAM is a PROGRAM.cpp with a main() of its own. The second prints the programs of a unit on a line. The third writes such a
unit while the build runs. There each program stands in a namespace of its own, after all headers, and has a function
main_PROGRAM(argc, argv). FOLDER is where the programs are, from the root of the source tree.
"""
import hashlib
import os
import pathlib
import re
import sys

START = """namespace {
[[maybe_unused]] int start(int (*program)(), int, char**) { return program(); }
[[maybe_unused]] int start(int (*program)(int, char**), int argc, char** argv) { return program(argc, argv); }
}  // namespace
"""
# What would reach the other programs of a unit.
SELFISH = re.compile(r'^ *#(define|undef|if)|extern "C"', re.MULTILINE)


def split(names, size):
    """Where a unit ends depends on the name of its last file alone, so that a new file changes one unit or two."""
    unit = []
    for name in sorted(names):
        unit.append(name)
        if int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big") % size == 0 or len(unit) == size * 3 // 2:
            yield unit
            unit = []
    if unit:
        yield unit


def print_units(size, target, files, absolute):
    folder = pathlib.Path(os.environ["MESON_SUBDIR"])
    source, build = (pathlib.Path(os.environ[f"MESON_{root}_ROOT"]) / folder for root in ("SOURCE", "BUILD"))
    for unit in split([(folder / file).as_posix() for file in files], size):
        first = pathlib.Path(unit[0]).relative_to(folder).with_suffix("")
        path = build / f"{target}-{'-'.join(first.parts)}.cpp"
        text = "".join(f'#include "{file}"\n' for file in unit)
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
        print(path if absolute else os.path.relpath(path, source))


def print_programs(size, programs):
    source = pathlib.Path(os.environ["MESON_SOURCE_ROOT"]) / os.environ["MESON_SUBDIR"]
    alone = [name for name in programs if size == 1 or SELFISH.search((source / f"{name}.cpp").read_text())]
    for unit in [[name] for name in alone] + list(split(set(programs) - set(alone), size)):
        print(*unit)


def write_unit(unit, folder, files):
    includes, programs = {}, []
    for file in map(pathlib.Path, files):
        text = file.read_text()
        if SELFISH.search(text):
            sys.exit(f"unite: {file} has preprocessor lines now that would reach other programs: meson setup --reconfigure")
        for include in re.findall(r"^#include (.*)", text, re.MULTILINE):
            name = include.strip('"')
            ours = name != include and (file.parent / name).exists()
            includes[f'"{folder}/{name}"' if ours else include] = None
        name = file.stem
        programs.append(f'namespace program_{name} {{\n#include "{folder}/{file.name}"\n}}\n'
                        f"int main_{name}(int argc, char** argv);\n"
                        f"int main_{name}(int argc, char** argv) {{ return start(program_{name}::main, argc, argv); }}\n")
    pathlib.Path(unit).write_text("".join(f"#include {include}\n" for include in includes) + START + "".join(programs))


def main():
    if sys.argv[1] == "--write":
        write_unit(sys.argv[2], sys.argv[3], sys.argv[4:])
        return
    absolute = sys.argv[1] == "--absolute"
    size, target, words = sys.argv[2 if absolute else 1:]
    if target == "--programs":
        print_programs(int(size), words.split())
    elif size == "1":
        print("\n".join(words.split()))
    else:
        print_units(int(size), target, words.split(), absolute)


if __name__ == "__main__":
    main()
