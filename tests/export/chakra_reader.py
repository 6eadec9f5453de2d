#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads execution traces of MLCommons Chakra as strictly as their readers do, with a decoder of its own.

  chakra_reader.py FILE.et…        status 0: every node was issued by both feeders; a line of JSON for each file
  chakra_reader.py --hex TEXT      the same of a file given as hexadecimal digits, but for lists of tensors and sizes
  chakra_reader.py --nodes FILE.et a line of JSON for each node

Where a reader of Chakra throws, hangs or asserts, this one says why on standard error and ends with status 1:
- both feeders: a message that is no protobuf, text that is no UTF-8, a type of node other than COMP_NODE, two nodes of
  one id, a dependency that stands twice in a list;
- FeederV3 (it follows data and control dependencies): no node without dependencies, a dependency on a node that is not
  there, nodes that are never issued;
- the older feeder (it follows data dependencies alone): nodes that are never issued;
- the simulator: an attribute that it asks for is missing or of another type; a device's node of tensor_size or num_ops 0;
- its memory tracker: lists "inputs" and "outputs" are not [name, bytes, …]; a tensor is written twice.
"""
import collections
import json
import struct
import sys


class Refused(Exception):
    pass


def varint(data, at):
    value = shift = 0
    while True:
        if at >= len(data):
            raise Refused("a number ends early")
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value & (2**64 - 1), at
        if shift > 63:
            raise Refused("a number has more than ten bytes")


def fields(data):
    """(number, wire type, value) of each field of a message."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        number, wire = tag >> 3, tag & 7
        if number == 0:
            raise Refused("a field has number 0")
        if wire == 0:
            value, at = varint(data, at)
        elif wire in (1, 5):
            size = 8 if wire == 1 else 4
            if at + size > len(data):
                raise Refused("a fixed number ends early")
            value = struct.unpack_from("<Q" if wire == 1 else "<I", data, at)[0]
            at += size
        elif wire == 2:
            size, at = varint(data, at)
            if at + size > len(data):
                raise Refused("a text or message ends early")
            value = data[at:at + size]
            at += size
        else:
            raise Refused(f"field {number} has wire type {wire}")
        yield number, wire, value


def text(value):
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Refused(f"a string is no UTF-8: {error}") from error


def expect(number, wire, wanted):
    if wire != wanted:
        raise Refused(f"field {number} has wire type {wire} and not {wanted}")


def numbers(wire, value):
    """A repeated number: packed, or alone."""
    if wire == 0:
        return [value]
    found, at = [], 0
    while at < len(value):
        one, at = varint(value, at)
        found.append(one)
    return found


def signed(value):
    return value - 2**64 if value >= 2**63 else value


# Field: (kind, wire type). Others of the schema are not used here.
ATTRIBUTES = {7: ("int32", 0), 9: ("int64", 0), 11: ("uint32", 0), 13: ("uint64", 0), 27: ("bool", 0),
              29: ("string", 2), 30: ("string_list", 2)}


def attribute(data):
    name, value = None, None
    for number, wire, content in fields(data):
        if number == 1:
            expect(number, wire, 2)
            name = text(content)
        elif number in ATTRIBUTES:
            kind, wanted = ATTRIBUTES[number]
            expect(number, wire, wanted)
            if kind == "string":
                content = text(content)
            elif kind == "string_list":
                content = [text(one) for field, _, one in fields(content) if field == 1]
            elif kind.startswith("int"):
                content = signed(content)
            value = (kind, content)
        else:
            raise Refused(f"attribute {name}: field {number} is not known here")
    if name is None or value is None:
        raise Refused("an attribute has no name or no value")
    return name, value


def io(data):
    found = {}
    for number, wire, content in fields(data):
        expect(number, wire, 2)
        if number not in (1, 2, 3):
            raise Refused(f"IOInfo: field {number} is not known")
        found[number] = json.loads(text(content))
    return found


class Node:
    def __init__(self, data):
        self.id = self.start = self.duration = 0
        self.name, self.type = "", 0
        self.control, self.data, self.attributes = [], [], {}
        self.inputs = self.outputs = None
        for number, wire, value in fields(data):
            if number == 1:
                self.id = value
            elif number == 2:
                self.name = text(value)
            elif number == 3:
                self.type = value
            elif number == 4:
                self.control += numbers(wire, value)
            elif number == 5:
                self.data += numbers(wire, value)
            elif number == 6:
                self.start = value
            elif number == 7:
                self.duration = value
            elif number == 8:
                self.inputs = io(value)
            elif number == 9:
                self.outputs = io(value)
            elif number == 10:
                name, found = attribute(value)
                if name in self.attributes:
                    raise Refused(f"node {self.id}: attribute {name} stands twice")
                self.attributes[name] = found
            else:
                raise Refused(f"a node has field {number}, which is not known")
        if self.type != 4:
            raise Refused(f"node {self.id} has type {self.type} and not COMP_NODE")
        for which in (self.control, self.data):
            if len(set(which)) != len(which):
                raise Refused(f"node {self.id} has a dependency twice")

    def get(self, name, *kinds):
        if name not in self.attributes:
            raise Refused(f"node {self.id}: attribute {name} is missing")
        kind, value = self.attributes[name]
        if kind not in kinds:
            raise Refused(f"node {self.id}: attribute {name} is {kind} and not {' or '.join(kinds)}")
        return value

    def nanoseconds(self):
        """As the simulator counts: microseconds, and 0 counts as a nanosecond."""
        return self.duration * 1000 or 1


