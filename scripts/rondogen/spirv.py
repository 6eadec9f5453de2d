# SPDX-License-Identifier: Apache-2.0
"""What SPIR-V's capabilities and extensions need of a device: the tables of model/shaders/capabilities.h.

The registry has their names and what enables them; the numbers are in SPIR-V's C header, which comes with the
registry, or is SPIRV-Cross' older one. A capability that the header does not know is in no table.
"""

import re

from rondogen.headers import BANNER


def numbers_in(header):
    """name -> number, of SpvCapability."""
    with open(header, encoding="utf-8") as text:
        return {name: int(value) for name, value in re.findall(r"SpvCapability(\w+) = (\d+)", text.read())}


def requirements(elements):
    """(kind, version, name) of each <enable> of these capabilities or extensions, each once."""
    found = []
    for enable in (e for element in elements for e in element.findall("enable")):
        version = re.fullmatch(r"VK_VERSION_(\d+)_(\d+)", enable.get("version") or "")
        if version:
            one = ("version", f"{int(version[1])}u << 22 | {int(version[2])}u << 12", "")
        elif enable.get("extension"):
            one = ("extension", "0", enable.get("extension"))
        elif enable.get("feature"):
            one = ("feature", "0", enable.get("feature"))
        else:
            one = ("property", "0", enable.get("member"))
        if one not in found:
            found.append(one)
    return found


def row_list(name, found):
    rows = ", ".join(f'{{Requirement::Kind::{kind}, {version}, "{of}"}}' for kind, version, of in found)
    return f"constexpr Requirement {name}[] = {{{rows}}};"


def tables(model):
    elements = {e.get("name"): e for e in model.registry.spirv("capability")}
    names = {}  # of each number: it may have several, and the registry may know each of them
    for name, value in numbers_in(model.spirv_header).items():
        if value != 0x7fffffff:
            names.setdefault(value, []).append(name)
    lists, capabilities = [], []
    for value, several in sorted(names.items()):
        known = [name for name in several if name in elements]
        name = (known or several)[0]
        found = requirements(elements[n] for n in known)
        if found:
            lists.append(row_list(f"of_{name}", found))
        capabilities.append(f'    {{{value}, "{name}", {f"of_{name}" if found else "{}"}}},')
    extensions = []
    for element in sorted(model.registry.spirv("extension"), key=lambda e: e.get("name")):
        name, found = element.get("name"), requirements([element])
        if found:
            lists.append(row_list(f"of_{name}", found))
            extensions.append(f'    {{"{name}", of_{name}}},')
    return "\n".join(
        [BANNER + '#include "model/shaders/capabilities.h"\n\nnamespace rondo::shaders::tables {\n\nnamespace {\n', *lists,
         "\nconstexpr Capability kCapabilities[] = {", *capabilities, "};",
         "\nconstexpr SpirvExtension kExtensions[] = {", *extensions, "};\n\n}  // namespace\n",
         "std::span<const Capability> capabilities() { return kCapabilities; }",
         "std::span<const SpirvExtension> spirv_extensions() { return kExtensions; }",
         "\n}  // namespace rondo::shaders::tables\n"])
