# SPDX-License-Identifier: Apache-2.0
"""What a change costs: two builds beside each other, for scripts/check-change --costs."""
import os
import pathlib
import re
import subprocess
import tempfile

import recorders

LARGEST = 4        # captures whose peak memory is compared
TURNS = 3          # the least of so many counts
CALLS = 20_000     # of tests/programs/draws under callgrind
HOOKS = ("vkCmdDraw", "vkCmdSetViewport", "vkCmdPushConstants")  # that the program calls
MOST = 1.02        # times the cost of before
NOISE = 1 << 20    # bytes of peak memory that differ from run to run


def peak_memory(words, environment):
    """Bytes of resident memory at most, of one process."""
    process = subprocess.Popen([str(word) for word in words], env=environment, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    _, _, used = os.wait4(process.pid, 0)
    return used.ru_maxrss * 1024


def counted(words, environment, toggle=None, statuses=(0,)):
    """Instructions that callgrind counts: all, or those within the functions of a pattern."""
    with tempfile.TemporaryDirectory() as scratch:
        tool = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={scratch}/out"]
        if toggle:
            tool += ["--collect-atstart=no", f"--toggle-collect={toggle}"]
        done = subprocess.run(tool + [str(word) for word in words], env=environment, capture_output=True, text=True)
        found = re.search(r"Collected : (\d+)", done.stderr)
        if done.returncode not in statuses or not found:
            raise RuntimeError(f"{words[0]} under callgrind: status {done.returncode}\n{done.stderr[-600:]}")
        return int(found.group(1))


def hook_of(build, scratch, command):
    """Instructions within the hook of a command, a call, as callgrind sees its begin and its end."""
    program = build.root / "tests" / "programs" / "draws"
    environment = recorders.plain() | {"VK_ICD_FILENAMES": str(build.root / "tests" / "icd" / "fake_icd.json"),
                                       "RONDO_MEMORY": "shadow"}
    environment |= recorders.rondo(build.root, pathlib.Path(scratch) / "draws.rondo")
    counts = []
    for calls in (CALLS, 2 * CALLS):
        for file in pathlib.Path(scratch).glob("draws*.rondo"):
            file.unlink()
        counts.append(counted([program, "--calls", calls, "--repeat", 1], environment, f"rondo::layer::hook_{command}(*"))
    return (counts[1] - counts[0]) / CALLS


def measures(captures):
    """(what, unit, function of a build) for each cost."""
    largest = sorted(captures, key=lambda file: -file.stat().st_size)[:LARGEST]
    smallest = [file for file in captures if file.name == "glmark2-shadow.rondo"] or captures[:1]
    plain = recorders.plain()
    for capture in largest:
        for name, words in (("rondo info", lambda b, c: [b.rondo, "info", c]),
                            ("rondo accesses", lambda b, c: [b.rondo, "accesses", "--summary", c]),
                            ("player", lambda b, c: [b.player, "--quiet", "--trust", c])):
            yield (f"peak memory of {name}, {capture.stem}", "bytes",
                   lambda build, words=words, capture=capture: peak_memory(words(build, capture), plain))
    for capture in smallest:
        yield (f"instructions of a plan, {capture.stem}", "instructions",
               # Without a driver the player ends when the plan is made.
               lambda build, capture=capture: counted([build.player, "--quiet", "--trust", capture],
                                                      plain | {"VK_ICD_FILENAMES": "/nonexistent.json"},
                                                      "rondo::player::build_plan*", (4,)))
        # Rows have more to say than they had: what the model costs is in the summary, too.
        yield (f"instructions of rondo accesses --summary, {capture.stem}", "instructions",
               lambda build, capture=capture: counted([build.rondo, "accesses", "--summary", capture], plain))
        yield (f"instructions of rondo dump, {capture.stem}", "instructions",
               lambda build, capture=capture: counted([build.rondo, "dump", "--format=jsonl", capture], plain))


def compare(before, now, captures):
    """Prints a row for each cost; how many are dearer."""
    dearer = 0
    with tempfile.TemporaryDirectory() as scratch:
        rows = list(measures(captures))
        for command in HOOKS:
            rows.append((f"instructions within the hook of {command}, a call", "instructions",
                         lambda build, command=command: hook_of(build, scratch, command)))
        print("| what | before | now | ratio |\n| --- | --- | --- | --- |", flush=True)
        for what, unit, measure in rows:
            turns = TURNS if unit == "bytes" else 1
            old, new = (min(measure(build) for _ in range(turns)) for build in (before, now))
            is_dearer = new > old * MOST and not (unit == "bytes" and new - old < NOISE)
            dearer += is_dearer
            print(f"| {what} | {old:,.0f} | {new:,.0f} | ×{new / old:.3f}{' **dearer**' if is_dearer else ''} |", flush=True)
    return dearer
