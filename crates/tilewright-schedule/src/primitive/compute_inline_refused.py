# A temporary stays where the block that reads it overwrites what it is computed from, and would read elements that it has
# overwritten already.
# test: diagnostics
# step: t = get_block("T")
# step: compute_inline(t)

@I.ir_module
class Module:
    @T.prim_func
    def main(x: T.handle):
        n = T.int64()
        X = T.match_buffer(x, (n, T.int64(3)), "float32")
        t = T.alloc_buffer((n, T.int64(3)), "float32")
        for i, j in T.grid(n, T.int64(3)):
            with T.block("T"):
                vi, vj = T.axis.remap("SS", [i, j])
                t[vi, vj] = X[vi, T.int64(2) - vj] * T.float32(2)
        for i, j in T.grid(n, T.int64(3)):
            with T.block("X"):
                vi, vj = T.axis.remap("SS", [i, j])
                X[vi, vj] = T.max(t[vi, vj] + t[vi, vj], T.float32(0))

# expect:
# error[TW0706]: `compute_inline` cannot be applied: `X`, which block `T` reads, is written before the last use
#  |
#  = note: in the step `compute_inline(t)`
