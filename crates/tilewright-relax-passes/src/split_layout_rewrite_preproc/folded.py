# Split-off nests are evaluated at compile time and replace the original; also of two constants, one of which stays.
# test: opt --pass AttachAttrLayoutFreeBuffers --pass SplitLayoutRewritePreproc --pass FoldConstant --pass DeadCodeElimination
# run: main == same


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def scaled(w: T.Buffer((2,), "float32"), s: T.Buffer((2,), "float32"), x: T.Buffer((2,), "float32")):
        with T.block("root"):
            packed = T.alloc_buffer((2,))
            for i in range(2):
                with T.block("packed"):
                    T.block_attr({"layout_rewrite_preproc": True})
                    vi = T.axis.spatial(2, i)
                    packed[vi] = w[1 - vi] * s[vi]
            for i in range(2):
                with T.block("x"):
                    vi = T.axis.spatial(2, i)
                    x[vi] = x[vi] * packed[vi] + s[vi]

    @R.function
    def main(x: R.Tensor((2,), "float32")):
        cls = Module
        with R.dataflow():
            y = R.multiply(x, x)
            z = R.call_tir_inplace(
                cls.scaled, (R.const([1, 2], "float32"), R.const([3, 5], "float32"), y), inplace_indices=[2], out_sinfo=R.Tensor((2,), "float32")
            )
            R.output(z)
        return z

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def scaled(packed: T.Buffer((2,), "float32"), s: T.Buffer((2,), "float32"), x: T.Buffer((2,), "float32")):
        # with T.block("root"):
        for i in range(2):
            with T.block("x"):
                vi = T.axis.spatial(2, i)
                T.reads(x[vi], packed[vi], s[vi])
                T.writes(x[vi])
                x[vi] = x[vi] * packed[vi] + s[vi]

    @R.function
    def main(x: R.Tensor((2,), dtype="float32")) -> R.Tensor((2,), dtype="float32"):
        cls = Module
        with R.dataflow():
            y: R.Tensor((2,), dtype="float32") = R.multiply(x, x)
            z = R.call_tir_inplace(cls.scaled, (metadata["relax.expr.Constant"][0], metadata["relax.expr.Constant"][1], y), inplace_indices=[2], out_sinfo=R.Tensor((2,), dtype="float32"))
            R.output(z)
        return z

metadata = {"relax.expr.Constant": [
    {"dtype": "float32", "shape": [2], "data": "AADAQAAAoEA="},
    {"dtype": "float32", "shape": [2], "data": "AABAQAAAoEA="},
]}
