"""Tensor expressions: formulas that become loops. `tensor_expressions.rs` makes the same functions in Rust.

python examples/builders/tensor_expressions.py
"""

from __future__ import annotations

import tilewright
from tilewright import te, tir
from tilewright.ir.module import IRModule


def dense() -> tir.PrimFunc:
    """`relu(x @ w.T + b)` for any number of rows."""
    n = te.var("n", "int64")
    x = te.placeholder((n, 64), name="x")
    w, b = te.placeholder((32, 64), name="w"), te.placeholder((32,), name="b")
    k = te.reduce_axis((0, 64), name="k")
    product = te.compute((n, 32), lambda i, j: te.sum(x[i, k] * w[j, k], axis=k), name="product")
    result = te.compute((n, 32), lambda i, j: te.max(product[i, j] + b[j], 0), name="result")
    return te.create_prim_func([x, w, b, result])


def argmax() -> tir.PrimFunc:
    """The index and the value of the greatest element of each row."""

    def greater(a: tuple, b: tuple) -> tuple:
        first = tir.any(a[1] > b[1], tir.all(a[1] == b[1], a[0] < b[0]))
        return tir.Select(first, a[0], b[0]), tir.Select(first, a[1], b[1])

    def least(at: str, value: str) -> tuple:
        return tir.const(-1, at), te.min_value(value)

    reducer = te.comm_reducer(greater, least, name="argmax")
    x, k = te.placeholder((8, 16), name="x"), te.reduce_axis((0, 16), name="k")
    at, value = te.compute((8,), lambda i: reducer((k.var, x[i, k]), axis=k), name="greatest")
    return te.create_prim_func([x, at, value])


def module() -> IRModule:
    """Both functions."""
    functions = {"dense": dense(), "argmax": argmax()}
    return IRModule({name: function.with_attr("global_symbol", name) for name, function in functions.items()})


if __name__ == "__main__":
    print(f"# tilewright {tilewright.__version__}")
    module().show()
