# Rows go to places that another temporary has: nobody would compute it any more.
# test: diagnostics
# step: b = get_block("shares")
# step: rows_resident(b, 4, 1, 4)

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((5, 8), "float32"), Y: T.Buffer((5, 8), "float32")):
        places = T.alloc_buffer((5,), "int64")
        largest = T.alloc_buffer((5,), "float32")
        total = T.alloc_buffer((5,), "float32")
        for i in range(5):
            with T.block("places"):
                vi = T.axis.spatial(5, i)
                places[vi] = T.int64(4) - T.Cast("int64", vi)
        for i, k in T.grid(5, 8):
            with T.block("largest"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    largest[vi] = T.float32("-inf")
                largest[vi] = T.max(largest[vi], X[vi, vk])
        for i, k in T.grid(5, 8):
            with T.block("total"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    total[vi] = T.float32(0)
                total[vi] = total[vi] + T.exp(X[vi, vk] - largest[vi])
        for i, j in T.grid(5, 8):
            with T.block("shares"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[places[vi], vj] = T.exp(X[vi, vj] - largest[vi]) / total[vi]

# expect:
# error[TW0706]: `rows_resident` cannot be applied: block `shares` writes at places that are data
#  |
#  = note: in the step `rows_resident(b, 4, 1, 4)`
