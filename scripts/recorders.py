# SPDX-License-Identifier: Apache-2.0
"""The environments in which the measuring scripts start programs: with nothing, with
Rondo's layer, with gfxreconstruct's; and an X server for those that want one."""
import functools
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
LAVAPIPE = subprocess.check_output([ROOT / "scripts" / "lavapipe"], text=True).strip()


@functools.cache
def install():
    """What measuring takes, where this user can install it; what is not there is left out or refused by name later."""
    subprocess.run([ROOT / "scripts" / "setup", "measure"])


def plain():
    """This environment without what is set for recorders, drivers or windows."""
    mine = {k: v for k, v in os.environ.items()
            if not k.startswith(("RONDO_", "VK_", "GFXRECON_")) and k not in ("DISPLAY", "WAYLAND_DISPLAY")}
    mine["VK_ICD_FILENAMES"] = os.environ.get("VK_ICD_FILENAMES", LAVAPIPE)
    return mine


def rondo(build, output):
    shares = os.environ.get("XDG_DATA_DIRS", "/usr/local/share:/usr/share")
    return {"RONDO_CAPTURE": "1", "RONDO_OUTPUT": str(output), "XDG_DATA_DIRS": f"{build}/share:{shares}"}


def captures(output):
    """What rondo() wrote: a file for each process that created an instance, the largest first."""
    files = [output, *output.parent.glob(f"{output.stem}-*{output.suffix}")]
    return sorted((file for file in files if file.exists()), key=lambda file: -file.stat().st_size)


def gfxreconstruct(output):
    """With its defaults: LZ4, and page guards for mapped memory."""
    return {"VK_INSTANCE_LAYERS": "VK_LAYER_LUNARG_gfxreconstruct", "GFXRECON_CAPTURE_FILE": str(output),
            "GFXRECON_CAPTURE_FILE_TIMESTAMP": "false", "GFXRECON_LOG_LEVEL": "error"}


def start_display():
    """An X server (a process) and the name of its display."""
    read, write = os.pipe()
    server = subprocess.Popen(["Xvfb", "-displayfd", str(write), "-screen", "0", "1280x800x24", "-nolisten", "tcp"],
                              pass_fds=[write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(write)
    with os.fdopen(read) as numbers:
        return server, ":" + numbers.readline().strip()
