# Fields that no call takes go; calls count the others anew.
# test: opt --pass RemoveUnusedOutputs
# run: main == same


@I.ir_module
class Module:
    @R.function(private=True)
    def three(x: R.Tensor((4,), "float32")) -> R.Tuple(R.Tensor((4,), "float32"), R.Tensor((4,), "float32"), R.Tensor((4,), "float32"), R.Tensor((), "float32")):
        with R.dataflow():
            a = R.abs(x)
            b = R.negative(x)
            c = R.exp(x)
            d = R.sum(x)
            R.output(a, b, c, d)
        return (a, b, c, d)

    @R.function
    def main(x: R.Tensor((4,), "float32"), y: R.Tensor((4,), "float32")):
        cls = Module
        with R.dataflow():
            t = cls.three(x)
            b = t[1]
            u = cls.three(y)
            d = u[3]
            b1 = u[1]
            e = R.subtract(b, d)
            f = R.subtract(e, b1)
            R.output(f)
        return f

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="float32"), y: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Module
        with R.dataflow():
            t: R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((), dtype="float32")) = cls.three(x)
            b: R.Tensor((4,), dtype="float32") = t[0]
            u: R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((), dtype="float32")) = cls.three(y)
            d: R.Tensor((), dtype="float32") = u[1]
            b1: R.Tensor((4,), dtype="float32") = u[0]
            e: R.Tensor((4,), dtype="float32") = R.subtract(b, d)
            f: R.Tensor((4,), dtype="float32") = R.subtract(e, b1)
            R.output(f)
        return f

    @R.function(private=True)
    def three(x: R.Tensor((4,), dtype="float32")) -> R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((), dtype="float32")):
        with R.dataflow():
            a: R.Tensor((4,), dtype="float32") = R.abs(x)
            b: R.Tensor((4,), dtype="float32") = R.negative(x)
            c: R.Tensor((4,), dtype="float32") = R.exp(x)
            d: R.Tensor((), dtype="float32") = R.sum(x, axis=None, keepdims=False)
            R.output(a, b, c, d)
        return (b, d)
