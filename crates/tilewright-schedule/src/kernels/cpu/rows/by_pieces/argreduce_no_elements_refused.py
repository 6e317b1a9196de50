# Rows without elements have no extreme.
# test: diagnostics
# step: b = get_block("place")
# step: rows_by_pieces(b, 4, 2, 2, 8)

@I.ir_module
class Module:
    @T.prim_func
    def main(x: T.handle, y: T.handle):
        n = T.int64()
        X = T.match_buffer(x, (n, T.int64(0), T.int64(4), T.int64(6)), "float32")
        Y = T.match_buffer(y, (n, T.int64(1), T.int64(4), T.int64(6)), "int64")
        best = T.alloc_buffer((n, T.int64(1), T.int64(4), T.int64(6)), "float32")
        for i, u, h, w, k in T.grid(n, T.int64(1), T.int64(4), T.int64(6), T.int64(0)):
            with T.block("best"):
                vi, vu, vh, vw, vk = T.axis.remap("SSSSR", [i, u, h, w, k])
                with T.init():
                    best[vi, vu, vh, vw] = T.float32("inf")
                best[vi, vu, vh, vw] = T.min(best[vi, vu, vh, vw], X[vi, vk, vh, vw])
        for i, u, h, w, k in T.grid(n, T.int64(1), T.int64(4), T.int64(6), T.int64(0)):
            with T.block("place"):
                vi, vu, vh, vw, vk = T.axis.remap("SSSSR", [i, u, h, w, k])
                with T.init():
                    Y[vi, vu, vh, vw] = T.int64(9223372036854775807)
                Y[vi, vu, vh, vw] = T.min(Y[vi, vu, vh, vw], T.Select((X[vi, vk, vh, vw] == best[vi, T.int64(0), vh, vw]) | T.isnan(X[vi, vk, vh, vw]), vk, T.int64(9223372036854775807)))

# expect:
# error[TW0706]: `rows_by_pieces` cannot be applied: rows have no elements
#  |
#  = note: in the step `rows_by_pieces(b, 4, 2, 2, 8)`
