# Windows of one element, whose padding is read under a condition.
# test: opt --pass LegalizeOps --pass AnnotateTIROpPattern --pass FuseOps --pass FuseTIR --pass ApplyDefaultSchedule:target=haswell
# run: main(f32[1, 2, 5, 5]) == same

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 2, 5, 5), "float32")):
        with R.dataflow():
            y = R.nn.avg_pool2d(x, pool_size=[1, 1], strides=[2, 2], padding=[1, 1, 1, 1], count_include_pad=False)
            R.output(y)
        return y

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def avg_pool2d(x: T.Buffer((T.int64(1), T.int64(2), T.int64(5), T.int64(5)), "float32"), pool_avg: T.Buffer((T.int64(1), T.int64(2), T.int64(4), T.int64(4)), "float32")):
        T.func_attr({"op_pattern": 4, "tir.is_scheduled": T.bool(True), "tir.noalias": T.bool(True)})
        # with T.block("root"):
        pool_sum = T.alloc_buffer((T.int64(1), T.int64(2), T.int64(4), T.int64(4)))
        pool_sum_local = T.alloc_buffer((T.int64(1), T.int64(2), T.int64(4), T.int64(4)), scope="local")
        for ax0, ax1, ax2 in T.grid(T.int64(1), T.int64(2), T.int64(4)):
            for ax3_init in T.vectorized(T.int64(4)):
                with T.block("pool_sum_init"):
                    v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3_init])
                    T.reads()
                    T.writes(pool_sum_local[v_ax0, v_ax1, v_ax2, v_ax3])
                    pool_sum_local[v_ax0, v_ax1, v_ax2, v_ax3] = T.float32(0.0)
            for rv0 in T.unroll(T.int64(1)):
                for rv1 in T.unroll(T.int64(1)):
                    for ax3 in T.vectorized(T.int64(4)):
                        with T.block("pool_sum_update"):
                            v_ax0, v_ax1, v_ax2, v_ax3, v_rv0, v_rv1 = T.axis.remap("SSSSRR", [ax0, ax1, ax2, ax3, rv0, rv1])
                            T.reads(pool_sum_local[v_ax0, v_ax1, v_ax2, v_ax3], x[v_ax0, v_ax1, v_ax2 * T.int64(2) + v_rv0 - T.int64(1), v_ax3 * T.int64(2) + v_rv1 - T.int64(1)])
                            T.writes(pool_sum_local[v_ax0, v_ax1, v_ax2, v_ax3])
                            pool_sum_local[v_ax0, v_ax1, v_ax2, v_ax3] = pool_sum_local[v_ax0, v_ax1, v_ax2, v_ax3] + T.if_then_else(T.int64(1) <= v_ax2 * T.int64(2) + v_rv0 and v_ax2 * T.int64(2) + v_rv0 < T.int64(6) and T.int64(1) <= v_ax3 * T.int64(2) + v_rv1 and v_ax3 * T.int64(2) + v_rv1 < T.int64(6), x[v_ax0, v_ax1, v_ax2 * T.int64(2) + v_rv0 - T.int64(1), v_ax3 * T.int64(2) + v_rv1 - T.int64(1)], T.float32(0.0))
            for ax0_1 in T.vectorized(T.int64(4)):
                with T.block("pool_sum_local"):
                    v0 = T.axis.spatial(T.int64(1), T.int64(0))
                    v1, v2, v3 = T.axis.remap("SSS", [ax1, ax2, ax0_1])
                    T.reads(pool_sum_local[v0, v1, v2, v3])
                    T.writes(pool_sum[v0, v1, v2, v3])
                    pool_sum[v0, v1, v2, v3] = pool_sum_local[v0, v1, v2, v3]
        for ax0_ax1_ax2_ax3_fused in T.vectorized(T.int64(32)):
            with T.block("pool_avg"):
                v_ax0 = T.axis.spatial(T.int64(1), T.int64(0))
                v_ax1 = T.axis.spatial(T.int64(2), ax0_ax1_ax2_ax3_fused // T.int64(16))
                v_ax2 = T.axis.spatial(T.int64(4), ax0_ax1_ax2_ax3_fused % T.int64(16) // T.int64(4))
                v_ax3 = T.axis.spatial(T.int64(4), ax0_ax1_ax2_ax3_fused % T.int64(4))
                T.reads(pool_sum[v_ax0, v_ax1, v_ax2, v_ax3])
                T.writes(pool_avg[v_ax0, v_ax1, v_ax2, v_ax3])
                pool_avg[v_ax0, v_ax1, v_ax2, v_ax3] = pool_sum[v_ax0, v_ax1, v_ax2, v_ax3] / T.Cast("float32", T.max(T.min(T.int64(6) - v_ax2 * T.int64(2), T.int64(1)) - T.max(T.int64(1) - v_ax2 * T.int64(2), T.int64(0)), T.int64(1)) * T.max(T.min(T.int64(6) - v_ax3 * T.int64(2), T.int64(1)) - T.max(T.int64(1) - v_ax3 * T.int64(2), T.int64(0)), T.int64(1)))

    @R.function
    def main(x: R.Tensor((1, 2, 5, 5), dtype="float32")) -> R.Tensor((1, 2, 4, 4), dtype="float32"):
        cls = Module
        with R.dataflow():
            y = R.call_tir(cls.avg_pool2d, (x,), out_sinfo=R.Tensor((1, 2, 4, 4), dtype="float32"))
            R.output(y)
        return y
