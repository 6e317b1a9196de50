# Symbolic dimensions become numbers in every function that has them, and what is computed with them too.
# test: opt --pass BindSymbolicVars:n=3
# run: main n=3 m=2 == same
# run: main n=3 m=0 == same


@I.ir_module
class Module:
    @R.function(private=True)
    def flat(x: R.Tensor(("n", "m"), "float32")) -> R.Tensor(("m", "n"), "float32"):
        return R.permute_dims(x)

    @R.function
    def main(x: R.Tensor(("n", "m"), "float32"), y: R.Tensor(("n * 2",), "float32")):
        n = T.int64()
        m = T.int64()
        cls = Module
        a = cls.flat(x)
        b = R.negative(y)
        return (a, b)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function(private=True)
    def flat(x: R.Tensor((3, "m"), dtype="float32")) -> R.Tensor(("m", 3), dtype="float32"):
        m = T.int64()
        gv: R.Tensor((m, 3), dtype="float32") = R.permute_dims(x, axes=None)
        return gv

    @R.function
    def main(x: R.Tensor((3, "m"), dtype="float32"), y: R.Tensor((6,), dtype="float32")) -> R.Tuple(R.Tensor(("m", 3), dtype="float32"), R.Tensor((6,), dtype="float32")):
        m = T.int64()
        cls = Module
        a: R.Tensor((m, 3), dtype="float32") = cls.flat(x)
        b: R.Tensor((6,), dtype="float32") = R.negative(y)
        return (a, b)
