# Parts of a maximum over an outer loop, NaN and infinities included.
# test: schedule
# step: b = get_block("C")
# step: i, k = get_loops(b)
# step: k0, k1 = split(k, [4, None])
# step: rf = rfactor(k0, 0)
# step: i, k0, k1 = get_loops(rf)
# step: reorder(k0, i)
# step: parallel(k0)
# run: main special == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((5, 13), "float32"), C: T.Buffer((5,), "float32")):
        for i, k in T.grid(5, 13):
            with T.block("C"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    C[vi] = T.float32(-3)
                C[vi] = T.max(A[vi, vk], C[vi])

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((5, 13), "float32"), C: T.Buffer((5,), "float32")):
        # with T.block("root"):
        C_rf = T.alloc_buffer((4, 5))
        for k_0 in T.parallel(4):
            for i, k_1 in T.grid(5, 4):
                with T.block("C_rf"):
                    vk_0, vi, vk_1 = T.axis.remap("SSR", [k_0, i, k_1])
                    T.where(k_0 * 4 + k_1 < 13)
                    T.reads(A[vi, vk_0 * 4 + vk_1])
                    T.writes(C_rf[vk_0, vi])
                    with T.init():
                        C_rf[vk_0, vi] = T.float32(-3.0)
                    C_rf[vk_0, vi] = T.max(A[vi, vk_0 * 4 + vk_1], C_rf[vk_0, vi])
        for i, k_0 in T.grid(5, 4):
            with T.block("C"):
                vi, vk_0 = T.axis.remap("SR", [i, k_0])
                T.reads(C_rf[vk_0, vi])
                T.writes(C[vi])
                with T.init():
                    C[vi] = T.float32(-3.0)
                C[vi] = T.max(C_rf[vk_0, vi], C[vi])
