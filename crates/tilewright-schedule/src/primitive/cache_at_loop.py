# Copies stand in the loop that they are made for.
# test: schedule
# step: b = get_block("C")
# step: i, j = get_loops(b)
# step: a = read_at(i, b, 0, "shared")
# step: c = write_at(i, b, 0, "local")
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((6, 5), "float32"), C: T.Buffer((6, 5), "float32")):
        for i, j in T.grid(6, 5):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = T.exp(A[vi, 4 - vj])

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((6, 5), "float32"), C: T.Buffer((6, 5), "float32")):
        # with T.block("root"):
        A_shared = T.alloc_buffer((6, 5), scope="shared")
        C_local = T.alloc_buffer((6, 5), scope="local")
        for i in range(6):
            for ax1 in range(5):
                with T.block("A_shared"):
                    v0, v1 = T.axis.remap("SS", [i, ax1])
                    T.reads(A[v0, v1])
                    T.writes(A_shared[v0, v1])
                    T.block_attr({"auto_copy": T.bool(True)})
                    A_shared[v0, v1] = A[v0, v1]
            for j in range(5):
                with T.block("C"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    T.reads(A_shared[vi, 4 - vj])
                    T.writes(C_local[vi, vj])
                    C_local[vi, vj] = T.exp(A_shared[vi, 4 - vj])
            for ax1 in range(5):
                with T.block("C_local"):
                    v0, v1 = T.axis.remap("SS", [i, ax1])
                    T.reads(C_local[v0, v1])
                    T.writes(C[v0, v1])
                    T.block_attr({"auto_copy": T.bool(True)})
                    C[v0, v1] = C_local[v0, v1]
