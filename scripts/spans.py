# SPDX-License-Identifier: Apache-2.0
"""The spans of real programs that measuring scripts loop."""
import json
import subprocess


def info(build, kind, capture):
    """The rows of `rondo info`: kind is frames or submits."""
    words = [build / "analyzers" / "rondo", "info", f"--{kind}", "--times", "--json", capture]
    return json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)[f"{kind[:-1]}_rows"]


def frames(first, last):
    return f"--frames={first}:{last}"


def period(values):
    """The shortest sequence that stands three times at the end, but not of equal values alone."""
    for length in range(1, len(values) // 3 + 1):
        last = values[-length:]
        if last == values[-2 * length:-length] == values[-3 * length:-2 * length]:
            if length > 1 or values[-1] > max(values) // 8:
                return length
    raise RuntimeError("no sequence of submits stands three times at the capture's end")


def decode_step(build, capture):
    """A decode step of llama.cpp (the last but one), and the rows of submits of all steps that repeat. The numbers of
    commands of submits repeat with the steps: the shortest sequence that stands three times at the end is one."""
    rows = info(build, "submits", capture)
    counts = [row["commands"] for row in rows]
    while counts and counts[-1] == 0:
        counts.pop()
    length = period(counts)
    steps, end = [], len(counts)
    while end >= length and counts[end - length:end] == counts[len(counts) - length:]:
        steps.append(rows[end - length:end])
        end -= length
    first = len(counts) - 2 * length
    return f"--submits={first}:{first + length}", steps
