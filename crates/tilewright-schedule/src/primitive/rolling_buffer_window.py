# A window of rows and columns moves on: the buffer keeps its rows, and an iteration computes what is new in it.
# test: schedule
# step: b = get_block("B")
# step: i, j, k, l = get_loops("C")
# step: compute_at(b, j)
# step: rolling_buffer(b, 0)
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((12, 9), "float32"), C: T.Buffer((8, 5), "float32")):
        B = T.alloc_buffer((10, 7), "float32")
        for i, j, k, l in T.grid(10, 7, 3, 3):
            with T.block("B"):
                vi, vj, vk, vl = T.axis.remap("SSRR", [i, j, k, l])
                with T.init():
                    B[vi, vj] = T.float32(-1000)
                B[vi, vj] = T.max(B[vi, vj], A[vi + vk, vj + vl])
        for i, j, k, l in T.grid(8, 5, 3, 3):
            with T.block("C"):
                vi, vj, vk, vl = T.axis.remap("SSRR", [i, j, k, l])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + B[vi + vk, vj + vl]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((12, 9), "float32"), C: T.Buffer((8, 5), "float32")):
        # with T.block("root"):
        B = T.alloc_buffer((3, 7))
        for i, j in T.grid(8, 5):
            for ax0, ax1, ax2, ax3 in T.grid(3, 3, 3, 3):
                with T.block("B"):
                    vi = T.axis.opaque(10, i + ax0)
                    vj = T.axis.spatial(7, j + ax1)
                    vk, vl = T.axis.remap("RR", [ax2, ax3])
                    T.where((i < 1 or 2 <= ax0) and (j < 1 or 2 <= ax1))
                    T.reads(A[vi + vk, vj + vl])
                    T.writes(B[vi % 3, vj])
                    with T.init():
                        B[vi % 3, vj] = T.float32(-1000.0)
                    B[vi % 3, vj] = T.max(B[vi % 3, vj], A[vi + vk, vj + vl])
            for k, l in T.grid(3, 3):
                with T.block("C"):
                    vi = T.axis.opaque(8, i)
                    vj, vk, vl = T.axis.remap("SRR", [j, k, l])
                    T.reads(B[(vi + vk) % 3, vj + vl])
                    T.writes(C[vi, vj])
                    with T.init():
                        C[vi, vj] = T.float32(0.0)
                    C[vi, vj] = C[vi, vj] + B[(vi + vk) % 3, vj + vl]
