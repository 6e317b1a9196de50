# A bias is read again for each row: rows are tasks, a row is in vectors with a rest.
# test: opt --pass ApplyDefaultSchedule:target=haswell
# run: main == same
# run: main special == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((301, 77), "float32"), B: T.Buffer((77,), "float32"), C: T.Buffer((301, 77), "float32")):
        for i, j in T.grid(301, 77):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = A[vi, vj] + B[vj]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((301, 77), "float32"), B: T.Buffer((77,), "float32"), C: T.Buffer((301, 77), "float32")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        for i_0 in T.parallel(12):
            for i_1 in range(26):
                for j in T.vectorized(77):
                    with T.block("C"):
                        vi = T.axis.spatial(301, i_0 * 26 + i_1)
                        vj = T.axis.spatial(77, j)
                        T.where(i_0 * 26 + i_1 < 301)
                        T.reads(A[vi, vj], B[vj])
                        T.writes(C[vi, vj])
                        C[vi, vj] = A[vi, vj] + B[vj]
