"""Processes that start warm: slow imports are done once, and each case runs in a fork of the process that did them.

A test of limits needs a process of its own: its processor seconds and its memory count, and signals end it. A fresh one
takes two to five seconds to import scikit-learn, polars or PyTorch; a fork takes some hundredths.

A fork copies one thread, and locks that others hold stay locked in it for ever. So the nursery only imports, never
computes; it counts its threads before each fork, and leaves the start to a fresh interpreter if a library has begun
one. So does a system other than Linux, where system libraries have threads that nobody sees. A case that hangs all the
same is killed after ten minutes, and its test fails.

A fork gets the environment and the working directory that the test has when it starts it. What the imports have read
before (PYTHONPATH, OMP_NUM_THREADS) stays as it was.

The file is both sides: `Nursery` for the tests, and the program that imports and forks.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module

FORKS = sys.platform == "linux"
MESSAGE = 1 << 17  # bytes of a request at most
PATIENCE = 600.0  # seconds until a case hangs; the longest takes minutes on a busy machine
PAUSE = 0.01  # seconds between two looks at whether a case has ended
Ended = tuple[int, float]  # exit code, negative for a signal, and processor seconds


class Process:
    """A running case. Whoever started it has to `wait` for it or to `kill` it."""

    def __init__(self, call: str, pid: int, look: Callable[[int], Ended | None], forked: bool) -> None:
        self.call = call
        self.pid = pid
        self.forked = forked
        self._look = look
        self._looking = threading.Lock()  # who looks second finds no such process
        self._ended: Ended | None = None

    def send_signal(self, number: int) -> None:
        """Send a signal to this process alone."""
        os.kill(self.pid, number)  # the number is not used anew before `wait`

    def wait(self, patience: float = PATIENCE) -> Ended:
        """Wait for its end; kill it and fail if it has not ended after so many seconds."""
        until = time.monotonic() + patience
        while self._ended is None:
            with self._looking:
                if self._ended is None:
                    self._ended = self._look(self.pid)
            if self._ended is None and time.monotonic() > until:
                self.kill()
                raise AssertionError(
                    f"{self.call} (process {self.pid}) had not ended after {patience:g} seconds, and was killed."
                )
            if self._ended is None:
                time.sleep(PAUSE)
        return self._ended

    def kill(self) -> None:
        """End it now, if it has not ended."""
        if self._ended is None:
            self.send_signal(signal.SIGKILL)
            self.wait()


class Nursery:
    """Starts functions without arguments, named "module:function", in processes that have imported `modules`.

    The function finds its arguments in `sys.argv[1:]`, as a program does, and ends the process as a program would.
    """

    def __init__(self, *modules: str, forks: bool = FORKS) -> None:
        self._started: list[Process] = []
        self._one_at_a_time = threading.Lock()
        self._program: subprocess.Popen[bytes] | None = None
        if not forks:
            return
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control.settimeout(PATIENCE)
        with theirs:
            self._program = subprocess.Popen(
                [sys.executable, __file__, "serve", str(theirs.fileno()), *modules],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
            )

    def start(self, call: str, *arguments: str, stdin: int, stdout: int, stderr: int) -> Process:
        """Start a case whose standard streams are the given file descriptors."""
        streams = [stdin, stdout, stderr]
        pid = None
        if self._program is not None:
            place = {"environment": dict(os.environ), "folder": os.getcwd()}
            pid = self._asked({"call": call, "arguments": arguments, **place}, streams)["pid"]
        if pid is not None:
            process = Process(call, int(pid), self._look, forked=True)
        else:
            process = Process(call, fresh(call, arguments, streams), look, forked=False)
        self._started.append(process)
        return process

    def close(self) -> None:
        """End every case that still runs, then the nursery."""
        for process in self._started:
            process.kill()
        if self._program is not None:
            self._control.close()
            try:
                self._program.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self._program.kill()
                self._program.wait()

    def _asked(self, request: dict[str, object], streams: list[int]) -> dict[str, float | None]:
        text = json.dumps(request).encode()
        assert len(text) <= MESSAGE, "The environment is too large for a request to the nursery."
        with self._one_at_a_time:
            socket.send_fds(self._control, [text], streams)
            answer = self._control.recv(MESSAGE)
        if not answer:
            raise RuntimeError("The nursery ended by itself; its error is above.")
        said: dict[str, float | None] = json.loads(answer)
        return said

    def _look(self, pid: int) -> Ended | None:
        said = self._asked({"look": pid}, [])
        if said["code"] is None or said["seconds"] is None:
            return None
        return int(said["code"]), said["seconds"]


def fresh(call: str, arguments: tuple[str, ...], streams: list[int]) -> int:
    """The number of a process that begins with a fresh interpreter."""
    actions = [(os.POSIX_SPAWN_DUP2, stream, number) for number, stream in enumerate(streams)]
    program = [sys.executable, __file__, "call", call, *arguments]
    return os.posix_spawn(sys.executable, program, os.environ, file_actions=actions)


def look(pid: int) -> Ended | None:
    """How a child of this process has ended; None if it still runs."""
    ended, status, usage = os.wait4(pid, os.WNOHANG)
    if ended == 0:
        return None
    return os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime


def serve(control: socket.socket, modules: list[str]) -> list[str]:
    """Import, then fork on request; returns in each fork, with the function that it is to call and its arguments."""
    # Ctrl-C is for the tests and their cases. Whoever ends the tests closes the socket, which ends this. In a fork it
    # waits until there is who handles it.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    for name in modules:
        with suppress(ImportError):  # who needs what is absent will say so
            import_module(name)
    gc.collect()
    gc.freeze()  # a collection in a fork would copy every page of what was imported
    while True:
        text, streams, _, _ = socket.recv_fds(control, MESSAGE, 3)
        if not text:
            raise SystemExit
        asked = json.loads(text)
        answer: dict[str, float | None]
        if "look" in asked:
            code, seconds = look(asked["look"]) or (None, None)
            answer = {"code": code, "seconds": seconds}
        elif len(os.listdir("/proc/self/task")) > 1:
            answer = {"pid": None}
        elif (pid := os.fork()) == 0:
            control.close()
            for number, stream in enumerate(streams):
                os.dup2(stream, number)
                os.close(stream)
            os.environ.clear()
            os.environ.update(asked["environment"])
            os.chdir(asked["folder"])
            signal.signal(signal.SIGINT, signal.default_int_handler)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
            return [asked["call"], *asked["arguments"]]
        else:
            answer = {"pid": pid}
        for stream in streams:
            os.close(stream)
        with suppress(BrokenPipeError):
            control.send(json.dumps(answer).encode())


def main() -> None:
    """`nursery.py serve SOCKET MODULE...` or `nursery.py call MODULE:FUNCTION ARGUMENT...`."""
    role, *rest = sys.argv[1:]
    if role == "serve":
        rest = serve(socket.socket(fileno=int(rest[0])), rest[1:])
    sys.argv = rest
    module, _, name = rest[0].partition(":")
    getattr(import_module(module), name)()


if __name__ == "__main__":
    main()
