# A map of indices is a lambda; its inverse says where the elements come from, and what is filled up.
# test: opt --pass LegalizeOps
# run: main n=2 == same
# run: main n=5 == same
# run: main n=0 == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 6, 5), "float32")):
        with R.dataflow():
            order = R.layout_transform(x, index_map=T.index_map(lambda i, j, k: (k, i * 6 + j)))
            parts = R.layout_transform(x, index_map=lambda n, c, w: (n, c // 4, w, c % 4), pad_value=1.5)
            gv = (order, parts)
            R.output(gv)
        return gv

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def te_layout_transform(var_x: T.handle, var_te_layout_transform: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        x = T.match_buffer(var_x, (n, T.int64(6), T.int64(5)), "float32")
        te_layout_transform = T.match_buffer(var_te_layout_transform, (T.int64(5), n * T.int64(6)), "float32")
        # with T.block("root"):
        for axis0, axis1 in T.grid(T.int64(5), n * T.int64(6)):
            with T.block("te_layout_transform"):
                v_axis0, v_axis1 = T.axis.remap("SS", [axis0, axis1])
                T.reads(x[v_axis1 // T.int64(6), v_axis1 % T.int64(6), v_axis0])
                T.writes(te_layout_transform[v_axis0, v_axis1])
                te_layout_transform[v_axis0, v_axis1] = x[v_axis1 // T.int64(6), v_axis1 % T.int64(6), v_axis0]

    @T.prim_func(private=True)
    def te_layout_transform1(var_x: T.handle, var_te_layout_transform_with_pad: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        x = T.match_buffer(var_x, (n, T.int64(6), T.int64(5)), "float32")
        te_layout_transform_with_pad = T.match_buffer(var_te_layout_transform_with_pad, (n, T.int64(2), T.int64(5), T.int64(4)), "float32")
        # with T.block("root"):
        for axis0, axis1, axis2, axis3 in T.grid(n, T.int64(2), T.int64(5), T.int64(4)):
            with T.block("te_layout_transform_with_pad"):
                v_axis0, v_axis1, v_axis2, v_axis3 = T.axis.remap("SSSS", [axis0, axis1, axis2, axis3])
                T.reads(x[v_axis0, v_axis1 * T.int64(4) + v_axis3, v_axis2])
                T.writes(te_layout_transform_with_pad[v_axis0, v_axis1, v_axis2, v_axis3])
                te_layout_transform_with_pad[v_axis0, v_axis1, v_axis2, v_axis3] = T.if_then_else(v_axis1 * T.int64(4) + v_axis3 < T.int64(6), x[v_axis0, v_axis1 * T.int64(4) + v_axis3, v_axis2], T.float32(1.5))

    @R.function
    def main(x: R.Tensor(("n", 6, 5), dtype="float32")) -> R.Tuple(R.Tensor((5, "n * 6"), dtype="float32"), R.Tensor(("n", 2, 5, 4), dtype="float32")):
        n = T.int64()
        cls = Module
        with R.dataflow():
            order = R.call_tir(cls.te_layout_transform, (x,), out_sinfo=R.Tensor((5, n * 6), dtype="float32"))
            parts = R.call_tir(cls.te_layout_transform1, (x,), out_sinfo=R.Tensor((n, 2, 5, 4), dtype="float32"))
            gv: R.Tuple(R.Tensor((5, n * 6), dtype="float32"), R.Tensor((n, 2, 5, 4), dtype="float32")) = (order, parts)
            R.output(gv)
        return gv
