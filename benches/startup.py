"""What it costs to begin: importing, compiling a small network, calling a function that does nothing.

python benches/startup.py
"""

import subprocess
import sys
import time
from pathlib import Path

import numpy as np

import tilewright as tvm
from tilewright import relax
from tilewright.script import relax as R

MLP = Path(__file__).parent.parent / "examples" / "digits" / "mlp.py"


def process_seconds(code: str, runs: int = 15) -> float:
    """The shortest run of a fresh interpreter."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        times.append(time.perf_counter() - start)
    return min(times)


def nothing() -> tvm.IRModule:
    @tvm.script.ir_module
    class Module:
        @R.function
        def main(x: R.Tensor((1,), "float32")):
            return x

    return Module


def seconds(call, count: int) -> float:
    """The shortest of several batches, for one call."""
    best = float("inf")
    for _ in range(7):
        start = time.perf_counter()
        for _ in range(count):
            call()
        best = min(best, (time.perf_counter() - start) / count)
    return best


def main() -> None:
    numpy_alone, both = process_seconds("import numpy"), process_seconds("import numpy, tilewright")
    module = tvm.script.from_source(MLP.read_text())
    compiling = seconds(lambda: relax.build(module, target="llvm"), 1)
    main_of = relax.VirtualMachine(relax.build(nothing(), target="llvm"), tvm.cpu())["main"]
    x = tvm.nd.array(np.zeros(1, np.float32))
    rows = [
        ("import tilewright, besides NumPy's own", (both - numpy_alone) * 1e3, "ms", "< 50 ms"),
        ("compile the network 784-128-10", compiling * 1e3, "ms", "< 100 ms"),
        ("call of an empty function", seconds(lambda: main_of(x), 20_000) * 1e6, "µs", "< 3 µs"),
    ]
    for name, value, unit, bound in rows:
        print(f"{name:<40}{value:>10.2f} {unit}   {bound}")


if __name__ == "__main__":
    main()
