"""Functions and modules built statement by statement, with the words of the script.

    with IRBuilder() as ib:
        with T.prim_func():
            T.func_name("double")
            A = T.arg("A", T.Buffer((8,), "float32"))
            B = T.arg("B", T.Buffer((8,), "float32"))
            with T.serial(8) as i:
                T.buffer_store(B, A[i] * 2.0, [i])
    func = ib.get()

`T`, `R` and `I` are `tir`, `relax` and `ir` of this package; what is no statement is the function of the same name of
`tilewright.tir` and `tilewright.relax`.
"""

from . import base, ir, relax, tir
from .base import IRBuilder

__all__ = ["IRBuilder", "base", "ir", "relax", "tir"]
