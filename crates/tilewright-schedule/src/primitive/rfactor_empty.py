# A part for each iteration: parts that have none are zero, and a sum of nothing is not begun.
# test: schedule
# step: b = get_block("C")
# step: k, i = get_loops(b)
# step: k0, k1 = split(k, [None, 5])
# step: f = fuse(k0, k1)
# step: rf = rfactor(f, 0)
# run: main n=7 == same
# run: main n=1 == same
# run: main n=0 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, C: T.Buffer((3,), "int32")):
        n = T.int64()
        A = T.match_buffer(var_A, (n, 3), "int32")
        for k, i in T.grid(n, 3):
            with T.block("C"):
                vk = T.axis.reduce(n, k)
                vi = T.axis.spatial(3, i)
                with T.init():
                    C[vi] = 0
                C[vi] = C[vi] + A[vk, vi]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, C: T.Buffer((3,), "int32")):
        n = T.int64()
        A = T.match_buffer(var_A, (n, 3), "int32")
        # with T.block("root"):
        C_rf = T.alloc_buffer(((n + T.int64(4)) // T.int64(5) * T.int64(5), 3), "int32")
        for k_0_k_1_fused, i in T.grid((n + T.int64(4)) // T.int64(5) * T.int64(5), 3):
            with T.block("C_rf"):
                vk_0_k_1_fused, vi = T.axis.remap("SS", [k_0_k_1_fused, i])
                T.reads(A[vk_0_k_1_fused, vi])
                T.writes(C_rf[vk_0_k_1_fused, vi])
                C_rf[vk_0_k_1_fused, vi] = T.if_then_else(vk_0_k_1_fused // T.int64(5) * T.int64(5) + vk_0_k_1_fused % T.int64(5) < n, A[vk_0_k_1_fused, vi], 0)
        for k_0_k_1_fused, i in T.grid((n + T.int64(4)) // T.int64(5) * T.int64(5), 3):
            with T.block("C"):
                vi, vk_0_k_1_fused = T.axis.remap("SR", [i, k_0_k_1_fused])
                T.reads(C_rf[vk_0_k_1_fused, vi])
                T.writes(C[vi])
                with T.init():
                    C[vi] = 0
                C[vi] = C[vi] + C_rf[vk_0_k_1_fused, vi]
