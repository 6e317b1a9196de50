# The condition of a partial tile speaks of the loop inside and of the one outside.
# test: diagnostics
# step: b = get_block("C")
# step: i, = get_loops(b)
# step: i0, i1 = split(i, [None, 4])
# step: t = blockize(i1)

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((7,), "float32"), C: T.Buffer((7,), "float32")):
        for i in range(7):
            with T.block("C"):
                vi = T.axis.spatial(7, i)
                C[vi] = A[vi]

# expect:
# error[TW0706]: `blockize` cannot be applied: the axes of block `C` are no sum of a part outside of the loop and one inside, or a condition mixes both
#  |
#  = note: in the step `t = blockize(i1)`
