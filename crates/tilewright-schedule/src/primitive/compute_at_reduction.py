# A reduction moves into the loop of the block that uses its result.
# test: schedule
# step: b = get_block("B")
# step: c = get_block("C")
# step: i, j = get_loops(c)
# step: compute_at(b, i)
# step: bind(i, "blockIdx.x")
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((5, 7), "float32"), C: T.Buffer((5, 3), "float32")):
        B = T.alloc_buffer((5,), "float32")
        for k, i in T.grid(7, 5):
            with T.block("B"):
                vk, vi = T.axis.remap("RS", [k, i])
                with T.init():
                    B[vi] = T.float32(0)
                B[vi] = B[vi] + A[vi, vk]
        for i, j in T.grid(5, 3):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = B[vi] * A[vi, vj]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((5, 7), "float32"), C: T.Buffer((5, 3), "float32")):
        # with T.block("root"):
        B = T.alloc_buffer((5,))
        for i in T.thread_binding(5, thread="blockIdx.x"):
            for ax0 in range(7):
                with T.block("B"):
                    vk, vi = T.axis.remap("RS", [ax0, i])
                    T.reads(A[vi, vk])
                    T.writes(B[vi])
                    with T.init():
                        B[vi] = T.float32(0.0)
                    B[vi] = B[vi] + A[vi, vk]
            for j in range(3):
                with T.block("C"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    T.reads(B[vi], A[vi, vj])
                    T.writes(C[vi, vj])
                    C[vi, vj] = B[vi] * A[vi, vj]
