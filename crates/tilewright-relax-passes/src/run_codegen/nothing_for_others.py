# Functions that are for no code generator stay, and their calls.
# test: opt --pass RunCodegen
# run: main n=5 == same

@I.ir_module
class Module:
    @R.function(private=True)
    def both(x: R.Tensor(("n", 3), "float32"), y: R.Tensor(("n", 3), "float32")) -> R.Tensor(("n", 3), "float32"):
        R.func_attr({"Composite": "mine.subtract"})
        return R.subtract(x, y)

    @R.function
    def main(x: R.Tensor(("n", 3), "float32"), y: R.Tensor(("n", 3), "float32")):
        n = T.int64()
        cls = Module
        a = R.exp(x)
        b = cls.both(a, y)
        return b

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function(private=True)
    def both(x: R.Tensor(("n", 3), dtype="float32"), y: R.Tensor(("n", 3), dtype="float32")) -> R.Tensor(("n", 3), dtype="float32"):
        n = T.int64()
        R.func_attr({"Composite": "mine.subtract"})
        gv: R.Tensor((n, 3), dtype="float32") = R.subtract(x, y)
        return gv

    @R.function
    def main(x: R.Tensor(("n", 3), dtype="float32"), y: R.Tensor(("n", 3), dtype="float32")) -> R.Tensor(("n", 3), dtype="float32"):
        n = T.int64()
        cls = Module
        a: R.Tensor((n, 3), dtype="float32") = R.exp(x)
        b: R.Tensor((n, 3), dtype="float32") = cls.both(a, y)
        return b
