# What only passes on an unused argument loses it too; visible functions keep their parameters.
# test: opt --pass RemoveUnusedParameters
# run: main == same
# run: visible == same


@I.ir_module
class Module:
    @R.function(private=True)
    def inner(x: R.Tensor((4,), "float32"), unused: R.Tensor((9,), "int32"), y: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        z = R.subtract(x, y)
        return z

    @R.function(private=True)
    def outer(a: R.Tensor((4,), "float32"), b: R.Tensor((4,), "float32"), c: R.Tensor((9,), "int32")) -> R.Tensor((4,), "float32"):
        cls = Module
        z = cls.inner(b, c, a)
        return z

    @R.function
    def visible(x: R.Tensor((4,), "float32"), y: R.Tensor((4,), "float32")):
        return x

    @R.function
    def main(x: R.Tensor((4,), "float32"), y: R.Tensor((4,), "float32"), c: R.Tensor((9,), "int32")):
        cls = Module
        if R.const(True):
            u = cls.outer(x, y, c)
            v = u
        else:
            u = cls.outer(y, x, c)
            v = u
        return v

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function(private=True)
    def inner(x: R.Tensor((4,), dtype="float32"), y: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        z: R.Tensor((4,), dtype="float32") = R.subtract(x, y)
        return z

    @R.function
    def main(x: R.Tensor((4,), dtype="float32"), y: R.Tensor((4,), dtype="float32"), c: R.Tensor((9,), dtype="int32")) -> R.Tensor((4,), dtype="float32"):
        cls = Module
        if R.const(True, "bool"):
            u: R.Tensor((4,), dtype="float32") = cls.outer(x, y)
            v: R.Tensor((4,), dtype="float32") = u
        else:
            u_1: R.Tensor((4,), dtype="float32") = cls.outer(y, x)
            v: R.Tensor((4,), dtype="float32") = u_1
        return v

    @R.function(private=True)
    def outer(a: R.Tensor((4,), dtype="float32"), b: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Module
        z: R.Tensor((4,), dtype="float32") = cls.inner(b, a)
        return z

    @R.function
    def visible(x: R.Tensor((4,), dtype="float32"), y: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        return x
