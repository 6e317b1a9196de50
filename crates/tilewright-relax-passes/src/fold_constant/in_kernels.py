# What a function that fusion has made works out from nothing stays there; a caller's is folded.
# test: opt --pass FoldConstant
# run: main == same


@I.ir_module
class Module:
    @R.function(private=True)
    def fused(x: R.Tensor((3,), "int64")):
        R.func_attr({"Primitive": 1})
        with R.dataflow():
            places = R.arange(0, 3, 1, dtype="int64")
            y = R.add(x, places)
            R.output(y)
        return y

    @R.function
    def main(x: R.Tensor((3,), "int64")):
        cls = Module
        with R.dataflow():
            ones = R.ones((3,), dtype="int64")
            z = R.add(x, ones)
            y = cls.fused(z)
            R.output(y)
        return y

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function(private=True)
    def fused(x: R.Tensor((3,), dtype="int64")) -> R.Tensor((3,), dtype="int64"):
        R.func_attr({"Primitive": 1})
        with R.dataflow():
            places: R.Tensor((3,), dtype="int64") = R.arange(R.prim_value(0), R.prim_value(3), R.prim_value(1), dtype="int64")
            y: R.Tensor((3,), dtype="int64") = R.add(x, places)
            R.output(y)
        return y

    @R.function
    def main(x: R.Tensor((3,), dtype="int64")) -> R.Tensor((3,), dtype="int64"):
        cls = Module
        with R.dataflow():
            z: R.Tensor((3,), dtype="int64") = R.add(x, metadata["relax.expr.Constant"][0])
            y: R.Tensor((3,), dtype="int64") = cls.fused(z)
            R.output(y)
        return y

metadata = {"relax.expr.Constant": [
    {"dtype": "int64", "shape": [3], "data": "AQAAAAAAAAABAAAAAAAAAAEAAAAAAAAA"},
]}
