"""Compiles the two-layer network from its TVMScript file and classifies handwritten digits.

    python examples/digits/demo.py [--images FILE] [--labels FILE] [--weights FILE] [--show N]

The files are IDX (MNIST's own will do, compressed or not) and NumPy's npz with w0, b0, w1, b1.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

import idx
import numpy as np

import tilewright
from tilewright import relax

HERE = Path(__file__).parent
NAMES = ("w0", "b0", "w1", "b1")


def draw(image: np.ndarray) -> str:
    """A picture (rows, columns) of 0..255 as text: half blocks in 24 greys on a terminal, else in five shades."""
    if len(image) % 2:
        image = np.vstack([image, np.zeros_like(image[:1])])
    if not sys.stdout.isatty():
        pairs = image.reshape(len(image) // 2, 2, -1).mean(axis=1).astype(int)
        return "\n".join("    " + "".join(" ░▒▓█"[value * 5 // 256] for value in row) for row in pairs)
    greys = 232 + image.astype(int) * 23 // 255
    pairs = zip(greys[::2], greys[1::2], strict=True)
    rows = ("".join(f"\033[38;5;{a}m\033[48;5;{b}m▀" for a, b in zip(*pair, strict=True)) for pair in pairs)
    return "\n".join(f"    {row}\033[0m" for row in rows)


def numpy_mlp(x: np.ndarray, w0: np.ndarray, b0: np.ndarray, w1: np.ndarray, b1: np.ndarray) -> np.ndarray:
    return np.maximum(x @ w0.T + b0, 0) @ w1.T + b1


def microseconds(call: Callable[[], object], seconds: float = 0.5) -> float:
    """The median time of one call, over batches that take `seconds` in all."""
    begin, count = time.perf_counter(), 0
    while time.perf_counter() - begin < seconds / 10:
        call()
        count += 1
    times = []
    for _ in range(9):
        begin = time.perf_counter()
        for _ in range(count):
            call()
        times.append((time.perf_counter() - begin) / count)
    return float(np.median(times) * 1e6)


def register_layers() -> str:
    """Registers `env.linear` and `env.relu`, written on PyTorch if it is there and else on NumPy; says which."""
    try:
        import torch
    except ImportError:

        @tilewright.register_func("env.linear", override=True)
        def linear(x, w, b, out):
            x, w, b, out = map(np.from_dlpack, (x, w, b, out))
            np.add(x @ w.T, b, out=out)

        @tilewright.register_func("env.relu", override=True)
        def relu(x, out):
            np.maximum(np.from_dlpack(x), 0, out=np.from_dlpack(out))

        return "NumPy (PyTorch is not installed)"

    @tilewright.register_func("env.linear", override=True)
    def torch_linear(x, w, b, out):
        x, w, b, out = map(torch.from_dlpack, (x, w, b, out))
        torch.mm(x, w.T, out=out)
        torch.add(out, b, out=out)

    @tilewright.register_func("env.relu", override=True)
    def torch_relu(x, out):
        torch.maximum(torch.from_dlpack(x), torch.tensor([0.0]), out=torch.from_dlpack(out))

    return "PyTorch, through DLPack without copies"


def accuracy(main: Callable, inputs: list, labels: np.ndarray) -> float:
    return float(np.mean([main(x).numpy().argmax() == label for x, label in zip(inputs, labels, strict=True)]))


def compile_bound(file: str, params: dict) -> tuple[tilewright.IRModule, tilewright.IRModule, Callable, float]:
    """The module in a file, the module with its weights bound, its `main` ready to run, the seconds that took."""
    module = tilewright.script.from_source((HERE / file).read_text())
    begin = time.perf_counter()
    bound = relax.transform.BindParams("main", params)(module)
    vm = relax.VirtualMachine(relax.build(bound, target="llvm"), tilewright.cpu())
    return module, bound, vm["main"], time.perf_counter() - begin


def heading(text: str) -> None:
    print(f"\n\033[1m--- {text}\033[0m")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--images", default=HERE / "data" / "test-images-idx3-ubyte.gz")
    parser.add_argument("--labels", default=HERE / "data" / "test-labels-idx1-ubyte.gz")
    parser.add_argument("--weights", default=HERE / "data" / "weights.npz")
    parser.add_argument("--show", type=int, default=3, help="how many pictures to show")
    options = parser.parse_args()
    images, labels = idx.read(options.images), idx.read(options.labels)
    with np.load(options.weights) as file:
        weights = {name: file[name] for name in NAMES}
    params = {name: tilewright.nd.array(value) for name, value in weights.items()}
    rows = (images.astype(np.float32) / 255).reshape(len(images), 1, -1)
    inputs = [tilewright.nd.array(row) for row in rows]

    module, bound, classify, seconds = compile_bound("mlp.py", params)
    heading("the module as it was read")
    module.show()
    heading("the same module after BindParams: the weights are constants of `main`")
    bound.show()
    heading(f"bound, compiled and loaded in {seconds * 1e3:.0f} ms; the first pictures")
    for image, x, label in list(zip(images, inputs, labels, strict=True))[: options.show]:
        scores = classify(x).numpy()[0]
        print(draw(image))
        print(f"    predicted {scores.argmax()} with score {scores.max():.2f}; the label says {label}\n")

    heading(f"all {len(images)} test pictures")
    reference = np.vstack([numpy_mlp(row, **weights) for row in rows])
    compiled = np.vstack([classify(x).numpy() for x in inputs])
    print(f"accuracy {accuracy(classify, inputs, labels):.2%}; NumPy {np.mean(reference.argmax(1) == labels):.2%}")
    print(f"largest difference from NumPy's scores: {np.abs(compiled - reference).max():.1e}")

    heading("the time of a call")
    ours, numpys = microseconds(lambda: classify(inputs[0])), microseconds(lambda: numpy_mlp(rows[0], **weights))
    print(f"compiled {ours:8.1f} µs\nNumPy    {numpys:8.1f} µs")

    partner = register_layers()
    _, _, extern, _ = compile_bound("mlp_extern.py", params)
    heading(f"the same network with its layers called by name, written on {partner}")
    print(f"accuracy {accuracy(extern, inputs, labels):.2%}; {microseconds(lambda: extern(inputs[0])):.1f} µs a call")


if __name__ == "__main__":
    main()
