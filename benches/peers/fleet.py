"""The processes of the libraries, from outside: each runs only while it is asked something."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import selectors
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent.parent

# Those that need nothing besides the package and the tests' dependencies.
OF_THE_TESTS = ("tilewright", "session", "compiling", "reference", "machine")
PEERS = ("torch_eager", "torch_compile", "onnxruntime", "openvino", "tvm")

PR_SET_PDEATHSIG = 1


class Process:
    """A library with a number of threads. It starts with the first question, and anew after one it did not answer."""

    def __init__(self, library: str, threads: int, scratch: Path, environment: dict[str, str] | None = None) -> None:
        self.library, self.threads, self.scratch = library, threads, scratch
        self.environment = environment or {}
        self.child: subprocess.Popen[str] | None = None

    def start(self) -> subprocess.Popen[str]:
        python = sys.executable if self.library in OF_THE_TESTS else str(ROOT / ".venv-peers" / "bin" / "python")
        path = os.pathsep.join(part for part in (str(ROOT / "benches"), os.environ.get("PYTHONPATH")) if part)
        with (self.scratch / f"{self.library}.log").open("a") as log:
            child = subprocess.Popen(
                [python, "-m", "peers.worker", self.library, str(self.threads)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                bufsize=1,
                start_new_session=True,
                preexec_fn=die_with_parent,
                env={**os.environ, "TORCHINDUCTOR_CACHE_DIR": str(self.scratch / "inductor"), **self.environment}
                | {"PYTHONPATH": path},
            )
        self.child = child
        return child

    def ask(self, limit: float, **request: Any) -> dict[str, Any]:
        """The answer to a request; `failed` says why there is none. The process is suspended before and after."""
        child = self.child
        if child is None:
            child = self.start()
            if "failed" in (ready := self.answer(child, limit)):
                return ready
        else:
            os.killpg(child.pid, signal.SIGCONT)
        try:
            child.stdin.write(json.dumps(request) + "\n")
        except BrokenPipeError:
            self.end()
            return {"failed": "its process has ended"}
        answer = self.answer(child, limit)
        if self.child is not None:
            os.killpg(child.pid, signal.SIGSTOP)
        return answer

    def answer(self, child: subprocess.Popen[str], limit: float) -> dict[str, Any]:
        with selectors.DefaultSelector() as selector:
            selector.register(child.stdout, selectors.EVENT_READ)
            if not selector.select(limit):
                self.end()
                return {"failed": f"takes longer than {limit:.0f} s"}
        line = child.stdout.readline()
        if not line:
            self.end()
            return {"failed": f"its process has ended (status {child.returncode})"}
        return json.loads(line)

    def end(self) -> None:
        """Ends the process with what it has started."""
        if self.child is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.child.pid, signal.SIGKILL)
            self.child.wait()
            self.child = None


def die_with_parent() -> None:
    """Has the kernel end this process with the one that started it, stopped or not."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Fleet:
    """All processes of a run, by library and number of threads."""

    def __init__(self, scratch: Path) -> None:
        self.scratch = scratch
        self.processes: dict[tuple[str, int], Process] = {}

    def process(self, library: str, threads: int) -> Process:
        key = (library, threads)
        if key not in self.processes:
            environment = {"TILEWRIGHT_CACHE_DIR": ""} if library == "compiling" else None
            self.processes[key] = Process(library, threads, self.scratch, environment)
        return self.processes[key]

    @contextlib.contextmanager
    def once(self, library: str, threads: int, environment: dict[str, str] | None = None) -> Iterator[Process]:
        """A process for one task, which ends after it."""
        process = Process(library, threads, self.scratch, environment)
        try:
            yield process
        finally:
            process.end()

    def end(self) -> None:
        for process in self.processes.values():
            process.end()
