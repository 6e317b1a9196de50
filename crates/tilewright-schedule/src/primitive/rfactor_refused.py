# Differences of what is there and what comes cannot be regrouped.
# test: diagnostics
# step: b = get_block("C")
# step: i, k = get_loops(b)
# step: rfactor(k, 0)

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((5, 7), "float32"), C: T.Buffer((5,), "float32")):
        for i, k in T.grid(5, 7):
            with T.block("C"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    C[vi] = T.float32(0)
                C[vi] = A[vi, vk] - C[vi]

# expect:
# error[TW0706]: `rfactor` cannot be applied: what block `C` does to an element of `C` is no sum, product, minimum, maximum, `and`, `or` or choice by comparison
#  |
#  = note: in the step `rfactor(k, 0)`
