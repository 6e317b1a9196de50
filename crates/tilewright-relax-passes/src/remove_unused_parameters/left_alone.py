# A parameter stays that checks its argument, that tells a dimension which callers do not know, or whose function is a value.
# test: opt --pass RemoveUnusedParameters
# run: main(f32[4], f32[3]) == same


@I.ir_module
class Module:
    @R.function(private=True)
    def checks(x: R.Tensor((4,), "float32"), y: R.Tensor((3,), "float32")) -> R.Tensor((4,), "float32"):
        z = R.abs(x)
        return z

    @R.function(private=True)
    def tells(x: R.Tensor(("k",), "float32")) -> R.Tensor("float32", ndim=1):
        k = T.int64()
        z = R.ones((k,), "float32")
        return z

    @R.function(private=True)
    def value(x: R.Tensor((4,), "float32"), y: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        z = R.negative(x)
        return z

    @R.function
    def main(x: R.Tensor((4,), "float32"), some: R.Tensor("float32", ndim=1)):
        cls = Module
        a = cls.checks(x, some)
        b = cls.tells(some)
        f = cls.value
        c = f(x, a)
        return (a, b, c)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function(private=True)
    def checks(x: R.Tensor((4,), dtype="float32"), y: R.Tensor((3,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        z: R.Tensor((4,), dtype="float32") = R.abs(x)
        return z

    @R.function
    def main(x: R.Tensor((4,), dtype="float32"), some: R.Tensor(dtype="float32", ndim=1)) -> R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor(dtype="float32", ndim=1), R.Tensor((4,), dtype="float32")):
        cls = Module
        a: R.Tensor((4,), dtype="float32") = cls.checks(x, some)
        b: R.Tensor(dtype="float32", ndim=1) = cls.tells(some)
        f: R.Callable((R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32")), R.Tensor((4,), dtype="float32"), True) = cls.value
        c: R.Tensor((4,), dtype="float32") = f(x, a)
        return (a, b, c)

    @R.function(private=True)
    def tells(x: R.Tensor(("k",), dtype="float32")) -> R.Tensor(dtype="float32", ndim=1):
        k = T.int64()
        z: R.Tensor((k,), dtype="float32") = R.ones(R.shape([k]), dtype="float32")
        return z

    @R.function(private=True)
    def value(x: R.Tensor((4,), dtype="float32"), y: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        z: R.Tensor((4,), dtype="float32") = R.negative(x)
        return z
