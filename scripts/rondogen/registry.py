# SPDX-License-Identifier: Apache-2.0
"""vk.xml and rondo.xml as plain Python objects, read with Khronos' reg.py.

Everything the registry names is here: also what our headers do not declare
(other platforms, disabled extensions). `available` tells them apart.
"""

import io
import os
import re
import sys
import xml.etree.ElementTree as etree
from dataclasses import dataclass, field

# vk.xml also describes Vulkan SC. These are the values of `api` that mean Vulkan.
API = (None, "vulkan", "vulkan,vulkanbase")

# Window systems whose declarations format/vulkan.h includes.
PLATFORMS = {None, "xlib", "xcb", "wayland", "xlib_xrandr"}

# Types the registry takes from C and from the window systems: (bytes, kind).
# `pointee` types are only ever pointed to.
SCALARS = {
    "char": (1, "character"), "float": (4, "floating"), "double": (8, "floating"),
    "int8_t": (1, "signed_int"), "int16_t": (2, "signed_int"), "int32_t": (4, "signed_int"),
    "int64_t": (8, "signed_int"), "int": (4, "signed_int"),
    "uint8_t": (1, "unsigned_int"), "uint16_t": (2, "unsigned_int"), "uint32_t": (4, "unsigned_int"),
    "uint64_t": (8, "unsigned_int"), "size_t": (8, "unsigned_int"),
    "VkBool32": (4, "bool32"), "VkFlags": (4, "flags"), "VkFlags64": (8, "flags"),
    "VkSampleMask": (4, "unsigned_int"), "VkDeviceSize": (8, "unsigned_int"),
    "VkDeviceAddress": (8, "unsigned_int"), "VkRemoteAddressNV": (8, "opaque"),
    "xcb_window_t": (4, "unsigned_int"), "xcb_visualid_t": (4, "unsigned_int"),
    "Window": (8, "unsigned_int"), "VisualID": (8, "unsigned_int"), "RROutput": (8, "unsigned_int"),
}
POINTEES = {"void", "Display", "wl_display", "wl_surface", "xcb_connection_t"}


@dataclass
class Member:
    """A member of a structure or a parameter of a command."""
    name: str
    type: str                # base type, aliases resolved
    declared: str            # the whole C declaration, as in the registry
    pointers: int = 0        # number of '*'
    const: bool = False
    dims: list = field(default_factory=list)  # fixed array sizes
    bits: int = 0            # of a bit field; 0: none
    len: str = ""            # registry `len`, altlen where that is computable
    optional: bool = False
    optionals: list = field(default_factory=list)  # the pointer, then what it points to
    noautovalidity: bool = False
    selector: str = ""
    selection: list = field(default_factory=list)
    objecttype: str = ""
    stride: str = ""
    stype: str = ""          # value of an sType member


@dataclass
class Structure:
    name: str
    members: list
    union: bool = False
    stype: str = ""
    extends: list = field(default_factory=list)
    returned: bool = False
    rondo: bool = False
    available: bool = True
    reason: str = ""         # when not available
    features: bool = False


@dataclass
class Command:
    name: str
    params: list
    returns: str
    alias: str = ""
    # Of a vkCmd*, as the registry says; an alias has none of these.
    tasks: frozenset = frozenset()  # "action", "state", "synchronization", "indirection"
    queues: tuple = ()              # "VK_QUEUE_GRAPHICS_BIT", …: on one of these
    render_pass: str = ""           # where it may stand: "inside", "outside", "both"
    levels: tuple = ()              # "primary", "secondary"
    origin: str = ""         # "VK_VERSION_1_0" or the first extension that brings it
    origins: list = field(default_factory=list)  # (version or extension, other extensions it needs)
    rondo: bool = False
    available: bool = True
    reason: str = ""


@dataclass
class Enumeration:
    name: str
    bitmask: bool
    size: int
    values: list             # (value, name), one name a value, ascending


@dataclass
class Handle:
    name: str
    parent: str
    dispatchable: bool
    object_type: str


@dataclass
class Format:
    name: str
    block_bytes: int
    block_extent: list
    components: list         # (name, bits; 0: compressed, numeric format)
    planes: list             # (width divisor, height divisor, format of the same size)


@dataclass
class Extension:
    name: str
    device: bool
    platform: str
    disabled: bool
    provisional: bool
    commands: list
    reason: str = ""         # why our headers do not have it


