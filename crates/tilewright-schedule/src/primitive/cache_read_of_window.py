# The copy has the box that is read, and all blocks after it read it.
# test: schedule
# step: b = get_block("B")
# step: a = cache_read(b, 0, "local")
# step: storage_align(a, 0, 0, 8, 1)
# step: set_scope(a, 0, "shared")
# step: u = add_unit_loop(a)
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((12, 6), "float32"), B: T.Buffer((4, 6), "float32"), C: T.Buffer((4,), "float32")):
        for i, j in T.grid(4, 6):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi + 3, vj] + A[vi + 5, 0]
        for i in range(4):
            with T.block("C"):
                vi = T.axis.spatial(4, i)
                C[vi] = A[vi + 2, 1]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((12, 6), "float32"), B: T.Buffer((4, 6), "float32"), C: T.Buffer((4,), "float32")):
        # with T.block("root"):
        A_local = T.alloc_buffer((12, 6), scope="shared")
        for ax0, ax1, u in T.grid(7, 6, 1):
            with T.block("A_local"):
                v0 = T.axis.spatial(12, 2 + ax0)
                v1 = T.axis.spatial(6, ax1)
                T.reads(A[v0, v1])
                T.writes(A_local[v0, v1])
                T.block_attr({"buffer_dim_align": [[0, 0, 8, 1]]})
                A_local[v0, v1] = A[v0, v1]
        for i, j in T.grid(4, 6):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A_local[vi + 3:vi + 3 + 3, 0:6])
                T.writes(B[vi, vj])
                B[vi, vj] = A_local[vi + 3, vj] + A_local[vi + 5, 0]
        for i in range(4):
            with T.block("C"):
                vi = T.axis.spatial(4, i)
                T.reads(A_local[vi + 2, 1])
                T.writes(C[vi])
                C[vi] = A_local[vi + 2, 1]
