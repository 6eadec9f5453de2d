# SPDX-License-Identifier: Apache-2.0
"""Members to rows of format/codec/schema.h: layout, shape, count, hash.

The layout is that of LP64 little-endian C; generated static_asserts hold it
against the compiler's.
"""

import hashlib
import re
from dataclasses import dataclass, field

from rondogen.registry import SCALARS

NO_SELECTOR = 0xFFFF
NULL = 0xFFFFFFFF


@dataclass
class Count:
    kind: str = "none"
    a_size: int = 0
    b_size: int = 0
    divisor: int = 1
    a: int = 0
    b: int = 0
    constant: int = 0


@dataclass
class Row:
    name: str
    offset: int
    size: int
    element: str
    shape: str
    semantic: str = "none"
    flags: int = 0
    type: tuple = ("", "")       # (id enum, name)
    rule: str = "none"
    selector: int = NO_SELECTOR
    selection: int = 0
    count: Count = field(default_factory=Count)
    c_name: str = ""             # for offsetof; empty for merged bit fields


@dataclass
class Table:
    """A structure, union, or the parameters of a command."""
    name: str
    size: int = 0
    alignment: int = 1
    stype: str = ""
    union: bool = False
    flat: bool = False
    features: bool = False
    rows: list = field(default_factory=list)
    hash: int = 0
    available: bool = True
    reason: str = ""
    bit_fields: bool = False


class Unsupported(Exception):
    pass


OUTPUT, DESTROYED, CREATED, REQUIRED, REQUIRED_ELEMENTS, PERHAPS_IGNORED, COMPARED = (
    1 << bit for bit in range(7))  # FieldFlags
POINTER_SHAPES = ("one", "many", "string", "strings", "many_pointers")

# The same bytes in the file.
INTEGERS = ("unsigned_int", "signed_int", "bool32", "enumerant", "flags")


