#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Count test cases, not test programs, after `meson test`.

googletest programs are in meson's JUnit file case by case; a scenario program
leaves test-results/<test>.tsv (tests/scenarios/main.cpp). Any other test is one
case, and so is a program that failed without a failed case (it crashed, or ran
out of time). Prints what failed and what was skipped, then the totals.
"""
import pathlib
import sys
import xml.etree.ElementTree as xml


def listed_cases(path):
    for line in path.read_text(encoding="utf-8").splitlines():
        state, name, reason = (line.split("\t") + ["", ""])[:3]
        yield state, name, reason


def junit_state(case):
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed", ""
    skipped = case.find("skipped")
    if skipped is not None:
        return "skipped", " ".join((skipped.get("message") or "").split())
    if case.get("status") == "notrun":
        return "skipped", "disabled"
    return "passed", ""


def collect(build):
    junit = build / "meson-logs" / "testlog.junit.xml"
    if not junit.exists():
        yield "failed", "meson test (it wrote no results)", ""
        return
    for suite in xml.parse(junit).getroot().iter("testsuite"):
        for case in suite.findall("testcase"):
            state, reason = junit_state(case)
            # "rondo:scenario / scenario-vkcube" for a program without cases in the file
            test = case.get("name").split(" / ")[-1]
            listed = build / "test-results" / (test + ".tsv")
            if not listed.exists():
                program = suite.get("name").split(" / ")[-1]
                yield state, test if " / " in case.get("name") else f"{program}.{test}", reason
                continue
            cases = list(listed_cases(listed))
            yield from cases
            if state == "failed" and not any(s == "failed" for s, _, _ in cases):
                yield "failed", test + " (ended early)", ""


def main():
    totals = {"passed": 0, "failed": 0, "skipped": 0}
    for state, name, reason in collect(pathlib.Path(sys.argv[1])):
        totals[state] += 1
        if state != "passed":
            print(f"{state}: {name}" + (f": {reason}" if reason else ""))
    print("{passed} passed, {failed} failed, {skipped} skipped".format(**totals))
    return 1 if totals["failed"] or not totals["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
