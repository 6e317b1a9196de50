# A function that calls itself passes on what it takes.
# test: opt --pass LambdaLift
# run: main == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32"), step: R.Tensor((), "float32"), i: R.Tensor((), "float32")):
        @R.function
        def loop(i: R.Tensor((), "float32"), x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
            more = R.less(i, R.const(3.0, "float32"))
            if more:
                j = R.add(i, R.const(1.5, "float32"))
                y = R.subtract(x, step)
                z = loop(j, y)
                r = z
            else:
                r = x
            return r

        out = loop(i, x)
        return out

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="float32"), step: R.Tensor((), dtype="float32"), i: R.Tensor((), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Module
        out: R.Tensor((4,), dtype="float32") = cls.main_loop(i, x, step)
        return out

    @R.function(private=True)
    def main_loop(i: R.Tensor((), dtype="float32"), x: R.Tensor((4,), dtype="float32"), step: R.Tensor((), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Module
        more: R.Tensor((), dtype="bool") = R.less(i, R.const(3.0, "float32"))
        if more:
            j: R.Tensor((), dtype="float32") = R.add(i, R.const(1.5, "float32"))
            y: R.Tensor((4,), dtype="float32") = R.subtract(x, step)
            z: R.Tensor((4,), dtype="float32") = cls.main_loop(j, y, step)
            r: R.Tensor((4,), dtype="float32") = z
        else:
            r: R.Tensor((4,), dtype="float32") = x
        return r
