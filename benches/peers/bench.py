"""A row from beginning to end: reference, compiling, loading and comparing, rounds of turns."""

from __future__ import annotations

import os
import re
import shutil
import statistics
import subprocess
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .fleet import Fleet
from .row import Row

OURS = "tilewright"
MODELS = "models"
# Rows whose time is that of a call: it is measured without Python too.
CALLS = "calls"

# The libraries against which memory is compared: those that run a model without the framework that it is written in.
LEAN = (OURS, "onnxruntime", "openvino")

# A library whose call takes that long, and that many times as long as the fastest, is timed in one round only.
SLOW_SECONDS, SLOW_TIMES = 0.5, 10


@dataclass(frozen=True)
class Options:
    peers: tuple[str, ...]
    rounds: int
    # Seconds of a turn, and the limit of loading or a turn.
    turn: float
    limit: float
    # Whether the files of a row stay: the executable, and its arguments as `input-N.npy`.
    keep: bool
    # Which time of a library counts: `median` or `least`.
    by: str = "median"


@dataclass
class Result:
    """What a row came to with a number of threads. Times are in seconds."""

    row: str
    threads: int
    group: str
    facts: dict[str, float] = field(default_factory=dict)
    limits: dict[str, Any] = field(default_factory=dict)
    # The median and the least of each turn, by library, and which of them counts.
    turns: dict[str, list[float]] = field(default_factory=dict)
    least: dict[str, list[float]] = field(default_factory=dict)
    by: str = "median"
    failed: dict[str, str] = field(default_factory=dict)
    errors: dict[str, float] = field(default_factory=dict)
    ready: dict[str, float] = field(default_factory=dict)
    compile: dict[str, float] = field(default_factory=dict)
    megabytes: dict[str, float] = field(default_factory=dict)
    from_rust: float | None = None
    precision: str = "float32"

    def time(self, library: str) -> float | None:
        """The median over the rounds, or the least of all calls."""
        turns = self.turns.get(library)
        if not turns:
            return None
        return statistics.median(turns) if self.by == "median" else min(self.least[library])

    def best_peer(self) -> str | None:
        peers = [library for library in self.turns if library != OURS]
        return min(peers, key=lambda library: self.time(library) or 0.0, default=None)

    def floor(self) -> float | None:
        """What arithmetic and memory take at least: the operations at the peak, or the bytes at the bandwidth.

        Products of bfloat16 can be computed as such of float32, which some processors do faster.
        What fits into half of a cache may lie there from one call to the next, and counts at that cache's bandwidth, or
        at that of traffic where this is more: a last level that others use too may give less than memory.
        """
        limits, facts = self.limits, self.facts
        if not limits or not facts:
            return None
        touched = facts["read"] + facts["written"]
        cached = next((rate for size, rate in limits["caches"] if touched <= size), None)
        paired = min(facts["read"], facts["written"])
        moving = (
            2 * paired / limits["copy"]
            + (facts["read"] - paired) / limits["read"]
            + (facts["written"] - paired) / limits["write"]
        )
        if cached is not None:
            moving = min(moving, touched / cached)
        peak = max(limits.get(self.precision, 0.0), limits["float32"])
        return max(facts["operations"] / peak, moving) / 1e9

    def as_json(self) -> dict[str, Any]:
        times = {library: self.time(library) for library in self.turns}
        return asdict(self) | {"times": times, "floor": self.floor()}


def measure(fleet: Fleet, row: Row, threads: list[int], options: Options) -> list[Result]:
    """The row with each number of threads. Its files are made once, and removed at the end."""
    folder = fleet.scratch / row.name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        reference = fleet.process("reference", max(threads))
        facts = reference.ask(options.limit, do="load", row=row.name, folder=str(folder), check=False)
        if "failed" not in facts:
            facts = reference.ask(options.limit, do="run")
            reference.ask(options.limit, do="unload")
        compiled = compile_ours(fleet, row, folder, options.limit)
        return [measure_with(fleet, row, folder, count, facts, compiled, options) for count in threads]
    finally:
        if options.keep:
            for at, value in enumerate(row.values()):
                np.save(folder / f"input-{at}.npy", value)
        else:
            shutil.rmtree(folder, ignore_errors=True)


