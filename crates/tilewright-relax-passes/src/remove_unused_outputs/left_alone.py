# A result that is used as a whole has all its fields, as have those of visible functions and of functions that are values;
# where nothing is taken, nothing changes.
# test: opt --pass RemoveUnusedOutputs
# run: main == same


@I.ir_module
class Module:
    @R.function(private=True)
    def whole(x: R.Tensor((4,), "float32")) -> R.Tuple(R.Tensor((4,), "float32"), R.Tensor((4,), "float32")):
        a = R.abs(x)
        return (a, x)

    @R.function(private=True)
    def value(x: R.Tensor((4,), "float32")) -> R.Tuple(R.Tensor((4,), "float32"), R.Tensor((4,), "float32")):
        a = R.exp(x)
        return (x, a)

    @R.function(private=True)
    def nothing(x: R.Tensor((4,), "float32")) -> R.Tuple(R.Tensor((4,), "float32"), R.Tensor((4,), "float32")):
        return (x, x)

    @R.function
    def visible(x: R.Tensor((4,), "float32")) -> R.Tuple(R.Tensor((4,), "float32"), R.Tensor((4,), "float32")):
        a = R.negative(x)
        return (x, a)

    @R.function
    def main(x: R.Tensor((4,), "float32")):
        cls = Module
        t = cls.whole(x)
        t0 = t[0]
        u = cls.visible(t0)
        u1 = u[1]
        f = cls.value
        v = f(x)
        v1 = v[1]
        w = cls.value(u1)
        w1 = w[1]
        n = cls.nothing(x)
        return (t, u1, v1, w1)

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tuple(R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32")), R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32")):
        cls = Module
        t: R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32")) = cls.whole(x)
        t0: R.Tensor((4,), dtype="float32") = t[0]
        u: R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32")) = cls.visible(t0)
        u1: R.Tensor((4,), dtype="float32") = u[1]
        f: R.Callable((R.Tensor((4,), dtype="float32"),), R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32")), True) = cls.value
        v: R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32")) = f(x)
        v1: R.Tensor((4,), dtype="float32") = v[1]
        w: R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32")) = cls.value(u1)
        w1: R.Tensor((4,), dtype="float32") = w[1]
        n: R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32")) = cls.nothing(x)
        return (t, u1, v1, w1)

    @R.function(private=True)
    def nothing(x: R.Tensor((4,), dtype="float32")) -> R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32")):
        return (x, x)

    @R.function(private=True)
    def value(x: R.Tensor((4,), dtype="float32")) -> R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32")):
        a: R.Tensor((4,), dtype="float32") = R.exp(x)
        return (x, a)

    @R.function
    def visible(x: R.Tensor((4,), dtype="float32")) -> R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32")):
        a: R.Tensor((4,), dtype="float32") = R.negative(x)
        return (x, a)

    @R.function(private=True)
    def whole(x: R.Tensor((4,), dtype="float32")) -> R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32")):
        a: R.Tensor((4,), dtype="float32") = R.abs(x)
        return (a, x)
