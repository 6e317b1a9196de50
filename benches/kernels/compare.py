"""Compares the kernels that a `tilewright` generates for the corpus with those of the commit to compare with.

    compare.py check --cli PATH [FILE…]                  lists each kernel that differs from digests.tsv
    compare.py check --cli PATH --allow REASON [FILE…]   …and writes those into differences.tsv, with the reason
    compare.py diff --before PATH --after PATH [FILE…]   two programs, with the difference of one kernel's assembly
    compare.py digest --cli PATH [FILE…]                 writes digests.tsv, or its rows of these files

FILE is a file of the corpus, by its name (`gemm` or `gemm.py`); without any, all are compared. `--preset NAME`
takes one preset alone, which makes a first look five times faster. A kernel is the assembly of its functions and
constants without the names of symbols (`assembly.py`). `digests.tsv` has a digest for each kernel and preset;
`differences.tsv` those that are meant to differ from it, with the reason and the ratio of their times
(`timing.py`). `check` ends with 0 where there is no other difference, with 1 where there is, and with 2 where a
file does not compile. Compilations run two at a time, and use no kernel cache.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import csv
import difflib
import os
import pathlib
import re
import subprocess
import sys
import time
from typing import NamedTuple

import assembly

HERE = pathlib.Path(__file__).resolve().parent
CORPUS = HERE / "corpus"
DIGESTS = HERE / "digests.tsv"
DIFFERENCES = HERE / "differences.tsv"
PRESETS = ("haswell", "skylake-avx512", "sapphirerapids", "znver4", "neoverse-n1")
AT_A_TIME = 2
# For a program that hangs: a file takes some seconds.
HANG_SECONDS = 600


class Job(NamedTuple):
    """One compilation: a program, a file of the corpus, a preset."""

    cli: str
    file: str
    preset: str


class Listed(NamedTuple):
    """A difference that is meant: a kernel of digests.tsv, its digest now (`-` if it is gone), why, and the time of a
    call over that before (`-` where nobody measured it)."""

    file: str
    kernel: str
    preset: str
    digest: str
    reason: str
    ratio: str = "-"


class Found(NamedTuple):
    """A kernel that is not as it was: its digests before and now, `-` where there is none."""

    file: str
    kernel: str
    preset: str
    before: str
    now: str

    def __str__(self) -> str:
        said = "is new" if self.before == "-" else "is gone" if self.now == "-" else "differs"
        return f"{self.file} {self.kernel} {self.preset}: {said} ({self.before} -> {self.now})"


class CompileError(Exception):
    """The program does not compile a file of the corpus."""


def run(job: Job, *arguments: str) -> str:
    path = CORPUS / f"{job.file}.py"
    command = [job.cli, arguments[0], str(path), "--target", job.preset, *arguments[1:]]
    environment = dict(os.environ) | {"TILEWRIGHT_CACHE_DIR": ""}
    try:
        done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=HANG_SECONDS)
    except subprocess.TimeoutExpired as error:
        raise CompileError(f"{job.file} for {job.preset}: no end after {HANG_SECONDS} s") from error
    except OSError as error:
        raise CompileError(f"{job.cli} cannot be run: {error}") from error
    if done.returncode != 0:
        raise CompileError(f"{job.file} for {job.preset}: {' '.join(command)} failed:\n{done.stderr.strip()}")
    return done.stdout


def kernels(job: Job) -> dict[str, str]:
    """The text of each kernel by name."""
    return assembly.File(run(job, "compile", "-o", "-", "--emit", "asm")).kernels()


def digests(job: Job) -> dict[str, str]:
    return {name: assembly.digest(text) for name, text in kernels(job).items()}


def rules(job: Job) -> dict[str, str]:
    """The rule that schedules each kernel, by the kernel's name."""
    lines = run(job, "explain").splitlines()
    found = (re.match(r"\s*\d+\s+(\S+)\s+\((.*)\)$", line) for line in lines)
    return {match[1]: match[2].replace("no rule", "-") for match in found if match}


def mapped(what, jobs: list[Job]) -> list:
    """`what` of every job, some at a time, in their order."""
    with concurrent.futures.ThreadPoolExecutor(AT_A_TIME) as pool:
        return list(pool.map(what, jobs))


def jobs_of(cli: str, options: argparse.Namespace) -> list[Job]:
    return [Job(cli, file, preset) for file in options.files for preset in options.presets]


def read_table(path: pathlib.Path) -> list[dict[str, str]]:
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def write_table(path: pathlib.Path, columns: list[str], rows: list[list[str]]) -> None:
    with path.open("w", newline="") as file:
        csv.writer(file, delimiter="\t", lineterminator="\n").writerows([columns, *rows])


def matched(before: dict[str, str], now: dict[str, str]) -> list[tuple[str, str, str]]:
    """Kernels that are not as they were, as (name, digest before, digest now).

    One that only has another name is the same; names are numbered, and shift where a kernel comes or goes.
    """
    left = {name: digest for name, digest in before.items() if now.get(name) != digest}
    new = {name: digest for name, digest in now.items() if before.get(name) != digest}
    spare = collections.Counter(new.values())
    renamed = [name for name, digest in left.items() if spare[digest] > 0 and not spare.subtract([digest])]
    gone = collections.Counter(left.pop(name) for name in renamed)
    for name in [name for name, digest in new.items() if digest in gone]:
        if gone[new[name]] > 0:
            gone[new[name]] -= 1
            del new[name]
    return [(name, left.get(name, "-"), new.get(name, "-")) for name in dict.fromkeys([*left, *new])]


