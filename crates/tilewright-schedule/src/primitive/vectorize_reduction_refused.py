# A product that is subtracted has no order of its own; a reduction around a loop of results is not innermost.
# test: diagnostics
# step: b = get_block("difference")
# step: vectorize_reduction(b, 8)
# step: c = get_block("columns")
# step: vectorize_reduction(c, 8)
# step: vectorize_reduction(c, 7)

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((8, 16), "float32"), B: T.Buffer((8,), "float32"), C: T.Buffer((16,), "float32")):
        for i, k in T.grid(8, 16):
            with T.block("difference"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    B[vi] = T.float32(0)
                B[vi] = B[vi] - A[vi, vk]
        for k, i in T.grid(8, 16):
            with T.block("columns"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    C[vi] = T.float32(0)
                C[vi] = C[vi] + A[vk, vi]

# expect:
# error[TW0707]: `vectorize_reduction` cannot be applied: the operation has no value that changes nothing
#  |
#  = note: in the step `vectorize_reduction(b, 8)`
