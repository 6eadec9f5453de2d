# SPDX-License-Identifier: Apache-2.0
# What programs do with processes, signals, threads and libraries, printed: the same in every run, whatever is preloaded.
import asyncio, atexit, ctypes, mmap, multiprocessing, os, pty, resource, select, signal, socket, subprocess, sys, tempfile, threading, time
from multiprocessing import shared_memory

def say(*words):
    print(*words, flush=True)

def square(n):
    return n * n

def status_of(field):
    with open("/proc/self/status") as status:
        return [line.split()[1] for line in status if line.startswith(field + ":")][0]

def child(work):
    """Forks, works and leaves by _exit with what that returns; how it ended."""
    pid = os.fork()
    if pid == 0:
        os._exit(work() or 0)
    status = os.waitpid(pid, 0)[1]
    return ("signal", os.WTERMSIG(status)) if os.WIFSIGNALED(status) else ("exit", os.WEXITSTATUS(status))

def processes():
    say("descriptors", sorted(os.listdir("/proc/self/fd")), "threads", len(os.listdir("/proc/self/task")))
    say("signals", status_of("SigBlk"), status_of("SigIgn"), status_of("SigCgt"))
    here = [sys.executable, "-S", "-c"]
    say("run", subprocess.run(here + ["print('child', input())"], input="text\n", capture_output=True, text=True))
    say("no environment", subprocess.run(["/usr/bin/env"], env={}, capture_output=True).returncode)
    say("own environment", subprocess.run(["/bin/sh", "-c", "echo $A; exit 9"], env={"A": "b"}, capture_output=True))
    say("shell", os.system("exit 3") >> 8, os.popen("echo by popen").read().strip())
    session = subprocess.run(here + ["import os; print(os.getsid(0) == os.getpid())"], start_new_session=True, capture_output=True)
    say("session", session.stdout, subprocess.run(["/bin/true"], preexec_fn=lambda: os.umask(0)).returncode)
    sleeper = subprocess.Popen(["sleep", "60"])
    sleeper.kill()
    say("killed", sleeper.wait())
    inherited, end = os.pipe()
    passed = subprocess.run(["/bin/sh", "-c", f"echo passed >&{end}"], pass_fds=[end])
    say("descriptor", passed.returncode, os.read(inherited, 100))
    pid = os.posix_spawn("/bin/sh", ["sh", "-c", "exit 4"], {}, setsigdef=[signal.SIGPIPE])
    say("spawned", os.waitpid(pid, 0)[1] >> 8)
    pid = os.posix_spawnp("sh", ["sh", "-c", "exit 5"], os.environ, file_actions=[(os.POSIX_SPAWN_CLOSE, inherited)])
    say("spawned by name", os.waitpid(pid, 0)[1] >> 8)
    for name in ("execv", "execve", "execvp", "execvpe"):
        more = [{"A": "1"}] if name.endswith("e") else []
        say(name, child(lambda: getattr(os, name)("/bin/sh", ["sh", "-c", "exit 6"], *more)))
    say("execl", child(lambda: os.execlp("sh", "sh", "-c", "exit 7")), child(lambda: os.execle("/bin/sh", "sh", "-c", "exit 8", {})))
    say("fexecve", child(lambda: os.execve(os.open("/bin/false", os.O_RDONLY), ["false"], {})))
    for what in ("/no/such/program", "/etc/passwd", "/"):
        try:
            os.execv(what, ["x"])
        except OSError as error:
            say("cannot", what, error)
    try:
        subprocess.run(["no-such-program"])
    except OSError as error:
        say("cannot", error)
    say("_exit", child(lambda: 11), "abort", child(os.abort), "fault", child(lambda: ctypes.string_at(8)))
    say("all closed", child(lambda: os.closerange(3, 4096) or subprocess.run(["/bin/true"]).returncode))
    say("no descriptors left", child(lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))))
    say("memory", child(lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 31, 1 << 31)) or len(bytearray(1 << 20)) >> 18))