def write_digests(options: argparse.Namespace) -> int:
    jobs = jobs_of(options.cli, options)
    found = dict(zip(jobs, mapped(digests, jobs), strict=True))
    taken = dict(zip(jobs, mapped(rules, jobs), strict=True))
    columns = ["file", "number", "kernel", "rule", *PRESETS]
    rows = [[row[column] for column in columns] for row in read_table(DIGESTS) if row["file"] not in options.files]
    for file in options.files:
        of_file = [Job(options.cli, file, preset) for preset in PRESETS]
        names = dict.fromkeys(name for job in of_file for name in found[job])
        for number, name in enumerate(names, 1):
            own = dict.fromkeys(taken[job].get(name, "-") for job in of_file)
            rows.append([file, str(number), name, "/".join(own), *(found[job].get(name, "-") for job in of_file)])
    write_table(DIGESTS, columns, rows)
    print(f"{DIGESTS.name}: {len(rows)} kernels for {len(PRESETS)} presets, of {len(options.files)} files anew")
    return 0


def known_digests(job: Job, table: list[dict[str, str]]) -> dict[str, str]:
    rows = (row for row in table if row["file"] == job.file and row[job.preset] != "-")
    return {row["kernel"]: row[job.preset] for row in rows}


def check(options: argparse.Namespace) -> int:
    table = read_table(DIGESTS)
    listed = [Listed(**row) for row in read_table(DIFFERENCES)]
    allowed = {(one.file, one.kernel, one.preset): one.digest for one in listed}
    jobs = jobs_of(options.cli, options)
    found, compared = [], 0
    for job, now in zip(jobs, mapped(digests, jobs), strict=True):
        before = known_digests(job, table)
        compared += len(before)
        found += [Found(job.file, name, job.preset, *both) for name, *both in matched(before, now)]
    meant = [one for one in found if allowed.get(one[:3]) == one.now]
    other = [one for one in found if one not in meant]
    for one in other:
        print(one)
    if options.allow and other:
        replaced = {one[:3] for one in other}
        kept = [one for one in listed if one[:3] not in replaced]
        more = [Listed(one.file, one.kernel, one.preset, one.now, options.allow) for one in other]
        write_table(DIFFERENCES, list(Listed._fields), [list(one) for one in sorted([*kept, *more])])
    print(f"{compared} kernels compared: {len(other)} differ, {len(meant)} differ as differences.tsv says")
    return 1 if other and not options.allow else 0


def write_ratios(ratios: dict[tuple[str, str, str], float]) -> None:
    """Writes the ratios of times into differences.tsv, where it has the kernel (file, name, preset)."""
    listed = [Listed(**row) for row in read_table(DIFFERENCES)]
    now = [one._replace(ratio=f"{ratios[one[:3]]:.3f}") if one[:3] in ratios else one for one in listed]
    if now != listed:
        write_table(DIFFERENCES, list(Listed._fields), [list(one) for one in now])


def diff(options: argparse.Namespace) -> int:
    before, after = jobs_of(options.before, options), jobs_of(options.after, options)
    texts = mapped(kernels, [job for pair in zip(before, after, strict=True) for job in pair])
    differ, shown = 0, []
    for job, old, new in zip(after, texts[::2], texts[1::2], strict=True):
        hashed = [{name: assembly.digest(text) for name, text in all.items()} for all in (old, new)]
        for name, *both in matched(*hashed):
            differ += 1
            print(Found(job.file, name, job.preset, *both))
            if "-" not in both and not shown and options.kernel in (None, name):
                sides = [all[name].splitlines() for all in (old, new)]
                labels = [f"{side}/{job.file}/{name} for {job.preset}" for side in ("before", "after")]
                shown = list(difflib.unified_diff(*sides, *labels, lineterm=""))
    print(*shown, f"{differ} kernels differ", sep="\n")
    return 1 if differ else 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, run_it in (("digest", write_digests), ("check", check), ("diff", diff)):
        own = commands.add_parser(name)
        own.set_defaults(run=run_it)
        if name == "diff":
            own.add_argument("--before", required=True, metavar="PATH", help="the program to compare with")
            own.add_argument("--after", required=True, metavar="PATH", help="the program to look at")
            own.add_argument("--kernel", metavar="NAME", help="the kernel whose assembly to show, not the first")
        else:
            own.add_argument("--cli", required=True, metavar="PATH", help="the program to run")
        if name != "digest":
            own.add_argument("--preset", choices=PRESETS, help="one preset alone")
        own.add_argument("files", nargs="*", metavar="FILE", help="files of the corpus")
        if name == "check":
            own.add_argument("--allow", metavar="REASON", help="write the differences into differences.tsv")
    options = parser.parse_args()
    known = sorted(path.stem for path in CORPUS.glob("*.py"))
    options.files = [pathlib.Path(name).stem for name in options.files or known]
    if unknown := [name for name in options.files if name not in known]:
        parser.error(f"the corpus has no {', '.join(unknown)}, only {', '.join(known)}")
    options.presets = [options.preset] if getattr(options, "preset", None) else list(PRESETS)
    return options


def main() -> int:
    options = arguments()
    begin = time.monotonic()
    try:
        return options.run(options)
    except CompileError as error:
        print(error, file=sys.stderr)
        return 2
    finally:
        print(f"{time.monotonic() - begin:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
