# Temporaries go away one after the other; a read at other indices takes the formula there.
# test: schedule
# step: b = get_block("B")
# step: compute_inline(b)
# step: c = get_block("C")
# step: compute_inline(c)
# run: main n=5 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, var_D: T.handle):
        n = T.int64()
        A = T.match_buffer(var_A, (n, T.int64(6)), "float32")
        D = T.match_buffer(var_D, (T.int64(6), n), "float32")
        B = T.alloc_buffer((n, T.int64(6)), "float32")
        C = T.alloc_buffer((n, T.int64(6)), "float32")
        for i, j in T.grid(n, T.int64(6)):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = T.exp(A[vi, vj])
        for i, j in T.grid(n, T.int64(6)):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = B[vi, vj] + B[vi, T.int64(5) - vj]
        for j, i in T.grid(T.int64(6), n):
            with T.block("D"):
                vj, vi = T.axis.remap("SS", [j, i])
                D[vj, vi] = C[vi, vj] * T.float32(2)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, var_D: T.handle):
        n = T.int64()
        A = T.match_buffer(var_A, (n, T.int64(6)), "float32")
        D = T.match_buffer(var_D, (T.int64(6), n), "float32")
        # with T.block("root"):
        for j, i in T.grid(T.int64(6), n):
            with T.block("D"):
                vj, vi = T.axis.remap("SS", [j, i])
                T.reads(A[vi, T.int64(0):T.int64(6)])
                T.writes(D[vj, vi])
                D[vj, vi] = (T.exp(A[vi, vj]) + T.exp(A[vi, T.int64(5) - vj])) * T.float32(2.0)
