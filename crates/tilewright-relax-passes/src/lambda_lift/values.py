# A function that is a value is the function of the module where it takes nothing, and a closure where it does.
# test: opt --pass LambdaLift
# run: main == same


@I.ir_module
class Module:
    @R.function
    def main(p: R.Tensor((), "bool"), x: R.Tensor((4,), "float32"), y: R.Tensor((4,), "float32")):
        @R.function
        def plain(z: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
            s = R.negative(z)
            return s

        @R.function
        def closure(z: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
            s = R.subtract(z, y)
            return s

        if p:
            f = plain
        else:
            f = closure
        a = f(x)
        b = closure(a)
        c = plain(b)
        return c

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(p: R.Tensor((), dtype="bool"), x: R.Tensor((4,), dtype="float32"), y: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Module
        closure: R.Object = R.make_closure(cls.main_closure, (y,))
        if p:
            f: R.Object = cls.main_plain
        else:
            f: R.Object = closure
        a: R.Tensor((4,), dtype="float32") = R.invoke_pure_closure(f, (x,), sinfo_args=(R.Tensor((4,), dtype="float32"),))
        b: R.Tensor((4,), dtype="float32") = R.invoke_pure_closure(closure, (a,), sinfo_args=(R.Tensor((4,), dtype="float32"),))
        c: R.Tensor((4,), dtype="float32") = cls.main_plain(b)
        return c

    @R.function(private=True)
    def main_closure(z: R.Tensor((4,), dtype="float32"), y: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        s: R.Tensor((4,), dtype="float32") = R.subtract(z, y)
        return s

    @R.function(private=True)
    def main_plain(z: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        s: R.Tensor((4,), dtype="float32") = R.negative(z)
        return s
