# Dimensions of the function around are passed as a shape, where nothing else tells them.
# test: opt --pass LambdaLift
# run: main n=3 m=2 == same
# run: main n=0 m=1 == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", "m"), "float32"), y: R.Tensor(("m",), "float32")):
        n = T.int64()
        m = T.int64()

        @R.function
        def inner(z: R.Tensor((m,), "float32")) -> R.Tensor((n, m), "float32"):
            one = R.ones((n, m), "float32")
            s = R.subtract(one, z)
            return s

        a = inner(y)
        return a

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", "m"), dtype="float32"), y: R.Tensor(("m",), dtype="float32")) -> R.Tensor(("n", "m"), dtype="float32"):
        n = T.int64()
        m = T.int64()
        cls = Module
        a: R.Tensor((n, m), dtype="float32") = cls.main_inner(y, R.shape([m, n]))
        return a

    @R.function(private=True)
    def main_inner(z: R.Tensor(("m",), dtype="float32"), dims: R.Shape(["m", "n"])) -> R.Tensor(("n", "m"), dtype="float32"):
        n = T.int64()
        m = T.int64()
        one: R.Tensor((n, m), dtype="float32") = R.ones(R.shape([n, m]), dtype="float32")
        s: R.Tensor((n, m), dtype="float32") = R.subtract(one, z)
        return s
