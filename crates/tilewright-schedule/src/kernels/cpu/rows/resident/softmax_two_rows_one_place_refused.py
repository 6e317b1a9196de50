# Two rows go to one place, which the second reads what the first has written.
# test: diagnostics
# step: b = get_block("shares")
# step: rows_resident(b, 4, 1, 4)

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((4, 8), "float32")):
        largest = T.alloc_buffer((8,), "float32")
        total = T.alloc_buffer((8,), "float32")
        for i, k in T.grid(8, 8):
            with T.block("largest"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    largest[vi] = T.float32("-inf")
                largest[vi] = T.max(largest[vi], X[vi // 2, vk])
        for i, k in T.grid(8, 8):
            with T.block("total"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    total[vi] = T.float32(0)
                total[vi] = total[vi] + T.exp(X[vi // 2, vk] - largest[vi])
        for i, j in T.grid(8, 8):
            with T.block("shares"):
                vi, vj = T.axis.remap("SS", [i, j])
                X[vi // 2, vj] = T.exp(X[vi // 2, vj] - largest[vi]) / total[vi]

# expect:
# error[TW0706]: `rows_resident` cannot be applied: block `shares` may write an element more than once
#  |
#  = note: in the step `rows_resident(b, 4, 1, 4)`
