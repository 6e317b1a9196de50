"""The block builder: graph functions binding by binding. `block_builder.rs` makes the same module in Rust.

python examples/builders/block_builder.py
"""

from __future__ import annotations

from tilewright import relax, te, tir
from tilewright.ir.module import IRModule


def softsign(x: te.Tensor) -> te.Tensor:
    """`x / (1 + |x|)`."""
    return te.compute(x.shape, lambda *i: x(*i) / (tir.abs(x(*i)) + 1.0), name="softsign")


def module() -> IRModule:
    """A private function of one layer, and one that calls it twice and casts what comes out."""
    n = tir.Var("n", "int64")
    rows = relax.TensorStructInfo((n, 16), "float32")
    bb = relax.BlockBuilder()

    x, w = relax.Var("x", rows), relax.Var("w", relax.TensorStructInfo((16, 16), "float32"))
    with bb.function("layer", [x, w], private=True):
        with bb.dataflow():
            product = bb.emit(relax.op.matmul(x, w))
            out = bb.emit_output(relax.op.add(product, x))
        bb.emit_func_output(out)

    m = tir.Var("n", "int64")
    x, w = relax.Var("x", relax.TensorStructInfo((m, 16), "float32")), relax.Var("w", w.struct_info)
    layer = bb.get().get_global_var("layer")
    with bb.function("main", [x, w]):
        with bb.dataflow():
            first = bb.emit_te(softsign, bb.emit(relax.Call(layer, [x, w])))
            second = bb.emit(relax.Call(layer, [first, w]))
            pair = bb.emit(relax.Tuple([first, second]))
            out = bb.emit_output(relax.op.subtract(relax.TupleGetItem(pair, 1), relax.TupleGetItem(pair, 0)))
        four = bb.match_cast(out, relax.TensorStructInfo((4, 16), "float32"))
        bb.emit_func_output(relax.Tuple([four, relax.ShapeExpr([m, 16])]))
    return bb.finalize()


if __name__ == "__main__":
    module().show()
