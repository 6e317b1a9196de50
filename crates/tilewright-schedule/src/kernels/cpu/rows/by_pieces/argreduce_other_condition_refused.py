# A place that is not where the extreme stands, but where something is greater, is another.
# test: diagnostics
# step: b = get_block("place")
# step: rows_by_pieces(b, 4, 1, 1, 16)

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((2, 32), "int8"), Y: T.Buffer((2,), "int64")):
        best = T.alloc_buffer((2,), "int8")
        for i, k in T.grid(2, 32):
            with T.block("best"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    best[vi] = T.int8(-128)
                best[vi] = T.max(best[vi], X[vi, vk])
        for i, k in T.grid(2, 32):
            with T.block("place"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    Y[vi] = T.int64(9223372036854775807)
                Y[vi] = T.min(Y[vi], T.Select(X[vi, vk] > best[vi], T.Cast("int64", vk), T.int64(9223372036854775807)))

# expect:
# error[TW0706]: `rows_by_pieces` cannot be applied: the index is not where the extreme stands, or NaN
#  |
#  = note: in the step `rows_by_pieces(b, 4, 1, 1, 16)`
