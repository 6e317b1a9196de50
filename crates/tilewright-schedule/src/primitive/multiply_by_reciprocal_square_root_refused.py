# Elements of which each has a square root of its own: nothing is computed less often.
# test: diagnostics
# step: b = get_block("quotient")
# step: multiply_by_reciprocal(b)

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((8, 37), "float32"), S: T.Buffer((8, 37), "float32"), Y: T.Buffer((8, 37), "float32")):
        for i, j in T.grid(8, 37):
            with T.block("quotient"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = X[vi, vj] / T.sqrt(S[vi, vj])

# expect:
# error[TW0706]: `multiply_by_reciprocal` cannot be applied: the block does not divide by an element of a buffer
#  |
#  = note: in the step `multiply_by_reciprocal(b)`
