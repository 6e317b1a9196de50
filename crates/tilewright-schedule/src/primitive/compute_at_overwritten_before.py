# A block stays before what overwrites its operand where that comes before its result is read.
# test: diagnostics
# step: t = get_block("T")
# step: s = get_block("S")
# step: i, j = get_loops(s)
# step: compute_at(t, i)

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((4, 5), "float32"), Y: T.Buffer((4, 5), "float32")):
        t = T.alloc_buffer((4, 5), "float32")
        for i, j in T.grid(4, 5):
            with T.block("T"):
                vi, vj = T.axis.remap("SS", [i, j])
                t[vi, vj] = X[vi, vj] * T.float32(2)
        for i, j in T.grid(4, 5):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                X[vi, vj] = T.float32(0)
            with T.block("S"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = t[vi, vj]

# expect:
# error[TW0706]: `compute_at` cannot be applied: the block writes `X`, which block `T` reads
#  |
#  = note: in the step `compute_at(t, i)`
