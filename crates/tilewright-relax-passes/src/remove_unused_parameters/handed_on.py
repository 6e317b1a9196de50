# An argument that is only passed on to a function that does not use it is removed from both.
# test: opt --pass RemoveUnusedParameters
# run: main n=3 == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32"), y: R.Tensor(("n",), "float32")):
        cls = Module
        a = cls.outer(x, y)
        return a

    @R.function(private=True)
    def outer(x: R.Tensor((4,), "float32"), y: R.Tensor(("n",), "float32")) -> R.Tensor((4,), "float32"):
        cls = Module
        a = cls.inner(y, x)
        return a

    @R.function(private=True)
    def inner(y: R.Tensor(("n",), "float32"), x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        b = R.abs(x)
        return b

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function(private=True)
    def inner(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        b: R.Tensor((4,), dtype="float32") = R.abs(x)
        return b

    @R.function
    def main(x: R.Tensor((4,), dtype="float32"), y: R.Tensor(("n",), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Module
        a: R.Tensor((4,), dtype="float32") = cls.outer(x)
        return a

    @R.function(private=True)
    def outer(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Module
        a: R.Tensor((4,), dtype="float32") = cls.inner(x)
        return a
