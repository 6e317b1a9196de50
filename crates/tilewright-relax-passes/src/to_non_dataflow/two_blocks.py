# Dataflow blocks and variables become plain ones, and one block.
# test: opt --pass ToNonDataflow
# run: main == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3), "float32")):
        with R.dataflow():
            a = R.negative(x)
            b = R.abs(a)
            R.output(b)
        c = R.nn.relu(b)
        with R.dataflow():
            d = R.add(c, x)
            R.output(d)
        return d

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3), dtype="float32")) -> R.Tensor((2, 3), dtype="float32"):
        a: R.Tensor((2, 3), dtype="float32") = R.negative(x)
        b: R.Tensor((2, 3), dtype="float32") = R.abs(a)
        c: R.Tensor((2, 3), dtype="float32") = R.nn.relu(b)
        d: R.Tensor((2, 3), dtype="float32") = R.add(c, x)
        return d
