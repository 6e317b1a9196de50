"""Results are the same to the bit for every number of threads: tasks depend on shapes and the target alone."""

import hashlib
import os
import subprocess
import sys

import numpy as np
import pytest

import tilewright
from tilewright import relax
from tilewright.script import ir as I
from tilewright.script import relax as R

THREADS = [1, 2, 5]


@I.ir_module
class Module:
    @R.function
    def product(x: R.Tensor((97, 211), "float32"), w: R.Tensor((211, 301), "float32"), b: R.Tensor((301,), "float32")):
        with R.dataflow():
            y = R.nn.gelu(R.add(R.matmul(x, w), b))
            R.output(y)
        return y

    @R.function
    def product_with_a_vector(x: R.Tensor((1, 1500), "float32"), w: R.Tensor((1500, 700), "float32")):
        with R.dataflow():
            y = R.matmul(x, w)
            R.output(y)
        return y

    @R.function
    def whole_sum(x: R.Tensor((3, 100003), "float32")):
        with R.dataflow():
            y = R.sum(x)
            R.output(y)
        return y

    @R.function
    def column_sums(x: R.Tensor((5003, 37), "float32")):
        with R.dataflow():
            y = R.sum(x, axis=[0])
            R.output(y)
        return y

    @R.function
    def norm(x: R.Tensor((123, 777), "float32"), w: R.Tensor((777,), "float32"), b: R.Tensor((777,), "float32")):
        with R.dataflow():
            y = R.nn.softmax(R.nn.layer_norm(x, w, b, axes=[-1]))
            R.output(y)
        return y

    @R.function
    def attention(
        q: R.Tensor((2, 33, 3, 16), "float32"),
        k: R.Tensor((2, 300, 3, 16), "float32"),
        v: R.Tensor((2, 300, 3, 8), "float32"),
    ):
        with R.dataflow():
            y = R.nn.attention(q, k, v, causal_mask="BottomRight")
            R.output(y)
        return y

    @R.function
    def convolution(x: R.Tensor((2, 5, 31, 33), "float32"), w: R.Tensor((7, 5, 3, 3), "float32")):
        with R.dataflow():
            y = R.nn.relu(R.nn.conv2d(x, w, strides=(2, 1), padding=(1, 1)))
            R.output(y)
        return y


FUNCTIONS = [var.name_hint for var in Module.get_global_vars()]


def digests() -> dict[str, str]:
    """What each function gives for seeded inputs, by a checksum of the bytes."""
    machine = relax.VirtualMachine(relax.build(Module, "llvm"), tilewright.cpu())
    found = {}
    for name in FUNCTIONS:
        random = np.random.default_rng(7)
        shapes = [tuple(int(d) for d in param.struct_info.shape) for param in Module[name].params]
        inputs = [tilewright.nd.array(random.standard_normal(shape, dtype=np.float32)) for shape in shapes]
        found[name] = hashlib.sha256(machine[name](*inputs).numpy().tobytes()).hexdigest()
    return found


@pytest.fixture(scope="module")
def by_threads() -> list[dict[str, str]]:
    """The checksums of each number of threads, which is fixed when the package is imported."""
    runs = []
    for count in THREADS:
        environment = {**os.environ, "TILEWRIGHT_NUM_THREADS": str(count)}
        run = subprocess.run([sys.executable, __file__], env=environment, capture_output=True, text=True, check=True)
        runs.append(dict(line.split() for line in run.stdout.splitlines()))
    return runs


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_number_of_threads_gives_the_same_bits(by_threads, name):
    assert len({run[name] for run in by_threads}) == 1


if __name__ == "__main__":
    for name, digest in digests().items():
        print(name, digest)
