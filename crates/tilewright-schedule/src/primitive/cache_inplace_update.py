# What is changed in place is changed in other memory.
# test: schedule
# step: b = get_block("B")
# step: r, w = cache_inplace(b, 0, "local")
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((7, 5), "float32"), B: T.Buffer((7,), "float32")):
        for i, j in T.grid(5, 5):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                A[vi + 1, vj] = A[vi + 1, vj] * T.float32(2) + B[vi]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((7, 5), "float32"), B: T.Buffer((7,), "float32")):
        # with T.block("root"):
        A_local = T.alloc_buffer((7, 5), scope="local")
        for ax0, ax1 in T.grid(5, 5):
            with T.block("A_local"):
                v0 = T.axis.spatial(7, 1 + ax0)
                v1 = T.axis.spatial(5, ax1)
                T.reads(A[v0, v1])
                T.writes(A_local[v0, v1])
                A_local[v0, v1] = A[v0, v1]
        for i, j in T.grid(5, 5):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A_local[vi + 1, vj], B[vi])
                T.writes(A_local[vi + 1, vj])
                A_local[vi + 1, vj] = A_local[vi + 1, vj] * T.float32(2.0) + B[vi]
        for ax0, ax1 in T.grid(5, 5):
            with T.block("A_local_back"):
                v0 = T.axis.spatial(7, 1 + ax0)
                v1 = T.axis.spatial(5, ax1)
                T.reads(A_local[v0, v1])
                T.writes(A[v0, v1])
                A[v0, v1] = A_local[v0, v1]
