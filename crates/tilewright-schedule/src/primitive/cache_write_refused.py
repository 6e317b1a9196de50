# Rows that are found in memory are not all written.
# test: diagnostics
# step: s = get_block("scatter")
# step: c = cache_write(s, 0, "global")

@I.ir_module
class Module:
    @T.prim_func
    def main(C: T.Buffer((8, 6), "float32"), I: T.Buffer((8,), "int64"), D: T.Buffer((10, 6), "float32")):
        for i, j in T.grid(8, 6):
            with T.block("scatter"):
                vi, vj = T.axis.remap("SS", [i, j])
                D[I[vi], vj] = C[vi, vj] + T.float32(1)

# expect:
# error[TW0706]: `cache_write` cannot be applied: the block is not known to write all elements of `D` that it may write
#  |
#  = note: in the step `c = cache_write(s, 0, "global")`
