# What is reduced lies across memory: a row is a strip of neighbouring columns, with all stages of it.
# test: opt --pass ApplyDefaultSchedule:target=haswell
# run: main == same
# run: main special == same

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((2, 9, 128), "float32"), Y: T.Buffer((2, 9, 128), "float32")):
        largest = T.alloc_buffer((2, 128), "float32")
        for i, j, k in T.grid(2, 128, 9):
            with T.block("largest"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    largest[vi, vj] = T.float32("-inf")
                largest[vi, vj] = T.max(largest[vi, vj], X[vi, vk, vj])
        for i, k, j in T.grid(2, 9, 128):
            with T.block("distance"):
                vi, vk, vj = T.axis.remap("SSS", [i, k, j])
                Y[vi, vk, vj] = X[vi, vk, vj] - largest[vi, vj]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((2, 9, 128), "float32"), Y: T.Buffer((2, 9, 128), "float32")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        largest = T.alloc_buffer((2, 128))
        for i_j_0_fused in range(4):
            for ax1_init in T.vectorized(64):
                with T.block("largest_init"):
                    vi = T.axis.spatial(2, i_j_0_fused // 2)
                    vj = T.axis.spatial(128, i_j_0_fused % 2 * 64 + ax1_init)
                    T.reads()
                    T.writes(largest[vi, vj])
                    largest[vi, vj] = T.float32("-inf")
            for ax2 in T.unroll(9):
                for ax1 in T.vectorized(64):
                    with T.block("largest_update"):
                        vi = T.axis.spatial(2, i_j_0_fused // 2)
                        vj = T.axis.spatial(128, i_j_0_fused % 2 * 64 + ax1)
                        vk = T.axis.reduce(9, ax2)
                        T.reads(largest[vi, vj], X[vi, vk, vj])
                        T.writes(largest[vi, vj])
                        largest[vi, vj] = T.max(largest[vi, vj], X[vi, vk, vj])
            for k in range(9):
                for j_1 in T.vectorized(64):
                    with T.block("distance"):
                        vi = T.axis.spatial(2, i_j_0_fused // 2)
                        vk = T.axis.spatial(9, k)
                        vj = T.axis.spatial(128, i_j_0_fused % 2 * 64 + j_1)
                        T.reads(X[vi, vk, vj], largest[vi, vj])
                        T.writes(Y[vi, vk, vj])
                        Y[vi, vk, vj] = X[vi, vk, vj] - largest[vi, vj]
