# A chain over a matrix of unknown size is one loop: tasks of pieces of it, in vectors.
# test: opt --pass ApplyDefaultSchedule:target=haswell
# run: main n=3 m=7 == same
# run: main n=130 m=257 == same
# run: main n=1 m=1 == same
# run: main n=0 m=5 == same
# run: main n=5 m=0 == same
# run: main n=7 m=40 special == same

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, var_B: T.handle, var_C: T.handle):
        n = T.int64()
        m = T.int64()
        A = T.match_buffer(var_A, (n, m), "float32")
        B = T.match_buffer(var_B, (n, m), "float32")
        C = T.match_buffer(var_C, (n, m), "float32")
        total = T.alloc_buffer((n, m), "float32")
        for i, j in T.grid(n, m):
            with T.block("total"):
                vi, vj = T.axis.remap("SS", [i, j])
                total[vi, vj] = A[vi, vj] + B[vi, vj]
        for i, j in T.grid(n, m):
            with T.block("result"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = T.max(total[vi, vj], T.float32(0)) * total[vi, vj]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, var_B: T.handle, var_C: T.handle):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        n = T.int64()
        m = T.int64()
        A = T.match_buffer(var_A, (n, m), "float32")
        B = T.match_buffer(var_B, (n, m), "float32")
        C = T.match_buffer(var_C, (n, m), "float32")
        # with T.block("root"):
        for i in T.parallel(n):
            for j in T.vectorized(m):
                with T.block("result"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    T.reads(A[vi, vj], B[vi, vj])
                    T.writes(C[vi, vj])
                    C[vi, vj] = T.max(A[vi, vj] + B[vi, vj], T.float32(0.0)) * (A[vi, vj] + B[vi, vj])
