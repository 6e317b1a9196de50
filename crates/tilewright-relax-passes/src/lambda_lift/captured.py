# What a function takes from around it comes as further arguments; functions inside it are lifted with it.
# test: opt --pass LambdaLift
# run: main == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32"), y: R.Tensor((4,), "float32")):
        w = R.abs(y)

        @R.function
        def outer(z: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
            s = R.subtract(z, w)

            @R.function
            def inner(t: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
                u = R.subtract(t, y)
                v = R.multiply(u, s)
                return v

            r = inner(s)
            return r

        a = outer(x)
        b = outer(a)
        return b

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="float32"), y: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Module
        w: R.Tensor((4,), dtype="float32") = R.abs(y)
        a: R.Tensor((4,), dtype="float32") = cls.main_outer(x, w, y)
        b: R.Tensor((4,), dtype="float32") = cls.main_outer(a, w, y)
        return b

    @R.function(private=True)
    def main_outer(z: R.Tensor((4,), dtype="float32"), w: R.Tensor((4,), dtype="float32"), y: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Module
        s: R.Tensor((4,), dtype="float32") = R.subtract(z, w)
        r: R.Tensor((4,), dtype="float32") = cls.main_outer_inner(s, y, s)
        return r

    @R.function(private=True)
    def main_outer_inner(t: R.Tensor((4,), dtype="float32"), y: R.Tensor((4,), dtype="float32"), s: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        u: R.Tensor((4,), dtype="float32") = R.subtract(t, y)
        v: R.Tensor((4,), dtype="float32") = R.multiply(u, s)
        return v
