# A result in place is read only where it is written: other rows change meanwhile.
# test: diagnostics
# step: b = get_block("shares")
# step: rows_resident(b, 4, 1, 4)

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((8, 8), "float32")):
        largest = T.alloc_buffer((8,), "float32")
        total = T.alloc_buffer((8,), "float32")
        for i, k in T.grid(8, 8):
            with T.block("largest"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    largest[vi] = T.float32("-inf")
                largest[vi] = T.max(largest[vi], X[7 - vi, vk])
        for i, k in T.grid(8, 8):
            with T.block("total"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    total[vi] = T.float32(0)
                total[vi] = total[vi] + T.exp(X[7 - vi, vk] - largest[vi])
        for i, j in T.grid(8, 8):
            with T.block("shares"):
                vi, vj = T.axis.remap("SS", [i, j])
                X[vi, vj] = T.exp(X[7 - vi, vj] - largest[vi]) / total[vi]

# expect:
# error[TW0706]: `rows_resident` cannot be applied: the result depends on more than its row
#  |
#  = note: in the step `rows_resident(b, 4, 1, 4)`
