# Parts of a maximum begin with what changes nothing, and it goes on from what is there.
# test: schedule
# step: b = get_block("update")
# step: i, k = get_loops(b)
# step: k0, k1 = split(k, [4, None])
# step: rf = rfactor(k0, 0)
# run: main n=0 == same
# run: main n=1 == same
# run: main n=9 == same
# run: main n=37 special == same

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, B: T.Buffer((3,), "float32")):
        n = T.int64()
        A = T.match_buffer(var_A, (3, n), "float32")
        for i in range(3):
            with T.block("begin"):
                vi = T.axis.spatial(3, i)
                B[vi] = T.float32(-1)
        for i, k in T.grid(3, n):
            with T.block("update"):
                vi, vk = T.axis.remap("SR", [i, k])
                B[vi] = T.max(B[vi], A[vi, vk])

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, B: T.Buffer((3,), "float32")):
        n = T.int64()
        A = T.match_buffer(var_A, (3, n), "float32")
        # with T.block("root"):
        B_rf = T.alloc_buffer((4, 3))
        for i in range(3):
            with T.block("begin"):
                vi = T.axis.spatial(3, i)
                T.reads()
                T.writes(B[vi])
                B[vi] = T.float32(-1.0)
        for i, k_0, k_1 in T.grid(3, T.int64(4), (n + T.int64(3)) // T.int64(4)):
            with T.block("update_rf"):
                vk_0, vi, vk_1 = T.axis.remap("SSR", [k_0, i, k_1])
                T.reads(A[vi, vk_0 * ((n + T.int64(3)) // T.int64(4)) + vk_1])
                T.writes(B_rf[vk_0, vi])
                with T.init():
                    B_rf[vk_0, vi] = T.float32("-inf")
                if vk_0 * ((n + T.int64(3)) // T.int64(4)) + vk_1 < n:
                    B_rf[vk_0, vi] = T.max(B_rf[vk_0, vi], A[vi, vk_0 * ((n + T.int64(3)) // T.int64(4)) + vk_1])
        for i, k_0 in T.grid(3, T.int64(4)):
            with T.block("update"):
                vi, vk_0 = T.axis.remap("SR", [i, k_0])
                T.reads(B[vi], B_rf[vk_0, vi])
                T.writes(B[vi])
                B[vi] = T.max(B[vi], B_rf[vk_0, vi])
