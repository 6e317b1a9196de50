# The border of an image is written first.
# test: schedule
# step: b = get_block("B")
# step: i, j = get_loops(b)
# step: p = decompose_padding(b, i)
# step: k, l = get_loops(p)
# step: vectorize(l)
# step: parallel(i)
# run: main n=5 == same
# run: main n=0 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, var_B: T.handle):
        n = T.int64()
        A = T.match_buffer(var_A, (n, T.int64(4)), "float32")
        B = T.match_buffer(var_B, (n + T.int64(2), T.int64(8)), "float32")
        for i, j in T.grid(n + T.int64(2), T.int64(8)):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = T.if_then_else(T.int64(1) <= vi and vi < n + T.int64(1) and T.int64(2) <= vj and vj < T.int64(6), A[vi - T.int64(1), vj - T.int64(2)], T.float32(-1))

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, var_B: T.handle):
        n = T.int64()
        A = T.match_buffer(var_A, (n, T.int64(4)), "float32")
        B = T.match_buffer(var_B, (n + T.int64(2), T.int64(8)), "float32")
        # with T.block("root"):
        for i_init in range(n + T.int64(2)):
            for j_init in T.vectorized(T.int64(8)):
                with T.block("B_pad_const"):
                    vi, vj = T.axis.remap("SS", [i_init, j_init])
                    T.reads()
                    T.writes(B[vi, vj])
                    B[vi, vj] = T.float32(-1.0)
        for i in T.parallel(n + T.int64(2)):
            for j in range(T.int64(8)):
                with T.block("B"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    T.where(T.int64(1) <= i and i < n + T.int64(1) and T.int64(2) <= j and j < T.int64(6))
                    T.reads(A[vi - T.int64(1), vj - T.int64(2)])
                    T.writes(B[vi, vj])
                    B[vi, vj] = A[vi - T.int64(1), vj - T.int64(2)]
