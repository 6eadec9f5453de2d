#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Registry -> tables and thin calls (docs/architecture.md, "One description of every command").

    generate.py --registry VK_XML --rondo RONDO_XML --spirv-header SPIRV_H --output DIRECTORY

Writes every file named in OUTPUTS; `--list` prints their names.
"""

import argparse
import os
import sys
from functools import partial

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import classification  # noqa: E402
import irregular  # noqa: E402
from rondogen import fake_driver, headers, recorded_names, sources, spirv  # noqa: E402
from rondogen.facts import command_facts, extension_support, support_of_all  # noqa: E402
from rondogen.registry import Registry  # noqa: E402
from rondogen.rows import Tables  # noqa: E402


class Model:
    """Everything the emitters need, in the order of the ids."""

    def __init__(self, registry_path, rondo_path, spirv_header="/usr/include/spirv_cross/spirv.h"):
        self.spirv_header = spirv_header
        self.registry = Registry(registry_path, rondo_path, frozenset(recorded_names.read()))
        self.support = extension_support(self.registry, classification)
        self.tables = Tables(self.registry, irregular, support_of_all(self.registry, classification))
        self.facts = command_facts(self.registry, self.tables, classification)
        self.command_names = [n for n, c in self.registry.commands.items() if not c.rondo]
        self.command_names += [n for n, c in self.registry.commands.items() if c.rondo]
        self.struct_names = list(self.registry.structures)
        self.struct_names += [t.name for t in self.tables.args.values() if t.available]
        self.handle_names = list(self.registry.handles)
        self.enum_names = list(self.registry.enums)
        self.rule_names = sorted(set(irregular.RULES.values()))
        self.hidden_features = classification.HIDDEN_FEATURES


OUTPUTS = {
    "ids.h": headers.ids,
    "args.h": headers.args,
    "dispatch.h": headers.dispatch,
    "traits.h": headers.traits,
    "hooks.h": headers.hooks,
    "thunks.h": headers.thunks,
    "tables_commands.cpp": sources.commands,
    "tables_structures.cpp": sources.structures,
    "tables_names.cpp": sources.names,
    "tables_layout.cpp": sources.layout,
    "hooks_table.cpp": sources.hook_table,
    "thunks_table.cpp": sources.thunk_table,
    "fake_entry_table.cpp": fake_driver.entry_table,
    "fake_facts.cpp": fake_driver.facts,
    "fake_formats.cpp": fake_driver.formats,
    "spirv_tables.cpp": spirv.tables,
}
# Shards compile in parallel; scripts/generated/meson.build names them too.
for prefix, emit, count in (("tables_fields", sources.fields, 3), ("tables_enums", sources.enums, 2),
                            ("hooks", sources.hooks, 4), ("thunks", sources.thunks, 2),
                            ("fake_entries", fake_driver.entries, 4)):
    for index in range(count):
        OUTPUTS[f"{prefix}_{index}.cpp"] = partial(emit, index=index, count=count)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--registry")
    parser.add_argument("--rondo")
    parser.add_argument("--spirv-header")
    parser.add_argument("--output")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    if options.list:
        print("\n".join(OUTPUTS))
        return
    model = Model(options.registry, options.rondo, options.spirv_header)
    for name, emit in OUTPUTS.items():
        with open(os.path.join(options.output, name), "w", encoding="utf-8") as out:
            out.write(emit(model))


if __name__ == "__main__":
    main()
