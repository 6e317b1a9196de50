# Loops need a shape: without one the error says which call, and what to do.
# test: diagnostics --pass LegalizeOps


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(ndim=2, dtype="float32"), y: R.Tensor(("n",), "float32"), z: R.Tensor(("m",), "float32")):
        with R.dataflow():
            a = R.nn.relu(x)
            b = R.add(y, z)
            R.output(a, b)
        return (a, b)

# expect:
# error[TW0711]: `add` cannot become loops: the shape of the result of `add` is not known here; `R.match_cast` on its operands can state it
#   --> crates/tilewright-relax-passes/src/legalize_ops/unknown_shape.py:11:13
#    |
# 11 |             b = R.add(y, z)
#    |             ^^^^^^^^^^^^^^^
