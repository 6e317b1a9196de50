# A shape tells the dimensions that an unused tensor told; one that the other parameters tell needs none.
# test: opt --pass RemoveUnusedParameters
# run: main n=3 m=2 == same
# run: main n=0 m=1 == same


@I.ir_module
class Module:
    @R.function(private=True)
    def ones(like: R.Tensor(("k", "l"), "float32"), other: R.Tensor(("l", 5), "float32"), x: R.Tensor(("l",), "float32")) -> R.Tensor(("k", "l"), "float32"):
        k = T.int64()
        l = T.int64()
        one = R.ones((k, l), "float32")
        z = R.add(one, x)
        return z

    @R.function
    def main(x: R.Tensor(("n", "m"), "float32"), y: R.Tensor(("m", 5), "float32"), z: R.Tensor(("m",), "float32")):
        n = T.int64()
        m = T.int64()
        cls = Module
        a = cls.ones(x, y, z)
        b = R.subtract(a, x)
        return b

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", "m"), dtype="float32"), y: R.Tensor(("m", 5), dtype="float32"), z: R.Tensor(("m",), dtype="float32")) -> R.Tensor(("n", "m"), dtype="float32"):
        n = T.int64()
        m = T.int64()
        cls = Module
        a: R.Tensor((n, m), dtype="float32") = cls.ones(z, R.shape([n]))
        b: R.Tensor((n, m), dtype="float32") = R.subtract(a, x)
        return b

    @R.function(private=True)
    def ones(x: R.Tensor(("l",), dtype="float32"), dims: R.Shape(["k"])) -> R.Tensor(("k", "l"), dtype="float32"):
        k = T.int64()
        l = T.int64()
        one: R.Tensor((k, l), dtype="float32") = R.ones(R.shape([k, l]), dtype="float32")
        z: R.Tensor((k, l), dtype="float32") = R.add(one, x)
        return z
