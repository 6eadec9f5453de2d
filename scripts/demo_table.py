#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What scripts/demo ends with: a table, a contact sheet and three lines. Arguments: its output directory, the capture, the player."""
import json
import pathlib
import re
import shlex
import sys

import demo_sheet


def main():
    output, capture, player = map(pathlib.Path, sys.argv[1:])
    info = json.loads((output / "info.json").read_text())

    def seconds(what):
        return float((output / f"{what}.seconds").read_text())

    verified = re.findall(r"\d+ of \d+ .*", (output / "verified.log").read_text())
    checked = capture.with_name(capture.stem + "-checked.rondo")
    rows = [
        ("calls", f"{info['calls']:,}"),
        ("frames", f"{info['frames']:,}"),
        ("submits", f"{info['submits']:,}"),
        ("capture", f"{capture.stat().st_size / 1024:.1f} KiB"),
        ("native", f"{seconds('native'):.2f} s"),
        ("captured", f"{seconds('captured'):.2f} s"),
        ("… with checkpoints", f"{seconds('checkpointed'):.2f} s"),
        ("replayed", f"{seconds('replayed'):.2f} s"),
        ("replayed 3 times", f"{seconds('looped'):.2f} s"),
        ("verified", "; ".join(verified) or "nothing to compare"),
    ]
    width = max(len(name) for name, _ in rows)
    print()
    for name, value in rows:
        print(f"  {name:<{width}}  {value}")
    print(f"\ncaptures: {capture}, {checked}")

    drawn = sorted((output / "png").glob("frame-*.png"))
    if drawn:
        sheet = output / "contact-sheet.png"
        try:
            shown = demo_sheet.make(drawn, sheet)
            print(f"pictures: {sheet} shows {shown} of the {len(drawn)} in {output / 'png'}")
        except demo_sheet.NotRead as reason:
            print(f"pictures: {len(drawn)} in {output / 'png'} (no contact sheet: {reason})")

    print(f"a page about it: {output / 'report.html'}")

    print()
    images = re.search(r"(\d+) of (\d+) images compared and equal", "\n".join(verified))
    if images:
        print(f"{images[1]} of {images[2]} images that the replay drew are identical to the program's own, bit for bit.")
    elif verified:
        print(f"The replay was compared with the program's own results: {'; '.join(verified)}.")
    else:
        print("There is nothing that the replay could be compared by.")
    mine = seconds("replayed")
    if (output / "peer-replayed.seconds").exists():
        theirs = seconds("peer-replayed")
        print(f"The replay took {mine:.2f} s; gfxreconstruct's replay of its own capture {theirs:.2f} s (best of three each).")
    else:
        print(f"The replay took {mine:.2f} s, the program itself {seconds('native'):.2f} s.")
    if verified:
        again, what = shlex.join([str(player), "--verify", str(checked)]), "compares it again"
    else:
        again, what = shlex.join([str(player), "--loop", "10", str(capture)]), "measures it"
    shows = f", and --window in place of {'--verify' if verified else '--loop 10'} shows it" if drawn else ""
    print(f"Next: `{again}` {what}{shows}; README.md has the other commands.")


if __name__ == "__main__":
    main()
