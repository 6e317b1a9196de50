# A sum has one element in a temporary.
# test: diagnostics
# step: b = get_block("B")
# step: a = reindex_cache_write(b, 0, "global", lambda i, j: (i, j))

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((7, 9), "float32"), B: T.Buffer((7,), "float32")):
        for i, j in T.grid(7, 9):
            with T.block("B"):
                v, r = T.axis.remap("SR", [i, j])
                with T.init():
                    B[v] = T.float32(1)
                B[v] = B[v] + A[v, r]

# expect:
# error[TW0706]: `reindex_cache_write` cannot be applied: the indices of the temporary are of axis `r`, over which the block reduces
#  |
#  = note: in the step `a = reindex_cache_write(b, 0, "global", lambda i, j: (i, j))`
