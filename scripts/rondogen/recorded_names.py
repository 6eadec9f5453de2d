# SPDX-License-Identifier: Apache-2.0
"""scripts/recorded_names.txt: the commands and structures that a capture can hold, with their encoding hashes.

    recorded_names.py --registry VK_XML     adds the names that captures can hold with that registry

A capture names each command and structure. Newer registries rename some of them ("promote" them) and keep the former
name as an alias. Rondo keeps the name that its own captures had first, so that builds with any registry read each
other's files. A line of the table is never changed; a test compares the table with the registry of the build.
"""

import argparse
import os
import re
import sys

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "recorded_names.txt")


def read():
    """name -> encoding hash, 16 hexadecimal digits. Arguments of a command have the command's name."""
    with open(PATH, encoding="utf-8") as lines:
        return dict(line.split() for line in lines if not line.startswith("#"))


def newest_registry():
    """The newest registry whose names are all in the table: its VK_HEADER_VERSION."""
    with open(PATH, encoding="utf-8") as lines:
        return int(re.search(r"VK_HEADER_VERSION (\d+)", next(lines)).group(1))


def of(model):
    """The same of a generator's model."""
    tables = model.tables
    names = {name: tables.args[name] for name in tables.args if model.facts[name].hook or model.registry.commands[name].rondo}
    names.update((name, table) for name, table in tables.tables.items() if tables.can_be_recorded(name))
    return {name: f"{table.hash:016x}" for name, table in names.items() if table.available}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--registry", required=True)
    parser.add_argument("--rondo", default=os.path.join(os.path.dirname(PATH), "rondo.xml"))
    options = parser.parse_args()
    sys.path.insert(0, os.path.dirname(PATH))
    import generate
    model = generate.Model(options.registry, options.rondo)
    recorded = {**of(model), **read()}
    newest = max(newest_registry(), model.registry.header_version)
    with open(PATH, "w", encoding="utf-8") as lines:
        lines.write(f"# Of registries up to VK_HEADER_VERSION {newest}. rondogen/recorded_names.py says what this is.\n")
        lines.writelines(f"{name} {recorded[name]}\n" for name in sorted(recorded))


if __name__ == "__main__":
    main()
