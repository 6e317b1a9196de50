# Sums that are results of the function have to exist after it.
# test: diagnostics
# step: b = get_block("away")
# step: rows_resident(b, 4, 1, 2)

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((5, 8), "float32"), total: T.Buffer((5,), "float32"), Y: T.Buffer((5, 8), "float32")):
        for i, k in T.grid(5, 8):
            with T.block("total"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    total[vi] = T.float32(0)
                total[vi] = total[vi] + X[vi, vk]
        for i, j in T.grid(5, 8):
            with T.block("away"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = X[vi, vj] - total[vi]

# expect:
# error[TW0706]: `rows_resident` cannot be applied: `total` is a result, too
#  |
#  = note: in the step `rows_resident(b, 4, 1, 2)`
