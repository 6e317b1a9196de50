# The inner loops of two nests become one, and with them the loops around.
# test: schedule
# step: i, j = get_loops("B")
# step: k, l = get_loops("C")
# step: merge(j, l)
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((10, 6), "float32"), C: T.Buffer((10, 6), "float32")):
        B = T.alloc_buffer((10, 6), "float32")
        for i, j in T.grid(10, 6):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = T.exp(A[vi, vj])
        for k, l in T.grid(10, 6):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [k, l])
                C[vi, vj] = B[vi, vj] + A[vi, vj]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((10, 6), "float32"), C: T.Buffer((10, 6), "float32")):
        # with T.block("root"):
        B = T.alloc_buffer((10, 6))
        for i_m, j_m in T.grid(10, 6):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i_m, j_m])
                T.reads(A[vi, vj])
                T.writes(B[vi, vj])
                B[vi, vj] = T.exp(A[vi, vj])
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i_m, j_m])
                T.reads(B[vi, vj], A[vi, vj])
                T.writes(C[vi, vj])
                C[vi, vj] = B[vi, vj] + A[vi, vj]
