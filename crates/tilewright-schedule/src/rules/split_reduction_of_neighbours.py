# Few neighbours fill vectors only together with the rows after them: pieces of rows are summed each for themselves, in even
# parts of all rows; what is left over follows.
# test: opt --pass ApplyDefaultSchedule:target=haswell
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((T.int64(30011), T.int64(3)), "int32"), B: T.Buffer((T.int64(3),), "int32")):
        for i, k in T.grid(T.int64(3), T.int64(30011)):
            with T.block("sum"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    B[vi] = 0
                B[vi] = B[vi] + A[vk, vi]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((T.int64(30011), T.int64(3)), "int32"), B: T.Buffer((T.int64(3),), "int32")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        B_rf = T.alloc_buffer((T.int64(2), T.int64(3)), "int32")
        B_rf_rf = T.alloc_buffer((T.int64(2), T.int64(32), T.int64(3)), "int32")
        B_rf_local = T.alloc_buffer((T.int64(2), T.int64(3)), "int32", scope="local")
        for k_0_0 in T.parallel(T.int64(2)):
            for k_0_1_1_i_fused_init in T.vectorized(T.int64(96)):
                with T.block("sum_rf_rf_init"):
                    vk_0_1_1 = T.axis.spatial(T.int64(32), k_0_1_1_i_fused_init // T.int64(3))
                    vk_0_0 = T.axis.spatial(T.int64(2), k_0_0)
                    vi = T.axis.spatial(T.int64(3), k_0_1_1_i_fused_init % T.int64(3))
                    T.reads()
                    T.writes(B_rf_rf[vk_0_0, vk_0_1_1, vi])
                    B_rf_rf[vk_0_0, vk_0_1_1, vi] = 0
            for k_0_1_0 in range(T.int64(468)):
                for k_0_1_1_i_fused in T.vectorized(T.int64(96)):
                    with T.block("sum_rf_rf_update"):
                        vk_0_1_1 = T.axis.spatial(T.int64(32), k_0_1_1_i_fused // T.int64(3))
                        vk_0_0 = T.axis.spatial(T.int64(2), k_0_0)
                        vi = T.axis.spatial(T.int64(3), k_0_1_1_i_fused % T.int64(3))
                        vk_0_1_0 = T.axis.reduce(T.int64(468), k_0_1_0)
                        T.reads(B_rf_rf[vk_0_0, vk_0_1_1, vi], A[vk_0_0 * T.int64(14976) + (vk_0_1_0 * T.int64(32) + vk_0_1_1), vi])
                        T.writes(B_rf_rf[vk_0_0, vk_0_1_1, vi])
                        B_rf_rf[vk_0_0, vk_0_1_1, vi] = B_rf_rf[vk_0_0, vk_0_1_1, vi] + A[vk_0_0 * T.int64(14976) + (vk_0_1_0 * T.int64(32) + vk_0_1_1), vi]
        for k_0_0 in range(T.int64(2)):
            for i_init in T.vectorized(T.int64(3)):
                with T.block("sum_rf_init"):
                    vk_0_0, vi = T.axis.remap("SS", [k_0_0, i_init])
                    T.reads()
                    T.writes(B_rf_local[vk_0_0, vi])
                    B_rf_local[vk_0_0, vi] = 0
            for k_0_1_1 in T.unroll(T.int64(32)):
                for i in T.vectorized(T.int64(3)):
                    with T.block("sum_rf_update"):
                        vk_0_0, vi, vk_0_1_1 = T.axis.remap("SSR", [k_0_0, i, k_0_1_1])
                        T.reads(B_rf_local[vk_0_0, vi], B_rf_rf[vk_0_0, vk_0_1_1, vi])
                        T.writes(B_rf_local[vk_0_0, vi])
                        B_rf_local[vk_0_0, vi] = B_rf_local[vk_0_0, vi] + B_rf_rf[vk_0_0, vk_0_1_1, vi]
            for ax1 in T.vectorized(T.int64(3)):
                with T.block("B_rf_local"):
                    v0, v1 = T.axis.remap("SS", [k_0_0, ax1])
                    T.reads(B_rf_local[v0, v1])
                    T.writes(B_rf[v0, v1])
                    B_rf[v0, v1] = B_rf_local[v0, v1]
        for i_init in T.vectorized(T.int64(3)):
            with T.block("sum_init"):
                vi = T.axis.spatial(T.int64(3), i_init)
                T.reads()
                T.writes(B[vi])
                B[vi] = 0
        for k_0_0 in T.unroll(T.int64(2)):
            for i in T.vectorized(T.int64(3)):
                with T.block("sum_update"):
                    vi, vk_0_0 = T.axis.remap("SR", [i, k_0_0])
                    T.reads(B[vi], B_rf[vk_0_0, vi])
                    T.writes(B[vi])
                    B[vi] = B[vi] + B_rf[vk_0_0, vi]
        for k_1 in range(T.int64(29952), T.int64(30011)):
            for i in range(T.int64(3)):
                with T.block("sum_1"):
                    vi = T.axis.spatial(T.int64(3), i)
                    vk = T.axis.reduce(T.int64(30011), k_1)
                    T.reads(B[vi], A[vk, vi])
                    T.writes(B[vi])
                    B[vi] = B[vi] + A[vk, vi]
