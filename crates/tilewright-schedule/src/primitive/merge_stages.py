# Two stages and a third that is independent of them, in one loop over the rows.
# test: schedule
# step: b = get_block("B")
# step: c = get_block("C")
# step: d = get_block("D")
# step: i, j = get_loops(b)
# step: k, l = get_loops(c)
# step: m, = get_loops(d)
# step: x = merge(i, k, m)
# step: parallel(x)
# run: main n=5 == same
# run: main n=0 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, var_C: T.handle, var_D: T.handle):
        n = T.int64()
        A = T.match_buffer(var_A, (n, T.int64(3)), "float32")
        C = T.match_buffer(var_C, (n, T.int64(3)), "float32")
        D = T.match_buffer(var_D, (n,), "float32")
        B = T.alloc_buffer((n, T.int64(3)), "float32")
        for i, j in T.grid(n, T.int64(3)):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj] * T.float32(3)
        for i, j in T.grid(n, T.int64(3)):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = B[vi, T.int64(2) - vj]
        for i in range(n):
            with T.block("D"):
                vi = T.axis.spatial(n, i)
                D[vi] = T.float32(1)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, var_C: T.handle, var_D: T.handle):
        n = T.int64()
        A = T.match_buffer(var_A, (n, T.int64(3)), "float32")
        C = T.match_buffer(var_C, (n, T.int64(3)), "float32")
        D = T.match_buffer(var_D, (n,), "float32")
        # with T.block("root"):
        B = T.alloc_buffer((n, T.int64(3)))
        for i in T.parallel(n):
            for j in range(T.int64(3)):
                with T.block("B"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    T.reads(A[vi, vj])
                    T.writes(B[vi, vj])
                    B[vi, vj] = A[vi, vj] * T.float32(3.0)
            for j in range(T.int64(3)):
                with T.block("C"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    T.reads(B[vi, T.int64(2) - vj])
                    T.writes(C[vi, vj])
                    C[vi, vj] = B[vi, T.int64(2) - vj]
            with T.block("D"):
                vi = T.axis.spatial(n, i)
                T.reads()
                T.writes(D[vi])
                D[vi] = T.float32(1.0)
