#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether the sources and documents keep the rules of the house.

    tests/tidy/tidy.py [--fix] [ROOT]

A rule is a case of its own in the file that RONDO_TEST_RESULTS names (scripts/count_tests.py).
--fix formats the sources; the other rules are for hands. Files are found by their folders, not by
git: a source archive is checked, too.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

FORMATTER = 14  # of clang-format; Debian 12 has it. Other versions format some lines otherwise
MOST_COLUMNS = 120
MOST_LINES = 500
SOURCES = (".cpp", ".h", ".c")
FOREIGN = ("build", "demo-output", "__pycache__")  # folders whose files nobody wrote here
OUTSIDE = re.compile(r"\bdesign(?:\.md|,? §|,? \"| section )|\.\./shared|\b(?:model|analysis|style)\.md\b")


def files(root, suffixes):
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(f for f in folders if not f.startswith((".", "build-")) and f not in FOREIGN)
        yield from (pathlib.Path(folder, name) for name in sorted(names) if name.endswith(suffixes))


def formatter():
    """clang-format of the right version, or None."""
    for name in (f"clang-format-{FORMATTER}", "clang-format"):
        found = shutil.which(name)
        if found and f" version {FORMATTER}." in subprocess.run([found, "--version"], capture_output=True, text=True).stdout:
            return found
    return None


class Skipped(Exception):
    pass


def is_formatted(root, fix=False):
    """Sources are as .clang-format wants them: tests/tidy/tidy.py --fix does it"""
    program = formatter()
    if program is None:
        raise Skipped(f"clang-format {FORMATTER} is not here, and other versions format otherwise")
    sources = [str(file) for file in files(root, SOURCES)]
    for start in range(0, len(sources), 200):
        words = [program, "-i" if fix else "--dry-run", *sources[start:start + 200]]
        said = subprocess.run(words, capture_output=True, text=True).stderr
        yield from sorted({line.split(":")[0] for line in said.splitlines() if "[-Wclang-format-violations]" in line})


def without_raw_strings(text):
    """Texts that a program prints are as wide as they are."""
    keep_lines = lambda match: "\n" * match.group(0).count("\n")
    return re.sub(r'R"([^()\\\s]*)\(.*?\)\1"', keep_lines, text, flags=re.DOTALL)


def fits_columns(root):
    """No line of a source has more than 120 columns"""
    for file in files(root, SOURCES):
        for number, line in enumerate(without_raw_strings(file.read_text()).splitlines(), 1):
            if len(line) > MOST_COLUMNS:
                yield f"{file}:{number}: {len(line)} columns"


def is_short(root):
    """No source has more than 500 lines"""
    for file in files(root, SOURCES):
        lines = file.read_text().count("\n")
        if lines > MOST_LINES:
            yield f"{file}: {lines} lines"


def anchors(text):
    """What a link may name in a document, as GitHub and GitLab make it of headings."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    for heading in re.findall(r"^#+ +(.*?)\s*$", text, flags=re.MULTILINE):
        yield re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
    yield from re.findall(r'<a name="([^"]+)">', text)


def leads_somewhere(root):
    """Every link of a document leads to a file, and to a heading, that is there"""
    for file in files(root, (".md",)):
        text = file.read_text()
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if "://" in target or target.startswith("mailto:"):
                continue
            name, _, anchor = target.partition("#")
            to = file.parent / name if name else file
            if not to.exists():
                yield f"{file}: {target}: no such file"
            elif anchor and anchor not in anchors(to.read_text()):
                yield f"{file}: {target}: no such heading"


def stays_inside(root):
    """No source and no document refers to a document that is not in the repository"""
    this = pathlib.Path(__file__).resolve()
    for file in files(root, SOURCES + (".py", ".md", ".build")):
        if file.resolve() == this or file.name == "tidy_test.py":
            continue
        for number, line in enumerate(file.read_text().splitlines(), 1):
            if OUTSIDE.search(line):
                yield f"{file}:{number}: {line.strip()}"


RULES = (is_formatted, fits_columns, is_short, leads_somewhere, stays_inside)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fix", action="store_true")
    parser.add_argument("root", nargs="?", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2])
    options = parser.parse_args()
    if options.fix:
        for _ in is_formatted(options.root, fix=True):
            pass
    cases = []
    for rule in RULES:
        name = "tidy: " + rule.__doc__
        try:
            wrong = list(rule(options.root))
            cases.append(("failed" if wrong else "passed", name, ""))
            if wrong:
                print(rule.__doc__ + ":", *wrong, sep="\n  ")
        except Skipped as reason:
            cases.append(("skipped", name, str(reason)))
    results = os.environ.get("RONDO_TEST_RESULTS")
    if results:
        pathlib.Path(results).write_text("".join("\t".join(case) + "\n" for case in cases))
    return 1 if any(state == "failed" for state, _, _ in cases) else 0


if __name__ == "__main__":
    sys.exit(main())
