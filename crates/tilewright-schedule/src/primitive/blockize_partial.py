# Rows outside, of which the edge tile has fewer; whole columns, with their sums, inside.
# test: schedule
# step: b = get_block("C")
# step: i, k = get_loops(b)
# step: i0, i1 = split(i, [None, 4])
# step: t = blockize(k, preserve_unit_iters=False)
# step: x, y = get_loops(t)
# step: parallel(x)
# run: main n=7 == same
# run: main n=1 == same
# run: main n=0 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, var_C: T.handle):
        n = T.int64()
        A = T.match_buffer(var_A, (n, T.int64(5)), "float32")
        C = T.match_buffer(var_C, (n,), "float32")
        for i, k in T.grid(n, T.int64(5)):
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
        A = T.match_buffer(var_A, (n, T.int64(5)))
        C = T.match_buffer(var_C, (n,))
        # with T.block("root"):
        for i_0 in T.parallel((n + T.int64(3)) // T.int64(4)):
            for i_1 in range(T.int64(4)):
                with T.block("C_o"):
                    vi_o = T.axis.spatial(n, i_0 * T.int64(4) + i_1)
                    T.where(i_0 * T.int64(4) + i_1 < n)
                    T.reads(A[vi_o, T.int64(0):T.int64(5)])
                    T.writes(C[vi_o])
                    for k in range(T.int64(5)):
                        with T.block("C"):
                            vk_i = T.axis.reduce(T.int64(5), k)
                            T.reads(A[vi_o, vk_i])
                            T.writes(C[vi_o])
                            with T.init():
                                C[vi_o] = T.float32(0.0)
                            C[vi_o] = C[vi_o] + A[vi_o, vk_i]
