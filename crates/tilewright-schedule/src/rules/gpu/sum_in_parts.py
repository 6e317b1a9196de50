# A sum of many elements to few results is taken in parts, a block for each, and then those; an odd number of elements
# leaves the last part shorter.
# test: opt --pass ApplyDefaultSchedule:target=cuda
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((20001,), "int32"), B: T.Buffer((1,), "int32")):
        for i, k in T.grid(1, 20001):
            with T.block("B"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    B[vi] = 0
                B[vi] = B[vi] + A[vk]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((20001,), "int32"), B: T.Buffer((1,), "int32")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        B_rf = T.alloc_buffer((8, 1), "int32")
        for k_0_i_fused in T.thread_binding(8, thread="blockIdx.x"):
            for k_1_fused_0 in range(10):
                for k_1_fused_1 in T.thread_binding(256, thread="threadIdx.x"):
                    with T.block("B_rf"):
                        vk_0 = T.axis.spatial(8, k_0_i_fused)
                        vi = T.axis.spatial(1, 0)
                        vk_1 = T.axis.reduce(2501, k_1_fused_0 * 256 + k_1_fused_1)
                        T.where(k_0_i_fused * 2501 + (k_1_fused_0 * 256 + k_1_fused_1) < 20001 and k_1_fused_0 * 256 + k_1_fused_1 < 2501)
                        T.reads(A[vk_0 * 2501 + vk_1])
                        T.writes(B_rf[vk_0, vi])
                        with T.init():
                            B_rf[vk_0, vi] = 0
                        B_rf[vk_0, vi] = B_rf[vk_0, vi] + A[vk_0 * 2501 + vk_1]
        for i_fused in T.thread_binding(1, thread="blockIdx.x"):
            for k_0_fused_0 in range(2):
                for k_0_fused_1 in T.thread_binding(4, thread="threadIdx.x"):
                    with T.block("B"):
                        vi = T.axis.spatial(1, i_fused)
                        vk_0 = T.axis.reduce(8, k_0_fused_0 * 4 + k_0_fused_1)
                        T.reads(B_rf[vk_0, vi])
                        T.writes(B[vi])
                        with T.init():
                            B[vi] = 0
                        B[vi] = B[vi] + B_rf[vk_0, vi]
