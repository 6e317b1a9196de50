# Rows that lie side by side have a lane each; there may be no rows, and of each some elements are asked for ahead.
# test: schedule
# step: b = get_block("place")
# step: rows_side_by_side(b, 4, 2, 8, 1, False, 2)
# run: main n=3 == same
# run: main n=2 special == same
# run: main n=0 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(x: T.handle, y: T.handle):
        n = T.int64()
        X = T.match_buffer(x, (n, T.int64(300), T.int64(4), T.int64(6)), "float32")
        Y = T.match_buffer(y, (n, T.int64(1), T.int64(4), T.int64(6)), "int64")
        best = T.alloc_buffer((n, T.int64(1), T.int64(4), T.int64(6)), "float32")
        for i, u, h, w, k in T.grid(n, T.int64(1), T.int64(4), T.int64(6), T.int64(300)):
            with T.block("best"):
                vi, vu, vh, vw, vk = T.axis.remap("SSSSR", [i, u, h, w, k])
                with T.init():
                    best[vi, vu, vh, vw] = T.float32("inf")
                best[vi, vu, vh, vw] = T.min(best[vi, vu, vh, vw], X[vi, vk, vh, vw])
        for i, u, h, w, k in T.grid(n, T.int64(1), T.int64(4), T.int64(6), T.int64(300)):
            with T.block("place"):
                vi, vu, vh, vw, vk = T.axis.remap("SSSSR", [i, u, h, w, k])
                with T.init():
                    Y[vi, vu, vh, vw] = T.int64(9223372036854775807)
                Y[vi, vu, vh, vw] = T.min(Y[vi, vu, vh, vw], T.Select((X[vi, vk, vh, vw] == best[vi, T.int64(0), vh, vw]) | T.isnan(X[vi, vk, vh, vw]), vk, T.int64(9223372036854775807)))

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(x: T.handle, y: T.handle):
        n = T.int64()
        X = T.match_buffer(x, (n, T.int64(300), T.int64(4), T.int64(6)), "float32")
        Y = T.match_buffer(y, (n, T.int64(1), T.int64(4), T.int64(6)), "int64")
        # with T.block("root"):
        for task in T.parallel((n * T.int64(3) + T.int64(1)) // T.int64(2)):
            with T.block("place"):
                T.reads(X[T.int64(0):n, T.int64(0):T.int64(300), T.int64(0):T.int64(4), T.int64(0):T.int64(6)])
                T.writes(Y[T.int64(0):n, T.int64(0), T.int64(0):T.int64(4), T.int64(0):T.int64(6)])
                at = T.alloc_buffer((T.int64(8),), "int32", align=64)
                best = T.alloc_buffer((T.int64(8),), align=64)
                first: T.int64 = task * T.int64(2)
                count: T.int64 = T.min(T.int64(2), n * T.int64(3) - first)
                for row in range(count):
                    here: T.int64 = first + row
                    strip: T.int64 = here % T.int64(3)
                    vi: T.int64 = here // T.int64(3)
                    for block in range(T.int64(1)):
                        for vector in T.unroll(T.int64(2)):
                            for l in T.vectorized(T.int64(4)):
                                at[block * T.int64(8) + vector * T.int64(4) + l] = 0
                            for l in T.vectorized(T.int64(4)):
                                best[block * T.int64(8) + vector * T.int64(4) + l] = X[vi, T.int64(0), (strip * T.int64(8) + block * T.int64(8) + vector * T.int64(4) + l) // T.int64(6), (strip * T.int64(8) + block * T.int64(8) + vector * T.int64(4) + l) % T.int64(6)]
                    for k in range(T.int64(1), T.int64(300)):
                        next_strip: T.int64 = T.Select(k + T.int64(128) < T.int64(300), strip * T.int64(8), strip * T.int64(8) + T.int64(8))
                        next: T.int64 = T.Select(k + T.int64(128) < T.int64(300), k + T.int64(128), k + T.int64(128) - T.int64(300))
                        for block in range(T.int64(1)):
                            for vector in T.unroll(T.int64(2)):
                                T.evaluate(T.prefetch(T.address_of(X[vi, next, (next_strip + block * T.int64(8) + vector * T.int64(4)) // T.int64(6), (next_strip + block * T.int64(8) + vector * T.int64(4)) % T.int64(6)]), 0, 2))
                                for l in T.vectorized(T.int64(4)):
                                    at[block * T.int64(8) + vector * T.int64(4) + l] = T.Select((X[vi, k, (strip * T.int64(8) + block * T.int64(8) + vector * T.int64(4) + l) // T.int64(6), (strip * T.int64(8) + block * T.int64(8) + vector * T.int64(4) + l) % T.int64(6)] < best[block * T.int64(8) + vector * T.int64(4) + l]) | T.isnan(X[vi, k, (strip * T.int64(8) + block * T.int64(8) + vector * T.int64(4) + l) // T.int64(6), (strip * T.int64(8) + block * T.int64(8) + vector * T.int64(4) + l) % T.int64(6)]) & (not T.isnan(best[block * T.int64(8) + vector * T.int64(4) + l])), T.Cast("int32", k), at[block * T.int64(8) + vector * T.int64(4) + l])
                                for l in T.vectorized(T.int64(4)):
                                    best[block * T.int64(8) + vector * T.int64(4) + l] = T.Select((X[vi, k, (strip * T.int64(8) + block * T.int64(8) + vector * T.int64(4) + l) // T.int64(6), (strip * T.int64(8) + block * T.int64(8) + vector * T.int64(4) + l) % T.int64(6)] < best[block * T.int64(8) + vector * T.int64(4) + l]) | T.isnan(X[vi, k, (strip * T.int64(8) + block * T.int64(8) + vector * T.int64(4) + l) // T.int64(6), (strip * T.int64(8) + block * T.int64(8) + vector * T.int64(4) + l) % T.int64(6)]) & (not T.isnan(best[block * T.int64(8) + vector * T.int64(4) + l])), X[vi, k, (strip * T.int64(8) + block * T.int64(8) + vector * T.int64(4) + l) // T.int64(6), (strip * T.int64(8) + block * T.int64(8) + vector * T.int64(4) + l) % T.int64(6)], best[block * T.int64(8) + vector * T.int64(4) + l])
                    for block in range(T.int64(1)):
                        for vector in T.unroll(T.int64(2)):
                            for l in T.vectorized(T.int64(4)):
                                Y[vi, T.int64(0), (strip * T.int64(8) + block * T.int64(8) + vector * T.int64(4) + l) // T.int64(6), (strip * T.int64(8) + block * T.int64(8) + vector * T.int64(4) + l) % T.int64(6)] = T.Cast("int64", at[block * T.int64(8) + vector * T.int64(4) + l])
