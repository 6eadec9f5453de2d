# SPDX-License-Identifier: Apache-2.0
"""What is true of each command: class, level, numbering, who writes its hook."""

import re
from dataclasses import dataclass

RETURNS = {
    "void": "nothing", "VkResult": "result", "VkBool32": "bool32", "uint32_t": "unsigned32",
    "uint64_t": "unsigned64", "VkDeviceSize": "unsigned64", "VkDeviceAddress": "address", "PFN_vkVoidFunction": "function",
}
SCALAR_ELEMENTS = ("unsigned_int", "signed_int", "floating", "bool32", "enumerant", "flags", "handle",
                   "untyped_handle")


@dataclass
class Facts:
    name: str
    canonical: str
    kind: str                # regular, irregular, unsupported
    level: str
    dispatch: str            # HandleType or ""
    before: bool
    returns: str
    two_part: bool
    records: bool
    query: bool
    kept_answer: bool
    feature: str
    reason: str
    available: bool          # our headers declare it: it has args, a pointer, a thunk
    layer_reason: str        # why its hook is written by hand; empty: it is not
    player_reason: str       # why its executor is, or why it has none
    recording: object        # Recording, of vkCmd*; else None
    verb: str                # a name of `Verb` in schema.h
    makes: str               # HandleType of the first object that it makes, or of what it gets; ""
    hook: bool               # the layer has an entry point
    layer: str               # hand, generated, hidden
    player: str              # hand, generated, none
    scalars: bool


@dataclass
class Recording:
    """Where a vkCmd* may be recorded, and what it is for (format/codec/schema.h has the words)."""
    queues: int              # VkQueueFlags; 0: any
    render_pass: str         # either, inside, outside
    primary_only: bool
    tasks: frozenset
    opens: str               # a name of `Scope`, or "none"
    closes: str


# What a command does to objects, or has the device do, by the begin of its name: the registry names commands so. The
# first that fits counts. Nobody else looks at the begin of a name.
VERBS = (("vkCreate", "creates"), ("vkAllocate", "allocates"), ("vkGet", "gets"), ("vkEnumerate", "gets"),
         ("vkAcquire", "gets"), ("vkImport", "imports"), ("vkCmdDrawMesh", "draws_meshes"), ("vkCmdDraw", "draws"),
         ("vkCmdDispatch", "dispatches"), ("vkQueueSubmit", "submits"), ("rondoCheckpoint", "checks"))

# Commands with such names give answers that a replay compares with its own (sizes, addresses, what the device can do),
# or that people want to read. A cut keeps them.
KEPT_ANSWERS = ("vkGetPhysicalDevice", "vkEnumerate", "vkGetBufferMemoryRequirements", "vkGetImageMemoryRequirements",
                "vkGetImageSparseMemoryRequirements", "vkGetImageSubresourceLayout", "vkGetBufferDeviceAddress",
                "vkGetBufferOpaqueCaptureAddress", "vkGetDeviceMemoryOpaqueCaptureAddress", "vkGetDescriptor",
                "vkGetRayTracing", "vkGetAccelerationStructure", "vkGetSwapchainImages", "vkGetDeviceQueue",
                "vkGetGeneratedCommandsMemoryRequirements", "rondoAddress")

# What a command with such a name opens or closes. Suffixes of versions and vendors are left out.
SCOPES = {"RenderPass": "render_pass", "Rendering": "render_pass", "Query": "query", "QueryIndexed": "query",
          "TransformFeedback": "transform_feedback", "ConditionalRendering": "conditional_rendering",
          "DebugUtilsLabel": "label", "DebugMarker": "label"}


def _scopes(name, unknown_allowed):
    """(opened, closed) of a vkCmd*."""
    found = re.fullmatch(r"vkCmd(?:(Begin|End)(\w+?)|(DebugMarker)(Begin|End))\d*(?:[A-Z]{2,})?", name)
    if not found:
        return "none", "none"
    what, verb = found.group(2) or found.group(3), found.group(1) or found.group(4)
    if what not in SCOPES:
        if unknown_allowed:
            return "none", "none"
        raise SystemExit(f"facts.py: {name}: SCOPES does not say what it opens or closes")
    return (SCOPES[what], "none") if verb == "Begin" else ("none", SCOPES[what])


def _recording(command, registry, classification, shown):
    canonical = registry.commands[command.alias or command.name]
    known = {name: registry.constants[name] for name in canonical.queues if name in registry.constants}
    facts = {"queues": sum(known.values()),
             "render_pass": {"both": "either", "": "either"}.get(canonical.render_pass, canonical.render_pass),
             "primary_only": canonical.levels == ("primary",)}
    facts |= classification.RECORDED_OTHERWISE.get(canonical.name, ({}, ""))[0]
    opens, closes = _scopes(canonical.name, not shown)
    return Recording(**facts, tasks=canonical.tasks, opens=opens, closes=closes)


