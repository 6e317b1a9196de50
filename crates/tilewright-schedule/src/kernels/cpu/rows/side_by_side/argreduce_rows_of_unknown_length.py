# Rows whose number of elements only a run knows may have none, and then no place of an extreme.
# test: schedule
# step: b = get_block("place")
# step: seek_extreme(b, 4, 2, 2, 8)
# run: main n=3 == same
# run: main n=0 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(x: T.handle, Y: T.Buffer((T.int64(24),), "int64")):
        n = T.int64()
        X = T.match_buffer(x, (n, T.int64(24)), "float32")
        best = T.alloc_buffer((T.int64(24),), "float32")
        for i, k in T.grid(T.int64(24), n):
            with T.block("best"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    best[vi] = T.float32("inf")
                best[vi] = T.min(best[vi], X[vk, vi])
        for i, k in T.grid(T.int64(24), n):
            with T.block("place"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    Y[vi] = T.int64(9223372036854775807)
                Y[vi] = T.min(Y[vi], T.Select((X[vk, vi] == best[vi]) | T.isnan(X[vk, vi]), vk, T.int64(9223372036854775807)))

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(x: T.handle, Y: T.Buffer((T.int64(24),), "int64")):
        n = T.int64()
        X = T.match_buffer(x, (n, T.int64(24)), "float32")
        # with T.block("root"):
        for task in T.parallel(T.int64(2)):
            with T.block("place"):
                T.reads(X[T.int64(0):n, T.int64(0):T.int64(24)])
                T.writes(Y[T.int64(0):T.int64(24)])
                at = T.alloc_buffer((T.int64(8),), "int64", align=64)
                best = T.alloc_buffer((T.int64(8),), align=64)
                first: T.int64 = task * T.int64(2)
                count: T.int64 = T.min(T.int64(2), T.int64(3) - first)
                for row in range(count):
                    strip: T.int64 = first + row
                    if n > T.int64(0):
                        for block in range(T.int64(1)):
                            for vector in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(4)):
                                    at[block * T.int64(8) + vector * T.int64(4) + l] = T.int64(0)
                                for l in T.vectorized(T.int64(4)):
                                    best[block * T.int64(8) + vector * T.int64(4) + l] = X[T.int64(0), strip * T.int64(8) + block * T.int64(8) + vector * T.int64(4) + l]
                        for k in range(T.int64(1), T.int64(1) + (n - T.int64(1))):
                            for block in range(T.int64(1)):
                                for vector in T.unroll(T.int64(2)):
                                    for l in T.vectorized(T.int64(4)):
                                        at[block * T.int64(8) + vector * T.int64(4) + l] = T.Select((X[k, strip * T.int64(8) + block * T.int64(8) + vector * T.int64(4) + l] < best[block * T.int64(8) + vector * T.int64(4) + l]) | T.isnan(X[k, strip * T.int64(8) + block * T.int64(8) + vector * T.int64(4) + l]) & (not T.isnan(best[block * T.int64(8) + vector * T.int64(4) + l])), k, at[block * T.int64(8) + vector * T.int64(4) + l])
                                    for l in T.vectorized(T.int64(4)):
                                        best[block * T.int64(8) + vector * T.int64(4) + l] = T.Select((X[k, strip * T.int64(8) + block * T.int64(8) + vector * T.int64(4) + l] < best[block * T.int64(8) + vector * T.int64(4) + l]) | T.isnan(X[k, strip * T.int64(8) + block * T.int64(8) + vector * T.int64(4) + l]) & (not T.isnan(best[block * T.int64(8) + vector * T.int64(4) + l])), X[k, strip * T.int64(8) + block * T.int64(8) + vector * T.int64(4) + l], best[block * T.int64(8) + vector * T.int64(4) + l])
                        for block in range(T.int64(1)):
                            for vector in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(4)):
                                    Y[strip * T.int64(8) + block * T.int64(8) + vector * T.int64(4) + l] = at[block * T.int64(8) + vector * T.int64(4) + l]
                    else:
                        for block in range(T.int64(1)):
                            for vector in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(4)):
                                    Y[strip * T.int64(8) + block * T.int64(8) + vector * T.int64(4) + l] = T.int64(9223372036854775807)
