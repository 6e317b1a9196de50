# A row of an image that is made wider is looked up in a row between the rows of the data, which is computed right before it.
# What is the same for all rows is computed first.
# test: opt --pass LegalizeOps --pass ApplyDefaultSchedule:target=skylake-avx512
# run: main == same
# run: main special == same

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 5, 7, 30), "float32")):
        with R.dataflow():
            gv = R.image.resize2d(x, R.shape([9, 83]), coordinate_transformation_mode="align_corners")
            R.output(gv)
        return gv

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def resize2d(x: T.Buffer((T.int64(2), T.int64(5), T.int64(7), T.int64(30)), "float32"), resize: T.Buffer((T.int64(2), T.int64(5), T.int64(9), T.int64(83)), "float32")):
        T.func_attr({"tir.is_scheduled": T.bool(True), "tir.noalias": T.bool(True)})
        # with T.block("root"):
        resize_columns = T.alloc_buffer((T.int64(83),), "int32")
        resize_rows = T.alloc_buffer((T.int64(2), T.int64(5), T.int64(9), T.int64(30)))
        resize_weights = T.alloc_buffer((T.int64(83),))
        resize_weights_1 = T.alloc_buffer((T.int64(83),))
        for i0 in T.vectorized(T.int64(83)):
            with T.block("resize_columns"):
                v_i0 = T.axis.spatial(T.int64(83), i0)
                T.reads()
                T.writes(resize_columns[v_i0])
                resize_columns[v_i0] = T.Cast("int32", v_i0 * T.int64(29) // T.int64(82))
        for i0 in T.vectorized(T.int64(83)):
            with T.block("resize_weights"):
                v_i0 = T.axis.spatial(T.int64(83), i0)
                T.reads()
                T.writes(resize_weights[v_i0])
                resize_weights[v_i0] = T.float32(1.0) - T.Cast("float32", v_i0 * T.int64(29) % T.int64(82)) / T.float32(82.0)
        for i0 in T.vectorized(T.int64(83)):
            with T.block("resize_weights_1"):
                v_i0 = T.axis.spatial(T.int64(83), i0)
                T.reads()
                T.writes(resize_weights_1[v_i0])
                resize_weights_1[v_i0] = T.Cast("float32", v_i0 * T.int64(29) % T.int64(82)) / T.float32(82.0)
        for i0_i1_i2_fused_0 in T.parallel(T.int64(2)):
            for i0_i1_i2_fused_1 in range(T.int64(45)):
                for ax0 in T.vectorized(T.int64(30)):
                    with T.block("resize_rows"):
                        v_i0 = T.axis.spatial(T.int64(2), i0_i1_i2_fused_0)
                        v_i1 = T.axis.spatial(T.int64(5), i0_i1_i2_fused_1 // T.int64(9))
                        v_i2 = T.axis.spatial(T.int64(9), i0_i1_i2_fused_1 % T.int64(9))
                        v_i3 = T.axis.spatial(T.int64(30), ax0)
                        T.reads(x[v_i0, v_i1, T.int64(0):T.int64(7), v_i3])
                        T.writes(resize_rows[v_i0, v_i1, v_i2, v_i3])
                        resize_rows[v_i0, v_i1, v_i2, v_i3] = x[v_i0, v_i1, T.max(T.min(v_i2 * T.int64(6) // T.int64(8), T.int64(6)), T.int64(0)), v_i3] * (T.float32(1.0) - T.Cast("float32", v_i2 * T.int64(6) % T.int64(8)) / T.float32(8.0)) + x[v_i0, v_i1, T.max(T.min(v_i2 * T.int64(6) // T.int64(8) + T.int64(1), T.int64(6)), T.int64(0)), v_i3] * (T.Cast("float32", v_i2 * T.int64(6) % T.int64(8)) / T.float32(8.0))
                for i3 in T.vectorized(T.int64(83)):
                    with T.block("resize"):
                        v_i0 = T.axis.spatial(T.int64(2), (i0_i1_i2_fused_0 * T.int64(45) + i0_i1_i2_fused_1) // T.int64(45))
                        v_i1 = T.axis.spatial(T.int64(5), (i0_i1_i2_fused_0 * T.int64(45) + i0_i1_i2_fused_1) % T.int64(45) // T.int64(9))
                        v_i2 = T.axis.spatial(T.int64(9), (i0_i1_i2_fused_0 * T.int64(45) + i0_i1_i2_fused_1) % T.int64(9))
                        v_i3 = T.axis.spatial(T.int64(83), i3)
                        T.reads(resize_rows[v_i0, v_i1, v_i2, T.int64(0):T.int64(30)], resize_columns[v_i3], resize_weights[v_i3], resize_weights_1[v_i3])
                        T.writes(resize[v_i0, v_i1, v_i2, v_i3])
                        resize[v_i0, v_i1, v_i2, v_i3] = resize_rows[v_i0, v_i1, v_i2, T.max(T.min(T.Cast("int64", resize_columns[v_i3]), T.int64(29)), T.int64(0))] * resize_weights[v_i3] + resize_rows[v_i0, v_i1, v_i2, T.max(T.min(T.Cast("int64", resize_columns[v_i3]) + T.int64(1), T.int64(29)), T.int64(0))] * resize_weights_1[v_i3]

    @R.function
    def main(x: R.Tensor((2, 5, 7, 30), dtype="float32")) -> R.Tensor((2, 5, 9, 83), dtype="float32"):
        cls = Module
        with R.dataflow():
            gv = R.call_tir(cls.resize2d, (x,), out_sinfo=R.Tensor((2, 5, 9, 83), dtype="float32"))
            R.output(gv)
        return gv
