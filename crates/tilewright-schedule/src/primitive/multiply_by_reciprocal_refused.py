# What is subtracted in the exponents is 0 where all numbers are less: the sum may be so small that it has no reciprocal.
# test: diagnostics
# step: b = get_block("shares")
# step: multiply_by_reciprocal(b)

@I.ir_module
class Module:
    @T.prim_func
    def main(var_X: T.handle, var_Y: T.handle):
        n = T.int64()
        X = T.match_buffer(var_X, (n, 37), "float32")
        Y = T.match_buffer(var_Y, (n, 37), "float32")
        largest = T.alloc_buffer((n, 1), "float32")
        powers = T.alloc_buffer((n, 37), "float32")
        total = T.alloc_buffer((n, 1), "float32")
        for i, u, k in T.grid(n, 1, 37):
            with T.block("largest"):
                vi, vu, vk = T.axis.remap("SSR", [i, u, k])
                with T.init():
                    largest[vi, vu] = T.float32(0)
                largest[vi, vu] = T.max(largest[vi, vu], X[vi, vk])
        for i, j in T.grid(n, 37):
            with T.block("powers"):
                vi, vj = T.axis.remap("SS", [i, j])
                powers[vi, vj] = T.exp(X[vi, vj] - largest[vi, 0])
        for i, u, k in T.grid(n, 1, 37):
            with T.block("total"):
                vi, vu, vk = T.axis.remap("SSR", [i, u, k])
                with T.init():
                    total[vi, vu] = T.float32(0)
                total[vi, vu] = total[vi, vu] + powers[vi, vk]
        for i, j in T.grid(n, 37):
            with T.block("shares"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = powers[vi, vj] / total[vi, 0]

# expect:
# error[TW0706]: `multiply_by_reciprocal` cannot be applied: `total` is not known to have the sums of a softmax: `largest` is not the maximum of what is in the exponents
#  |
#  = note: in the step `multiply_by_reciprocal(b)`
