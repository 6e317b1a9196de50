# A block stays outside of a loop whose later iterations would read what earlier ones have overwritten.
# test: diagnostics
# step: t = get_block("T")
# step: s = get_block("S")
# step: i, j = get_loops(s)
# step: u = get_block("U")
# step: compute_at(u, i)
# step: compute_at(t, i)

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((4, 4), "float32")):
        t = T.alloc_buffer((4, 4), "float32")
        u = T.alloc_buffer((4, 4), "float32")
        for i, j in T.grid(4, 4):
            with T.block("T"):
                vi, vj = T.axis.remap("SS", [i, j])
                t[vi, vj] = X[vj, vi] * T.float32(2)
        for i, j in T.grid(4, 4):
            with T.block("U"):
                vi, vj = T.axis.remap("SS", [i, j])
                u[vi, vj] = t[vi, vj] + T.float32(1)
        for i, j in T.grid(4, 4):
            with T.block("S"):
                vi, vj = T.axis.remap("SS", [i, j])
                X[vi, vj] = u[vi, vj]

# expect:
# error[TW0706]: `compute_at` cannot be applied: block `T` may read what block `S` overwrites in another iteration of loop `i`
#  |
#  = note: in the step `compute_at(t, i)`
