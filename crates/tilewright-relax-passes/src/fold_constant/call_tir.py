# Calls of PrimFuncs are folded, with scalar arguments and several results too.
# test: opt --pass BindParams:w --pass FoldConstant --pass DeadCodeElimination
# run: main == same


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def scaled(a: T.handle, k: T.int64, b: T.handle, c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (n,), "float32")
        C = T.match_buffer(c, (n,), "float32")
        for i in range(n):
            with T.block("B"):
                vi = T.axis.spatial(n, i)
                B[vi] = A[vi] * T.Cast("float32", k)
                C[vi] = A[vi] + T.float32(1)

    @R.function
    def main(x: R.Tensor((4,), "float32"), w: R.Tensor((4,), "float32")):
        cls = Module
        with R.dataflow():
            both = R.call_tir(cls.scaled, (w, R.prim_value(3)), out_sinfo=[R.Tensor((4,), "float32"), R.Tensor((4,), "float32")])
            first = both[0]
            second = both[1]
            y = R.add(x, first)
            z = R.multiply(y, second)
            R.output(z)
        return z

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        with R.dataflow():
            y: R.Tensor((4,), dtype="float32") = R.add(x, metadata["relax.expr.Constant"][0])
            z: R.Tensor((4,), dtype="float32") = R.multiply(y, metadata["relax.expr.Constant"][1])
            R.output(z)
        return z

metadata = {"relax.expr.Constant": [
    {"dtype": "float32", "shape": [4], "data": "f2qswBSuR0DIdr6/OIlZQA=="},
    {"dtype": "float32", "shape": [4], "data": "qMZLv1yPAkAlBgE/EoMIQA=="},
]}
