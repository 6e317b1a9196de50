# A block stays outside of a loop in which one iteration overwrites what the next one would read.
# test: diagnostics
# step: t = get_block("T")
# step: s = get_block("S")
# step: i, j = get_loops(s)
# step: compute_at(t, j)

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((4, 5), "float32")):
        t = T.alloc_buffer((4,), "float32")
        for i, k in T.grid(4, 5):
            with T.block("T"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    t[vi] = T.float32(0)
                t[vi] = t[vi] + X[vi, vk]
        for i, j in T.grid(4, 5):
            with T.block("S"):
                vi, vj = T.axis.remap("SS", [i, j])
                X[vi, vj] = X[vi, vj] / t[vi]

# expect:
# error[TW0706]: `compute_at` cannot be applied: block `T` may read what block `S` overwrites in another iteration of loop `j`
#  |
#  = note: in the step `compute_at(t, j)`
