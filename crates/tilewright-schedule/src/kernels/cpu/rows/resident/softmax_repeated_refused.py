# The numbers are those of the last of three turns.
# test: diagnostics
# step: b = get_block("shares")
# step: rows_resident(b, 4, 1, 4)

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((8, 8), "float32"), Y: T.Buffer((8, 8), "float32")):
        largest = T.alloc_buffer((8,), "float32")
        total = T.alloc_buffer((8,), "float32")
        S = T.alloc_buffer((8, 8), "float32")
        for i, k, q in T.grid(8, 8, 3):
            with T.block("last"):
                vi, vk, vq = T.axis.remap("SSS", [i, k, q])
                S[vi, vk] = X[vi, vk] * T.Cast("float32", vq)
        for i, k in T.grid(8, 8):
            with T.block("largest"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    largest[vi] = T.float32("-inf")
                largest[vi] = T.max(largest[vi], S[vi, vk])
        for i, k in T.grid(8, 8):
            with T.block("total"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    total[vi] = T.float32(0)
                total[vi] = total[vi] + T.exp(S[vi, vk] - largest[vi])
        for i, j in T.grid(8, 8):
            with T.block("shares"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = T.exp(S[vi, vj] - largest[vi]) / total[vi]

# expect:
# error[TW0706]: `rows_resident` cannot be applied: block `last` may write an element more than once
#  |
#  = note: in the step `rows_resident(b, 4, 1, 4)`