class Registry:
    def __init__(self, vk_xml, rondo_xml, first_names=frozenset()):
        """`first_names`: what keeps its name, though the registry has promoted it since."""
        folder = os.path.dirname(os.path.abspath(vk_xml))  # PREFIX/share/vulkan/registry
        # Newer scripts than the machine's need newer modules than the machine's: scripts/drivers brings those, too.
        modules = os.path.join(folder, "../../../lib/python3/dist-packages")
        sys.path[:0] = [folder] + ([modules] if not folder.startswith("/usr/share/") else [])
        import generator
        import reg
        from vkconventions import VulkanConventions
        options = generator.GeneratorOptions(
            conventions=VulkanConventions(), apiname="vulkan", profile=None, versions=".*",
            emitversions=".*", defaultExtensions="vulkan")
        self._generator = generator.OutputGenerator(errFile=sys.stderr, warnFile=sys.stderr,
                                                    diagFile=io.StringIO())
        self._generator.genOpts = options
        self._reg = reg.Registry(self._generator, options)
        self._reg.loadElementTree(etree.parse(vk_xml))
        self._first_names = first_names
        self._generator.setRegistry(self._reg)
        self.constants = {}
        self.aliases = {}      # type alias -> type
        self.structures = {}
        self.commands = {}
        self.enums = {}
        self.bitmasks = {}     # VkFooFlags -> (size, bits name or "")
        self.handles = {}
        self.extensions = {}
        self.brought_by = {}   # type, enumerant or command -> [(version or extension, other extensions it needs)]
        self.functions = set()  # function pointer types
        self.formats = []
        self.header_version = next(int(t.find("name").tail) for t in self._reg.reg.findall("types/type")
                                   if t.findtext("name") == "VK_HEADER_VERSION" and t.get("api") in API)
        self._read_constants()
        self._read_enums()
        self._read_types()
        self._read_commands()
        self._read_features()
        self._read_formats()
        self._read_rondo(rondo_xml)
        self._decide_availability()

    # -- reading -----------------------------------------------------------

    def _read_constants(self):
        for name, info in self._reg.enumdict.items():
            text = info.elem.get("value")
            if text and not info.elem.get("extends") and re.fullmatch(r"(0x)?[0-9A-Fa-f]+", text):
                self.constants[name] = int(text, 0)

    def _keep_first_names(self, aliases):
        """Turns name -> what it is an alias of around for first names; what they stand for now -> first name."""
        former = {aliases[name]: name for name in sorted(self._first_names) if name in aliases}
        for name, promoted in list(aliases.items()):
            if promoted in former:
                aliases[name] = former[promoted]
        for promoted, name in former.items():
            del aliases[name]
            aliases[promoted] = name
        return former

    def _value(self, element):
        number, _ = self._generator.enumToValue(element, True)
        return number

    def _read_enums(self):
        for name, info in self._reg.groupdict.items():
            kind = info.elem.get("type")
            if kind not in ("enum", "bitmask"):
                continue
            values = {}
            for element in info.elem.findall("enum"):
                if element.get("alias"):
                    continue
                value = self._value(element)
                disabled = element.get("supported") == "disabled"
                if value not in values or (values[value][1] and not disabled):
                    values[value] = (element.get("name"), disabled)
                self.constants.setdefault(element.get("name"), value)
            size = 8 if info.elem.get("bitwidth") == "64" else 4
            self.enums[name] = Enumeration(name, kind == "bitmask", size,
                                           sorted((v, n[0]) for v, n in values.items()))
        for name, info in self._reg.enumdict.items():
            alias = info.elem.get("alias")
            if alias and alias in self.constants:
                self.constants.setdefault(name, self.constants[alias])

    def _read_types(self):
        for name, info in self._reg.typedict.items():
            element = info.elem
            category = element.get("category")
            if element.get("alias"):
                self.aliases[name] = element.get("alias")
            elif category == "bitmask":
                bits = element.get("requires") or element.get("bitvalues") or ""
                size = 8 if element.find("type").text == "VkFlags64" else 4
                self.bitmasks[name] = (size, bits)
                if bits and bits not in self.enums:
                    self.enums[bits] = Enumeration(bits, True, size, [])
            elif category == "enum":
                self.enums.setdefault(name, Enumeration(name, "FlagBits" in name, 4, []))
            elif category == "handle":
                self.handles[name] = Handle(name, element.get("parent") or "",
                                            element.find("type").text == "VK_DEFINE_HANDLE",
                                            element.get("objtypeenum"))
            elif category == "funcpointer":
                self.functions.add(name)
        former = self._keep_first_names(self.aliases)
        for name, info in self._reg.typedict.items():
            element = info.elem
            if element.get("category") in ("struct", "union") and not element.get("alias"):
                structure = self._structure(element)
                structure.name = former.get(name, name)
                self.structures[structure.name] = structure
        for structure in self.structures.values():
            structure.features = "VkPhysicalDeviceFeatures2" in structure.extends

    def _structure(self, element):
        members = [self._member(m) for m in element.findall("member")]
        stype = next((m.stype for m in members if m.name == "sType"), "")
        return Structure(element.get("name"), members, element.get("category") == "union", stype,
                         [self.resolve(e) for e in (element.get("structextends") or "").split(",")],
                         element.get("returnedonly") == "true")

    def resolve(self, name):
        while name in self.aliases:
            name = self.aliases[name]
        return name

    def _member(self, element):
        for comment in element.findall("comment"):
            element.remove(comment)
        text = re.sub(r"\s+", " ", "".join(element.itertext())).strip()
        name_element = element.find("name")
        tail = name_element.tail or ""
        after = text[text.rindex(name_element.text) + len(name_element.text):]
        dims = []
        for dim in re.findall(r"\[\s*(\w+)\s*\]", after):
            dims.append(int(dim) if dim.isdigit() else self.constants[dim])
        bits = re.match(r"\s*:\s*(\d+)", tail)
        length = element.get("altlen") or element.get("len") or ""
        return Member(
            name=name_element.text, type=self.resolve(element.find("type").text), declared=text,
            pointers=text.count("*"), const=text.startswith("const "), dims=dims,
            bits=int(bits.group(1)) if bits else 0, len=length,
            optional=(element.get("optional") or "").split(",")[0] == "true",
            optionals=[o == "true" for o in (element.get("optional") or "").split(",")],
            noautovalidity=element.get("noautovalidity") == "true",
            selector=element.get("selector") or "",
            selection=[s for s in (element.get("selection") or "").split(",") if s],
            objecttype=element.get("objecttype") or "", stride=element.get("stride") or "",
            stype=(element.get("values") or "") if name_element.text == "sType" else "")

    def _command(self, element, name):
        def listed(attribute):
            return tuple(filter(None, (element.get(attribute) or "").split(",")))

        return Command(name, [self._member(p) for p in element.findall("param")],
                       element.find("proto/type").text, alias=element.get("alias") or "",
                       tasks=frozenset(listed("tasks")), queues=listed("queues"),
                       render_pass=element.get("renderpass") or "", levels=listed("cmdbufferlevel"))

    def spirv(self, what):
        """The elements that tell what enables a SPIR-V "capability" or "extension"."""
        plural = {"capability": "spirvcapabilities", "extension": "spirvextensions"}[what]
        return self._reg.reg.findall(f"{plural}/spirv{what}")

    def command_element(self, name):
        return self._reg.cmddict[name].elem

    def _read_commands(self):
        aliases = {n: i.elem.get("alias") for n, i in self._reg.cmddict.items() if i.elem.get("alias")}
        former = self._keep_first_names(aliases)
        for name in self._reg.cmddict:
            for each in filter(None, (former.get(name), name)):  # what is an alias comes behind
                self.commands[each] = self._command(self._reg.cmddict[each].elem, each)
                self.commands[each].alias = aliases.get(each, "")

    def _read_features(self):
        for name, info in self._reg.apidict.items():
            # Newer registries describe a version in parts: what any device needs, what compute and what graphics need.
            self._take_requirements(info.elem, re.sub(r"^VK_(BASE|COMPUTE|GRAPHICS)_VERSION", "VK_VERSION", name))
        for name, info in self._reg.extdict.items():
            element = info.elem
            supported = (element.get("supported") or "").split(",")
            extension = Extension(name, element.get("type") != "instance", element.get("platform"),
                                  "vulkan" not in supported, element.get("provisional") == "true", [])
            if extension.disabled:
                extension.reason = "disabled in the registry"
            elif extension.provisional:
                extension.reason = "provisional"
            elif extension.platform not in PLATFORMS:
                extension.reason = f"for the platform {extension.platform}"
            self.extensions[name] = extension
        for name, info in sorted(self._reg.extdict.items(), key=lambda kv: int(kv[1].elem.get("number"))):
            extension = self.extensions[name]
            extension.commands = self._take_requirements(info.elem, name, extension.reason)
        # Those of Vulkan SC stand in the same file.
        self.commands = {name: command for name, command in self.commands.items() if command.origins}

    def _take_requirements(self, element, name, reason=""):
        commands = []
        for require in element.findall("require"):
            condition = " ".join(require.get(a) or "" for a in ("extension", "depends"))
            needs = [] if "," in condition else re.findall(r"VK_(?!VERSION)\w+", condition)
            for item in require.findall("command"):
                command = self.commands[item.get("name")]
                command.origins.append((name, needs))
                if not command.origin:
                    command.origin = name
                commands.append(command.name)
            for item in require.findall("type") + require.findall("enum") + require.findall("command"):
                self.brought_by.setdefault(self.resolve(item.get("name")), []).append((name, needs))
            if not reason:
                self._needed.update(self.resolve(t.get("name")) for t in require.findall("type"))
        return commands

    _needed = set()

    def _read_formats(self):
        for element in self._reg.reg.findall("formats/format"):
            components = [(c.get("name"), int(c.get("bits")) if c.get("bits").isdigit() else 0,
                           c.get("numericFormat")) for c in element.findall("component")]
            planes = [(int(p.get("widthDivisor")), int(p.get("heightDivisor")), p.get("compatible"))
                      for p in element.findall("plane")]
            extent = [int(n) for n in (element.get("blockExtent") or "1,1,1").split(",")]
            self.formats.append(Format(element.get("name"), int(element.get("blockSize")), extent,
                                       components, planes))

    def _read_rondo(self, path):
        root = etree.parse(path).getroot()
        for element in root.findall("types/type"):
            structure = self._structure(element)
            structure.rondo = True
            self.structures[structure.name] = structure
        for element in root.findall("commands/command"):
            command = self._command(element, element.find("proto/name").text)
            command.rondo = True
            command.origin = "Rondo"
            self.commands[command.name] = command

    # -- what our headers declare ------------------------------------------

    def _declared(self, name):
        """None if our headers declare the type, else why not."""
        if name in SCALARS or name in POINTEES or name in self.functions or name in self.bitmasks \
                or name in self.enums or name in self.handles:
            return None
        structure = self.structures.get(name)
        if structure is None:
            return f"it needs {name}, which vk.xml does not describe"
        return None if structure.available else structure.reason

    def _origin_reasons(self, command):
        """Why each origin of the command is not built; empty where it is."""
        def why(name):
            return self.extensions[name].reason if name in self.extensions else ""
        return [next(filter(None, [why(name)] + [why(n) for n in needs]), "")
                for name, needs in command.origins]

    def _decide_availability(self):
        needed = set(self._needed)
        for command in self.commands.values():
            if command.rondo or not all(self._origin_reasons(command)):
                needed.update(p.type for p in command.params)
        # A type can also be required only through a type that needs it.
        work = [n for n in needed if n in self.structures]
        while work:
            for member in self.structures[work.pop()].members:
                if member.type in self.structures and member.type not in needed:
                    needed.add(member.type)
                    work.append(member.type)
        for structure in self.structures.values():
            if structure.name not in needed and not structure.rondo:
                structure.available = False
                structure.reason = "only for platforms or extensions that are not built"
        changed = True
        while changed:
            changed = False
            for structure in self.structures.values():
                if not structure.available:
                    continue
                for member in structure.members:
                    if member.type == structure.name:
                        continue
                    why = self._declared(member.type)
                    if why:
                        structure.available = False
                        structure.reason = why
                        changed = True
                        break
        for command in self.commands.values():
            if command.rondo:
                continue
            reasons = self._origin_reasons(command)
            if not reasons:
                command.available, command.reason = False, "no version or extension has it"
            elif all(reasons):
                command.available, command.reason = False, f"{command.origin} is {reasons[0]}"
            else:
                for param in command.params:
                    why = self._declared(param.type)
                    if why:
                        command.available, command.reason = False, why
                        break
