# A maximum of more than 32 bits would lose some.
# test: diagnostics
# step: b = get_block("shares")
# step: rows_resident(b, 4, 1, 4)

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((3, 8), "float64"), Y: T.Buffer((3, 8), "float64")):
        largest = T.alloc_buffer((3,), "float64")
        total = T.alloc_buffer((3,), "float32")
        for i, k in T.grid(3, 8):
            with T.block("largest"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    largest[vi] = T.float64("-inf")
                largest[vi] = T.max(largest[vi], X[vi, vk])
        for i, k in T.grid(3, 8):
            with T.block("total"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    total[vi] = T.float32(0)
                total[vi] = total[vi] + T.exp(T.Cast("float32", X[vi, vk]) - T.Cast("float32", largest[vi]))
        for i, j in T.grid(3, 8):
            with T.block("shares"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = X[vi, vj] - largest[vi] - T.Cast("float64", T.log(total[vi]))

# expect:
# error[TW0706]: `rows_resident` cannot be applied: a reduction is no sum or maximum that is worked out in float32
#  |
#  = note: in the step `rows_resident(b, 4, 1, 4)`
