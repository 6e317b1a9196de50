# Two tensors in one, in long rows: a row is cut where the second one begins when it is lowered.
# test: opt --pass ApplyDefaultSchedule:target=haswell
# run: main n=5 == same
# run: main n=1 == same
# run: main n=0 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, var_B: T.handle, var_C: T.handle):
        n = T.int64()
        A = T.match_buffer(var_A, (n, 137), "float32")
        B = T.match_buffer(var_B, (n, 150), "float32")
        C = T.match_buffer(var_C, (n, 287), "float32")
        for i, j in T.grid(n, 287):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = T.if_then_else(vj < 137, A[vi, vj], B[vi, vj - 137])

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, var_B: T.handle, var_C: T.handle):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        n = T.int64()
        A = T.match_buffer(var_A, (n, 137), "float32")
        B = T.match_buffer(var_B, (n, 150), "float32")
        C = T.match_buffer(var_C, (n, 287), "float32")
        # with T.block("root"):
        for i_0 in T.parallel((n + T.int64(56)) // T.int64(57)):
            for i_1 in range(T.int64(57)):
                for j in T.vectorized(287):
                    with T.block("C"):
                        vi = T.axis.spatial(n, i_0 * T.int64(57) + i_1)
                        vj = T.axis.spatial(287, j)
                        T.where(i_0 * T.int64(57) + i_1 < n)
                        T.reads(A[vi, vj], B[vi, vj - 137])
                        T.writes(C[vi, vj])
                        C[vi, vj] = T.if_then_else(vj < 137, A[vi, vj], B[vi, vj - 137])
