# SPDX-License-Identifier: Apache-2.0
"""The generated sources: rows of format/codec/schema.h, layer entries, thunks.

Tables only hold numbers and names; what they mean is C++ in format/codec/.
They are constant-initialised: no code runs before main.
"""

from rondogen.headers import BANNER, boolean, signature
from rondogen.rows import NULL

TABLE_HEAD = BANNER + '#include "format/codec/tables.h"\n\nnamespace rondo::codec::tables {\n\n'
TABLE_TAIL = "\n}  // namespace rondo::codec::tables\n"


def quote(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def view(text):
    """A string_view whose length is given, so that nothing is left to run before main."""
    return f"{{{quote(text)}, {len(text)}}}"


def shard(items, index, count):
    return items[index * len(items) // count:(index + 1) * len(items) // count]


def number(reference):
    kind, name = reference
    return f"index({kind}::{name})" if kind and name else "0"


def row(r):
    c = r.count
    count = "{}" if c.kind == "none" else (f"{{CountKind::{c.kind}, {c.a_size}, {c.b_size}, {c.divisor}, "
                                          f"{c.a}, {c.b}, {c.constant}}}")
    return (f"  {{{quote(r.name)}, {r.offset}, {r.size}, Element::{r.element}, Shape::{r.shape}, "
            f"Semantic::{r.semantic}, {r.flags}, {number(r.type)}, RuleId::{r.rule}, {r.selector}, "
            f"{r.selection}u, {count}}},")


def all_tables(model):
    """Every StructId's table, in the order of the ids."""
    return [model.tables.tables[n] for n in model.registry.structures] + \
        [t for t in model.tables.args.values() if t.available]


def fields(model, index, count):
    lines = [TABLE_HEAD]
    for table in shard(all_tables(model), index, count):
        if table.rows:
            lines.append(f"extern const Field fields_{table.name}[];")
            lines.append(f"const Field fields_{table.name}[] = {{")
            lines += [row(r) for r in table.rows]
            lines.append("};")
    return "\n".join(lines) + TABLE_TAIL


def structures(model):
    tables = all_tables(model)
    lines = [TABLE_HEAD]
    lines += [f"extern const Field fields_{t.name}[{len(t.rows)}];" for t in tables if t.rows]
    lines.append(f"extern const StructInfo structures[{len(tables) + 1}];")
    lines.append(f"const StructInfo structures[{len(tables) + 1}] = {{")
    lines.append('  {"none", StructId::none, 0, 1, kNull, false, false, false, {}, 0},')
    constants = model.registry.constants
    for t in tables:
        stype = constants[t.stype] if t.stype in constants else NULL
        lines.append(
            f"  {{{quote(t.name)}, StructId::{t.name}, {t.size}, {t.alignment}, {stype}u, {boolean(t.union)}, "
            f"{boolean(t.flat)}, {boolean(t.features)}, {'fields_' + t.name if t.rows else '{}'}, "
            f"0x{t.hash:016x}u}},")
    lines.append("};")
    return "\n".join(lines) + TABLE_TAIL


def commands(model):
    lines = [TABLE_HEAD, f"extern const CommandInfo commands[{len(model.command_names) + 1}];",
             f"const CommandInfo commands[{len(model.command_names) + 1}] = {{",
             '  {"none", CommandId::none, CommandId::none, StructId::none, CommandClass::unsupported, Level::global, '
             'HandleType::none, Numbering::after, Returns::nothing, false, false, false, false, Verb::other, HandleType::none, "", "", "", "", {}},']
    for name in model.command_names:
        f = model.facts[name]
        args = f"StructId::args_{f.canonical if f.canonical in model.tables.args else f.name}" \
            if f.available else "StructId::none"
        lines.append(
            f"  {{{quote(name)}, CommandId::{name}, CommandId::{f.canonical}, {args}, CommandClass::{f.kind}, "
            f"Level::{f.level}, HandleType::{f.dispatch or 'none'}, Numbering::{'before' if f.before else 'after'}, "
            f"Returns::{f.returns}, {boolean(f.two_part)}, {boolean(f.records)}, {boolean(f.query)}, {boolean(f.kept_answer)}, "
            f"Verb::{f.verb}, HandleType::{f.makes or 'none'}, {quote(f.feature)}, {quote(f.reason)}, {quote(f.layer_reason)}, {quote(f.player_reason)}, "
            f"{recording(f.recording)}}},")
    lines.append("};")
    return "\n".join(lines) + TABLE_TAIL


def recording(facts):
    """RecordingFacts of schema.h."""
    if facts is None:
        return "{}"
    tasks = " | ".join(f"k{task.capitalize()}" for task in sorted(facts.tasks)) or "0"
    return (f"{{0x{facts.queues:x}, PassScope::{facts.render_pass}, {boolean(facts.primary_only)}, {tasks}, "
            f"Scope::{facts.opens}, Scope::{facts.closes}}}")


def enums(model, index, count):
    lines = [TABLE_HEAD]
    for enum in shard(list(model.registry.enums.values()), index, count):
        if enum.values:
            lines.append(f"extern const Enumerant values_{enum.name}[];")
            lines.append(f"const Enumerant values_{enum.name}[] = {{")
            lines += [f"  {{{'INT64_MIN' if v >= 1 << 63 else v}, {quote(n)}}}," for v, n in enum.values]
            lines.append("};")
    return "\n".join(lines) + TABLE_TAIL


def destroyers(model):
    """Handle type -> the command that ends one."""
    found = {}
    for facts in model.facts.values():
        args = model.tables.args.get(facts.name)
        if facts.available and args:
            for r in args.rows:
                if r.flags & 2:
                    found.setdefault(r.type[1], facts.name)
    return found


def names(model):
    registry = model.registry
    lines = [TABLE_HEAD]
    values = list(registry.enums.values())
    lines += [f"extern const Enumerant values_{e.name}[{len(e.values)}];" for e in values if e.values]
    lines.append(f"extern const EnumInfo enums[{len(values) + 1}];")
    lines.append(f"const EnumInfo enums[{len(values) + 1}] = {{\n  {{\"none\", {{}}}},")
    lines += [f"  {{{quote(e.name)}, {'values_' + e.name if e.values else '{}'}}}," for e in values]
    lines.append("};\n")
    destroy = destroyers(model)
    lines.append(f"extern const HandleInfo handles[{len(registry.handles) + 1}];")
    lines.append(f"const HandleInfo handles[{len(registry.handles) + 1}] = {{\n"
                 "  {\"none\", HandleType::none, false, 0, CommandId::none},")
    for h in registry.handles.values():
        # A swapchain can outlive nothing but its device: older registries say its surface.
        parent = "VkDevice" if h.name == "VkSwapchainKHR" else h.parent.split(",")[0]
        lines.append(f"  {{{quote(h.name)}, HandleType::{parent or 'none'}, {boolean(h.dispatchable)}, "
                     f"{registry.constants[h.object_type]}u, CommandId::{destroy.get(h.name, 'none')}}},")
    lines.append("};\n")
    lines += sorted_names("command_names", [(n, f"index(CommandId::{n})") for n in model.command_names])
    structure_names = [(n, f"index(StructId::{n})") for n in registry.structures]
    structure_names += [(a, f"index(StructId::{registry.resolve(a)})") for a in registry.aliases
                        if registry.resolve(a) in registry.structures]
    lines += sorted_names("structure_names", structure_names)
    stypes = sorted((registry.constants[t.stype], t.name) for t in model.tables.tables.values()
                    if t.stype in registry.constants)
    lines.append("const StructureType structure_types_[] = {")
    lines += [f"  {{{value}u, index(StructId::{name})}}," for value, name in stypes]
    lines.append("};\nconst std::span<const StructureType> structure_types = structure_types_;\n")
    lines.append("const ExtensionInfo extensions_[] = {")
    for name, reason in sorted(model.support.items()):
        extension = registry.extensions[name]
        lines.append(f"  {{{quote(name)}, {boolean(extension.device)}, {boolean(not reason)}, {quote(reason)}}},")
    lines.append("};\nconst std::span<const ExtensionInfo> extensions = extensions_;\n")
    lines.append("const HiddenFeature hidden_features_[] = {")
    for structure, member, reason in model.hidden_features:
        field = next(r for r in model.tables.tables[structure].rows if r.name == member)
        lines.append(f"  {{StructId::{structure}, {field.offset}, {quote(member)}, {quote(reason)}}},")
    lines.append("};\nconst std::span<const HiddenFeature> hidden_features = hidden_features_;")
    return "\n".join(lines) + TABLE_TAIL


def sorted_names(table, pairs):
    lines = [f"const NamedId {table}_[] = {{"]
    lines += [f"  {{{view(name)}, {value}}}," for name, value in sorted(pairs)]
    lines.append(f"}};\nconst std::span<const NamedId> {table} = {table}_;\n")
    return lines


def layout(model):
    """The compiler's layout against ours."""
    lines = [BANNER + '#include <cstddef>\n\n#include "generated/args.h"\n\nnamespace rondo {\n']
    for t in all_tables(model):
        if not t.available:
            continue
        lines.append(f"static_assert(sizeof({t.name}) == {t.size} && alignof({t.name}) == {t.alignment});")
        checks = [f"offsetof({t.name}, {r.c_name}) == {r.offset}" for r in t.rows if r.c_name]
        if checks and not t.union:
            lines.append("static_assert(" + " &&\n              ".join(checks) + ");")
    lines.append("\n}  // namespace rondo\n")
    return "\n".join(lines)


def hooks(model, index, count):
    lines = [BANNER + '#include "generated/hooks.h"\n#include "generated/traits.h"\n#include "layer/recorder/regular.h"\n\n'
             "namespace rondo::layer {\n"]
    generated = [n for n in model.command_names if model.facts[n].layer == "generated"]
    for name in shard(generated, index, count):
        command = model.registry.commands[name]
        arguments = ", ".join(p.name for p in command.params)
        lines.append(f"{signature(command, 'hook_')} {{\n"
                     f"  return regular<CommandId::{name}>({arguments});\n}}")
    lines.append("\n}  // namespace rondo::layer\n")
    return "\n".join(lines)


def hook_table(model):
    lines = [BANNER + '#include "generated/hooks.h"\n\n#include <algorithm>\n\nnamespace rondo::layer {\n'
             "namespace {\n\nusing codec::CommandClass;\n\n"
             "// Sorted by name.\nconst HookEntry entries[] = {"]
    for name in sorted(n for n in model.command_names if not model.registry.commands[n].rondo):
        facts = model.facts[name]
        function = f"reinterpret_cast<PFN_vkVoidFunction>(hook_{name})" if facts.layer != "hidden" else "nullptr"
        lines.append(f"  {{{view(name)}, CommandId::{name}, {function}, CommandClass::{facts.kind}}},")
    return "\n".join(lines) + """
};

}  // namespace

const HookEntry* find_hook(std::string_view name) {
  const auto* end = std::end(entries);
  const auto* found = std::lower_bound(std::begin(entries), end, name,
                                       [](const HookEntry& e, std::string_view n) { return e.name < n; });
  return found != end && found->name == name ? found : nullptr;
}

}  // namespace rondo::layer
"""


def thunk_commands(model):
    return [n for n in model.command_names
            if model.facts[n].available and not model.registry.commands[n].rondo
            and model.facts[n].name == canonical_args(model, n)]


def canonical_args(model, name):
    facts = model.facts[name]
    return facts.canonical if facts.canonical in model.tables.args else name


def thunks(model, index, count):
    lines = [BANNER + '#include "format/codec/thunk.h"\n\nnamespace rondo::thunks {\n']
    for name in shard(thunk_commands(model), index, count):
        command = model.registry.commands[name]
        arguments = ", ".join(f"a.{p.name}" for p in command.params)
        call = f"reinterpret_cast<PFN_{name}>(f)({arguments})"
        body = f"{call}; return 0;" if command.returns == "void" else f"return widen({call});"
        used = f"const auto& a = *static_cast<const args_{name}*>(p); " if command.params else ""
        lines.append(f"std::int64_t {name}(PFN_vkVoidFunction f, void* p) {{ {used}{body} }}")
    lines.append("\n}  // namespace rondo::thunks\n")
    return "\n".join(lines)


def thunk_table(model):
    lines = [BANNER + '#include "generated/thunks.h"\n\n#include "format/codec/thunk.h"\n\nnamespace rondo {\n'
             "namespace thunks {"]
    lines += [f"Thunk {n};" for n in thunk_commands(model)]
    lines.append("}  // namespace thunks\n\nnamespace {\n\nstruct Entry {\n  Thunk* thunk;\n"
                 "  Executor executor;\n  Hook hook;\n};\n"
                 "// In the order of CommandId.\nconst Entry entries[kCommandIds] = {\n"
                 "  {nullptr, Executor::none, Hook::hidden},")
    for name in model.command_names:
        facts = model.facts[name]
        thunk = f"thunks::{canonical_args(model, name)}" \
            if facts.available and not model.registry.commands[name].rondo else "nullptr"
        lines.append(f"  {{{thunk}, Executor::{facts.player}, Hook::{facts.layer}}},  // {name}")
    lines.append("""};

}  // namespace

Thunk* thunk(CommandId id) { return entries[static_cast<std::size_t>(id)].thunk; }

std::int64_t invoke(CommandId id, PFN_vkVoidFunction function, void* args) {
  Thunk* const call = thunk(id);
  return call != nullptr ? call(function, args) : 0;
}

Executor player_executor(CommandId id) { return entries[static_cast<std::size_t>(id)].executor; }
Hook layer_hook(CommandId id) { return entries[static_cast<std::size_t>(id)].hook; }

}  // namespace rondo
""")
    return "\n".join(lines)
