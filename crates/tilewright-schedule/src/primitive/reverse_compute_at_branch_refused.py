# A block that runs only under a condition does not move away from it.
# test: diagnostics
# step: b = get_block("sums")
# step: i, k = get_loops(b)
# step: c = get_block("copy")
# step: reverse_compute_at(c, i)

@I.ir_module
class Module:
    @T.prim_func
    def main(var_X: T.handle, Y: T.Buffer((T.int64(7),), "float32")):
        n = T.int64()
        X = T.match_buffer(var_X, (T.int64(7), n), "float32")
        Z = T.alloc_buffer((T.int64(7),))
        for i, k in T.grid(T.int64(7), n):
            with T.block("sums"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    Z[vi] = T.float32(0)
                Z[vi] = Z[vi] + X[vi, vk]
        if n > T.int64(0):
            for j in range(T.int64(7)):
                with T.block("copy"):
                    vj = T.axis.spatial(T.int64(7), j)
                    Y[vj] = Z[vj]

# expect:
# error[TW0706]: `reverse_compute_at` cannot be applied: block `copy` runs under a condition that the loop does not
#  |
#  = note: in the step `reverse_compute_at(c, i)`
