# A buffer that is read at two indices has no one index in a temporary.
# test: diagnostics
# step: b = get_block("C")
# step: a = reindex(b, "A")

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((8,), "float32"), C: T.Buffer((7,), "float32")):
        for i in range(7):
            with T.block("C"):
                vi = T.axis.spatial(7, i)
                C[vi] = A[vi] + A[vi + 1]

# expect:
# error[TW0706]: `reindex` cannot be applied: block `C` does not use `A` at the same indices everywhere
#  |
#  = note: in the step `a = reindex(b, "A")`