def compile_ours(fleet: Fleet, row: Row, folder: Path, limit: float) -> dict[str, Any]:
    """Seconds that compiling took, by whether kernels were in the cache, or `failed`."""
    request = {"do": "load", "row": row.name, "folder": str(folder), "check": False}
    if row.group != MODELS:
        process = fleet.process("compiling", 1)
        answer = process.ask(limit, **request)
        return answer if "failed" in answer else {"cold": process.ask(limit, do="run")["compile"]}
    found = {}
    for name in ("cold", "cached"):
        with fleet.once("compiling", 1, {"TILEWRIGHT_CACHE_DIR": str(folder / "cache")}) as process:
            answer = process.ask(limit, **request)
            if "failed" in answer:
                return answer
            found[name] = process.ask(limit, do="run")["compile"]
    return found


def measure_with(
    fleet: Fleet,
    row: Row,
    folder: Path,
    threads: int,
    facts: dict[str, Any],
    compiled: dict[str, Any],
    options: Options,
) -> Result:
    """One row with one number of threads."""
    result = Result(row.name, threads, row.group, precision=row.dtype, by=options.by)
    if "failed" in facts:
        result.failed["reference"] = facts["failed"]
        return result
    result.facts = facts
    libraries = [*options.peers]
    if "failed" in compiled:
        result.failed[OURS] = f"does not compile: {compiled['failed']}"
    else:
        result.compile = compiled
        libraries.insert(0, OURS)
    request = {"do": "load", "row": row.name, "folder": str(folder)}
    fleet.process("machine", threads).ask(options.limit, **request, check=False)
    single = {}
    for library in libraries:
        answer = fleet.process(library, threads).ask(options.limit, **request, check=True)
        if "failed" in answer:
            result.failed[library] = answer["failed"]
        else:
            single[library], result.errors[library] = answer["single"], answer["error"]
            result.ready[library] = answer["seconds"]
    take_turns(fleet, result, single, options)
    for library in libraries:
        fleet.process(library, threads).ask(options.limit, do="unload")
    if row.group == MODELS:
        measure_memory(fleet, result, request, options)
    if row.group == CALLS and OURS in result.turns:
        result.from_rust = call_from_rust(folder, threads)
    return result


def take_turns(fleet: Fleet, result: Result, single: dict[str, float], options: Options) -> None:
    """Times every library once in each round, the machine's limits among them."""
    fastest = min(single.values(), default=0.0)
    slow = {library for library, time in single.items() if time > SLOW_SECONDS and time > SLOW_TIMES * fastest}
    for number in range(options.rounds):
        limits = fleet.process("machine", result.threads).ask(options.limit, do="run")
        if "failed" not in limits:
            result.limits = limits
        # The order rotates from round to round, so that no library always follows the same other.
        order = [library for library in single if number == 0 or library not in slow]
        turn = number % max(len(order), 1)
        for library in order[turn:] + order[:turn]:
            least = 1 if library in slow else 3
            request = {"do": "time", "budget": options.turn, "least": least}
            answer = fleet.process(library, result.threads).ask(options.limit, **request)
            if "failed" in answer:
                result.failed[library] = answer["failed"]
            else:
                result.turns.setdefault(library, []).append(answer["median"])
                result.least.setdefault(library, []).append(answer["least"])


def call_from_rust(folder: Path, threads: int) -> float | None:
    """The median time of a call of our executable from a loop in Rust, as the command line measures it."""
    command = [sys.executable, "-m", "tilewright", "run", str(folder / "model.twx"), "--random", "1", "--time", "20000"]
    environment = {**os.environ, "TILEWRIGHT_NUM_THREADS": str(threads)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    found = re.search(r"a call takes ([0-9.]+)(ns|µs|ms|s) ", done.stderr)
    return float(found[1]) * {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1.0}[found[2]] if found else None


def measure_memory(fleet: Fleet, result: Result, request: dict[str, Any], options: Options) -> None:
    """The peak memory of a process that loads the model and runs it, and does nothing else."""
    for library in LEAN:
        if library in result.turns:
            with fleet.once(library, result.threads) as process:
                if "failed" not in process.ask(options.limit, **request, check=False):
                    result.megabytes[library] = process.ask(options.limit, do="memory")["megabytes"]