class Tables:
    def __init__(self, registry, irregular, hidden):
        """`hidden`: version or extension -> why programs do not see it; empty where they do."""
        self.registry = registry
        self.hidden = hidden
        self.irregular = irregular
        self.tables = {}       # structure name -> Table
        self.args = {}         # command name -> Table, canonical commands only
        for name in registry.structures:
            self._structure(name)
        for command in registry.commands.values():
            if command.available and not (command.alias and registry.commands[command.alias].available):
                self._arguments(command)
        self._hashes = {}
        for table in list(self.tables.values()) + list(self.args.values()):
            if table.available:
                table.hash = int.from_bytes(
                    hashlib.blake2b(self.wire_text(table).encode(), digest_size=8).digest(), "little")

    # -- layout ------------------------------------------------------------

    def layout(self, member):
        """(bytes, alignment) of one element in place."""
        if member.pointers or member.type in self.registry.functions:
            return 8, 8
        return self._type_layout(member.type)

    def _type_layout(self, name):
        registry = self.registry
        if name in SCALARS:
            return SCALARS[name][0], SCALARS[name][0]
        if name in registry.bitmasks:
            return registry.bitmasks[name][0], registry.bitmasks[name][0]
        if name in registry.enums:
            return registry.enums[name].size, registry.enums[name].size
        if name in registry.handles:
            return 8, 8
        if name == "void":
            return 1, 1
        table = self._structure(name)
        if not table.available:
            raise Unsupported(table.reason)
        return table.size, table.alignment

    def _structure(self, name):
        if name in self.tables:
            return self.tables[name]
        structure = self.registry.structures[name]
        table = Table(name, union=structure.union, stype=structure.stype, features=structure.features)
        self.tables[name] = table
        if structure.available:
            self._fill(table, structure.members, structure)
        else:
            table.available, table.reason = False, structure.reason
        return table

    def _arguments(self, command):
        table = Table("args_" + command.name)
        self.args[command.name] = table
        self._fill(table, command.params, None, command)
        if not table.available:
            command.available, command.reason = False, table.reason

    def _fill(self, table, members, structure, command=None):
        try:
            layout = self._place(table, members)
            offsets = {m.name: o for m, o in zip(members, layout)}
            bits_seen = None
            for member, offset in zip(members, layout):
                if member.bits:
                    table.bit_fields = True
                    if offset != bits_seen:
                        bits_seen = offset
                        names = [m.name for m, o in zip(members, layout) if o == offset]
                        table.rows.append(Row("_".join(names), offset, 4, "unsigned_int", "value"))
                    continue
                rows = self._rows(member, offset, offsets, members, structure, command)
                table.rows.extend(rows)
            for row in table.rows:
                # The decoder checks an array against its count as it meets it.
                if row.count.kind not in ("none", "constant", "rule") and row.count.a >= row.offset:
                    raise Unsupported(f"{table.name}.{row.name} stands before its count")
            table.flat = self._is_flat(table)
        except Unsupported as error:
            table.rows.clear()
            table.size, table.alignment = 0, 1  # to the codec, a structure without a size is unknown
            table.available, table.reason = False, str(error)

    def _place(self, table, members):
        """Sets the table's size and alignment; returns the members' offsets."""
        offset, bit, unit = 0, 0, None
        offsets = []
        for member in members:
            is_array_parameter = table.name.startswith("args_") and member.dims
            size, alignment = (8, 8) if is_array_parameter else self.layout(member)
            table.alignment = max(table.alignment, alignment)
            if member.bits:
                if unit is None or bit + member.bits > 32:
                    unit, bit = (offset + 3) // 4 * 4, 0
                    offset = unit + 4
                offsets.append(unit)
                bit += member.bits
                continue
            unit = None
            total = size
            if not is_array_parameter:
                for dim in member.dims:
                    total *= dim
            if table.union:
                offsets.append(0)
                table.size = max(table.size, total)
                continue
            offset = (offset + alignment - 1) // alignment * alignment
            offsets.append(offset)
            offset += total
        table.size = max(table.size, offset)
        table.size = (table.size + table.alignment - 1) // table.alignment * table.alignment
        return offsets

    def _is_flat(self, table):
        if table.union:
            return False
        at = 0
        for row in sorted(table.rows, key=lambda r: r.offset):
            if row.shape not in ("value", "array") or row.rule != "none" or row.semantic != "none" \
                    or row.element in ("handle", "untyped_handle", "union_type", "opaque"):
                return False
            if row.element == "structure" and not self.tables[row.type[1]].flat:
                return False
            if row.offset != at:
                return False
            at += row.size * (row.count.constant if row.shape == "array" else 1)
        return at == table.size and at > 0

    # -- rows --------------------------------------------------------------

    def _element(self, member):
        """(element, size, type) of what the member holds or points to."""
        registry, name = self.registry, member.type
        if name in registry.functions:
            return "opaque", 8, ("", "")
        if name == "void":
            return "byte", 1, ("", "")
        if name in registry.bitmasks:
            size, bits = registry.bitmasks[name]
            return "flags", size, ("EnumId", bits) if bits else ("", "")
        if name in registry.enums:
            enum = registry.enums[name]
            return ("flags" if enum.bitmask else "enumerant"), enum.size, ("EnumId", name)
        if name in registry.handles:
            return "handle", 8, ("HandleType", name)
        if name in SCALARS:
            return SCALARS[name][1], SCALARS[name][0], ("", "")
        if name in registry.structures:
            table = self._structure(name)
            if not table.available:
                raise Unsupported(table.reason)
            return ("union_type" if table.union else "structure"), table.size, ("StructId", name)
        return "opaque", 8, ("", "")

    def _semantic(self, member):
        if member.type == "VkImageLayout":
            return "image_layout"
        if member.type == "VkDeviceAddress":
            return "device_address"
        if re.search(r"queueFamilyInd(ex|ices)$", member.name, re.IGNORECASE) and member.type == "uint32_t":
            return "queue_family"
        if member.name == "memoryTypeIndex":
            return "memory_type"
        return "none"

    def _rows(self, member, offset, offsets, members, structure, command):
        owner = structure.name if structure else command.name
        element, size, type_ = self._element(member)
        row = Row(member.name, offset, size, element, "value", type=type_, c_name=member.name,
                  semantic=self._semantic(member))
        rule = self.irregular.RULES.get((owner, member.name), "none")
        row.rule = rule
        if rule in self.irregular.RULE_SELECTORS:
            row.selector = next(offsets[n] for n in self.irregular.RULE_SELECTORS[rule] if n in offsets)
        self._shape(row, member, owner, offsets, members, command)
        if member.objecttype and row.element == "unsigned_int":
            row.element = "untyped_handle"
            row.selector = offsets[member.objecttype]
        if row.element == "union_type" and member.selector:
            row.selector = offsets[member.selector]
        if row.shape != "dropped" and (row.shape != "pnext" or command):
            row.flags = self._flags(row, member, structure, command)
        if not (structure and structure.union):
            return [row]
        # A hidden extension may add values that select a member. Captures never have them, so they are left out: the
        # encoding is then the same with every registry.
        selections = [s for s in member.selection if s in self.irregular.KEPT_SELECTIONS or not self.is_hidden(s)] \
            if member.selection else [None]
        rows = []
        for selection in selections:
            copy = Row(**{**row.__dict__})
            copy.selection = NULL if selection is None else self.registry.constants[selection]
            rows.append(copy)
        return rows

    def can_be_recorded(self, structure):
        """Whether a program can give a structure of this type to a command that it sees."""
        return self.registry.structures[structure].rondo or not self.is_hidden(structure)

    def is_hidden(self, name):
        """Whether only hidden versions and extensions bring this type or enumerant."""
        origins = self.registry.brought_by.get(name, [])
        return bool(origins) and all(any(self.hidden.get(n) for n in [origin] + needs) for origin, needs in origins)

    def _shape(self, row, member, owner, offsets, members, command):
        if member.name == "sType" and row.type[1] == "VkStructureType":
            row.shape = "stype"
            return
        if member.name == "pNext" and member.pointers == 1:
            row.shape, row.element, row.size, row.type = "pnext", "opaque", 8, ("", "")
            return
        opaque = (owner, member.name) in self.irregular.OPAQUE or member.type == "VkAllocationCallbacks" \
            or member.type == "VkRemoteAddressNV" or member.type in self.registry.functions \
            or (member.pointers and row.element == "opaque")
        if opaque:
            row.element, row.size, row.shape, row.type = "opaque", 8, "dropped", ("", "")
            row.rule = "none"
            return
        if (owner, member.name) in self.irregular.ADDRESSES:
            row.element, row.size, row.type = "unsigned_int", 8, ("", "")
            return
        if member.pointers == 0:
            if not member.dims:
                return
            total = 1
            for dim in member.dims:
                total *= dim
            row.count = Count("constant", constant=total)
            if command:      # const float blendConstants[4]: a pointer
                row.shape = "many"
            elif member.type == "char":
                row.shape = "text"
            else:
                row.shape = "array"
            return
        if member.dims:
            raise Unsupported(f"{owner}.{member.name}: an array of pointers")
        if member.type == "VkBaseOutStructure" and command:
            row.shape, row.element, row.size, row.type = "pnext", "opaque", 8, ("", "")
            return
        if member.len == "null-terminated":
            row.shape = "string"
            return
        if member.len.endswith(",null-terminated"):
            row.shape = "strings"
            row.count = self._count(member.len.split(",")[0], offsets, members, owner)
            return
        if member.pointers == 2:
            if member.const and member.len:
                row.shape = "many_pointers"
                row.count = self._count(member.len.split(",")[0], offsets, members, owner)
                return
            if member.type == "void":   # void** ppData: where the driver puts an address
                row.shape, row.element, row.size = "one", "unsigned_int", 8
                return
            raise Unsupported(f"{owner}.{member.name}: a pointer to pointers without a length")
        if row.rule in ("template_data", "host_texels"):
            row.shape, row.count = "many", Count("rule")
            return
        if member.len:
            row.shape = "many"
            row.count = self._count(member.len, offsets, members, owner)
            return
        if member.type == "void":
            row.element, row.size, row.shape = "opaque", 8, "dropped"
            return
        row.shape = "one"

    def _count(self, text, offsets, members, owner):
        by_name = {m.name: m for m in members}
        match = re.fullmatch(r"(\w+)", text)
        if match and text in by_name:
            source = by_name[text]
            size = self._element(source)[1]
            if source.pointers:
                return Count("dereferenced", a=offsets[text], a_size=size)
            return Count("member", a=offsets[text], a_size=size)
        if text.isdigit():
            return Count("constant", constant=int(text))
        match = re.fullmatch(r"(\w+)->(\w+)", text)
        if match and match.group(1) in by_name:
            target = self.registry.structures[by_name[match.group(1)].type]
            table = self._structure(target.name)
            row = next(r for r in table.rows if r.name == match.group(2))
            return Count("path", a=offsets[match.group(1)], a_size=8, b=row.offset, b_size=row.size)
        match = re.fullmatch(r"(\w+) / (\d+)", text)
        if match:
            count = self._count(match.group(1), offsets, members, owner)
            count.divisor = int(match.group(2))
            return count
        match = re.fullmatch(r"\((\w+) \+ (\d+)\) / (\d+)", text)
        if match:
            count = self._count(match.group(1), offsets, members, owner)
            count.constant, count.divisor = int(match.group(2)), int(match.group(3))
            return count
        match = re.fullmatch(r"(\d+)\s*\*\s*(\w+)", text)
        if match and match.group(2) in self.registry.constants:
            return Count("constant", constant=int(match.group(1)) * self.registry.constants[match.group(2)])
        raise Unsupported(f"a length in {owner} is not understood: {text}")

    def _flags(self, row, member, structure, command):
        if ((structure or command).name, member.name) in self.irregular.ADDRESSES:
            return 0
        flags = 0
        output = member.pointers > 0 and not member.const
        if output:
            flags |= OUTPUT
            owner = structure.name if structure else command.alias or command.name
            if (owner, member.name) in self.irregular.COMPARED:
                flags |= COMPARED
        if self._is_required(row, member, structure, command):
            flags |= REQUIRED
        if (structure or command).name in self.irregular.REQUIRED_ELEMENTS.get(row.name, ()):
            flags |= REQUIRED_ELEMENTS
        if row.rule in self.irregular.PERHAPS_IGNORED_RULES:
            flags |= PERHAPS_IGNORED
        if row.element != "handle":
            return flags
        if command:
            name = command.alias or command.name
            if output and re.match(r"vk(Create|Allocate|Get|Enumerate|Register|Acquire)", name):
                flags |= CREATED
            if re.match(r"vk(Destroy|Free|ReleasePerformanceConfiguration)", name) \
                    and row.name == destroyed_parameter(command, self.registry):
                flags |= DESTROYED
        elif structure.returned or structure.name == "VkPhysicalDeviceGroupProperties":
            flags |= CREATED
        return flags

    def _is_required(self, row, member, structure, command):
        """Whether a driver follows the pointer, or uses the handle, unasked."""
        owner = structure or command
        if owner.rondo:  # who reads the record goes by the count; a text may be missing
            return row.shape == "many" and not member.optional
        if (structure and structure.union) or row.element == "opaque":
            return False
        if (owner.name, member.name) in self.irregular.REQUIRED:
            return True
        if member.optional or (owner.name, member.name) in self.irregular.NOT_REQUIRED:
            return False
        if row.rule not in self.irregular.REQUIRING_RULES and (member.noautovalidity or row.rule != "none"):
            return False
        return row.shape in POINTER_SHAPES or (row.shape == "value" and row.element == "handle")

    # -- the encoding hash ---------------------------------------------------

    def wire_text(self, table):
        """Wire shape and member names, recursively; no type names, no offsets."""
        if table.name in self._hashes:
            return self._hashes[table.name]
        self._hashes[table.name] = "recursive"
        parts = []
        for row in table.rows:
            if row.shape in ("stype", "dropped"):
                continue
            kind = "int" if row.element in INTEGERS else row.element
            text = f"{row.name}:{row.shape}:{kind}:{row.size}"
            if row.shape in ("array", "text"):
                text += f"[{row.count.constant}]"
            if table.union:
                text += f"@{row.selection}"
            if row.element == "union_type":
                text += "?" if row.selector != NO_SELECTOR else "!"
            if row.rule in self.irregular.WIRE_RULES:
                text += f"/{row.rule}"
            if row.element in ("structure", "union_type"):
                # A structure's own size is that of its native form: leave it out.
                text = text.replace(f":{row.size}", "", 1)
                text += "{" + self.wire_text(self.tables[row.type[1]]) + "}"
            parts.append(text)
        self._hashes[table.name] = ";".join(parts)
        return self._hashes[table.name]


def destroyed_parameter(command, registry):
    """The last parameter of a handle type: what vkDestroy… or vkFree… ends."""
    return [p.name for p in command.params if p.type in registry.handles][-1]
