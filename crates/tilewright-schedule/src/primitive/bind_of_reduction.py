# Iterations of a reduction depend on each other: threads of one block can share them, blocks of threads cannot.
# test: diagnostics
# step: b = get_block("C")
# step: i, k = get_loops(b)
# step: bind(i, "blockIdx.x")
# step: bind(k, "blockIdx.y")

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((10, 7), "float32"), C: T.Buffer((10,), "float32")):
        for i, k in T.grid(10, 7):
            with T.block("C"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    C[vi] = T.float32(0)
                C[vi] = C[vi] + A[vi, vk]

# expect:
# error[TW0706]: `bind` cannot be applied: loop `k` drives axis `vk` of block `C`, which is not spatial: it cannot be bound to threads
#  |
#  = note: in the step `bind(k, "blockIdx.y")`
