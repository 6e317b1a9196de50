# Two calls of one function, each with weights of its own; a temporary and the later parameters stay as they are.
# test: opt --pass AttachAttrLayoutFreeBuffers --pass SplitLayoutRewritePreproc
# run: main n=3 == same
# run: main n=0 == same


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def product(x_: T.handle, w: T.Buffer((2, 3), "float32"), y_: T.handle):
        T.func_attr({"tir.noalias": True})
        n = T.int64()
        x = T.match_buffer(x_, (n, 2))
        y = T.match_buffer(y_, (n, 3))
        with T.block("root"):
            packed = T.alloc_buffer((2, 2, 2))
            doubled = T.alloc_buffer((n, 2))
            for p, k, j in T.grid(2, 2, 2):
                with T.block("packed"):
                    T.block_attr({"layout_rewrite_preproc": True})
                    vp, vk, vj = T.axis.remap("SSS", [p, k, j])
                    packed[vp, vk, vj] = T.if_then_else(vp * 2 + vj < 3, w[vk, T.min(vp * 2 + vj, 2)], T.float32(0))
            for i, k in T.grid(n, 2):
                with T.block("doubled"):
                    vi, vk = T.axis.remap("SS", [i, k])
                    doubled[vi, vk] = x[vi, vk] * T.float32(2)
            for i, j, k in T.grid(n, 3, 2):
                with T.block("y"):
                    vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                    with T.init():
                        y[vi, vj] = T.float32(0)
                    y[vi, vj] = y[vi, vj] + doubled[vi, vk] * packed[vj // 2, vk, vj % 2]

    @R.function
    def main(x: R.Tensor(("n", 2), "float32")):
        n = T.int64()
        cls = Module
        with R.dataflow():
            a = R.call_tir(cls.product, (x, R.const([[1, 2, 3], [4, 5, 6]], "float32")), out_sinfo=R.Tensor((n, 3), "float32"))
            b = R.call_tir(cls.product, (x, R.const([[7, 0, 1], [-1, 5, 2]], "float32")), out_sinfo=R.Tensor((n, 3), "float32"))
            R.output(a, b)
        return (a, b)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def product(x_: T.handle, packed: T.Buffer((2, 2, 2), "float32"), y_: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        x = T.match_buffer(x_, (n, 2), "float32")
        y = T.match_buffer(y_, (n, 3), "float32")
        # with T.block("root"):
        doubled = T.alloc_buffer((n, 2))
        for i, k in T.grid(n, 2):
            with T.block("doubled"):
                vi, vk = T.axis.remap("SS", [i, k])
                T.reads(x[vi, vk])
                T.writes(doubled[vi, vk])
                doubled[vi, vk] = x[vi, vk] * T.float32(2.0)
        for i, j, k in T.grid(n, 3, 2):
            with T.block("y"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                T.reads(doubled[vi, vk], packed[vj // 2, vk, vj % 2])
                T.writes(y[vi, vj])
                with T.init():
                    y[vi, vj] = T.float32(0.0)
                y[vi, vj] = y[vi, vj] + doubled[vi, vk] * packed[vj // 2, vk, vj % 2]

    @T.prim_func(private=True)
    def product_weight_prepack(w: T.Buffer((2, 3), "float32"), packed: T.Buffer((2, 2, 2), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for p, k, j in T.grid(2, 2, 2):
            with T.block("packed"):
                vp, vk, vj = T.axis.remap("SSS", [p, k, j])
                T.reads(w[vk, T.min(vp * 2 + vj, 2)])
                T.writes(packed[vp, vk, vj])
                packed[vp, vk, vj] = T.if_then_else(vp * 2 + vj < 3, w[vk, T.min(vp * 2 + vj, 2)], T.float32(0.0))

    @R.function
    def main(x: R.Tensor(("n", 2), dtype="float32")) -> R.Tuple(R.Tensor(("n", 3), dtype="float32"), R.Tensor(("n", 3), dtype="float32")):
        n = T.int64()
        cls = Module
        with R.dataflow():
            packed = R.call_tir(cls.product_weight_prepack, (metadata["relax.expr.Constant"][0],), out_sinfo=R.Tensor((2, 2, 2), dtype="float32"))
            a = R.call_tir(cls.product, (x, packed), out_sinfo=R.Tensor((n, 3), dtype="float32"))
            packed_1 = R.call_tir(cls.product_weight_prepack, (metadata["relax.expr.Constant"][1],), out_sinfo=R.Tensor((2, 2, 2), dtype="float32"))
            b = R.call_tir(cls.product, (x, packed_1), out_sinfo=R.Tensor((n, 3), dtype="float32"))
            R.output(a, b)
        return (a, b)

metadata = {"relax.expr.Constant": [
    {"dtype": "float32", "shape": [2, 3], "data": "AACAPwAAAEAAAEBAAACAQAAAoEAAAMBA"},
    {"dtype": "float32", "shape": [2, 3], "data": "AADgQAAAAAAAAIA/AACAvwAAoEAAAABA"},
]}
