# Partial sums over an inner loop: the edge tile is not full, and partial sums beyond the end are zero.
# test: schedule
# step: b = get_block("C")
# step: i, k = get_loops(b)
# step: k0, k1 = split(k, [None, 16])
# step: rf = rfactor(k1, 1)
# step: ri, r0, r1 = get_loops(rf)
# step: reorder(ri, r1, r0)
# step: parallel(ri)
# step: parallel(r1)
# run: main n=37 == same
# run: main n=5 == same
# run: main n=1 == same
# run: main n=16 special == same

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, C: T.Buffer((3,), "float32")):
        n = T.int64()
        A = T.match_buffer(var_A, (3, n), "float32")
        for i, k in T.grid(3, n):
            with T.block("C"):
                vi = T.axis.spatial(3, i)
                vk = T.axis.reduce(n, k)
                with T.init():
                    C[vi] = T.float32(0)
                C[vi] = C[vi] + A[vi, vk] * A[0, vk]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, C: T.Buffer((3,), "float32")):
        n = T.int64()
        A = T.match_buffer(var_A, (3, n), "float32")
        # with T.block("root"):
        C_rf = T.alloc_buffer((3, 16))
        for i in T.parallel(3):
            for k_1 in T.parallel(T.int64(16)):
                for k_0 in range((n + T.int64(15)) // T.int64(16)):
                    with T.block("C_rf"):
                        vk_1, vi, vk_0 = T.axis.remap("SSR", [k_1, i, k_0])
                        T.reads(A[0:3, vk_0 * T.int64(16) + vk_1])
                        T.writes(C_rf[vi, vk_1])
                        with T.init():
                            C_rf[vi, vk_1] = T.float32(0.0)
                        if vk_0 * T.int64(16) + vk_1 < n:
                            C_rf[vi, vk_1] = C_rf[vi, vk_1] + A[vi, vk_0 * T.int64(16) + vk_1] * A[0, vk_0 * T.int64(16) + vk_1]
        for i, k_1 in T.grid(3, T.int64(16)):
            with T.block("C"):
                vi, vk_1 = T.axis.remap("SR", [i, k_1])
                T.reads(C_rf[vi, vk_1])
                T.writes(C[vi])
                with T.init():
                    C[vi] = T.float32(0.0)
                C[vi] = C[vi] + C_rf[vi, vk_1]
