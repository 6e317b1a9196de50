"""Mathematical functions on a million float32 in cache, against NumPy and PyTorch, on one core.

    python benches/functions.py [FUNCTION ...]

Nanoseconds for an element, the best of many runs, interleaved. Inputs are ordinary numbers of the function's domain.
"""

import os
import sys
import time
from functools import partial
from types import ModuleType

os.environ.setdefault("TILEWRIGHT_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

import tilewright

N = 1 << 20
RUNS = 60

# The bounds of the inputs, NumPy's function and PyTorch's.
FUNCTIONS = {
    "exp": ((-10, 10), "exp", "exp"),
    "exp2": ((-10, 10), "exp2", "exp2"),
    "expm1": ((-5, 5), "expm1", "expm1"),
    "log": ((0.01, 100), "log", "log"),
    "log2": ((0.01, 100), "log2", "log2"),
    "log10": ((0.01, 100), "log10", "log10"),
    "log1p": ((-0.9, 10), "log1p", "log1p"),
    "sin": ((-10, 10), "sin", "sin"),
    "cos": ((-10, 10), "cos", "cos"),
    "tan": ((-10, 10), "tan", "tan"),
    "asin": ((-1, 1), "arcsin", "asin"),
    "acos": ((-1, 1), "arccos", "acos"),
    "atan": ((-10, 10), "arctan", "atan"),
    "sinh": ((-5, 5), "sinh", "sinh"),
    "cosh": ((-5, 5), "cosh", "cosh"),
    "tanh": ((-5, 5), "tanh", "tanh"),
    "asinh": ((-10, 10), "arcsinh", "asinh"),
    "acosh": ((1, 20), "arccosh", "acosh"),
    "atanh": ((-0.99, 0.99), "arctanh", "atanh"),
    "erf": ((-4, 4), None, "erf"),
    "sigmoid": ((-10, 10), None, "sigmoid"),
    "rsqrt": ((0.01, 100), None, "rsqrt"),
}


SOURCE = """
@T.prim_func
def kernel(A: T.Buffer(({n},), "float32"), B: T.Buffer(({n},), "float32")):
    T.func_attr({{"tir.noalias": True}})
    for i in T.vectorized({n}):
        B[i] = T.{name}(A[i])
"""


def compiled(name: str):
    """The function of every element of a tensor."""
    return tilewright.build(tilewright.script.from_source(SOURCE.format(name=name, n=N)), target="llvm")


def best_of(calls: list) -> list[float]:
    """The best time of each call in nanoseconds, the calls taking turns."""
    best = [float("inf")] * len(calls)
    for _ in range(RUNS):
        for i, call in enumerate(calls):
            start = time.perf_counter()
            call()
            best[i] = min(best[i], time.perf_counter() - start)
    return [seconds * 1e9 / N for seconds in best]


def measured(name: str, torch: ModuleType | None) -> list[float | None]:
    """Nanoseconds for an element: compiled, NumPy, PyTorch; `None` where there is no such function."""
    (low, high), in_numpy, in_torch = FUNCTIONS[name]
    x = np.random.default_rng(0).uniform(low, high, N).astype("float32")
    out = np.empty_like(x)
    args = tilewright.nd.array(x), tilewright.nd.array(out)
    calls = [partial(compiled(name), *args)]
    calls.append(partial(getattr(np, in_numpy), x, out=out) if in_numpy else None)
    if torch is not None:
        calls.append(partial(getattr(torch, in_torch), torch.from_numpy(x), out=torch.empty(N)))
    times = iter(best_of([call for call in calls if call]))
    return [next(times) if call else None for call in calls]


def main() -> None:
    """Prints a line for each function."""
    try:
        import torch
    except ImportError:
        torch = None
    else:
        torch.set_num_threads(1)
    print(f"{'ns/element':12}{'tilewright':>12}{'numpy':>9}{'torch':>9}")
    for name in sys.argv[1:] or FUNCTIONS:
        times = [f"{'-' if time is None else format(time, '.3f'):>9}" for time in measured(name, torch)]
        print(f"{name:15}{''.join(times)}", flush=True)


if __name__ == "__main__":
    main()
