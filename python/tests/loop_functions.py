"""Functions of loops for tests of passes: read from text, changed by a pass, run on numbers."""

import numpy as np

import tilewright as tvm
from tilewright.script import from_source

HEADER = "from tvm.script import tir as T, ir as I\n\n"
#: A loop whose temporary may be filled for the next iteration.
DOUBLE_BUFFER = """
(A: T.Buffer((64,), "float32"), C: T.Buffer((8,), "float32"){scalars}):
    for i in range({count}):
        B = T.decl_buffer((8,), "float32")
        with T.attr(B.data, "double_buffer_scope", 1):
            for j in range(8):
                B[j] = A[i * 8 + j]
        for j in range(8):
            C[j] = C[j] + B[7 - j]
"""


def parsed(text):
    """The function whose text follows `def main`."""
    return from_source(HEADER + "@T.prim_func\ndef main" + text.lstrip("\n"))


def changed(made, function, config=None):
    with tvm.transform.PassContext(config=config or {}):
        return made(tvm.IRModule({"main": function}))["main"]


def run(function, scalar=3):
    """What the function leaves in its buffers, from numbers that are the same each time; scalars are this one."""
    rng, tensors = np.random.default_rng(7), []
    for param in function.params:
        if param not in function.buffer_map:
            tensors.append(scalar)
            continue
        buffer = function.buffer_map[param]
        shape = [int(extent) for extent in buffer.shape]
        tensors.append(tvm.nd.array(rng.integers(0, 9, shape).astype(buffer.dtype)))
    tvm.build(function, target="llvm")(*tensors)
    return [tensor.numpy() for tensor in tensors if not isinstance(tensor, int)]


def computes_the_same(made, text, config=None, scalar=3):
    """The function after the pass, which leaves the same numbers as before."""
    before = parsed(text)
    after = changed(made, before, config)
    for one, other in zip(run(before, scalar), run(after, scalar), strict=True):
        np.testing.assert_array_equal(one, other)
    return after
