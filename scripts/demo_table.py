#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The table that scripts/demo ends with. Arguments: its output directory, the capture."""
import json
import pathlib
import re
import sys


def main():
    output, capture = map(pathlib.Path, sys.argv[1:])
    info = json.loads((output / "info.json").read_text())

    def seconds(what):
        return (output / f"{what}.seconds").read_text() + " s"

    verified = re.findall(r"\d+ of \d+ .*", (output / "verified.log").read_text())
    pngs = len(list((output / "png").glob("*.png")))
    checked = capture.with_name(capture.stem + "-checked.rondo")
    rows = [
        ("calls", f"{info['calls']:,}"),
        ("frames", f"{info['frames']:,}"),
        ("submits", f"{info['submits']:,}"),
        ("capture", f"{capture.stat().st_size / 1024:.1f} KiB"),
        ("native", seconds("native")),
        ("captured", seconds("captured")),
        ("… with checkpoints", seconds("checkpointed")),
        ("replayed", seconds("replayed")),
        ("replayed 3 times", seconds("looped")),
        ("verified", "; ".join(verified) or "nothing to compare"),
    ]
    width = max(len(name) for name, _ in rows)
    print()
    for name, value in rows:
        print(f"  {name:<{width}}  {value}")
    print(f"\ncaptures: {capture}, {checked}")
    print(f"images:   {pngs} PNGs in {output / 'png'}")


if __name__ == "__main__":
    main()
