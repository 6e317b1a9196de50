# Of few long reductions across memory there are strips enough, which stay near the core with what is computed of them.
# test: opt --pass ApplyDefaultSchedule:target=haswell
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((8, 300, 160), "float32"), Y: T.Buffer((8, 300, 160), "float32")):
        largest = T.alloc_buffer((8, 160), "float32")
        for i, j, k in T.grid(8, 160, 300):
            with T.block("largest"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    largest[vi, vj] = T.float32("-inf")
                largest[vi, vj] = T.max(largest[vi, vj], X[vi, vk, vj])
        for i, k, j in T.grid(8, 300, 160):
            with T.block("scaled"):
                vi, vk, vj = T.axis.remap("SSS", [i, k, j])
                Y[vi, vk, vj] = X[vi, vk, vj] - largest[vi, vj]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((8, 300, 160), "float32"), Y: T.Buffer((8, 300, 160), "float32")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        largest = T.alloc_buffer((8, 160))
        for i_j_0_fused in T.parallel(40):
            for ax1_init in T.vectorized(32):
                with T.block("largest_init"):
                    vi = T.axis.spatial(8, i_j_0_fused // 5)
                    vj = T.axis.spatial(160, i_j_0_fused % 5 * 32 + ax1_init)
                    T.reads()
                    T.writes(largest[vi, vj])
                    largest[vi, vj] = T.float32("-inf")
            for ax2 in range(300):
                for ax1 in T.vectorized(32):
                    with T.block("largest_update"):
                        vi = T.axis.spatial(8, i_j_0_fused // 5)
                        vj = T.axis.spatial(160, i_j_0_fused % 5 * 32 + ax1)
                        vk = T.axis.reduce(300, ax2)
                        T.reads(largest[vi, vj], X[vi, vk, vj])
                        T.writes(largest[vi, vj])
                        largest[vi, vj] = T.max(largest[vi, vj], X[vi, vk, vj])
            for k in range(300):
                for j_1 in T.vectorized(32):
                    with T.block("scaled"):
                        vi = T.axis.spatial(8, i_j_0_fused // 5)
                        vk = T.axis.spatial(300, k)
                        vj = T.axis.spatial(160, i_j_0_fused % 5 * 32 + j_1)
                        T.reads(X[vi, vk, vj], largest[vi, vj])
                        T.writes(Y[vi, vk, vj])
                        Y[vi, vk, vj] = X[vi, vk, vj] - largest[vi, vj]
