# A check of known struct info is removed; one that adds information stays.
# test: opt --pass CanonicalizeBindings
# run: main n=3 == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32")):
        n = T.int64()
        m = T.int64()
        with R.dataflow():
            a = R.match_cast(x, R.Tensor((n, 4), "float32"))
            b = R.match_cast(a, R.Tensor((m, 4), "float32"))
            c = R.add(b, b)
            one = R.const(1.0, "float32")
            d = R.add(c, one)
            R.output(d)
        return d

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), dtype="float32")) -> R.Tensor(dtype="float32", ndim=2):
        m = T.int64()
        with R.dataflow():
            b: R.Tensor((m, 4), dtype="float32") = R.match_cast(x, R.Tensor((m, 4), dtype="float32"))
            c: R.Tensor((m, 4), dtype="float32") = R.add(b, b)
            d: R.Tensor((m, 4), dtype="float32") = R.add(c, R.const(1.0, "float32"))
            R.output(d)
        return d
