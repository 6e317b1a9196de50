"""The process that one library runs in: `python -m peers.worker LIBRARY THREADS`.

Requests come as lines of JSON on standard input, and each is answered by one line on what was standard output; what
libraries print goes to standard error.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import statistics
import sys
import time
import traceback
from pathlib import Path
from typing import Any

import numpy as np

from .rows import row_of

# A batch of calls that the clock is read around is at least so long.
LEAST_BATCH = 200e-6


class Worker:
    """A library with the row that it has loaded."""

    def __init__(self, library: str, threads: int) -> None:
        self.library = importlib.import_module(f"peers.backends.{library}").Library(threads)
        self.call: Any = None

    def load(self, row: str, folder: str, check: bool) -> dict[str, Any]:
        """Makes the row ready, runs it once, and compares what it gives."""
        asked = row_of(row)
        started = time.perf_counter()
        self.call = self.library.load(asked, Path(folder))
        found = self.call()
        seconds = time.perf_counter() - started
        error = compare(self.library.arrays(found), Path(folder), asked.tolerance) if check else None
        started = time.perf_counter()
        self.call()
        return {"seconds": seconds, "single": time.perf_counter() - started, "error": error}

    def run(self) -> dict[str, Any]:
        """What a call gives, for libraries that give something to be told."""
        return self.call()

    def time(self, budget: float, least: int) -> dict[str, Any]:
        """The median time of a call, over calls that take the budget together, after some that are not counted."""
        call, clock = self.call, time.perf_counter
        start = clock()
        call()
        single = max(clock() - start, 1e-7)
        batch = max(1, int(LEAST_BATCH / single))
        while clock() - start < budget / 10:
            call()
        times = []
        begin = clock()
        while len(times) < least or clock() - begin < budget:
            start = clock()
            for _ in range(batch):
                call()
            times.append((clock() - start) / batch)
        return {"median": statistics.median(times), "least": min(times), "count": len(times) * batch}

    def unload(self) -> dict[str, Any]:
        self.call = None
        self.library.unload()
        gc.collect()
        return {}

    def memory(self) -> dict[str, Any]:
        """The peak memory of the process, in megabytes."""
        lines = Path("/proc/self/status").read_text().splitlines()
        return {"megabytes": int(next(line.split()[1] for line in lines if line.startswith("VmHWM"))) / 1024}


def compare(found: list[np.ndarray], folder: Path, tolerance: float) -> float:
    """The error of the results, relative to their largest number; raises where it is too large."""
    expected = [np.load(path) for path in sorted(folder.glob("expected-*.npy"))]
    if [one.shape for one in found] != [one.shape for one in expected]:
        raise ValueError(f"results of shapes {[x.shape for x in found]}, expected {[x.shape for x in expected]}")
    worst = 0.0
    for one, right in zip(found, expected, strict=True):
        error = float(np.abs(one - right).max(initial=0) / max(float(np.abs(right).max(initial=0)), 1e-30))
        if not error <= tolerance:
            raise ValueError(f"wrong result: {error:.1e} of its largest number, of which {tolerance:.0e} may be")
        worst = max(worst, error)
    return worst


def main() -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    worker = Worker(sys.argv[1], int(sys.argv[2]))
    print(json.dumps({"ready": True}), file=answers, flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = getattr(worker, request.pop("do"))(**request)
        # Whatever a library raises is its answer for this row.
        except Exception as error:
            traceback.print_exc()
            answer = {"failed": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
