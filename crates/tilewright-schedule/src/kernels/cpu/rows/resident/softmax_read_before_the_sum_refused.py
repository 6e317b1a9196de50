# What is read before the sum is what the sum begins with.
# test: diagnostics
# step: b = get_block("shares")
# step: rows_resident(b, 4, 1, 4)

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((8, 16), "float32"), Y: T.Buffer((8, 16), "float32")):
        largest = T.alloc_buffer((8,), "float32")
        total = T.alloc_buffer((9,), "float32")
        early = T.alloc_buffer((8,), "float32")
        for i in range(8):
            with T.block("total_init"):
                vi = T.axis.spatial(8, i)
                total[vi] = T.float32(0)
        for i in range(8):
            with T.block("early"):
                vi = T.axis.spatial(8, i)
                early[vi] = total[vi] + T.float32(1)
        for i, k in T.grid(8, 16):
            with T.block("largest"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    largest[vi] = T.float32("-inf")
                largest[vi] = T.max(largest[vi], X[vi, vk])
        for i, k in T.grid(8, 16):
            with T.block("total"):
                vi, vk = T.axis.remap("SR", [i, k])
                total[vi] = total[vi] + T.exp(X[vi, vk] - largest[vi])
        for i, j in T.grid(8, 16):
            with T.block("shares"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = T.exp(X[vi, vj] - largest[vi]) / total[vi] * early[vi]


# expect:
# error[TW0706]: `rows_resident` cannot be applied: block `early` reads `total` before it is reduced
#  |
#  = note: in the step `rows_resident(b, 4, 1, 4)`
