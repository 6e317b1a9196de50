# An argument is divided by as it is: there may be a reciprocal for each element of a row, or more than are read at all.
# test: diagnostics
# step: b = get_block("normal")
# step: multiply_by_reciprocal(b)

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((8, 37), "float32"), V: T.Buffer((37,), "float32"), Y: T.Buffer((8, 37), "float32")):
        total = T.alloc_buffer((8,), "float32")
        for i, k in T.grid(8, 37):
            with T.block("total"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    total[vi] = T.float32(0)
                total[vi] = total[vi] + X[vi, vk]
        for i, j in T.grid(8, 37):
            with T.block("normal"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = (X[vi, vj] - total[vi]) / T.sqrt(V[vj] + T.float32(0.5))

# expect:
# error[TW0706]: `multiply_by_reciprocal` cannot be applied: the block does not divide by an element of a buffer
#  |
#  = note: in the step `multiply_by_reciprocal(b)`