def libraries():
    say("cos", ctypes.CDLL("libm.so.6").abs(-3), ctypes.CDLL(None).getpid() == os.getpid())
    for mode in (os.RTLD_LAZY, os.RTLD_NOW | os.RTLD_GLOBAL, os.RTLD_NOW | os.RTLD_DEEPBIND, os.RTLD_NOW | os.RTLD_NODELETE):
        zlib = ctypes.CDLL("libz.so.1", mode=mode)
        say("crc32", zlib.crc32(0, b"text", 4) & 0xffffffff)
    for wrong in ("libnone-such.so", "/etc/passwd"):
        try:
            ctypes.CDLL(wrong)
        except OSError as error:
            say("cannot", error)
    try:
        ctypes.CDLL(None).no_such_function
    except AttributeError as error:
        say("cannot", str(error).split(": ")[-1])
    libc = ctypes.CDLL(None)
    libc.dlsym.restype = libc.dlopen.restype = libc.dlvsym.restype = ctypes.c_void_p
    libc.dlsym.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
    libc.dlvsym.argtypes = libc.dlsym.argtypes + [ctypes.c_char_p]
    say("dlsym", libc.dlsym(None, b"getpid") is not None, libc.dlsym(None, b"none"), libc.dlvsym(None, b"getpid", b"GLIBC_9"))
    libc.dlmopen.restype = ctypes.c_void_p
    libc.dlmopen.argtypes = [ctypes.c_long, ctypes.c_char_p, ctypes.c_int]
    say("namespace", libc.dlmopen(-1, b"libz.so.1", os.RTLD_NOW) is not None)

def signals():
    seen = []
    signal.signal(signal.SIGUSR1, lambda number, frame: seen.append(number))
    os.kill(os.getpid(), signal.SIGUSR1)
    signal.signal(signal.SIGALRM, lambda number, frame: seen.append(number))
    signal.setitimer(signal.ITIMER_REAL, 0.02)
    signal.pause()
    signal.signal(signal.SIGCHLD, lambda number, frame: seen.append(number))
    subprocess.run(["/bin/true"])
    say("seen", [signal.Signals(number).name for number in seen])
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    os.kill(os.getpid(), signal.SIGTERM)
    say("waited for", signal.sigwait({signal.SIGTERM}).name)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    def by(number):
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    for number in (signal.SIGTERM, signal.SIGKILL, signal.SIGQUIT, signal.SIGPIPE):
        say(number.name, child(lambda: by(number)))
    try:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(1)
    except KeyboardInterrupt:
        say("interrupted")
    crash = subprocess.run([sys.executable, "-S", "-X", "faulthandler", "-c", "import ctypes; ctypes.string_at(8)"], stderr=subprocess.PIPE, text=True)
    say("fault", crash.returncode, crash.stderr.splitlines()[0])

def terminal():
    pid, master = pty.fork()
    if pid == 0:
        os.environ.update(PS1="ready> ", TERM="dumb")
        os.execv("/bin/bash", ["bash", "--norc", "--noprofile", "--noediting", "-i"])
    unread = ""

    def until(text):
        nonlocal unread
        while text not in unread:
            if not select.select([master], [], [], 20)[0]:
                raise TimeoutError(text + " is not in " + unread)
            unread += os.read(master, 1000).decode()
        unread = unread[unread.index(text) + len(text):]
        say("on the terminal", text)

    def in_front(name):
        while open(f"/proc/{os.tcgetpgrp(master)}/comm").read().strip() != name:
            time.sleep(0.01)

    until("ready> ")
    os.write(master, b"sleep 60\n")
    in_front("sleep")
    os.write(master, b"\x1a")
    until("Stopped")
    until("ready> ")
    os.write(master, b"fg\n")
    in_front("sleep")
    os.write(master, b"\x03")
    until("ready> ")
    os.write(master, b"echo status $?\n")
    until("status 130")
    os.write(master, b"exit 3\n")
    say("terminal", os.waitpid(pid, 0)[1] >> 8)

def threads():
    results = []
    workers = [threading.Thread(target=lambda n=n: results.append(square(n))) for n in range(16)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    say("threads", sorted(results))
    for method in ("fork", "spawn", "forkserver"):
        context = multiprocessing.get_context(method)
        with context.Pool(2) as pool:
            say(method, pool.map(square, range(8)))
        queue = context.Queue()
        process = context.Process(target=queue.put, args=("through a queue",))
        process.start()
        say(queue.get(), process.join(), process.exitcode)
    memory = shared_memory.SharedMemory(create=True, size=64)
    memory.buf[0] = 7
    other = shared_memory.SharedMemory(memory.name)
    say("shared memory", other.buf[0])
    other.close()
    memory.close()
    memory.unlink()

    async def both():
        one = await asyncio.create_subprocess_exec("/bin/sh", "-c", "echo async; exit 2", stdout=subprocess.PIPE)
        out = await one.communicate()
        return out[0], one.returncode
    say("asyncio", asyncio.run(both()))
    one, two = socket.socketpair()
    one.send(b"over a socket")
    say(two.recv(100))
    with tempfile.TemporaryFile() as file:
        file.truncate(4096)
        with mmap.mmap(file.fileno(), 4096) as mapped:
            mapped[:4] = b"page"
        say("mapped", os.pread(file.fileno(), 4, 0))

if __name__ == "__main__":
    atexit.register(say, "at exit")
    libraries()
    processes()
    signals()
    terminal()
    threads()
    sys.stderr.write("to the errors\n")
    sys.exit(17)
