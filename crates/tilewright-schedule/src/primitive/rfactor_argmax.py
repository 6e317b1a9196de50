# The index of the largest element: both parts of the choice are factored.
# test: schedule
# step: b = get_block("am")
# step: i, k = get_loops(b)
# step: k0, k1 = split(k, [None, 4])
# step: rf = rfactor(k0, 1)
# run: main == same
# run: main seed=5 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(idx: T.Buffer((5, 7), "int32"), x: T.Buffer((5, 7), "float32"), am_v0: T.Buffer((5,), "int32"), am_v1: T.Buffer((5,), "float32")):
        for i, k in T.grid(5, 7):
            with T.block("am"):
                v_i, v_k = T.axis.remap("SR", [i, k])
                with T.init():
                    am_v0[v_i] = -1
                    am_v1[v_i] = T.float32(-3.4028235e38)
                v_am_v0: T.int32 = T.Select(am_v1[v_i] >= x[v_i, v_k], am_v0[v_i], idx[v_i, v_k])
                v_am_v1: T.float32 = T.Select(am_v1[v_i] >= x[v_i, v_k], am_v1[v_i], x[v_i, v_k])
                am_v0[v_i] = v_am_v0
                am_v1[v_i] = v_am_v1

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(idx: T.Buffer((5, 7), "int32"), x: T.Buffer((5, 7), "float32"), am_v0: T.Buffer((5,), "int32"), am_v1: T.Buffer((5,), "float32")):
        # with T.block("root"):
        am_v0_rf = T.alloc_buffer((5, 2), "int32")
        am_v1_rf = T.alloc_buffer((5, 2))
        for i, k_0, k_1 in T.grid(5, 2, 4):
            with T.block("am_rf"):
                vk_0, v_i, vk_1 = T.axis.remap("SSR", [k_0, i, k_1])
                T.where(k_0 * 4 + k_1 < 7)
                T.reads(x[v_i, vk_0 * 4 + vk_1], idx[v_i, vk_0 * 4 + vk_1])
                T.writes(am_v0_rf[v_i, vk_0], am_v1_rf[v_i, vk_0])
                with T.init():
                    am_v0_rf[v_i, vk_0] = -1
                    am_v1_rf[v_i, vk_0] = T.float32(-3.4028235e38)
                v_am_v0_rf: T.int32 = T.Select(am_v1_rf[v_i, vk_0] >= x[v_i, vk_0 * 4 + vk_1], am_v0_rf[v_i, vk_0], idx[v_i, vk_0 * 4 + vk_1])
                v_am_v1_rf: T.float32 = T.Select(am_v1_rf[v_i, vk_0] >= x[v_i, vk_0 * 4 + vk_1], am_v1_rf[v_i, vk_0], x[v_i, vk_0 * 4 + vk_1])
                am_v0_rf[v_i, vk_0] = v_am_v0_rf
                am_v1_rf[v_i, vk_0] = v_am_v1_rf
        for i, k_0 in T.grid(5, 2):
            with T.block("am"):
                v_i, vk_0 = T.axis.remap("SR", [i, k_0])
                T.reads(am_v1_rf[v_i, vk_0], am_v0_rf[v_i, vk_0])
                T.writes(am_v0[v_i], am_v1[v_i])
                with T.init():
                    am_v0[v_i] = -1
                    am_v1[v_i] = T.float32(-3.4028235e38)
                v_am_v0: T.int32 = T.Select(am_v1[v_i] >= am_v1_rf[v_i, vk_0], am_v0[v_i], am_v0_rf[v_i, vk_0])
                v_am_v1: T.float32 = T.Select(am_v1[v_i] >= am_v1_rf[v_i, vk_0], am_v1[v_i], am_v1_rf[v_i, vk_0])
                am_v0[v_i] = v_am_v0
                am_v1[v_i] = v_am_v1
