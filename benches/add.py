"""A parallel vectorised sum of large tensors, against the loop that one would write in C, on one core and on two.

C = A + B, float32, 64 Mi elements: 256 MiB for each of the three tensors, of which no cache holds a part. The C loop
runs in as many threads, each on one piece, as plain C and with streaming stores, which spare the reading of C.

    python benches/add.py

The floor: the better of the two C loops in the same process.
"""

import probe

THREADS = probe.on_threads([1, 2])

import numpy as np  # noqa: E402

import tilewright as tvm  # noqa: E402
from tilewright.script import tir as T  # noqa: E402

COUNT = 64 * 1024 * 1024
LANES = 16
RUNS = 15


@T.prim_func
def add(
    A: T.Buffer((COUNT,), "float32"),
    B: T.Buffer((COUNT,), "float32"),
    C: T.Buffer((COUNT,), "float32"),
):
    T.func_attr({"tir.noalias": True})
    for i in T.parallel(COUNT // LANES):
        for j in T.vectorized(LANES):
            with T.block("add"):
                v = T.axis.spatial(COUNT, i * LANES + j)
                C[v] = A[v] + B[v]


def main() -> None:
    """Checks the results and prints the table."""
    kernel = tvm.build(add, target="llvm")
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal(COUNT, dtype=np.float32) for _ in range(2))
    args = [tvm.nd.array(x) for x in (a, b, np.full(COUNT, np.nan, np.float32))]
    # The C loops work on the same memory.
    a, b, c = (np.from_dlpack(x) for x in args)
    kernel(*args)
    assert np.array_equal(c, a + b)
    loop = probe.library().probe_add
    calls = {
        "tilewright": lambda: kernel(*args),
        "C": lambda: loop(a, b, c, COUNT, THREADS, 0),
        "C, streaming stores": lambda: loop(a, b, c, COUNT, THREADS, 1),
    }
    best = dict.fromkeys(calls, float("inf"))
    for _ in range(RUNS):
        for name, call in calls.items():
            best[name] = min(best[name], probe.best_seconds(call, 1))
    floor = min(seconds for name, seconds in best.items() if name != "tilewright")
    cores = "one core" if THREADS == 1 else f"{THREADS} cores"
    print(f"{f'64 Mi float32 + 64 Mi float32, {cores}':<44}{'ms':>7}{'GB/s':>7}{'of the better C loop':>22}")
    for name, seconds in best.items():
        print(f"{name:<44}{seconds * 1e3:>7.1f}{12 * COUNT / seconds / 1e9:>7.1f}{floor / seconds:>22.1%}")
    print(f"GB/s of what is read and written; best of {RUNS} interleaved rounds\n")


if __name__ == "__main__":
    main()
