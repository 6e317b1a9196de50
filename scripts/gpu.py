"""What a machine with an NVIDIA GPU is asked: whether kernels are right there, and how fast they are.

    python scripts/gpu.py ops [--only NAME] [--workers N]   the samples of every graph operator against their references
    python scripts/gpu.py programs                          whole programs: vectors, sums, products, networks
    python scripts/gpu.py speed                             kernels beside PyTorch on the same device, in turns

`scripts/gpu.sh` runs all of it.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import os
import sys
import time
import traceback
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "python" / "tests"))


def checked(name: str) -> tuple[str, int, int, list[str]]:
    """How many samples of an operator ran, how many of them rightly, and what went wrong."""
    import test_ops
    from op_references import judge

    import tilewright as tw

    device = tw.cuda(0)
    try:
        subject = test_ops.Subject(judge.runs(name), None)
        results = subject.results(device)
    except Exception as error:
        return name, 0, 0, [f"{name}: {first_line(error)}"]
    ran, right, wrong = 0, 0, []
    for run in subject.runs:
        ran += 1
        try:
            test_ops.check_reference(run, next(results))
            right += 1
        except StopIteration:
            wrong.append(f"{name}: {run.where}: an earlier sample ended the program")
        except Exception as error:
            wrong.append(f"{name}: {run.where}: {first_line(error)}")
            if not isinstance(error, AssertionError):
                results = rest(test_ops, subject, device, ran)
    return name, ran, right, wrong


def rest(test_ops, subject, device, at):
    """The results of the samples after a failure."""
    machine = subject.machine(device)
    for i, run in list(enumerate(subject.runs))[at:]:
        values = test_ops.as_list(machine[f"f{i}"](*test_ops.arguments(run, run.arrays, device)))
        yield [test_ops.on_host(v, device, str(info.dtype)) for v, info in zip(values, run.infos, strict=True)]


def first_line(error: BaseException) -> str:
    """The error's sort, and how its message begins."""
    text = str(error).strip() or traceback.format_exception_only(error)[-1]
    return f"{type(error).__name__}: " + " | ".join(text.splitlines()[:3])[:300]


def ops(arguments: argparse.Namespace) -> int:
    """Prints what is wrong, and counts."""
    from op_references import judge

    names = [name for name in judge.names() if not arguments.only or arguments.only in name]
    total: collections.Counter[str] = collections.Counter()
    start = time.perf_counter()
    with concurrent.futures.ProcessPoolExecutor(arguments.workers) as pool:
        for name, ran, right, wrong in pool.map(checked, names):
            total.update(operators=1, ran=ran, right=right, whole=int(ran > 0 and ran == right))
            for line in wrong[: arguments.lines]:
                print(line, flush=True)
            if len(wrong) > arguments.lines:
                print(f"{name}: {len(wrong) - arguments.lines} more", flush=True)
    seconds = time.perf_counter() - start
    print(
        f"{total['right']} of {total['ran']} samples right, {total['whole']} of {total['operators']} operators whole, "
        f"{seconds:.0f} s"
    )
    return int(total["right"] != total["ran"])


def main() -> int:
    """Runs the part that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=["ops", "programs", "speed"])
    parser.add_argument("--only", default="", help="a part of the names of operators")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--lines", type=int, default=3, help="wrong samples of an operator that are printed")
    arguments = parser.parse_args()
    if arguments.part == "ops":
        return ops(arguments)
    import gpu_programs

    return gpu_programs.speed() if arguments.part == "speed" else gpu_programs.programs()


if __name__ == "__main__":
    sys.exit(main())
