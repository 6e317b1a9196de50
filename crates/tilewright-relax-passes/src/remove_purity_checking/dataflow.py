# Where a dataflow block holds a call of a function, the blocks become plain; other functions keep theirs.
# test: opt --pass RemovePurityChecking
# run: main == same


@I.ir_module
class Module:
    @R.function(private=True)
    def twice(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        with R.dataflow():
            y = R.add(x, x)
            z = R.negative(y)
            R.output(z)
        return z

    @R.function
    def main(x: R.Tensor((4,), "float32")):
        cls = Module
        with R.dataflow():
            a = R.abs(x)
            R.output(a)
        with R.dataflow():
            b = cls.twice(a)
            c = R.add(b, a)
            R.output(c)
        return c

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Module
        a: R.Tensor((4,), dtype="float32") = R.abs(x)
        b: R.Tensor((4,), dtype="float32") = cls.twice(a)
        c: R.Tensor((4,), dtype="float32") = R.add(b, a)
        return c

    @R.function(private=True, pure=False)
    def twice(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        with R.dataflow():
            y: R.Tensor((4,), dtype="float32") = R.add(x, x)
            z: R.Tensor((4,), dtype="float32") = R.negative(y)
            R.output(z)
        return z
