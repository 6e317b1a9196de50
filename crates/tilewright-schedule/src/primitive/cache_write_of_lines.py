# A block that writes a line for each of its instances, in a loop of its own.
# test: schedule
# step: b = get_block("B")
# step: c = cache_write(b, 0, "local")
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((9, 5), "float32"), B: T.Buffer((9, 5), "float32")):
        for i in range(9):
            with T.block("B"):
                vi = T.axis.spatial(9, i)
                for j in range(5):
                    B[vi, 4 - j] = A[vi, j] * T.float32(2)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((9, 5), "float32"), B: T.Buffer((9, 5), "float32")):
        # with T.block("root"):
        B_local = T.alloc_buffer((9, 5), scope="local")
        for i in range(9):
            with T.block("B"):
                vi = T.axis.spatial(9, i)
                T.reads(A[vi, 0:5])
                T.writes(B_local[vi, 0:5])
                for j in range(5):
                    B_local[vi, 4 - j] = A[vi, j] * T.float32(2.0)
        for ax0, ax1 in T.grid(9, 5):
            with T.block("B_local"):
                v0, v1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(B_local[v0, v1])
                T.writes(B[v0, v1])
                B[v0, v1] = B_local[v0, v1]
