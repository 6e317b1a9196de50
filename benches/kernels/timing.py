"""Times the kernels of the corpus that two programs generate differently.

    timing.py --before PATH --after PATH [--rounds N] [--preset NAME] [FILE…]

Both programs compile each file of the corpus that has kernels of different assembly; the functions that call these are
run by the program PATH of `--after`, in turns, on one thread, and the table has the medians and their ratio. A preset
whose instructions the machine lacks is left out. Ratios of kernels that `differences.tsv` lists are written there.
Times are worth something on a machine that does nothing else.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
from typing import NamedTuple

import compare

UNITS = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1.0}
ENVIRONMENT = dict(os.environ) | {"TILEWRIGHT_CACHE_DIR": "", "TILEWRIGHT_NUM_THREADS": "1"}
# What symbolic dimensions are, and how long the calls of a round take about.
SYMBOLIC_SIZE = 192
ROUND_SECONDS = 0.2


class Timed(NamedTuple):
    """The time of a function's call, before and after, in seconds."""

    before: float
    after: float

    @property
    def ratio(self) -> float:
        return self.after / self.before


def out_of(command: list[str]) -> str | None:
    done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, timeout=compare.HANG_SECONDS)
    return done.stdout + done.stderr if done.returncode == 0 else None


def dims_of(text: str, function: str) -> list[str]:
    """Options that give the symbolic dimensions of a function's parameters."""
    head = re.search(rf"def {function}\((.*)\):", text)
    names = dict.fromkeys(re.findall(r'[(,] ?"(\w)"', head[1])) if head else ()
    return [word for name in names for word in ("--dim", f"{name}={SYMBOLIC_SIZE}")]


def kernels_of(cli: str, executable: str, function: str, dims: list[str]) -> set[str]:
    """The kernels that a call of the function runs; none where it cannot be called with random arguments."""
    out = out_of([cli, "profile", executable, "--function", function, "--random", "1", *dims, "--runs", "1", "--json"])
    return {kernel["name"] for kernel in json.loads(out)["kernels"]} if out else set()


def seconds_of(cli: str, executable: str, function: str, dims: list[str], calls: int) -> float:
    command = [cli, "run", executable, "--function", function, "--random", "1", *dims, "--time", str(calls)]
    found = re.search(r"takes ([0-9.]+)(\S+)", out_of(command) or "")
    return float(found[1]) * UNITS[found[2]] if found else math.nan


def timed(cli: str, pair: tuple[str, str], function: str, dims: list[str], rounds: int) -> Timed:
    calls = max(5, min(500, int(ROUND_SECONDS / seconds_of(cli, pair[1], function, dims, 3))))
    times = [[seconds_of(cli, executable, function, dims, calls) for executable in pair] for _ in range(rounds)]
    return Timed(*(statistics.median(column) for column in zip(*times, strict=True)))


def measured(options: argparse.Namespace, file: str, preset: str, folder: str) -> dict[str, Timed]:
    """The times of the kernels of a file that differ."""
    jobs = [compare.Job(cli, file, preset) for cli in (options.before, options.after)]
    differ = {name for name, *_ in compare.matched(*map(compare.digests, jobs))}
    if not differ:
        return {}
    pair = tuple(f"{folder}/{file}.{preset}.{side}.twx" for side in ("before", "after"))
    for job, executable in zip(jobs, pair, strict=True):
        compare.run(job, "compile", "-o", executable)
    text = (compare.CORPUS / f"{file}.py").read_text()
    found = {}
    for function in re.findall(r"^    def (\w+)", text, re.MULTILINE):
        dims = dims_of(text, function)
        own = differ & kernels_of(options.after, pair[1], function, dims)
        if own:
            taken = timed(options.after, pair, function, dims, options.rounds)
            for kernel in own:
                found[kernel] = taken
                print(f"{preset:16} {file:16} {kernel:28} {function:32} {taken.before * 1e6:10.1f} us "
                      f"{taken.after * 1e6:10.1f} us {taken.ratio:7.3f}", flush=True)  # fmt: skip
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", required=True, metavar="PATH", help="the program to compare with")
    parser.add_argument("--after", required=True, metavar="PATH", help="the program to look at")
    parser.add_argument("--rounds", type=int, default=5, help="how often both run, in turns")
    parser.add_argument("--preset", action="append", choices=compare.PRESETS, help="one preset, or several")
    parser.add_argument("files", nargs="*", metavar="FILE", help="files of the corpus")
    options = parser.parse_args()
    files = options.files or sorted(path.stem for path in compare.CORPUS.glob("*.py"))
    ratios = {}
    with tempfile.TemporaryDirectory() as folder:
        for preset in options.preset or [preset for preset in compare.PRESETS if preset != "neoverse-n1"]:
            for file in files:
                for kernel, taken in measured(options, file, preset, folder).items():
                    ratios[file, kernel, preset] = taken.ratio
    known = [ratio for ratio in ratios.values() if not math.isnan(ratio)]
    if known:
        mean = math.exp(sum(map(math.log, known)) / len(known))
        print(f"{len(known)} kernels: geometric mean {mean:.3f}, from {min(known):.3f} to {max(known):.3f}")
    compare.write_ratios(ratios)
    return 0


if __name__ == "__main__":
    sys.exit(main())
