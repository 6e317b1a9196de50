# A row that is only filled has a sum of nothing.
# test: diagnostics
# step: b = get_block("shares")
# step: rows_resident(b, 4, 1, 4)

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((9, 64), "float32"), Y: T.Buffer((9, 64), "float32")):
        largest = T.alloc_buffer((9,), "float32")
        total = T.alloc_buffer((9,), "float32")
        for i in range(9):
            with T.block("largest_init"):
                vi = T.axis.spatial(9, i)
                largest[vi] = T.float32("-inf")
        for i, k in T.grid(8, 64):
            with T.block("largest"):
                vi, vk = T.axis.remap("SR", [i, k])
                largest[vi] = T.max(largest[vi], X[vi, vk])
        for i in range(9):
            with T.block("total_init"):
                vi = T.axis.spatial(9, i)
                total[vi] = T.float32(0)
        for i, k in T.grid(8, 64):
            with T.block("total"):
                vi, vk = T.axis.remap("SR", [i, k])
                total[vi] = total[vi] + T.exp(X[vi, vk] - largest[vi])
        for i, j in T.grid(9, 64):
            with T.block("shares"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = T.float32(1) / total[vi]


# expect:
# error[TW0706]: `rows_resident` cannot be applied: a reduction is not of the rows of the result
#  |
#  = note: in the step `rows_resident(b, 4, 1, 4)`
