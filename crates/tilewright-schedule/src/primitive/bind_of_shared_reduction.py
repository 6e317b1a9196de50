# Threads share a reduction whose parts are not whole, which moves into the loop that makes the parts.
# test: schedule
# step: b = get_block("B")
# step: i, k = get_loops(b)
# step: ko, ki = split(k, [None, 4])
# step: rf = rfactor(ki, 0)
# step: r0, r1, r2 = get_loops(rf)
# step: reverse_compute_at(b, r0)
# step: b0, b1 = get_loops(b)
# step: bind(b1, "threadIdx.x")
# step: decompose_reduction(rf, r1)
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((5, 10), "float32"), B: T.Buffer((5,), "float32")):
        for i, k in T.grid(5, 10):
            with T.block("B"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    B[vi] = T.float32(0)
                B[vi] = B[vi] + A[vi, vk]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((5, 10), "float32"), B: T.Buffer((5,), "float32")):
        # with T.block("root"):
        B_rf = T.alloc_buffer((4, 5))
        for i in range(5):
            for k_1_init in range(4):
                with T.block("B_rf_init"):
                    vk_1, vi = T.axis.remap("SS", [k_1_init, i])
                    T.reads()
                    T.writes(B_rf[vk_1, vi])
                    B_rf[vk_1, vi] = T.float32(0.0)
            for k_0, k_1 in T.grid(3, 4):
                with T.block("B_rf_update"):
                    vk_1, vi, vk_0 = T.axis.remap("SSR", [k_1, i, k_0])
                    T.where(k_0 * 4 + k_1 < 10)
                    T.reads(B_rf[vk_1, vi], A[vi, vk_0 * 4 + vk_1])
                    T.writes(B_rf[vk_1, vi])
                    B_rf[vk_1, vi] = B_rf[vk_1, vi] + A[vi, vk_0 * 4 + vk_1]
            for ax1 in T.thread_binding(4, thread="threadIdx.x"):
                with T.block("B"):
                    vi, vk_1 = T.axis.remap("SR", [i, ax1])
                    T.reads(B_rf[vk_1, vi])
                    T.writes(B[vi])
                    with T.init():
                        B[vi] = T.float32(0.0)
                    B[vi] = B[vi] + B_rf[vk_1, vi]
