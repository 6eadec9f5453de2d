# SPDX-License-Identifier: Apache-2.0
"""The fake driver of tests/icd: its entry points, and what the registry says
beyond the codec's tables: what may be null, what extends what, which version or
extension a command needs, how a format's blocks look."""

from rondogen.headers import BANNER, signature
from rondogen.sources import all_tables, quote, shard, view

TABLE_HEAD = BANNER + '#include "tests/icd/tables.h"\n\nnamespace fake::tables {\n\n'
TABLE_TAIL = "\n}  // namespace fake::tables\n"


def driver_commands(model):
    return [n for n in model.command_names
            if model.facts[n].available and not model.registry.commands[n].rondo]


def entries(model, index, count):
    lines = [BANNER + '#include "generated/args.h"\n#include "tests/icd/entry.h"\n\nnamespace fake::entries {\n']
    for name in shard(driver_commands(model), index, count):
        command = model.registry.commands[name]
        arguments = ", ".join(p.name for p in command.params)
        lines.append(f"{signature(command)};\n{signature(command)} {{\n"
                     f"  rondo::args_{name} args{{{arguments}}};\n"
                     f"  return narrow<{command.returns}>(enter(rondo::CommandId::{name}, &args));\n}}")
    lines.append("\n}  // namespace fake::entries\n")
    return "\n".join(lines)


def entry_table(model):
    commands = driver_commands(model)
    lines = [BANNER + '#include "tests/icd/tables.h"\n\nnamespace fake {\n\nnamespace entries {']
    lines += [signature(model.registry.commands[n]) + ";" for n in commands]
    lines.append("}  // namespace entries\n\nnamespace tables {\n")
    for name in commands:
        origins = ", ".join(f"{{{quote(o)}, {quote(needs[0] if needs else '')}}}"
                            for o, needs in model.registry.commands[name].origins)
        lines.append(f"const Origin origins_{name}[] = {{{origins}}};")
    lines.append(f"\nextern const Entry entries[{len(commands)}];\nconst Entry entries[{len(commands)}] = {{")
    lines += [f"  {{{view(n)}, CommandId::{n}, reinterpret_cast<PFN_vkVoidFunction>(&::fake::entries::{n}), "
              f"origins_{n}, {recording(model, n)}}}," for n in sorted(commands)]
    lines.append("};\nextern const std::size_t entry_count;\n"
                 "const std::size_t entry_count = sizeof entries / sizeof *entries;\n\n"
                 "}  // namespace tables\n}  // namespace fake\n")
    return "\n".join(lines)


QUEUES = {"graphics": 1, "compute": 2, "transfer": 4, "sparse_binding": 8}


def recording(model, name):
    """Where a vkCmd* may be recorded: queues, primaries only, in or out of render passes."""
    element = model.registry.command_element(model.registry.commands[name].alias or name)
    queues = sum(QUEUES.get(q, 0) for q in (element.get("queues") or "").split(","))
    primary = "true" if element.get("cmdbufferlevel") == "primary" else "false"
    place = {"inside": "Place::inside", "outside": "Place::outside"}.get(element.get("renderpass"), "Place::anywhere")
    return f"{queues}, {primary}, {place}"


def row_facts(model, table):
    """A byte a row: see RowFacts of tests/icd/tables.h."""
    if table.name.startswith("args_"):
        members = model.registry.commands[table.name[5:]].params
    else:
        members = model.registry.structures[table.name].members
    by_name = {m.name: m for m in members}
    facts = []
    for row in table.rows:
        member = by_name.get(row.name)
        if member is None:   # merged bit fields
            facts.append(0)
            continue
        optionals = member.optionals
        element = optionals[1] if len(optionals) > 1 else False
        facts.append((1 if optionals[0] else 0) | (2 if element else 0) | (4 if member.noautovalidity else 0))
    return facts


def facts(model):
    """Parallel to the codec's rows: what may be null, and what extends what."""
    tables = all_tables(model)
    lines, offsets, flat = [TABLE_HEAD], [0, 0], []
    for table in tables:
        flat += row_facts(model, table) if table.available else []
        offsets.append(len(flat))
    lines.append(f"extern const std::uint8_t facts_of_rows[{len(flat)}];\n"
                 f"const std::uint8_t facts_of_rows[{len(flat)}] = {{")
    lines += ["  " + ", ".join(map(str, flat[i:i + 40])) + "," for i in range(0, len(flat), 40)]
    lines.append(f"}};\nextern const std::uint32_t row_offsets[{len(offsets)}];\n"
                 f"const std::uint32_t row_offsets[{len(offsets)}] = {{")
    lines += ["  " + ", ".join(map(str, offsets[i:i + 20])) + "," for i in range(0, len(offsets), 20)]
    lines.append("};\n\nextern const Extends all_extends[];\nconst Extends all_extends[] = {")
    number = 0
    for name, structure in model.registry.structures.items():
        for parent in structure.extends:
            parent = model.registry.resolve(parent)
            if parent in model.registry.structures:
                lines.append(f"  {{StructId::{name}, StructId::{parent}}},")
                number += 1
    lines.append(f"}};\nextern const std::size_t extends_count;\nconst std::size_t extends_count = {number};")
    return "\n".join(lines) + TABLE_TAIL


def formats(model):
    lines = [TABLE_HEAD]
    known = model.registry.constants
    rows = [f for f in model.registry.formats if f.name in known and not model.tables.is_hidden(f.name)]
    for f in rows:
        if f.planes:
            lines.append(f"const FormatPlane planes_{f.name}[] = {{"
                         + ", ".join(f"{{{w}, {h}, {known[c]}}}" for w, h, c in f.planes) + "};")
    lines.append(f"extern const FormatInfo formats[{len(rows)}];\nconst FormatInfo formats[{len(rows)}] = {{")
    for f in rows:
        names = [c[0] for c in f.components]
        depth = next((c[1] for c in f.components if c[0] == "D"), 0)
        planes = f"planes_{f.name}" if f.planes else "{}"
        lines.append(f"  {{{known[f.name]}, {f.block_bytes}, {f.block_extent[0]}, {f.block_extent[1]}, "
                     f"{len(names)}, {depth}, {'true' if 'S' in names else 'false'}, "
                     f"{quote(f.components[0][2])}, {planes}}},  // {f.name}")
    lines.append(f"}};\nextern const std::size_t format_count;\nconst std::size_t format_count = {len(rows)};")
    return "\n".join(lines) + TABLE_TAIL
