# SPDX-License-Identifier: Apache-2.0
"""Tests of share/python/rondo.py, on captures that the scenarios make (tests/scenarios/python_test.cpp).

    RONDO=PROGRAM RACY=… CLEAN=… KERNELS=… FRAMES=… PYTHONPATH=share/python rondo_test.py CLASS

RACY, CLEAN: two dispatches without and with a barrier between (tests/programs/hazards).
KERNELS: tests/programs/kernels. FRAMES: vkcube, five frames.
"""
import contextlib
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

import rondo

TOOL = os.environ["RONDO"]


def opened(name, **more):
    return rondo.open(os.environ[name], tool=TOOL, **more)


@contextlib.contextmanager
def program(text):
    """A program of sh that stands for rondo."""
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory, "rondo")
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(0o755)
        yield rondo.open(os.environ["RACY"], tool=str(path))


class Analyses(unittest.TestCase):
    def test_items_and_what_they_need(self):
        items = [item for item in opened("RACY").items() if item.command == "vkCmdDispatch"]
        self.assertEqual([item.labels for item in items], [["A"], ["B"]])
        first, second = items
        need = next(need for need in second.needs if need.item == first.item)
        self.assertEqual((need.name, need.kinds, need.of_item), (first.name, ["RAW"], second.item))
        self.assertEqual(need.begin, 0)
        self.assertTrue(any(touch.object == need.object and touch.writes for touch in first.touches))
        self.assertFalse(any(need.extra for need in second.needs), "an attribute for each field")
        self.assertEqual(second.extra, {})

    def test_needs_are_those_of_the_items(self):
        capture = opened("KERNELS")
        graph = capture.graph()
        self.assertEqual([(n.of_item, n.item, n.join) for n in capture.needs()],
                         [(n.of_item, n.item, n.join) for n in graph.needs])
        self.assertEqual(len(graph.needs), graph.summary.json["needs"])
        self.assertEqual(len(graph.items), graph.summary.json["items"])
        groups = [item.counts["groups_x"] for item in graph.items if item.command == "vkCmdDispatch"]
        self.assertEqual(groups[:4], [1, 2, 4, 8])

    def test_races(self):
        racy, clean = opened("RACY"), opened("CLEAN")
        (race,) = racy.races()
        self.assertEqual((race.rule, race.hazards), ("race", "RAW"))
        self.assertEqual((race.from_["labels"], race.to["labels"]), (["A"], ["B"]))
        self.assertEqual(race.extra, {})
        self.assertEqual(clean.races(), [])
        self.assertEqual(racy.sync().summary.json["race"], 1)
        self.assertEqual([one.rule for one in clean.findings()],
                         [one.rule for one in clean.sync(everything=False).findings])

    def test_why_and_who(self):
        def dispatches(graph):
            return [item for item in graph.items if item.command == "vkCmdDispatch"]

        racy = opened("RACY").graph(both=True)
        first, second = dispatches(racy)
        self.assertEqual(racy.why(first, second).order, "none")
        self.assertEqual(next(need for need in second.needs if need.item == first.item).order, "race")
        graph = opened("CLEAN").graph(both=True)
        first, second = dispatches(graph)
        why = graph.why(first, second)
        self.assertTrue(why.needs)
        self.assertEqual(why.order, "all")
        self.assertEqual([(step.item, step.needs) for step in why.data], [(second.item, first.item)])
        self.assertEqual(graph.why(first.name, second.record).order, "all")
        need = next(need for need in second.needs if need.item == first.item)
        self.assertEqual(need.order, "ordered")
        uses = graph.who(need.object)
        self.assertIn(first.item, [use.item for use in uses.uses if use.writes_version])
        self.assertGreater(uses.versions, 0)

    def test_each_row_says_where_it_is_from(self):
        capture = opened("CLEAN", job="nightly 3")
        info = capture.info
        build = [one["build_id"] for one in info["session"]["modules"] if one["path"] == "(program)"]
        rows = list(capture.rows("graph"))
        self.assertGreater(len(rows), 3)
        for row in rows:
            self.assertEqual((row.capture_digest, row.job), (rows[0].capture_digest, "nightly 3"))
            self.assertEqual([row.build], build)
            self.assertTrue(row.device.startswith(info["devices"][0]["name"]))

    def test_spans(self):
        capture = opened("FRAMES")
        every = {item.frame for item in capture.items()}
        self.assertGreater(len(every), 3)
        self.assertEqual({item.frame for item in capture.items(frames=range(1, 3))}, {1, 2})
        self.assertEqual({item.frame for item in capture.items(frames=2)}, {2})
        self.assertEqual({item.frame for item in capture.items(frames="1:3")}, {1, 2})
        self.assertEqual({draw.frame for draw in capture.commands(frames=2)}, {2})
        for bad in (range(0, 4, 2), range(3, 3)):
            with self.assertRaisesRegex(ValueError, "frames: .* is no span"):
                capture.items(frames=bad)

    def test_records(self):
        records = list(opened("CLEAN").records(grep="vkCmdDispatch"))
        self.assertEqual([one.command for one in records], ["vkCmdDispatch"] * 2)
        self.assertEqual(records[0].parameters["groupCountY"], 1)

    def test_profile(self):
        profile = opened("KERNELS", job="p").profile(loop=2, mode="isolated")
        self.assertEqual(profile.head.json["iterations"], 2)
        self.assertEqual(profile.head.json["mode"], "isolated")
        dispatches = [one for one in profile.times if one.command == "vkCmdDispatch"]
        self.assertGreater(len(dispatches), 3)
        for one in dispatches:
            self.assertLessEqual(one.min_ns, one.median_ns)
            self.assertEqual((one.device, one.job), (profile.head.device, "p"))
        by_kind = opened("KERNELS").profile(loop=2, by="kind")
        self.assertIn("vkCmdDispatch", [one.item for one in by_kind.times])


