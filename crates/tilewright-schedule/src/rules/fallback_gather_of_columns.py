# Columns that another tensor names, of as many as are known only when the function runs: no loops become one, of which it
# would not be known that they stay inside.
# test: opt --pass ApplyDefaultSchedule:target=haswell
# run: main n=9 == same
# run: main n=0 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((T.int64(2), T.int64(5)), "float32"), var_I: T.handle, var_B: T.handle):
        n = T.int64()
        I = T.match_buffer(var_I, (n,), "int64")
        B = T.match_buffer(var_B, (T.int64(2), n), "float32")
        for i, j in T.grid(T.int64(2), n):
            with T.block("columns"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, T.max(T.min(I[vj], T.int64(4)), T.int64(0))]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((T.int64(2), T.int64(5)), "float32"), var_I: T.handle, var_B: T.handle):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        n = T.int64()
        I_ = T.match_buffer(var_I, (n,), "int64")
        B = T.match_buffer(var_B, (T.int64(2), n), "float32")
        # with T.block("root"):
        for i in T.parallel(T.int64(2)):
            for j in T.vectorized(n):
                with T.block("columns"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    T.reads(A[vi, T.int64(0):T.int64(5)], I_[vj])
                    T.writes(B[vi, vj])
                    B[vi, vj] = A[vi, T.max(T.min(I_[vj], T.int64(4)), T.int64(0))]
