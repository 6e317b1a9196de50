# A temporary has elements of half the size, and its axes have another order.
# test: schedule
# step: b = get_block("B")
# step: unsafe_set_dtype(b, 0, "float16")
# step: reorder_block_iter_var(b, [1, 0])
# step: annotate_buffer_access(b, 0, "read", lambda j, i: (i, i + 1, 0, 5))
# step: i, j = get_loops(b)
# step: parallel(i)
# run: main tol=0.01 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((6, 5), "float32"), C: T.Buffer((6, 5), "float32")):
        B = T.alloc_buffer((6, 5), "float32")
        for i, j in T.grid(6, 5):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj] + T.float32(1)
        for i, j in T.grid(6, 5):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = B[vi, vj] * T.float32(2)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((6, 5), "float32"), C: T.Buffer((6, 5), "float32")):
        # with T.block("root"):
        B = T.alloc_buffer((6, 5), "float16")
        for i in T.parallel(6):
            for j in range(5):
                with T.block("B"):
                    vj, vi = T.axis.remap("SS", [j, i])
                    T.reads(A[vi, 0:5])
                    T.writes(B[vi, vj])
                    T.block_attr({"explicit_read_region": [0]})
                    B[vi, vj] = T.Cast("float16", A[vi, vj] + T.float32(1.0))
        for i, j in T.grid(6, 5):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(B[vi, vj])
                T.writes(C[vi, vj])
                C[vi, vj] = T.Cast("float32", B[vi, vj]) * T.float32(2.0)
