# Tables and rows of a size that is known when the function runs; the end of a row goes element by element.
# test: opt --pass LegalizeOps --pass ApplyDefaultSchedule:target=skylake-avx512
# run: main h=5 w=70 == same
# run: main h=1 w=1 == same
# run: main special h=3 w=17 == same

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 3, "h", "w"), "float32")):
        h = T.int64()
        w = T.int64()
        with R.dataflow():
            gv = R.image.resize2d(x, R.shape([h * 2, w * 3]))
            R.output(gv)
        return gv

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def resize2d(var_x: T.handle, var_resize: T.handle):
        T.func_attr({"tir.is_scheduled": T.bool(True), "tir.noalias": T.bool(True)})
        h = T.int64()
        w = T.int64()
        x = T.match_buffer(var_x, (T.int64(1), T.int64(3), h, w), "float32")
        resize = T.match_buffer(var_resize, (T.int64(1), T.int64(3), h * T.int64(2), w * T.int64(3)), "float32")
        # with T.block("root"):
        resize_columns = T.alloc_buffer((w * T.int64(3),), "int64")
        resize_rows = T.alloc_buffer((T.int64(1), T.int64(3), h * T.int64(2), w))
        resize_weights = T.alloc_buffer((w * T.int64(3),))
        resize_weights_1 = T.alloc_buffer((w * T.int64(3),))
        for i0_0 in T.parallel((w * T.int64(3) + T.int64(16383)) // T.int64(16384)):
            for i0_1 in T.vectorized(T.int64(16384)):
                with T.block("resize_columns"):
                    v_i0 = T.axis.spatial(w * T.int64(3), i0_0 * T.int64(16384) + i0_1)
                    T.where(i0_0 * T.int64(16384) + i0_1 < w * T.int64(3))
                    T.reads()
                    T.writes(resize_columns[v_i0])
                    resize_columns[v_i0] = ((v_i0 * T.int64(2) + T.int64(1)) * w - w * T.int64(3)) // (w * T.int64(6))
        for i0_i1_i2_fused in T.parallel(h * T.int64(6)):
            for i3 in T.vectorized(w):
                with T.block("resize_rows"):
                    v_i0 = T.axis.spatial(T.int64(1), T.int64(0))
                    v_i1 = T.axis.spatial(T.int64(3), i0_i1_i2_fused // (h * T.int64(2)))
                    v_i2 = T.axis.spatial(h * T.int64(2), i0_i1_i2_fused % (h * T.int64(2)))
                    v_i3 = T.axis.spatial(w, i3)
                    T.reads(x[v_i0, v_i1, T.int64(0):h, v_i3])
                    T.writes(resize_rows[v_i0, v_i1, v_i2, v_i3])
                    resize_rows[v_i0, v_i1, v_i2, v_i3] = T.if_then_else(h > T.int64(0), x[v_i0, v_i1, T.max(T.min(((v_i2 * T.int64(2) + T.int64(1)) * h - h * T.int64(2)) // (h * T.int64(4)), h - T.int64(1)), T.int64(0)), v_i3] * (T.float32(1.0) - T.Cast("float32", ((v_i2 * T.int64(2) + T.int64(1)) * h - h * T.int64(2)) % (h * T.int64(4))) / T.Cast("float32", h * T.int64(4))) + x[v_i0, v_i1, T.max(T.min(((v_i2 * T.int64(2) + T.int64(1)) * h - h * T.int64(2)) // (h * T.int64(4)) + T.int64(1), h - T.int64(1)), T.int64(0)), v_i3] * (T.Cast("float32", ((v_i2 * T.int64(2) + T.int64(1)) * h - h * T.int64(2)) % (h * T.int64(4))) / T.Cast("float32", h * T.int64(4))), T.float32(0.0))
        for i0_0 in T.parallel((w * T.int64(3) + T.int64(32767)) // T.int64(32768)):
            for i0_1 in T.vectorized(T.int64(32768)):
                with T.block("resize_weights"):
                    v_i0 = T.axis.spatial(w * T.int64(3), i0_0 * T.int64(32768) + i0_1)
                    T.where(i0_0 * T.int64(32768) + i0_1 < w * T.int64(3))
                    T.reads()
                    T.writes(resize_weights[v_i0])
                    resize_weights[v_i0] = T.float32(1.0) - T.Cast("float32", ((v_i0 * T.int64(2) + T.int64(1)) * w - w * T.int64(3)) % (w * T.int64(6))) / T.Cast("float32", w * T.int64(6))
        for i0_0 in T.parallel((w * T.int64(3) + T.int64(32767)) // T.int64(32768)):
            for i0_1 in T.vectorized(T.int64(32768)):
                with T.block("resize_weights_1"):
                    v_i0 = T.axis.spatial(w * T.int64(3), i0_0 * T.int64(32768) + i0_1)
                    T.where(i0_0 * T.int64(32768) + i0_1 < w * T.int64(3))
                    T.reads()
                    T.writes(resize_weights_1[v_i0])
                    resize_weights_1[v_i0] = T.Cast("float32", ((v_i0 * T.int64(2) + T.int64(1)) * w - w * T.int64(3)) % (w * T.int64(6))) / T.Cast("float32", w * T.int64(6))
        for i0_i1_i2_fused in T.parallel(h * T.int64(6)):
            for i3 in T.vectorized(w * T.int64(3)):
                with T.block("resize"):
                    v_i0 = T.axis.spatial(T.int64(1), T.int64(0))
                    v_i1 = T.axis.spatial(T.int64(3), i0_i1_i2_fused // (h * T.int64(2)))
                    v_i2 = T.axis.spatial(h * T.int64(2), i0_i1_i2_fused % (h * T.int64(2)))
                    v_i3 = T.axis.spatial(w * T.int64(3), i3)
                    T.reads(resize_rows[v_i0, v_i1, v_i2, T.int64(0):w], resize_columns[v_i3], resize_weights[v_i3], resize_weights_1[v_i3])
                    T.writes(resize[v_i0, v_i1, v_i2, v_i3])
                    resize[v_i0, v_i1, v_i2, v_i3] = T.if_then_else(w > T.int64(0), resize_rows[v_i0, v_i1, v_i2, T.max(T.min(resize_columns[v_i3], w - T.int64(1)), T.int64(0))] * resize_weights[v_i3] + resize_rows[v_i0, v_i1, v_i2, T.max(T.min(resize_columns[v_i3] + T.int64(1), w - T.int64(1)), T.int64(0))] * resize_weights_1[v_i3], T.float32(0.0))

    @R.function
    def main(x: R.Tensor((1, 3, "h", "w"), dtype="float32")) -> R.Tensor((1, 3, "h * 2", "w * 3"), dtype="float32"):
        h = T.int64()
        w = T.int64()
        cls = Module
        with R.dataflow():
            resize2d_sizes: R.Shape([h]) = R.match_cast(R.shape([T.max(T.int64(1), h)]), R.Shape([h]))
            resize2d_sizes_1: R.Shape([w]) = R.match_cast(R.shape([T.max(T.int64(1), w)]), R.Shape([w]))
            gv = R.call_tir(cls.resize2d, (x,), out_sinfo=R.Tensor((1, 3, h * 2, w * 3), dtype="float32"))
            R.output(gv)
        return gv
