# The parameter disappears and its uses become the value.
# test: opt --pass BindParams:w
# run: main == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2,), "float32"), w: R.Tensor((2,), "float32")):
        with R.dataflow():
            y = R.subtract(x, w)
            z = R.add(y, w)
            R.output(z)
        return z

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2,), dtype="float32")) -> R.Tensor((2,), dtype="float32"):
        with R.dataflow():
            y: R.Tensor((2,), dtype="float32") = R.subtract(x, metadata["relax.expr.Constant"][0])
            z: R.Tensor((2,), dtype="float32") = R.add(y, metadata["relax.expr.Constant"][0])
            R.output(z)
        return z

metadata = {"relax.expr.Constant": [
    {"dtype": "float32", "shape": [2], "data": "VOPlv7gehT8="},
]}