def messages(data):
    at = 0
    while at < len(data):
        size, at = varint(data, at)
        if at + size > len(data):
            raise Refused("the last message ends early")
        yield data[at:at + size]
        at += size


def read(data):
    head, nodes = None, {}
    for message in messages(data):
        if head is None:
            head = {}
            for number, _, value in fields(message):
                if number == 1:
                    head["version"] = text(value)
                elif number == 2:
                    name, found = attribute(value)
                    head[name] = found[1]
                else:
                    raise Refused(f"the head has field {number}, which is not known")
            continue
        node = Node(message)
        if node.id in nodes:
            raise Refused(f"two nodes have id {node.id}")
        nodes[node.id] = node
    if head is None:
        raise Refused("the file has no head")
    return head, nodes


def issue(nodes, follows, who):
    """Issues all nodes that have nothing to wait for, until none is left. Returns when each ends, in nanoseconds."""
    children, open_parents, free = collections.defaultdict(list), {}, []
    for node in nodes.values():
        parents = follows(node)
        open_parents[node.id] = len(parents)
        for parent in parents:
            if parent not in nodes and who == "FeederV3":
                raise Refused(f"FeederV3: node {node.id} depends on node {parent}, which is not there")
            children[parent].append(node.id)
        if not parents:
            free.append(node.id)
    if not free:
        raise Refused(f"{who}: no node is without dependencies")
    ends, starts = {}, collections.defaultdict(int)
    free = collections.deque(free)
    while free:
        one = free.popleft()
        ends[one] = starts[one] + nodes[one].nanoseconds()
        for child in children[one]:
            starts[child] = max(starts[child], ends[one])
            open_parents[child] -= 1
            if open_parents[child] == 0:
                free.append(child)
    if len(ends) != len(nodes):
        stuck = next(one for one in nodes if one not in ends)
        raise Refused(f"{who}: {len(nodes) - len(ends)} nodes are never issued, node {stuck} is the first")
    return ends


def check_attributes(nodes, strict):
    written = {}
    for node in nodes.values():
        is_cpu = node.get("is_cpu_op", "bool")
        ops, size = node.get("num_ops", "int64"), node.get("tensor_size", "uint64", "int64")
        if not strict:
            continue
        if not is_cpu and (size <= 0 or ops <= 0):
            raise Refused(f"node {node.id}: num_ops {ops}, tensor_size {size}")
        for which, listed in (("inputs", node.inputs), ("outputs", node.outputs)):
            flat = node.get(which, "string_list")
            if len(flat) % 2 != 0:
                raise Refused(f"node {node.id}: {which} is not [name, bytes, …]")
            for name, bytes_ in zip(flat[::2], flat[1::2]):
                if not bytes_.isdigit():
                    raise Refused(f"node {node.id}: {which}: {bytes_} is no number of bytes")
                if which == "outputs" and int(bytes_) != 0:
                    if name in written:
                        raise Refused(f"tensor {name} is written by nodes {written[name]} and {node.id}")
                    written[name] = node.id
            if listed is None or any(len(listed.get(i, [])) != len(flat) // 2 for i in (1, 2, 3)):
                raise Refused(f"node {node.id}: values, shapes and types of its {which} are not as many as its tensors")


def summary(data, strict):
    head, nodes = read(data)
    if head.get("version") != "1.0.0":
        raise Refused(f"the version is {head.get('version')}")
    check_attributes(nodes, strict)
    v3 = issue(nodes, lambda node: set(node.data) | set(node.control), "FeederV3")
    older = issue(nodes, lambda node: set(node.data), "the older feeder")
    forward = sum(1 for node in nodes.values() for one in node.data + node.control if one >= node.id)
    return {
        "nodes": len(nodes), "issued": len(v3), "issued_by_data": len(older),
        "data": sum(len(node.data) for node in nodes.values()),
        "control": sum(len(node.control) for node in nodes.values()),
        "cpu": sum(1 for node in nodes.values() if node.attributes["is_cpu_op"][1]),
        "total_ns": max(v3.values()), "forward": forward,
        "dense": sorted(nodes) == list(range(1, len(nodes) + 1)), "head": head}


def main(words):
    if words[:1] == ["--hex"] and len(words) == 2:
        try:
            print(json.dumps(summary(bytes.fromhex(words[1]), strict=False)))
        except Refused as why:
            print(why, file=sys.stderr)
            return 1
        return 0
    if words[:1] == ["--nodes"] and len(words) == 2:
        with open(words[1], "rb") as file:
            _, nodes = read(file.read())
        for node in nodes.values():
            print(json.dumps({"id": node.id, "name": node.name, "data": node.data, "control": node.control,
                              "start": node.start, "duration": node.duration,
                              "attributes": {name: value for name, (_, value) in node.attributes.items()}}))
        return 0
    if not words or words[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    for path in words:
        try:
            with open(path, "rb") as file:
                print(json.dumps(summary(file.read(), strict=True)))
        except Refused as why:
            print(f"{path}: {why}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
