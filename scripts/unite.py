#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Make translation units of several source files each: most of what a compiler does is reading headers.

    unite.py SIZE NAME 'FILE…'

Called by meson.build files while a build is configured. SIZE is how many files a unit holds on average; 1: each file is compiled
alone. Prints the sources of the target NAME, a line each. A unit includes its files by their path from the root of the source
tree: messages then name them as if they were compiled alone, and compiler caches find them again from other directories.
"""
import hashlib
import os
import pathlib
import sys


def split(names, size):
    """Where a unit ends depends on the name of its last file alone, so that a new file changes one unit or two."""
    unit = []
    for name in names:
        unit.append(name)
        if int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big") % size == 0 or len(unit) == size * 3 // 2:
            yield unit
            unit = []
    if unit:
        yield unit


def main():
    size, target, files = int(sys.argv[1]), sys.argv[2], sys.argv[3].split()
    folder = pathlib.Path(os.environ["MESON_SUBDIR"])
    source, build = (pathlib.Path(os.environ[f"MESON_{root}_ROOT"]) / folder for root in ("SOURCE", "BUILD"))
    if size == 1:
        print("\n".join(files))
        return
    for unit in split(sorted((folder / file).as_posix() for file in files), size):
        path = build / f"{target}-{pathlib.Path(unit[0]).stem}.cpp"
        text = "".join(f'#include "{file}"\n' for file in unit)
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
        print(os.path.relpath(path, source))


if __name__ == "__main__":
    main()
