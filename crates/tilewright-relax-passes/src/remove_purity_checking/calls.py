# Functions, and references to them, do not say that they are pure any more.
# test: opt --pass RemovePurityChecking
# run: main == same


@I.ir_module
class Module:
    @R.function(private=True)
    def twice(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        return R.add(x, x)

    @R.function
    def main(x: R.Tensor((4,), "float32")):
        cls = Module
        y = cls.twice(x)
        return y

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Module
        y: R.Tensor((4,), dtype="float32") = cls.twice(x)
        return y

    @R.function(private=True, pure=False)
    def twice(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        gv: R.Tensor((4,), dtype="float32") = R.add(x, x)
        return gv
