# The callee's dimensions become the caller's; what is not known to fit is checked as the call would.
# test: opt --pass InlinePrivateFunctions
# run: main n=3 m=3 == same


@I.ir_module
class Module:
    @R.function(private=True)
    def sum(x: R.Tensor(("k", 4), "float32"), y: R.Tensor(("k", 4), "float32")) -> R.Tensor(("k", 4), "float32"):
        k = T.int64()
        lv: R.Tensor((k, 4), "float32") = R.add(x, y)
        return lv

    @R.function
    def main(x: R.Tensor(("n", 4), "float32"), y: R.Tensor(("m", 4), "float32")):
        cls = Module
        a = cls.sum(x, x)
        b = cls.sum(a, y)
        return b

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), dtype="float32"), y: R.Tensor(("m", 4), dtype="float32")) -> R.Tensor(("n", 4), dtype="float32"):
        n = T.int64()
        lv: R.Tensor((n, 4), dtype="float32") = R.add(x, x)
        a: R.Tensor((n, 4), dtype="float32") = lv
        y_1: R.Tensor((n, 4), dtype="float32") = R.match_cast(y, R.Tensor((n, 4), dtype="float32"))
        lv_1: R.Tensor((n, 4), dtype="float32") = R.add(a, y_1)
        b: R.Tensor((n, 4), dtype="float32") = lv_1
        return b
