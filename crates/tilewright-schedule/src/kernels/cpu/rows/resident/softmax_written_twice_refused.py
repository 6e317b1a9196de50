# Numbers that are made in two steps have no one formula.
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
        for i, k in T.grid(8, 8):
            with T.block("scaled"):
                vi, vk = T.axis.remap("SS", [i, k])
                S[vi, vk] = X[vi, vk] * T.float32(0.5)
        for i, k in T.grid(8, 8):
            with T.block("shifted"):
                vi, vk = T.axis.remap("SS", [i, k])
                S[vi, vk] = S[vi, vk] + T.float32(1)
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
# error[TW0706]: `rows_resident` cannot be applied: `S` is written twice
#  |
#  = note: in the step `rows_resident(b, 4, 1, 4)`