class Errors(unittest.TestCase):
    def expect(self, status, words, ask):
        with self.assertRaisesRegex(rondo.Error, words) as found:
            ask()
        self.assertEqual(found.exception.status, status)
        self.assertNotIn("\n", str(found.exception))

    def test_what_the_program_refuses(self):
        capture = opened("CLEAN")
        self.expect(2, "there is no VkBuffer#77", lambda: capture.who("VkBuffer#77"))
        self.expect(2, "there is no frame 5", lambda: list(capture.items(frames=5)))
        self.expect(2, "unknown-rule", lambda: capture.sync(rules="unknown-rule"))
        self.expect(2, "^no-such-command|no-such-command", lambda: list(capture.rows("no-such-command")))

    def test_files_that_are_no_captures(self):
        self.expect(3, "/nowhere/x.rondo: there is no such file", lambda: rondo.open("/nowhere/x.rondo", tool=TOOL))
        with tempfile.NamedTemporaryFile(suffix=".rondo") as file:
            file.write(b"no capture at all")
            file.flush()
            self.expect(3, file.name, lambda: list(rondo.open(file.name, tool=TOOL).items()))
            self.expect(3, file.name, lambda: rondo.open(file.name, tool=TOOL).info)

    def test_a_capture_with_a_name_like_an_option(self):
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory, "--format=text")
            path.write_bytes(pathlib.Path(os.environ["CLEAN"]).read_bytes())
            before = os.getcwd()
            os.chdir(directory)
            try:
                self.assertGreater(len(rondo.open("--format=text", tool=TOOL).graph().items), 2)
            finally:
                os.chdir(before)

    def test_no_program(self):
        self.expect(127, "no program no-such-rondo", lambda: opened("CLEAN") and rondo.open(
            os.environ["CLEAN"], tool="no-such-rondo"))

    def test_output_that_is_cut_or_no_rows(self):
        with program("echo '{\"row\":\"analysis\"}'") as capture:
            self.expect(1, "printed no whole analysis", capture.graph)
        for wrong in ("echo 'no row'", "echo '[1]'", "printf '\\377\\n'"):
            with program(wrong) as capture:
                self.expect(1, "printed what is no row", lambda: list(capture.items()))
        with program("echo 'first line' >&2; echo 'rondo: what went wrong' >&2; exit 7") as capture:
            self.expect(7, "^what went wrong$", lambda: list(capture.items()))
        with program("exit 9") as capture:
            self.expect(9, "graph ended with status 9", lambda: list(capture.items()))

    def test_fields_and_rows_of_a_later_version(self):
        item = {"row": "item", "item": 3, "pass": 2, "new": [1], "needs": [{"item": 1, "newer": True}]}
        with program(f"cat <<'END'\n{json.dumps(item)}\n{json.dumps({'row': 'later', 'a-b': 1})}\nEND\n") as capture:
            first, second = capture.rows("graph")
        self.assertIsInstance(first, rondo.Item)
        self.assertEqual((first.item, first.pass_, first.extra), (3, 2, {"new": [1]}))
        self.assertEqual((first.needs[0].of_item, first.needs[0].extra), (3, {"newer": True}))
        self.assertEqual((type(second), second.row, second.extra), (rondo.Row, "later", {"a-b": 1}))

    def test_the_program_ends_with_the_loop(self):
        endless = "echo $$ >\"$0.pid\"; while echo '{\"row\":\"item\"}'; do sleep 0.01; done; sleep 60"
        for ending in (KeyboardInterrupt, None):
            with program(endless) as capture:
                rows = capture.items()
                with contextlib.suppress(KeyboardInterrupt):
                    for _ in rows:
                        if ending is not None:
                            raise ending
                        break
                del rows
                number = int(pathlib.Path(capture.tool + ".pid").read_text())
                for _ in range(500):
                    if not pathlib.Path(f"/proc/{number}").exists():
                        break
                    time.sleep(0.01)
                self.assertFalse(pathlib.Path(f"/proc/{number}").exists())

    @unittest.skipIf(importlib.util.find_spec("pandas"), "pandas is here")
    def test_frames_without_pandas(self):
        self.expect(2, "to_frame\\(\\) needs the module pandas: install python3-pandas",
                    lambda: opened("CLEAN").sync().to_frame())


