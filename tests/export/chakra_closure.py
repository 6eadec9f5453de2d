#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares a Chakra trace with the rows of `rondo graph --format jsonl` of the same capture.

  chakra_closure.py GRAPH.jsonl FILE.et

Both must lead from each item of a device to the same items, through others or not; with nodes of the host the trace may
lead to more. Prints as JSON how many nodes do not (bad), and how many data dependencies are no RAW need (wrong).
"""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import chakra_reader


def main(words):
    if len(words) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    joins, needed, raw, kinds = {}, [], [], []
    with open(words[0], encoding="utf-8") as rows:
        for row in map(json.loads, rows):
            if row["row"] == "join":
                joins[row["join"]] = set(row["items"]).union(*(joins[one] for one in row.get("joins", [])))
            if row["row"] != "item":
                continue
            all_, read = set(), set()
            for need in row["needs"]:
                items = joins[need["join"]] if "join" in need else {need["item"]}
                all_ |= items
                if "RAW" in need["kinds"]:
                    read |= items
            needed.append(all_.union(*(needed[one] for one in all_)))
            raw.append(read)
            kinds.append(row["kind"])
    of_device = [item for item, kind in enumerate(kinds) if kind in ("work", "pass", "transition")]
    with open(words[1], "rb") as file:
        _, nodes = chakra_reader.read(file.read())
    has_host = any(node.attributes["is_cpu_op"][1] for node in nodes.values())
    work = [node for node in nodes.values() if not node.attributes["is_cpu_op"][1] and node.name != "join"]
    if len(work) != len(of_device):
        print(f"{len(work)} nodes of a device, and {len(of_device)} items", file=sys.stderr)
        return 1
    item_of = {node.id: item for node, item in zip(work, of_device)}
    reached = {}
    for node in nodes.values():
        direct = set(node.data + node.control)
        reached[node.id] = direct.union(*(reached[one] for one in direct))
    bad = wrong = 0
    for node, item in zip(work, of_device):
        want = needed[item] & set(of_device)
        got = {item_of[one] for one in reached[node.id] if one in item_of}
        bad += not want <= got if has_host else got != want
        wrong += sum(1 for one in node.data if one in item_of and item_of[one] not in raw[item])
    print(json.dumps({"nodes": len(work), "bad": bad, "wrong": wrong}))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
