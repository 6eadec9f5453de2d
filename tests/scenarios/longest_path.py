#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compare what `rondo waves` says with the longest paths that networkx finds in the drawing of `rondo graph`.

    longest_path.py GRAPHML GRAPH.jsonl WAVES.jsonl [PROFILE.jsonl]

GRAPHML and GRAPH.jsonl: of rondo graph --format graphml and jsonl. WAVES.jsonl: of rondo waves --format jsonl; with PROFILE.jsonl:
of rondo waves --profile PROFILE.jsonl. Prints a line for each difference; status 1: there is one.
"""
import json
import sys

import networkx


def rows(path):
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def longest(graph, lengths):
    """The longest path to the end of each node, and the longest one of all."""
    weighted = networkx.DiGraph()
    weighted.add_node("begin")
    for node in graph.nodes:
        weighted.add_edge("begin", node, length=lengths.get(node, 0))
    for source, target in graph.edges:
        weighted.add_edge(source, target, length=lengths.get(target, 0))
    ends = {}
    for node in networkx.topological_sort(weighted):
        ends[node] = max((ends[one] + weighted.edges[one, node]["length"] for one in weighted.predecessors(node)), default=0)
    whole = networkx.dag_longest_path_length(weighted, weight="length")
    assert whole == max(ends.values()), "networkx agrees with itself"
    return ends, whole


def main(graphml, graph_rows, wave_rows, profile=None):
    graph = networkx.DiGraph(networkx.read_graphml(graphml))
    certain = graph.copy()
    certain.remove_edges_from([edge for edge in graph.edges if graph.edges[edge]["grade"] == "possible"])
    items = {f"i{row['item']}": row for row in rows(graph_rows) if row["row"] == "item"}
    waves = rows(wave_rows)
    summary = waves[-1]
    wave_of = {f"i{item}": row["wave"] for row in waves if row["row"] == "wave" for item in row["items"]}
    found = []

    def check(what, said, right):
        if said != right:
            found.append(f"{graphml}: {what}: rondo waves says {said}, networkx {right}")

    check("items", summary["items"], len(wave_of))
    ones = {node: 1 for node in wave_of}
    ends, whole = longest(graph, ones)
    check("waves", summary["waves"], whole)
    check("certain waves", summary["certain_waves"], longest(certain, ones)[1])
    for node, wave in wave_of.items():
        check(f"wave of {items[node]['name']}", wave, ends[node])
    lengths = ones
    if profile is not None:
        times = {(row["record"], row["submit"]): row["median_ns"] for row in rows(profile) if row["row"] == "time"}
        lengths = {node: int(times.get((items[node]["record"], items[node]["submit"]), 0) + 0.5) for node in wave_of}
        check("unit", summary["unit"], "ns")
    check("work", summary["work"], sum(lengths.values()))
    check("longest path of the data", summary["data"], longest(graph, lengths)[1])
    path = [row for row in waves if row["row"] == "path" and row["of"] == "data"]
    check("lengths on that path", sum(row["length"] for row in path), summary["data"])
    for before, after in zip(path, path[1:]):
        if not networkx.has_path(graph, f"i{before['item']}", f"i{after['item']}"):
            found.append(f"{graphml}: {after['name']} does not need {before['name']}")
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
