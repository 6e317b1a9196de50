# A block that runs only where there is something to copy does not move away from its condition.
# test: diagnostics
# step: b = get_block("sums")
# step: i, k = get_loops(b)
# step: c = cache_write(b, 0, "local")
# step: reverse_compute_at(c, i)

@I.ir_module
class Module:
    @T.prim_func
    def main(var_X: T.handle, Y: T.Buffer((T.int64(7),), "float32")):
        n = T.int64()
        X = T.match_buffer(var_X, (T.int64(7), n), "float32")
        for i, k in T.grid(T.int64(7), n):
            with T.block("sums"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    Y[vi] = T.float32(0)
                Y[vi] = Y[vi] + X[vi, vk]

# expect:
# error[TW0706]: `reverse_compute_at` cannot be applied: block `Y_local` runs under a condition that the loop does not
#  |
#  = note: in the step `reverse_compute_at(c, i)`
