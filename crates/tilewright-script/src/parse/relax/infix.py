# Python's operators between values of a graph are calls of the operators with names.
# test: print
# run: main n=3 == same

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 2), "float32"), y: R.Tensor(("n", 2), "float32")):
        n, two = T.int64(), T.int64(2)
        a = x + y * x
        b = -(a - y) / R.const(2.0, "float32")
        c = b < x
        d = R.equal(x >= y, x <= y)
        e: R.Tensor((n, two), "float32") = b
        return (a, e, c, d, x > y)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 2), dtype="float32"), y: R.Tensor(("n", 2), dtype="float32")) -> R.Tuple(R.Tensor(("n", 2), dtype="float32"), R.Tensor(("n", 2), dtype="float32"), R.Tensor(("n", 2), dtype="bool"), R.Tensor(("n", 2), dtype="bool"), R.Tensor(("n", 2), dtype="bool")):
        n = T.int64()
        gv: R.Tensor((n, 2), dtype="float32") = R.multiply(y, x)
        a: R.Tensor((n, 2), dtype="float32") = R.add(x, gv)
        gv1: R.Tensor((n, 2), dtype="float32") = R.subtract(a, y)
        gv2: R.Tensor((n, 2), dtype="float32") = R.negative(gv1)
        b: R.Tensor((n, 2), dtype="float32") = R.divide(gv2, R.const(2.0, "float32"))
        c: R.Tensor((n, 2), dtype="bool") = R.less(b, x)
        gv3: R.Tensor((n, 2), dtype="bool") = R.greater_equal(x, y)
        gv4: R.Tensor((n, 2), dtype="bool") = R.less_equal(x, y)
        d: R.Tensor((n, 2), dtype="bool") = R.equal(gv3, gv4)
        e: R.Tensor((n, 2), dtype="float32") = b
        gv5: R.Tensor((n, 2), dtype="bool") = R.greater(x, y)
        return (a, e, c, d, gv5)
