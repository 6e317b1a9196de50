# Both operands and the result of a convolution go through temporaries of the block's axes.
# test: schedule
# step: b = get_block("C")
# step: a = reindex(b, ["read", 0])
# step: c = reindex(b, ["write", 0])
# step: i, j = get_loops(a)
# step: parallel(i)
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((1, 13), "float32"), B: T.Buffer((3,), "float32"), C: T.Buffer((6, 1), "float32")):
        for i, k in T.grid(6, 3):
            with T.block("C"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    C[vi, 0] = T.float32(0)
                C[vi, 0] = C[vi, 0] + A[0, vi * 2 + vk] * B[vk]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((1, 13), "float32"), B: T.Buffer((3,), "float32"), C: T.Buffer((6, 1), "float32")):
        # with T.block("root"):
        A_reindex = T.alloc_buffer((6, 3))
        C_reindex = T.alloc_buffer((6,))
        for ax0 in T.parallel(6):
            for ax1 in range(3):
                with T.block("A_reindex"):
                    vi, vk = T.axis.remap("SS", [ax0, ax1])
                    T.reads(A[0, vi * 2 + vk])
                    T.writes(A_reindex[vi, vk])
                    A_reindex[vi, vk] = A[0, vi * 2 + vk]
        for i, k in T.grid(6, 3):
            with T.block("C"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.reads(A_reindex[vi, vk], B[vk])
                T.writes(C_reindex[vi])
                with T.init():
                    C_reindex[vi] = T.float32(0.0)
                C_reindex[vi] = C_reindex[vi] + A_reindex[vi, vk] * B[vk]
        for ax0 in range(6):
            with T.block("C_reindex"):
                vi = T.axis.spatial(6, ax0)
                T.reads(C_reindex[vi])
                T.writes(C[vi, 0])
                C[vi, 0] = C_reindex[vi]