class Graphs(unittest.TestCase):
    """Needs networkx."""

    def test_edges_are_those_of_graphml(self):
        for name in ("RACY", "CLEAN", "KERNELS", "FRAMES"):
            for both in (False, True):
                printed = subprocess.run([TOOL, "graph", "--format=graphml", *(["--both"] if both else []),
                                          os.environ[name]], capture_output=True, check=True).stdout
                root = xml.etree.ElementTree.fromstring(printed)
                space = "{http://graphml.graphdrawing.org/xmlns}"
                key = lambda text: int(text[1:]) if text[0] == "i" else "join " + text[1:]
                edges = {}
                for edge in root.iter(space + "edge"):
                    data = {one.get("key"): one.text or "" for one in edge.iter(space + "data")}
                    edges[key(edge.get("source")), key(edge.get("target"))] = (
                        set(data["kinds"].split()), data["grade"], data.get("order"))
                graph = opened(name).graph(both=both).to_networkx()
                self.assertEqual({(a, b): (set(d["kinds"].split()), d["grade"]) for a, b, d in graph.edges(data=True)},
                                 {pair: (kinds, grade) for pair, (kinds, grade, _) in edges.items()})
                self.assertEqual(set(graph.nodes), {key(node.get("id")) for node in root.iter(space + "node")})
                self.assertGreater(len(edges), 0)

    def test_a_span_has_no_edges_from_outside(self):
        capture = opened("FRAMES")
        graph = capture.graph(frames=range(1, 3)).to_networkx()
        self.assertEqual({graph.nodes[node]["item"].frame for node in graph if isinstance(node, int)}, {1, 2})

    def test_joins(self):
        rows = [{"row": "analysis"}, {"row": "item", "item": 0}, {"row": "item", "item": 1},
                {"row": "join", "join": 0, "items": [0], "joins": []},
                {"row": "join", "join": 1, "items": [1], "joins": [0]},
                {"row": "item", "item": 2, "needs": [{"join": 1, "kinds": ["WAR"], "grade": "certain"}]},
                {"row": "summary"}]
        with program("cat <<'END'\n" + "\n".join(map(json.dumps, rows)) + "\nEND\n") as capture:
            graph = capture.graph().to_networkx()
        self.assertEqual(set(graph.edges), {(0, "join 0"), (1, "join 1"), ("join 0", "join 1"), ("join 1", 2)})


class Frames(unittest.TestCase):
    """Needs pandas."""

    def test_frames(self):
        frame = opened("CLEAN").graph().to_frame()
        self.assertEqual(list(frame[frame.command == "vkCmdDispatch"].labels), [["A"], ["B"]])
        self.assertEqual(frame.capture_digest.nunique(), 1)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[1:]])
