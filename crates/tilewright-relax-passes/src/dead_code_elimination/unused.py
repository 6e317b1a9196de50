# Unused bindings are removed, and then those that only they used; empty blocks are removed too.
# test: opt --pass DeadCodeElimination
# run: main == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        with R.dataflow():
            a = R.negative(x)
            unused = R.nn.relu(a)
            gone = R.add(unused, a)
            b = R.abs(x)
            R.output(gone, b)
        with R.dataflow():
            alone = R.call_dps_packed("test.copy", (x,), out_sinfo=R.Tensor((4,), "float32"))
            R.output(alone)
        return b

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        with R.dataflow():
            b: R.Tensor((4,), dtype="float32") = R.abs(x)
            R.output(b)
        return b
