# Fields of tuples in tuples, of a variable and of a tuple that is made for the call; what is public stays.
# test: opt --pass ExpandTupleArguments --pass CanonicalizeBindings
# run: main n=3 == same
# run: main n=0 == same


@I.ir_module
class Module:
    @R.function(private=True)
    def inner(t: R.Tuple(R.Tensor(("n",), "float32"), R.Tuple(R.Tensor(("n",), "float32"), R.Tuple())), y: R.Tensor):
        n = T.int64()
        with R.dataflow():
            a = t[0]
            b = t[1]
            c = b[0]
            d = R.subtract(a, c)
            out = (d, y)
            R.output(out)
        return out

    @R.function
    def outer(t: R.Tuple(R.Tensor((2,), "float32"))):
        return t[0]

    @R.function
    def main(x: R.Tensor(("n",), "float32"), z: R.Tensor(("n",), "float32")):
        n = T.int64()
        cls = Module
        t = (z, R.tuple())
        p = cls.inner((x, t), x)
        u = (p[0], t)
        q = cls.inner(u, x)
        r = cls.outer((R.const([1.0, 2.0], "float32"),))
        return (p, q, r)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function(private=True)
    def inner(t_0: R.Tensor(("n",), dtype="float32"), t_1_0: R.Tensor(("n",), dtype="float32"), y: R.Tensor()) -> R.Tuple(R.Tensor(("n",), dtype="float32"), R.Tensor()):
        n = T.int64()
        t: R.Tuple(R.Tensor((n,), dtype="float32"), R.Tuple(R.Tensor((n,), dtype="float32"), R.Tuple())) = (t_0, (t_1_0, R.tuple()))
        with R.dataflow():
            b: R.Tuple(R.Tensor((n,), dtype="float32"), R.Tuple()) = (t_1_0, R.tuple())
            d: R.Tensor((n,), dtype="float32") = R.subtract(t_0, t_1_0)
            out: R.Tuple(R.Tensor((n,), dtype="float32"), R.Tensor()) = (d, y)
            R.output(out)
        return out

    @R.function
    def main(x: R.Tensor(("n",), dtype="float32"), z: R.Tensor(("n",), dtype="float32")) -> R.Tuple(R.Tuple(R.Tensor(("n",), dtype="float32"), R.Tensor()), R.Tuple(R.Tensor(("n",), dtype="float32"), R.Tensor()), R.Tensor((2,), dtype="float32")):
        n = T.int64()
        cls = Module
        t: R.Tuple(R.Tensor((n,), dtype="float32"), R.Tuple()) = (z, R.tuple())
        p: R.Tuple(R.Tensor((n,), dtype="float32"), R.Tensor()) = cls.inner(x, z, x)
        gv: R.Tensor((n,), dtype="float32") = p[0]
        u: R.Tuple(R.Tensor((n,), dtype="float32"), R.Tuple(R.Tensor((n,), dtype="float32"), R.Tuple())) = (gv, t)
        q: R.Tuple(R.Tensor((n,), dtype="float32"), R.Tensor()) = cls.inner(gv, z, x)
        r: R.Tensor((2,), dtype="float32") = cls.outer((metadata["relax.expr.Constant"][0],))
        return (p, q, r)

    @R.function
    def outer(t: R.Tuple(R.Tensor((2,), dtype="float32"))) -> R.Tensor((2,), dtype="float32"):
        gv: R.Tensor((2,), dtype="float32") = t[0]
        return gv

metadata = {"relax.expr.Constant": [
    {"dtype": "float32", "shape": [2], "data": "AACAPwAAAEA="},
]}
