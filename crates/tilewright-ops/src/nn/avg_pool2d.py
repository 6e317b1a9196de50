# The mean of a window is its sum, by the number of elements that lie in the data: symbolic sizes, windows that reach out.
# test: opt --pass LegalizeOps
# run: main h=5 == same
# run: main h=6 == same
# run: main h=1 == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 2, "h", 7), "float32")):
        with R.dataflow():
            gv = R.nn.avg_pool2d(x, pool_size=3, strides=2, padding=1, ceil_mode=True)
            R.output(gv)
        return gv

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def avg_pool2d(var_x: T.handle, var_pool_avg: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        h = T.int64()
        x = T.match_buffer(var_x, (T.int64(1), T.int64(2), h, T.int64(7)), "float32")
        pool_avg = T.match_buffer(var_pool_avg, (T.int64(1), T.int64(2), h // T.int64(2) + T.int64(1), T.int64(4)), "float32")
        # with T.block("root"):
        pad_temp = T.alloc_buffer((T.int64(1), T.int64(2), h + T.int64(3), T.int64(9)))
        pool_sum = T.alloc_buffer((T.int64(1), T.int64(2), h // T.int64(2) + T.int64(1), T.int64(4)))
        for i0, i1, i2, i3 in T.grid(T.int64(1), T.int64(2), h + T.int64(3), T.int64(9)):
            with T.block("pad_temp"):
                v_i0, v_i1, v_i2, v_i3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                T.reads(x[v_i0, v_i1, v_i2 - T.int64(1), v_i3 - T.int64(1)])
                T.writes(pad_temp[v_i0, v_i1, v_i2, v_i3])
                pad_temp[v_i0, v_i1, v_i2, v_i3] = T.if_then_else(T.int64(1) <= v_i2 and v_i2 < h + T.int64(1) and T.int64(1) <= v_i3 and v_i3 < T.int64(8), x[v_i0, v_i1, v_i2 - T.int64(1), v_i3 - T.int64(1)], T.float32(0.0))
        for ax0, ax1, ax2, ax3, rv0, rv1 in T.grid(T.int64(1), T.int64(2), h // T.int64(2) + T.int64(1), T.int64(4), T.int64(3), T.int64(3)):
            with T.block("pool_sum"):
                v_ax0, v_ax1, v_ax2, v_ax3, v_rv0, v_rv1 = T.axis.remap("SSSSRR", [ax0, ax1, ax2, ax3, rv0, rv1])
                T.reads(pad_temp[v_ax0, v_ax1, v_ax2 * T.int64(2) + v_rv0, v_ax3 * T.int64(2) + v_rv1])
                T.writes(pool_sum[v_ax0, v_ax1, v_ax2, v_ax3])
                with T.init():
                    pool_sum[v_ax0, v_ax1, v_ax2, v_ax3] = T.float32(0.0)
                pool_sum[v_ax0, v_ax1, v_ax2, v_ax3] = pool_sum[v_ax0, v_ax1, v_ax2, v_ax3] + pad_temp[v_ax0, v_ax1, v_ax2 * T.int64(2) + v_rv0, v_ax3 * T.int64(2) + v_rv1]
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(2), h // T.int64(2) + T.int64(1), T.int64(4)):
            with T.block("pool_avg"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(pool_sum[v_ax0, v_ax1, v_ax2, v_ax3])
                T.writes(pool_avg[v_ax0, v_ax1, v_ax2, v_ax3])
                pool_avg[v_ax0, v_ax1, v_ax2, v_ax3] = pool_sum[v_ax0, v_ax1, v_ax2, v_ax3] / T.Cast("float32", T.max(T.min(h + T.int64(1) - v_ax2 * T.int64(2), T.int64(3)) - T.max(T.int64(1) - v_ax2 * T.int64(2), T.int64(0)), T.int64(1)) * T.max(T.min(T.int64(8) - v_ax3 * T.int64(2), T.int64(3)) - T.max(T.int64(1) - v_ax3 * T.int64(2), T.int64(0)), T.int64(1)))

    @R.function
    def main(x: R.Tensor((1, 2, "h", 7), dtype="float32")) -> R.Tensor((1, 2, "h // 2 + 1", 4), dtype="float32"):
        h = T.int64()
        cls = Module
        with R.dataflow():
            avg_pool2d_sizes: R.Shape([h + 2]) = R.match_cast(R.shape([T.max(T.int64(3), h + 2)]), R.Shape([h + 2]))
            gv = R.call_tir(cls.avg_pool2d, (x,), out_sinfo=R.Tensor((1, 2, h // 2 + 1, 4), dtype="float32"))
            R.output(gv)
        return gv
