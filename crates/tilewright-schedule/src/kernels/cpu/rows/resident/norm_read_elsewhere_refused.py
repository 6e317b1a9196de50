# A result that is read in another row than it is written in would be there already.
# test: diagnostics
# step: b = get_block("away")
# step: rows_resident(b, 4, 1, 2)

@I.ir_module
class Module:
    @T.prim_func
    def main(Y: T.Buffer((5, 8), "float32")):
        total = T.alloc_buffer((5,), "float32")
        for i, k in T.grid(5, 8):
            with T.block("total"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    total[vi] = T.float32(0)
                total[vi] = total[vi] + Y[vi, vk]
        for i, j in T.grid(5, 8):
            with T.block("away"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = Y[4 - vi, vj] - total[vi]

# expect:
# error[TW0706]: `rows_resident` cannot be applied: the result depends on more than its row
#  |
#  = note: in the step `rows_resident(b, 4, 1, 2)`
