# Zero times what has no such axis may be no zero.
# test: diagnostics
# step: b = get_block("C")
# step: pad_einsum(b, [1, 2])

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((3,), "float32"), B: T.Buffer((5,), "float32"), C: T.Buffer((3,), "float32")):
        for i, k in T.grid(3, 5):
            with T.block("C"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    C[vi] = T.float32(0)
                C[vi] = C[vi] + A[vi] * B[vk]

# expect:
# error[TW0706]: `pad_einsum` cannot be applied: beyond the end of axis `vk` a term of block `C` is not known to be zero: not every operand has the axis
#  |
#  = note: in the step `pad_einsum(b, [1, 2])`
