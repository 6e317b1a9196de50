# A single field is the result itself; of a result that is a variable it is taken at the end.
# test: opt --pass RemoveUnusedOutputs
# run: main n=4 == same


@I.ir_module
class Module:
    @R.function(private=True)
    def pair(x: R.Tensor(("n",), "float32")) -> R.Tuple(R.Tensor(("n",), "float32"), R.Tensor(("n",), "float32")):
        n = T.int64()
        a = R.abs(x)
        b = R.negative(x)
        both = (a, b)
        return both

    @R.function
    def main(x: R.Tensor(("n",), "float32")):
        n = T.int64()
        cls = Module
        t = cls.pair(x)
        b = t[1]
        return b

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n",), dtype="float32")) -> R.Tensor(("n",), dtype="float32"):
        n = T.int64()
        cls = Module
        t: R.Tensor((n,), dtype="float32") = cls.pair(x)
        b: R.Tensor((n,), dtype="float32") = t
        return b

    @R.function(private=True)
    def pair(x: R.Tensor(("n",), dtype="float32")) -> R.Tensor(("n",), dtype="float32"):
        n = T.int64()
        a: R.Tensor((n,), dtype="float32") = R.abs(x)
        b: R.Tensor((n,), dtype="float32") = R.negative(x)
        both: R.Tuple(R.Tensor((n,), dtype="float32"), R.Tensor((n,), dtype="float32")) = (a, b)
        gv: R.Tensor((n,), dtype="float32") = both[1]
        return gv
