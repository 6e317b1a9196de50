# What two blocks compute in parts is not taken for what the last of them computes.
# test: diagnostics
# step: b = get_block("B")
# step: y = get_block("Y")
# step: i, j = get_loops(b)
# step: loop_partition(j, [2, None])
# step: reverse_compute_at(y, i)

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((6, 6), "float32"), Y: T.Buffer((6, 6), "float32")):
        B = T.alloc_buffer((6, 6), "float32")
        for i, j in T.grid(6, 6):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = X[vi, vj] * T.float32(2)
        for i, j in T.grid(6, 6):
            with T.block("Y"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = B[vi, vj] + T.float32(1)

# expect:
# error[TW0706]: `reverse_compute_at` cannot be applied: blocks `B` and `B_1` write different parts of `B`
#  |
#  = note: in the step `reverse_compute_at(y, i)`
