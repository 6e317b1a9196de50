# What comes after a block is done with each element at once.
# test: schedule
# step: d = get_block("D")
# step: reverse_compute_inline(d)
# run: main n=5 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, bias: T.Buffer((6,), "float32"), var_D: T.handle):
        n = T.int64()
        A = T.match_buffer(var_A, (n, T.int64(6)), "float32")
        D = T.match_buffer(var_D, (T.int64(6), n), "float32")
        B = T.alloc_buffer((n, T.int64(6)), "float32")
        for i, j in T.grid(n, T.int64(6)):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = T.exp(A[vi, vj])
        for j, i in T.grid(T.int64(6), n):
            with T.block("D"):
                vj, vi = T.axis.remap("SS", [j, i])
                D[vj, vi] = B[vi, vj] * B[vi, vj] + bias[vj]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, bias: T.Buffer((6,), "float32"), var_D: T.handle):
        n = T.int64()
        A = T.match_buffer(var_A, (n, T.int64(6)), "float32")
        D = T.match_buffer(var_D, (T.int64(6), n), "float32")
        # with T.block("root"):
        for i, j in T.grid(n, T.int64(6)):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi, vj], bias[vj])
                T.writes(D[vj, vi])
                D[vj, vi] = T.exp(A[vi, vj]) * T.exp(A[vi, vj]) + bias[vj]
