# SPDX-License-Identifier: Apache-2.0
"""What Khronos' synchronization validation says of a capture that is played."""
import json
import os
import pathlib
import re
import tempfile

NEWEST = pathlib.Path(os.environ.get("RONDO_DRIVERS", pathlib.Path.home() / ".cache/rondo-drivers")) / "lavapipe26.run"


class NotAsked(Exception):
    """The capture cannot be played under the layer."""


def ask(player, capture, layer, icd):
    """All messages. `player(arguments, words=…)` runs the player with `words` before it. `layer`: installed, or newest: that of
    scripts/drivers' lavapipe26."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        words = [NEWEST, "env", f"VK_ICD_FILENAMES={icd}"] if layer == "newest" else []
        done = player(["--validate=sync", "--report", report, capture], words=words)
        if not report.exists():
            raise NotAsked((done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1])
        said = json.loads(report.read_text())
        if said["status"] != 0 and not said["validation_messages"]:
            raise NotAsked(said["error"])
        return said["validation_messages"]


def words_of(message):
    """Without handles, numbers and what else differs where the same is said; of hazards their kind and both commands."""
    message = " ".join(message.split())
    hazard = re.search(r"SYNC-HAZARD-[A-Z-]+|[A-Z_]+ hazard detected", message)
    if hazard:
        commands = re.findall(r"command: (vk\w+)", message) or re.findall(r"\bvk[A-Z]\w+", message)
        return " ".join([hazard[0], *re.findall(r"\bvk(?:Cmd|Queue)\w+(?=[(:])", message)[:1], *commands])
    return re.sub(r"0x[0-9a-f]+|\d+", "#", message)
