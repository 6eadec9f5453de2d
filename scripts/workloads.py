# SPDX-License-Identifier: Apache-2.0
"""The real programs that measure-workloads and check-workloads start, and how."""
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time

import recorders

ZINK = {"MESA_LOADER_DRIVER_OVERRIDE": "zink", "LIBGL_ALWAYS_SOFTWARE": "1"}
GLMARK2 = {"shadow": "shadow", "jellyfish": "jellyfish", "terrain": "terrain", "refract": "refract",
           "buffer-map": "buffer:update-method=map", "buffer-subdata": "buffer:update-method=subdata",
           "texture": "texture", "ideas": "ideas", "desktop": "desktop", "effect2d": "effect2d"}
LONGEST = 900  # seconds that one run may take: slow where a capture keeps what submits write, and beside other work
MODELS = ("f16", "q8_0", "q4_0")


class Workload:
    """`until`: seconds, then SIGTERM. `times`: a regular expression of what its output says of speed.
    `draws_to_screen_only`: its submits write nothing but images of swapchains."""

    def __init__(self, words, environment=None, folder=None, until=None, times=None, draws_to_screen_only=False):
        self.words = [str(word) for word in words]
        self.environment = environment or {}
        self.folder = folder
        self.until = until
        self.times = times
        self.draws_to_screen_only = draws_to_screen_only

    def run(self, environment, watch=False):
        return Run(self.words, environment, self.folder, self.until, watch)


def add_options(parser):
    """What chooses the programs and the build; chosen() understands it."""
    parser.add_argument("--build", type=pathlib.Path, default=recorders.ROOT / "build")
    parser.add_argument("--frames", type=int, default=300, help="of vkcube")
    parser.add_argument("--llama", type=pathlib.Path, help="a folder where `npm i node-llama-cpp` was run")
    parser.add_argument("--workloads", type=pathlib.Path, default=recorders.ROOT.parent / "shared" / "workloads",
                        help="where mkgguf.py and llama_test.mjs are")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("workload", nargs="*")


def chosen(options):
    """Workload by name: those asked for, or all that this machine can run. --list prints them and exits."""
    options.build = options.build.resolve()
    if not (options.build / "layer" / "librondo_layer.so").exists():
        sys.exit(f"{options.build}: no build of Rondo; scripts/build makes one")
    if options.frames < 1:
        sys.exit("--frames: at least 1")
    if options.llama and not (options.llama / "node_modules" / "node-llama-cpp").exists():
        sys.exit(f"{options.llama}: no node-llama-cpp; run `npm i node-llama-cpp` there")
    if options.json and not options.json.absolute().parent.is_dir():
        sys.exit(f"{options.json}: no such folder")
    options.llama = options.llama and options.llama.resolve()
    if not options.list:
        recorders.install()
    known = workloads(options)
    if options.list:
        print("\n".join(known))
        sys.exit(0)
    for name in options.workload:
        if name not in known:
            sys.exit(f"{name}: no such workload here; there are: {', '.join(known)}")
    return {name: known[name] for name in options.workload or known}


def glmark2(benchmark, size="640x480", frames=100):
    return Workload(["glmark2", "-s", size, "-b", f"{benchmark}:nframes={frames}:duration={LONGEST}"], ZINK,
                    times=r"FPS|FrameTime|Score")


def workloads(options):
    found = {}
    if shutil.which("vkcube"):
        found["vkcube"] = Workload(["vkcube", "--c", options.frames, "--present_mode", "0"],
                                   draws_to_screen_only=True)
        found["vkcube-small"] = Workload(["vkcube", "--c", options.frames, "--width", "320", "--height", "240"],
                                         draws_to_screen_only=True)
    if shutil.which("vkcubepp"):
        found["vkcubepp"] = Workload(["vkcubepp", "--c", options.frames, "--present_mode", "0"],
                                     draws_to_screen_only=True)
    if shutil.which("glmark2"):
        for name, benchmark in GLMARK2.items():
            found[f"glmark2-{name}"] = glmark2(benchmark)
        found["glmark2-small"] = glmark2("shadow", "320x240")
    if shutil.which("glxgears"):
        found["glxgears"] = Workload(["glxgears"], ZINK, until=3, times=r"frames in")
    if options.llama:
        for model in MODELS:
            file = options.llama / f"{model}.gguf"
            if not file.exists():
                maker = options.workloads / "mkgguf.py"
                subprocess.run([sys.executable, maker, file, "2", "256", "512", "4", model], check=True)
            shutil.copy(options.workloads / "llama_test.mjs", options.llama)
            found[f"llama-{model}"] = Workload(["node", "llama_test.mjs", file.name, "16"],
                                               {"GGML_VK_VISIBLE_DEVICES": "0"}, options.llama, times=r"^(load|gen|total) ms|vram")
    return found


def capture(workload, environment, build, output, settings=None):
    """Rondo's capture of one run; of several processes' the largest. What an earlier run wrote there goes."""
    for file in recorders.captures(output):
        file.unlink()
    workload.run(environment | recorders.rondo(build, output) | (settings or {}))
    file, *_ = recorders.captures(output) or [None]
    if file is None:
        raise RuntimeError(f"{workload.words[0]}: no capture")
    if workload.until:  # ended by a signal: the launcher would finish it
        subprocess.run([build / "analyzers" / "rondo", "finish", file], check=True, capture_output=True)
    return file


def memory_of(process):
    """KiB by name (Pss, Rss, Pss_Anon, …), of a folder of /proc."""
    words = (line.split() for line in (process / "smaps_rollup").read_text().splitlines()[1:])
    return {name.rstrip(":"): int(kib) for name, kib, _ in words}


def pss_of(group):
    """KiB of all processes of a group."""
    total = 0
    for process in pathlib.Path("/proc").iterdir():
        if not process.name.isdigit():
            continue
        try:
            if os.getpgid(int(process.name)) != group:
                continue
            total += memory_of(process).get("Pss", 0)
        except (OSError, ProcessLookupError):
            continue
    return total


def children_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Run:
    """One run: wall-clock seconds, processor seconds, output, and, if asked for, the highest PSS. One at a time."""

    def __init__(self, words, environment, folder=None, until=None, watch=False):
        start, cpu = time.monotonic(), children_seconds()
        process = subprocess.Popen([str(word) for word in words], env=environment, cwd=folder, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        self.pss = 0
        done = threading.Event()

        def after(seconds, number):
            timer = threading.Timer(seconds, lambda: os.killpg(process.pid, number))
            timer.daemon = True
            timer.start()
            return timer

        timers = [after(LONGEST, signal.SIGKILL)] + ([after(until, signal.SIGTERM)] if until else [])

        def sample():
            while not done.wait(0.02):
                self.pss = max(self.pss, pss_of(process.pid))

        watcher = threading.Thread(target=sample) if watch else None
        if watcher:
            watcher.start()
        try:
            self.output, self.errors = process.communicate()
            self.seconds, self.cpu = time.monotonic() - start, children_seconds() - cpu
        finally:
            for timer in timers:
                timer.cancel()
            done.set()
            if watcher:
                watcher.join()
        wanted = (0, -signal.SIGTERM) if until else (0,)
        if self.seconds >= LONGEST:
            raise RuntimeError(f"{words[0]}: killed after {LONGEST} s")
        if process.returncode not in wanted:
            raise RuntimeError(f"{words[0]}: status {process.returncode}\n{self.output}{self.errors}")
