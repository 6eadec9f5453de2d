#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The reader of Chakra's files refuses what readers of Chakra refuse."""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import chakra_reader as reader


def varint(number):
    out = b""
    while number > 0x7F:
        out += bytes([number & 0x7F | 0x80])
        number >>= 7
    return out + bytes([number])


def part(field, content):
    if isinstance(content, int):
        return varint(field << 3) + varint(content)
    if isinstance(content, str):
        content = content.encode()
    return varint(field << 3 | 2) + varint(len(content)) + content


def tensors(field, name, listed):
    return part(10, part(1, name) + part(30, b"".join(part(1, one) for one in listed)))


def node(number, data=(), control=(), kind=4, leave_out=(), ops=1, size=64, reads=(), writes=(), name="node"):
    out = part(1, number) + part(2, name) + part(3, kind)
    out += b"".join(part(4, one) for one in control) + part(5, b"".join(map(varint, data))) + part(7, 10)
    for field, listed in ((8, reads), (9, writes)):
        names = len(listed) // 2
        values = "[" + ",".join(["[1,1,0,64,1]"] * names) + "]"
        sizes = "[" + ",".join(["[64]"] * names) + "]"
        types = "[" + ",".join(['"Buffer"'] * names) + "]"
        out += part(field, part(1, values) + part(2, sizes) + part(3, types))
    for attribute, field, value in (("is_cpu_op", 27, 0), ("num_ops", 9, ops), ("tensor_size", 13, size)):
        if attribute not in leave_out:
            out += part(10, part(1, attribute) + part(field, value))
    return out + tensors(10, "inputs", reads) + tensors(10, "outputs", writes)


def trace(*nodes):
    return b"".join(varint(len(one)) + one for one in (part(1, "1.0.0"),) + nodes)


class Reader(unittest.TestCase):
    def refuses(self, words, *nodes):
        with self.assertRaises(reader.Refused) as why:
            reader.summary(trace(*nodes), strict=True)
        self.assertIn(words, str(why.exception))

    def test_takes_a_good_trace(self):
        said = reader.summary(trace(node(1, writes=("a", "64")), node(2, data=[1], reads=("a", "64")),
                                    node(3, control=[2, 1])), strict=True)
        self.assertEqual((said["nodes"], said["issued"], said["total_ns"]), (3, 3, 30000))

    def test_refuses_what_is_not_there(self):
        self.refuses("FeederV3: node 2 depends on node 9", node(1), node(2, data=[9]))
        self.refuses("FeederV3: node 2 depends on node 9", node(1), node(2, control=[9]))

    def test_refuses_circles(self):
        self.refuses("never issued", node(1), node(2, data=[3]), node(3, control=[2]))
        self.refuses("without dependencies", node(1, data=[2]), node(2, data=[1]))

    def test_refuses_no_nodes(self):
        self.refuses("without dependencies")

    def test_refuses_what_stands_twice(self):
        self.refuses("twice", node(1), node(2, data=[1, 1]))
        self.refuses("twice", node(1), node(2, control=[1, 1]))
        self.refuses("two nodes have id 1", node(1), node(1))
        self.refuses("written by nodes 1 and 2", node(1, writes=("a", "64")), node(2, writes=("a", "64")))

    def test_refuses_attributes(self):
        for name in ("is_cpu_op", "num_ops", "tensor_size"):
            self.refuses(f"{name} is missing", node(1, leave_out=(name,)))
        self.refuses("tensor_size 0", node(1, size=0))
        self.refuses("num_ops 0", node(1, ops=0))
        self.refuses("is not [name, bytes", node(1, writes=("a",)))

    def test_refuses_other_nodes_and_bytes(self):
        self.refuses("type 1", node(1, kind=1))
        self.refuses("UTF-8", node(1, name=b"\xff"))
        with self.assertRaises(reader.Refused):
            reader.summary(trace(node(1))[:-1], strict=True)


if __name__ == "__main__":
    unittest.main()
