# Rows that another tensor names, out of whichever order: each in vectors; a scan stays as it is written.
# test: opt --pass ApplyDefaultSchedule:target=haswell
# run: main n=9 m=33 == same
# run: main n=1 m=1 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, var_I: T.handle, var_B: T.handle, var_C: T.handle):
        n = T.int64()
        m = T.int64()
        A = T.match_buffer(var_A, (5, m), "float32")
        I = T.match_buffer(var_I, (n,), "int64")
        B = T.match_buffer(var_B, (n, m), "float32")
        C = T.match_buffer(var_C, (n, m), "float32")
        for i, j in T.grid(n, m):
            with T.block("rows"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[T.max(T.min(I[vi], T.int64(4)), T.int64(0)), vj]
        with T.block("scan"):
            T.reads(B[0:n, 0:m], C[0:n, 0:m])
            T.writes(C[0:n, 0:m])
            for i, j in T.grid(n, m):
                if j == 0:
                    C[i, j] = B[i, j]
                else:
                    C[i, j] = C[i, j - 1] + B[i, j]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, var_I: T.handle, var_B: T.handle, var_C: T.handle):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        m = T.int64()
        A = T.match_buffer(var_A, (5, m), "float32")
        n = T.int64()
        I_ = T.match_buffer(var_I, (n,), "int64")
        B = T.match_buffer(var_B, (n, m), "float32")
        C = T.match_buffer(var_C, (n, m), "float32")
        # with T.block("root"):
        for i in T.parallel(n):
            for j in T.vectorized(m):
                with T.block("rows"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    T.reads(A[0:5, vj], I_[vi])
                    T.writes(B[vi, vj])
                    B[vi, vj] = A[T.max(T.min(I_[vi], T.int64(4)), T.int64(0)), vj]
        with T.block("scan"):
            T.reads(B[T.int64(0):n, T.int64(0):m], C[T.int64(0):n, T.int64(0):m])
            T.writes(C[T.int64(0):n, T.int64(0):m])
            for i, j in T.grid(n, m):
                if j == T.int64(0):
                    C[i, j] = B[i, j]
                else:
                    C[i, j] = C[i, j - T.int64(1)] + B[i, j]
