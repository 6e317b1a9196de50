"""Results as text: a line for each row, what failed and why, and what groups of rows come to."""

from __future__ import annotations

import math

from .bench import MODELS, OURS, Result
from .row import Row

SHORT = {
    "tilewright": "tilewright",
    "torch_eager": "torch",
    "torch_compile": "compiled",
    "onnxruntime": "ort",
    "openvino": "openvino",
    "tvm": "tvm",
}

# Seconds that compiling a model may take: with nothing in the cache of kernels, and with all.
COMPILE = {"cold": 8, "cached": 0.5}


def duration(seconds: float | None) -> str:
    """Three digits with a unit."""
    if seconds is None:
        return "-"
    scale, unit = next(((s, u) for s, u in ((1, "s"), (1e3, "ms")) if seconds * s >= 1), (1e6, "us"))
    value = seconds * scale
    digits = 0 if value >= 100 else 1 if value >= 10 else 2
    return f"{value:.{digits}f} {unit}"


def head(peers: tuple[str, ...]) -> str:
    names = "".join(f"{SHORT[library]:>11}" for library in (OURS, *peers))
    return f"{'row':34}{'thr':>4}{'floor':>10}{names}{'of floor':>9}{'of best':>8}  goal"


def line(result: Result, row: Row, peers: tuple[str, ...]) -> str:
    """`of floor` is the floor over our time, `of best` the best peer's time over ours: more is faster."""
    times = "".join(f"{duration(result.time(library)):>11}" for library in (OURS, *peers))
    of_floor, of_best = ratio(result.floor(), result.time(OURS)), against(result, result.best_peer())
    return (
        f"{row.name:34}{result.threads:>4}{duration(result.floor()):>10}{times}"
        f"{number(of_floor, '.0%'):>9}{number(of_best, '.2f'):>8}  {verdict(result, row)}"
    )


def number(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)


def ratio(one: float | None, other: float | None) -> float | None:
    return one / other if one is not None and other else None


def against(result: Result, peer: str | None) -> float | None:
    """How many times a peer's speed ours is."""
    return ratio(result.time(peer), result.time(OURS)) if peer else None


def torch(result: Result) -> float | None:
    """Beside the faster of PyTorch's two."""
    found = [against(result, name) for name in ("torch_eager", "torch_compile") if name in result.turns]
    return min((one for one in found if one is not None), default=None)


def verdict(result: Result, row: Row) -> str:
    if row.goal is None:
        return ""
    wanted = row.goal
    reached = {
        "floor": lambda: ratio(result.floor(), result.time(OURS)),
        "best": lambda: against(result, result.best_peer()),
        "torch": lambda: torch(result),
    }.get(wanted.of, lambda: against(result, wanted.of))()
    met = "not measured" if reached is None else "met" if reached >= wanted.least else f"short: {reached:.2f}"
    return f"{wanted.least:.2f} of {wanted.of}: {met}"


def failures(result: Result) -> list[str]:
    return [f"    {SHORT.get(name, name)}: {reason.splitlines()[0][:200]}" for name, reason in result.failed.items()]


def extras(result: Result) -> list[str]:
    """What is measured of some rows alone."""
    lines = []
    if result.from_rust is not None:
        lines.append(f"    called from Rust: {duration(result.from_rust)}")
    if result.group != MODELS:
        return lines
    if result.compile:
        told = ", ".join(
            f"{name} {seconds:.2f} s ({COMPILE[name]} s: {'met' if seconds <= COMPILE[name] else 'short'})"
            for name, seconds in result.compile.items()
        )
        others = ", ".join(f"{SHORT[name]} {s:.1f} s" for name, s in result.ready.items() if name != OURS)
        lines.append(f"    compiling: {told}; others until the first result: {others}")
    if result.megabytes:
        told = ", ".join(f"{SHORT[name]} {size:.0f} MB" for name, size in result.megabytes.items())
        leanest = min((size for name, size in result.megabytes.items() if name != OURS), default=math.inf)
        met = "met" if result.megabytes.get(OURS, math.inf) <= leanest else "short"
        lines.append(f"    peak memory of a process that only runs it: {told} (the leanest of the others: {met})")
    return lines


def summary(results: list[Result]) -> list[str]:
    """For each group and number of threads, what the ratios to the best peer come to."""
    lines = []
    for group in dict.fromkeys(result.group for result in results):
        for threads in sorted({result.threads for result in results}):
            found = [one for one in results if (one.group, one.threads) == (group, threads)]
            ratios = sorted(value for one in found if (value := against(one, one.best_peer())) is not None)
            if not ratios:
                continue
            mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
            tenth = ratios[int(0.1 * (len(ratios) - 1))]
            lines.append(
                f"{group}, {threads} threads: {len(ratios)} of {len(found)} rows; of the best peer: geometric mean "
                f"{mean:.2f}, least {ratios[0]:.2f}, 10th percentile {tenth:.2f}"
            )
    return lines
