# A reduction in three parts, of which only the first begins it.
# test: schedule
# step: b = get_block("C")
# step: i, k = get_loops(b)
# step: p, q, r = loop_partition(k, [2, None, 1])
# step: unroll(p)
# run: main n=7 == same
# run: main n=0 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, var_C: T.handle):
        n = T.int64()
        A = T.match_buffer(var_A, (n, T.int64(9)), "float32")
        C = T.match_buffer(var_C, (n,), "float32")
        for i, k in T.grid(n, T.int64(9)):
            with T.block("C"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    C[vi] = T.float32(0)
                C[vi] = C[vi] + A[vi, vk]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, var_C: T.handle):
        n = T.int64()
        A = T.match_buffer(var_A, (n, T.int64(9)), "float32")
        C = T.match_buffer(var_C, (n,), "float32")
        # with T.block("root"):
        for i in range(n):
            for k_0 in T.unroll(T.int64(2)):
                with T.block("C"):
                    vi = T.axis.spatial(n, i)
                    vk = T.axis.reduce(T.int64(9), k_0)
                    T.reads(A[vi, vk])
                    T.writes(C[vi])
                    with T.init():
                        C[vi] = T.float32(0.0)
                    C[vi] = C[vi] + A[vi, vk]
            for k_1 in range(T.int64(2), T.int64(8)):
                with T.block("C_1"):
                    vi = T.axis.spatial(n, i)
                    vk = T.axis.reduce(T.int64(9), k_1)
                    T.reads(C[vi], A[vi, vk])
                    T.writes(C[vi])
                    C[vi] = C[vi] + A[vi, vk]
            for k_2 in range(T.int64(8), T.int64(9)):
                with T.block("C_2"):
                    vi = T.axis.spatial(n, i)
                    vk = T.axis.reduce(T.int64(9), k_2)
                    T.reads(C[vi], A[vi, vk])
                    T.writes(C[vi])
                    C[vi] = C[vi] + A[vi, vk]