def extension_support(registry, classification):
    """name -> reason; empty when supported."""
    support = {}
    for extension in registry.extensions.values():
        if extension.reason:
            support[extension.name] = extension.reason
        elif extension.name in classification.SUPPORTED:
            support[extension.name] = ""
        else:
            support[extension.name] = classification.UNSUPPORTED.get(extension.name, classification.UNTESTED)
    return support


def version_support(registry, classification):
    """VK_VERSION_1_9 -> reason, of versions that are not shown."""
    versions = {name: tuple(map(int, re.findall(r"\d+", name)))
                for origins in registry.brought_by.values() for name, _ in origins if name.startswith("VK_VERSION_")}
    return {name: "that version is not recorded yet"
            for name, version in versions.items() if version > classification.NEWEST_VERSION}


def support_of_all(registry, classification):
    """Version or extension -> why programs do not see it; empty where they do."""
    return {**version_support(registry, classification), **extension_support(registry, classification)}


def command_facts(registry, tables, classification):
    support = support_of_all(registry, classification)
    known = set(registry.commands)
    for table in (classification.LAYER_HAND, classification.PLAYER_HAND, classification.PLAYER_NONE,
                  classification.HIDDEN, classification.RECORDED_OTHERWISE, classification.NOT_KEPT_ANSWERS):
        for name in table:
            if name not in known and name not in classification.NEWER:
                raise SystemExit(f"classification.py: no command {name}")
    return {c.name: _facts(c, registry, tables, classification, support) for c in registry.commands.values()}


def _level(command, registry):
    first = command.params[0].type if command.params else ""
    if first not in registry.handles or not registry.handles[first].dispatchable:
        return "global", ""
    levels = {"VkInstance": "instance", "VkPhysicalDevice": "physical_device"}
    return levels.get(first, "device"), first


def _facts(command, registry, tables, classification, support):
    canonical = command.alias or command.name
    args = tables.args.get(canonical)
    available = command.available and args is not None and args.available
    level, dispatch = _level(command, registry)
    before = canonical in classification.NUMBERED_BEFORE or \
        canonical.startswith(classification.NUMBERED_BEFORE_PREFIXES)
    returns = RETURNS[command.returns] if available else "nothing"
    layer_reason = classification.LAYER_HAND.get(canonical, "")
    player_reason = classification.PLAYER_HAND.get(canonical, "")
    none_reason = classification.PLAYER_NONE.get(canonical, "")

    hidden = ""
    refusals = [next((f"{n}: {support[n]}" for n in [name] + needs if support.get(n)), "")
                for name, needs in command.origins]
    if not available:
        hidden = command.reason
    elif refusals and all(refusals):
        hidden = refusals[0]
    hook = not hidden and not command.rondo

    layer = "hidden" if not hook else "hand" if layer_reason else "generated"
    player = "none" if (hidden or none_reason) else "hand" if player_reason else "generated"
    reason = hidden or classification.HIDDEN.get(canonical, "") or none_reason or layer_reason or player_reason
    if hidden or canonical in classification.HIDDEN:
        kind = "unsupported"
    elif layer == "hand" or player != "generated":
        kind = "irregular"
    else:
        kind = "regular"

    records = dispatch == "VkCommandBuffer" and canonical.startswith("vkCmd")
    publishes = bool(args) and any(row.flags & 4 for row in args.rows)
    query = bool(re.match(r"vk(Get|Enumerate)", canonical)) and not publishes and not player_reason \
        and "Fd" not in canonical
    return Facts(
        name=command.name, canonical=canonical, kind=kind, level=level, dispatch=dispatch, before=before,
        returns=returns, two_part=before and returns != "nothing",
        records=records, query=query,
        kept_answer=canonical.startswith(KEPT_ANSWERS) and canonical not in classification.NOT_KEPT_ANSWERS,
        feature=command.origin, reason=reason,
        layer_reason=layer_reason if layer == "hand" else "", player_reason=player_reason or none_reason,
        verb=next((verb for begin, verb in VERBS if canonical.startswith(begin)), "other"),
        makes=next((r.type[1] for r in args.rows if r.flags & 4 and r.element == "handle"), "") if args else "",
        recording=_recording(command, registry, classification, not hidden) if records else None,
        available=available, hook=hook, layer=layer, player=player,
        scalars=available and all(r.shape == "value" and r.element in SCALAR_ELEMENTS for r in args.rows))
