# The axes of a block become one and another: seven rows in four halves, and both columns and the sum in one each.
# test: schedule
# step: b = get_block("C")
# step: transform_block_layout(b, lambda i, j, k: (i // 2, j * 2 + i % 2, k))
# step: x, y, z = get_loops(b)
# step: parallel(x)
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((7, 5), "float32"), B: T.Buffer((5, 3), "float32"), C: T.Buffer((7, 3), "float32")):
        for i, k, j in T.grid(7, 5, 3):
            with T.block("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((7, 5), "float32"), B: T.Buffer((5, 3), "float32"), C: T.Buffer((7, 3), "float32")):
        # with T.block("root"):
        for ax0 in T.parallel(4):
            for ax1, ax2 in T.grid(6, 5):
                with T.block("C"):
                    v0, v1, v2 = T.axis.remap("SSR", [ax0, ax1, ax2])
                    T.where(ax0 * 2 + ax1 % 2 < 7)
                    T.reads(A[v0 * 2 + v1 % 2, v2], B[v2, v1 // 2])
                    T.writes(C[v0 * 2 + v1 % 2, v1 // 2])
                    with T.init():
                        C[v0 * 2 + v1 % 2, v1 // 2] = T.float32(0.0)
                    C[v0 * 2 + v1 % 2, v1 // 2] = C[v0 * 2 + v1 % 2, v1 // 2] + A[v0 * 2 + v1 % 2, v2] * B[v2, v1 // 2]
