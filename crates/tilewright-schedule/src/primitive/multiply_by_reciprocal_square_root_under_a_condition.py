# An integer division under a condition has a result for no other elements than those of which the condition holds.
# test: diagnostics
# step: b = get_block("quotient")
# step: multiply_by_reciprocal(b)

@I.ir_module
class Module:
    @T.prim_func
    def main(N: T.Buffer((8, 5), "int32"), X: T.Buffer((8, 37), "float32"), Y: T.Buffer((8, 37), "float32")):
        count = T.alloc_buffer((8,), "int32")
        for i, k in T.grid(8, 5):
            with T.block("count"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    count[vi] = 0
                count[vi] = count[vi] + N[vi, vk]
        for i, j in T.grid(8, 37):
            with T.block("quotient"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = T.if_then_else(
                    count[vi] > 0, X[vi, vj] / T.sqrt(T.Cast("float32", 100 // count[vi])), T.float32(1)
                )

# expect:
# error[TW0706]: `multiply_by_reciprocal` cannot be applied: the block does not divide
#  |
#  = note: in the step `multiply_by_reciprocal(b)`
