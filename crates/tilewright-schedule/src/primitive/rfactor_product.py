# All of a product of two axes, whose loops are one: each part begins with 1, the whole with what the block says.
# test: schedule
# step: b = get_block("C")
# step: k, l = get_loops(b)
# step: f = fuse(k, l)
# step: f0, f1, f2 = split(f, [None, 2, 3])
# step: rf = rfactor(f1, -1)
# step: loops = get_loops(b)
# step: r = rfactor(loops, 0)
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((5, 7), "float64"), C: T.Buffer((), "float64")):
        for k, l in T.grid(5, 7):
            with T.block("C"):
                vk, vl = T.axis.remap("RR", [k, l])
                with T.init():
                    C[()] = T.float64(3)
                C[()] = C[()] * A[vk, vl]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((5, 7), "float64"), C: T.Buffer((), "float64")):
        # with T.block("root"):
        C_rf = T.alloc_buffer((2,), "float64")
        C_rf_1 = T.alloc_buffer((2,), "float64")
        for k_l_fused_0, k_l_fused_1, k_l_fused_2 in T.grid(6, 2, 3):
            with T.block("C_rf"):
                vk_l_fused_1, vk_l_fused_0, vk_l_fused_2 = T.axis.remap("SRR", [k_l_fused_1, k_l_fused_0, k_l_fused_2])
                T.where((k_l_fused_0 * 2 + k_l_fused_1) * 3 + k_l_fused_2 < 35)
                T.reads(A[(vk_l_fused_0 * 6 + vk_l_fused_1 * 3 + vk_l_fused_2) // 7, (vk_l_fused_0 * 6 + vk_l_fused_1 * 3 + vk_l_fused_2) % 7])
                T.writes(C_rf[vk_l_fused_1])
                with T.init():
                    C_rf[vk_l_fused_1] = T.float64(1.0)
                C_rf[vk_l_fused_1] = C_rf[vk_l_fused_1] * A[(vk_l_fused_0 * 6 + vk_l_fused_1 * 3 + vk_l_fused_2) // 7, (vk_l_fused_0 * 6 + vk_l_fused_1 * 3 + vk_l_fused_2) % 7]
        for k_l_fused_1 in range(2):
            with T.block("C_rf"):
                vk_l_fused_1 = T.axis.spatial(2, k_l_fused_1)
                T.reads(C_rf[vk_l_fused_1])
                T.writes(C_rf_1[vk_l_fused_1])
                C_rf_1[vk_l_fused_1] = C_rf[vk_l_fused_1]
        for k_l_fused_1 in range(2):
            with T.block("C"):
                vk_l_fused_1 = T.axis.reduce(2, k_l_fused_1)
                T.reads(C_rf_1[vk_l_fused_1])
                T.writes(C[()])
                with T.init():
                    C[()] = T.float64(3.0)
                C[()] = C[()] * C_rf_1[vk_l_fused_1]
